"""Answers of ours as Ollama's objects."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar

from app.api.errors import ApiError, Json
from app.api.usage import total_timings, without_none
from app.core.events import DeltaKind, Finished, FinishReason, ReplyEvent, TextDelta
from app.core.messages import ToolCall

_CUT = (FinishReason.LENGTH, FinishReason.CONTEXT_FULL)
_MS = 1_000_000
"""Nanoseconds."""


def now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class OllamaObjects:
    """What is told of the answer to one request: a message, or for `/api/generate` the fields of one."""

    model: str
    chats: bool
    _began: float = field(default_factory=time.monotonic)

    done: ClassVar[bytes] = b""
    ids: ClassVar[tuple[str, ...]] = ()

    def whole(self, answers: Sequence[Finished]) -> Json:
        [finished] = answers
        return self._said(finished.text, finished.reasoning, finished.tool_calls) | self._end(finished)

    def opening(self, index: int) -> list[Json]:
        return []

    def chunks(self, event: ReplyEvent, index: int) -> list[Json]:
        match event:
            case TextDelta(text=text, kind=DeltaKind.REASONING):
                return [self._said("", text)]
            case TextDelta(text=text):
                return [self._said(text)]
            case Finished(tool_calls=calls) if calls:
                return [self._said("", calls=calls)]
        return []

    def ending(self, finished: Finished, index: int, told: int) -> list[Json]:
        return [self._said() | self._end(finished)]

    def closing(self, answers: Sequence[Finished], last: list[Json]) -> list[Json]:
        return last

    def failing(self, error: ApiError) -> list[Json]:
        return [ollama_error(error)]

    def waiting(self) -> list[Json]:
        return [self._said()]

    def nothing(self, reason: str) -> Json:
        """A request that only loads or unloads the model."""
        return self._said() | {"done": True, "done_reason": reason}

    def _said(self, text: str = "", thinking: str = "", calls: Sequence[ToolCall] = ()) -> dict[str, object]:
        told = {"thinking": thinking} if thinking else {}
        head = {"model": self.model, "created_at": now(), "done": False}
        if not self.chats:
            return {**head, "response": text, **told}
        message: dict[str, object] = {"role": "assistant", "content": text, **told}
        if calls:
            message["tool_calls"] = [{"function": {"name": each.name, "arguments": _object(each)}} for each in calls]
        return {**head, "message": message}

    def _end(self, finished: Finished) -> dict[str, object]:
        timings = total_timings([finished])
        told = {
            "done": True,
            "done_reason": "length" if finished.reason in _CUT else "stop",
            "total_duration": int((time.monotonic() - self._began) * 1e9),
            "load_duration": 0,
            "prompt_eval_count": timings.prompt_total,
            "prompt_eval_duration": int(timings.prompt_ms * _MS),
            "eval_count": timings.predicted_n,
            "eval_duration": int(timings.predicted_ms * _MS),
        }
        return without_none(told)


def ollama_error(error: ApiError) -> Json:
    return {"error": error.message}


def _object(call: ToolCall) -> object:
    """Of a call that a limit has cut off nothing can be told."""
    try:
        told = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
