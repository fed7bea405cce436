"""An answer as parts that come one after another: what it thinks, what it says, and each call, numbered through."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.events import DeltaKind, Finished, ReplyEvent, TextDelta, ToolCallDelta


class PartKind(StrEnum):
    REASONING = "reasoning"
    TEXT = "text"
    CALL = "call"


_KINDS = {DeltaKind.REASONING: PartKind.REASONING, DeltaKind.CONTENT: PartKind.TEXT}


@dataclass(frozen=True, slots=True)
class AnswerPart:
    index: int
    kind: PartKind
    text: str = ""
    """As far as it has come; of a call, its arguments."""
    name: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class PartOpened:
    part: AnswerPart


@dataclass(frozen=True, slots=True)
class PartGrew:
    part: AnswerPart
    text: str


@dataclass(frozen=True, slots=True)
class PartClosed:
    part: AnswerPart


PartEvent = PartOpened | PartGrew | PartClosed


@dataclass(slots=True)
class Parts:
    """Cuts an answer's events into parts. A text of nothing but blanks, as models write before a call, is none."""

    closed: list[AnswerPart] = field(default_factory=list)
    _open: AnswerPart | None = None
    _pieces: list[str] = field(default_factory=list)
    _blank: str = ""
    """Of a text that has not begun otherwise."""
    _call: int = -1
    """The number of the call that is open."""

    def add(self, event: ReplyEvent) -> Iterator[PartEvent]:
        match event:
            case TextDelta(text=text, kind=kind):
                yield from self._add_text(_KINDS[kind], text)
            case ToolCallDelta(index=index):
                if self._open is None or self._open.kind is not PartKind.CALL or index != self._call:
                    self._call = index
                    yield from self._opened(PartKind.CALL, event.name, event.id)
                yield from self._grown(event.arguments)
            case Finished():
                yield from self._ended(event)

    def _ended(self, finished: Finished) -> Iterator[PartEvent]:
        """An answer without a word is an empty text."""
        yield from self._close()
        if not self.closed:
            yield from self._opened(PartKind.TEXT)
            yield from self._grown(finished.text)
            yield from self._close()

    def _add_text(self, kind: PartKind, text: str) -> Iterator[PartEvent]:
        if self._open is None or self._open.kind is not kind:
            self._blank += text
            if self._blank.isspace() or not self._blank:
                return
            text = self._blank
            yield from self._opened(kind)
        yield from self._grown(text)

    def _opened(self, kind: PartKind, name: str = "", call_id: str = "") -> Iterator[PartEvent]:
        yield from self._close()
        self._open = AnswerPart(len(self.closed), kind, "", name, call_id)
        yield PartOpened(self._open)

    def _grown(self, text: str) -> Iterator[PartEvent]:
        if self._open is not None and text:
            self._pieces.append(text)
            yield PartGrew(self._open, text)

    def _close(self) -> Iterator[PartEvent]:
        self._blank = ""
        if (part := self._open) is not None:
            whole = AnswerPart(part.index, part.kind, "".join(self._pieces), part.name, part.call_id)
            self._open = None
            self._pieces.clear()
            self.closed.append(whole)
            yield PartClosed(whole)


def parts_of(finished: Finished) -> list[AnswerPart]:
    """Of a whole answer."""
    parts = Parts()
    texts = (TextDelta(finished.reasoning, kind=DeltaKind.REASONING), TextDelta(finished.text))
    calls = (ToolCallDelta(index, each.id, each.name, each.arguments) for index, each in enumerate(finished.tool_calls))
    events: tuple[ReplyEvent, ...] = (*texts, *calls, finished)
    for event in events:
        deque(parts.add(event), maxlen=0)
    return parts.closed
