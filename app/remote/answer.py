"""An answer as it comes from a server, put together."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from app.core.events import DeltaKind, FinishReason, PromptProgress, TextDelta, Timings, ToolCallDelta, grow_calls
from app.core.messages import ToolCall
from app.core.sentence import Sentence

ServerEvent = PromptProgress | TextDelta | ToolCallDelta

_LONGEST = 1 << 26
"""Characters of an answer: nobody reads more, and who sends more is ill."""

_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "abort": FinishReason.BROKEN_OFF,
    "error": FinishReason.BROKEN_OFF,
    "cancelled": FinishReason.BROKEN_OFF,
}


class AnswerError(Exception):
    """The server says that it failed, or says what can't be read."""

    def __init__(self, told: str, code: str = "", *, is_rubbish: bool = False) -> None:
        super().__init__(told)
        self.told = told
        self.code = code
        self.is_rubbish = is_rubbish


@dataclass(slots=True)
class Figures:
    """As they were told; None is not told."""

    prompt_total: int | None = None
    cached: int | None = None
    written: int | None = None
    reasoning_n: int | None = None
    draft_n: int | None = None
    draft_n_accepted: int | None = None
    prompt_ms: float | None = None
    predicted_ms: float | None = None

    def tell(self, new: "Figures") -> None:
        """Take what is told there; the rest stays as it was."""
        for each in fields(new):
            if (told := getattr(new, each.name)) is not None:
                setattr(self, each.name, told)

    def tell_prompt(self, read: int, cached: int | None) -> None:
        """Both at once, so that they belong together: the tokens that were read, and those that were reused."""
        self.cached, self.prompt_total = cached, read + (cached or 0)


@dataclass(slots=True)
class Answer:
    """Grows; a dialect's reader feeds it."""

    figures: Figures = field(default_factory=Figures)
    reason: FinishReason | None = None
    """None until the server has said that it ended."""
    note: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    _said: dict[DeltaKind, list[str]] = field(default_factory=lambda: {kind: [] for kind in DeltaKind})
    _size: int = 0
    began: float = field(default_factory=time.perf_counter)
    first: float = 0.0
    """When the first of it came; 0 before that. As `last`, by the performance counter."""
    last: float = 0.0
    _reasoned: tuple[float, float] = (0.0, 0.0)
    """When the reasoning began and ended."""

    @property
    def text(self) -> str:
        return "".join(self._said[DeltaKind.CONTENT])

    @property
    def reasoning(self) -> str:
        return "".join(self._said[DeltaKind.REASONING])

    @property
    def reasoning_ms(self) -> float:
        return (self._reasoned[1] - self._reasoned[0]) * 1000

    @property
    def is_empty(self) -> bool:
        """Nothing has come that could be kept."""
        return not self.first

    def say(self, text: str, kind: DeltaKind) -> Iterator[TextDelta]:
        if text and self.reason is None:
            self._grow(len(text))
            self._said[kind].append(text)
            if kind is DeltaKind.REASONING:
                self._reasoned = (self._reasoned[0] or self.last, self.last)
            elif self._reasoned[0] and len(self._said[kind]) == 1:
                self._reasoned = (self._reasoned[0], self.last)
            yield TextDelta(text, self.figures.written, kind)

    def call(self, delta: ToolCallDelta) -> Iterator[ToolCallDelta]:
        if self.reason is None:
            self._grow(len(delta.arguments))
            grow_calls(self.calls, delta)
            yield delta

    def end(self, reason: str) -> None:
        """As a server names it."""
        if self.reason is not None:
            return
        self.reason = _REASONS.get(reason, FinishReason.STOP)
        if self.reason is FinishReason.BROKEN_OFF:
            self.note = Sentence("The server broke the answer off. Let it go on, or try again.")
        elif reason == "content_filter":
            self.note = Sentence("The server's filter ended the answer.")
        if self.reason is FinishReason.STOP and self.calls:
            self.reason = FinishReason.TOOL_CALLS

    def timings(self) -> Timings:
        """What was told, and the times that passed here where none were."""
        told = self.figures
        read = told.prompt_total
        if read is not None and told.cached is not None:
            read = max(0, read - told.cached)
        waited, wrote = (self.first - self.began, self.last - self.first) if self.first else (0.0, 0.0)
        return Timings(
            cache_n=told.cached if told.prompt_total is not None else None,
            prompt_n=read,
            prompt_ms=waited * 1000 if told.prompt_ms is None else told.prompt_ms,
            predicted_n=told.written,
            predicted_ms=wrote * 1000 if told.predicted_ms is None else told.predicted_ms,
            draft_n=told.draft_n,
            draft_n_accepted=told.draft_n_accepted,
        )

    def _grow(self, size: int) -> None:
        self.last = time.perf_counter()
        self.first = self.first or self.last
        self._size += size
        if self._size > _LONGEST:
            raise AnswerError("an answer without an end", is_rubbish=True)


def parsed(payload: bytes) -> dict[str, object]:
    """An object of JSON. Raises AnswerError."""
    text = payload.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        # One engine puts its error's words between the quotes as they are.
        if text.lstrip().startswith('{"error"'):
            raise AnswerError(text.strip().removeprefix('{"error":').strip(' "}')) from error
        raise AnswerError(text, is_rubbish=True) from error
    if not isinstance(said, dict):
        raise AnswerError(text, is_rubbish=True)
    return said
