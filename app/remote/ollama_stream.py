"""Lines of Ollama's `/api/chat`."""

import json
import secrets
from collections.abc import Iterator, Mapping

from app.core.events import DeltaKind, ToolCallDelta
from app.remote.answer import Answer, AnswerError, Figures, ServerEvent, parsed
from app.remote.failures import error_of
from app.remote.told_fields import at, count, flag, milliseconds, objects, text

_MS = 1e-6
"""Milliseconds of a nanosecond."""


class OllamaStream:
    """Feeds one answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.is_done = False
        """Nothing comes any more."""

    def read(self, payload: bytes) -> Iterator[ServerEvent]:
        """Raises AnswerError."""
        said = parsed(payload)
        if said.get("error"):
            raise AnswerError(*error_of(said["error"]))
        yield from self._answer.say(text(said, "message", "thinking"), DeltaKind.REASONING)
        yield from self._answer.say(text(said, "message", "content"), DeltaKind.CONTENT)
        for call in objects(said, "message", "tool_calls"):
            # Whole, one after another.
            number, arguments = len(self._answer.calls), at(call, "function", "arguments")
            told = ToolCallDelta(
                number, f"call_{secrets.token_hex(8)}", text(call, "function", "name"), _json(arguments), None
            )
            yield from self._answer.call(told)
        if flag(said, "done"):
            self._figures(said)
            self._answer.end(text(said, "done_reason") or "stop")
            self.is_done = True

    def _figures(self, said: Mapping[str, object]) -> None:
        prompt, wrote = milliseconds(said, "prompt_eval_duration"), milliseconds(said, "eval_duration")
        told = Figures(
            prompt_total=count(said, "prompt_eval_count"),
            written=count(said, "eval_count"),
            prompt_ms=None if prompt is None else prompt * _MS,
            predicted_ms=None if wrote is None else wrote * _MS,
        )
        self._answer.figures.tell(told)


def _json(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments if arguments is not None else {}, ensure_ascii=False)
