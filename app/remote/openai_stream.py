"""Chunks of chat completions, in all the ways in which engines write them."""

import json
import secrets
from collections.abc import Iterator, Mapping

from app.core.events import DeltaKind, PromptProgress, ToolCallDelta
from app.remote.answer import Answer, AnswerError, Figures, ServerEvent, parsed
from app.remote.failures import error_of
from app.remote.told_fields import at, count, milliseconds, objects, text

_DONE = b"[DONE]"
_REASONING = ("reasoning_content", "reasoning")


class OpenAIStream:
    """Feeds one answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._calls: dict[object, int] = {}
        """Numbers of ours, by what the server calls them."""
        self._ids: dict[int, str] = {}
        self.is_done = False
        """Nothing comes any more."""

    def read(self, payload: bytes) -> Iterator[ServerEvent]:
        """Raises AnswerError."""
        if payload.strip() == _DONE:
            self.is_done = True
            return
        chunk = parsed(payload)
        if chunk.get("error"):
            raise AnswerError(*error_of(chunk["error"]))
        self._figures(chunk)
        yield from self._progress(chunk)
        for choice in objects(chunk, "choices"):
            if choice.get("index") in (0, None):
                yield from self._choice(choice)

    def _choice(self, choice: Mapping[str, object]) -> Iterator[ServerEvent]:
        # Some answer at once, whatever was asked.
        delta = next((each for name in ("delta", "message") if isinstance(each := choice.get(name), Mapping)), {})
        thought = next((said for name in _REASONING if (said := text(delta, name))), "")
        yield from self._answer.say(thought, DeltaKind.REASONING)
        yield from self._answer.say(_content(delta), DeltaKind.CONTENT)
        for position, call in enumerate(objects(delta, "tool_calls")):
            yield from self._answer.call(self._call(call, position))
        if reason := text(choice, "finish_reason"):
            self._answer.end(reason)

    def _call(self, call: Mapping[str, object], position: int) -> ToolCallDelta:
        index, told = call.get("index"), text(call, "id")
        key = index if isinstance(index, int) else told or position
        known = self._calls.get(key)
        if known is not None and told and text(call, "function", "name") and told != self._ids[known]:
            known = None  # one engine numbers all of them 0
        arguments = _arguments(at(call, "function", "arguments"))
        written = self._answer.figures.written
        if known is not None:
            return ToolCallDelta(known, arguments=arguments, predicted_n=written)
        number = self._calls[key] = len(self._ids)
        self._ids[number] = told
        name = text(call, "function", "name")
        return ToolCallDelta(number, told or f"call_{secrets.token_hex(8)}", name, arguments, written)

    def _progress(self, chunk: Mapping[str, object]) -> Iterator[PromptProgress]:
        """llama-server's."""
        total, reused, done = (count(chunk, "prompt_progress", name) for name in ("total", "cache", "processed"))
        if total is not None and done is not None:
            elapsed = milliseconds(chunk, "prompt_progress", "time_ms") or 0.0
            yield PromptProgress(total, reused or 0, max(0, done - (reused or 0)), elapsed / 1000)

    def _figures(self, chunk: Mapping[str, object]) -> None:
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            told = Figures(
                prompt_total=count(usage, "prompt_tokens"),
                written=count(usage, "completion_tokens"),
                cached=count(usage, "prompt_tokens_details", "cached_tokens"),
                reasoning_n=count(usage, "completion_tokens_details", "reasoning_tokens"),
            )
            self._answer.figures.tell(told)
        timings = chunk.get("timings")
        if isinstance(timings, Mapping):
            self._timings(timings)

    def _timings(self, timings: Mapping[str, object]) -> None:
        """llama-server's, with each chunk."""
        if (read := count(timings, "prompt_n")) is not None:
            self._answer.figures.tell_prompt(read, count(timings, "cache_n"))
        told = Figures(
            written=count(timings, "predicted_n"),
            draft_n=count(timings, "draft_n"),
            draft_n_accepted=count(timings, "draft_n_accepted"),
            prompt_ms=milliseconds(timings, "prompt_ms"),
            predicted_ms=milliseconds(timings, "predicted_ms"),
        )
        self._answer.figures.tell(told)


def _content(delta: Mapping[str, object]) -> str:
    """A text, or a list of parts."""
    said = delta.get("content")
    return said if isinstance(said, str) else "".join(text(each, "text") for each in objects(delta, "content"))


def _arguments(told: object) -> str:
    """JSON text; some hand over the object itself."""
    if told is None or isinstance(told, str):
        return told or ""
    return json.dumps(told, ensure_ascii=False)
