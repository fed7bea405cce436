"""Answers of ours as Anthropic's messages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from app.api.anthropic.blocks import CALL_PREFIX
from app.api.anthropic.errors import anthropic_error
from app.api.errors import ApiError, Json
from app.api.parts import AnswerPart, PartClosed, PartEvent, PartGrew, PartKind, PartOpened, Parts, parts_of
from app.api.usage import without_none
from app.core.events import Finished, FinishReason, PromptProgress, ReplyEvent

_REASONS = {
    FinishReason.TOOL_CALLS: "tool_use",
    FinishReason.LENGTH: "max_tokens",
    FinishReason.CONTEXT_FULL: "model_context_window_exceeded",
}
_DELTAS = {
    PartKind.TEXT: ("text_delta", "text"),
    PartKind.REASONING: ("thinking_delta", "thinking"),
    PartKind.CALL: ("input_json_delta", "partial_json"),
}


@dataclass(frozen=True, slots=True)
class MessageObjects:
    """What is told of the answer to one request."""

    id: str
    model: str
    signature: str = field(repr=False)
    """Of what it thinks: the client sends it back, and the answer is found by it."""
    stops: tuple[str, ...] = ()
    """The client's own."""
    _parts: Parts = field(default_factory=Parts)
    _started: list[bool] = field(default_factory=list)

    done: ClassVar[bytes] = b""

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.signature,)

    def whole(self, answers: Sequence[Finished]) -> Json:
        [finished] = answers
        content = [self._block(each) for each in parts_of(finished)]
        return {**self._head(content), **self._end(finished), "usage": _usage(finished)}

    def opening(self, index: int) -> list[Json]:
        return []

    def chunks(self, event: ReplyEvent, index: int) -> list[Json]:
        made = [] if self._started else self._start(event)
        for each in self._parts.add(event):
            made += self._told(each)
        return made

    def _start(self, event: ReplyEvent) -> list[Json]:
        """With the figures of the prompt, as soon as they are known."""
        if isinstance(event, PromptProgress):
            usage = _figures(event.total - event.reused, event.reused, 0)
        elif isinstance(event, Finished) or list(Parts().add(event)):
            usage = _figures(0, 0, 0)
        else:
            return []
        self._started.append(True)
        nothing = {"stop_reason": None, "stop_sequence": None}
        message = {**self._head([]), **nothing, "usage": usage}
        return [{"type": "message_start", "message": message}, {"type": "ping"}]

    def ending(self, finished: Finished, index: int, told: int) -> list[Json]:
        return [{"type": "message_delta", "delta": self._end(finished), "usage": _usage(finished)}]

    def closing(self, answers: Sequence[Finished], last: list[Json]) -> list[Json]:
        return [*last, {"type": "message_stop"}]

    def failing(self, error: ApiError) -> list[Json]:
        return [anthropic_error(error)]

    def waiting(self) -> list[Json]:
        return [{"type": "ping"}] if self._started else []

    def _head(self, content: list[Json]) -> dict[str, object]:
        return {"id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": content}

    def _end(self, finished: Finished) -> dict[str, object]:
        if finished.stop and finished.stop in self.stops:
            return {"stop_reason": "stop_sequence", "stop_sequence": finished.stop}
        return {"stop_reason": _REASONS.get(finished.reason, "end_turn"), "stop_sequence": None}

    def _told(self, event: PartEvent) -> list[Json]:
        index = event.part.index
        match event:
            case PartOpened(part):
                return [{"type": "content_block_start", "index": index, "content_block": _begun(part)}]
            case PartGrew(part, text):
                kind, name = _DELTAS[part.kind]
                return [{"type": "content_block_delta", "index": index, "delta": {"type": kind, name: text}}]
            case PartClosed(part):
                signed = {"type": "signature_delta", "signature": self.signature}
                last = [{"type": "content_block_delta", "index": index, "delta": signed}]
                stop = {"type": "content_block_stop", "index": index}
                return [*(last if part.kind is PartKind.REASONING else []), stop]

    def _block(self, part: AnswerPart) -> Json:
        match part.kind:
            case PartKind.TEXT:
                return {**_begun(part), "text": part.text}
            case PartKind.REASONING:
                return {**_begun(part), "thinking": part.text, "signature": self.signature}
            case PartKind.CALL:
                return {**_begun(part), "input": _object(part.text)}


def _begun(part: AnswerPart) -> dict[str, object]:
    match part.kind:
        case PartKind.TEXT:
            return {"type": "text", "text": ""}
        case PartKind.REASONING:
            return {"type": "thinking", "thinking": "", "signature": ""}
        case PartKind.CALL:
            return {"type": "tool_use", "id": f"{CALL_PREFIX}{part.call_id}", "name": part.name, "input": {}}


def _object(arguments: str) -> object:
    """Of a call that a limit has cut off nothing can be told here; the reason for its end tells that."""
    try:
        told = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _usage(finished: Finished) -> Json:
    timings = finished.timings
    return _figures(timings.prompt_n, timings.cache_n, timings.predicted_n)


def _figures(read: int | None, warm: int | None, written: int | None) -> Json:
    """Anthropic counts apart what is not read again."""
    told = {
        "input_tokens": read,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": warm,
        "output_tokens": written,
    }
    return without_none(told)
