"""Looking for words in all messages of a conversation, in slices too short to be felt."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.core.messages import Role
from app.services.runtime.debounce import Ticker
from app.storage.conversations import StoredMessage
from app.ui.formatting.utf16 import units
from app.ui.richtext.block_text import raw_text
from app.ui.richtext.markdown import parse
from app.ui.transcript.tool_call_view import shown_texts

_MARKS = re.compile(r"[*_`~\\\[\]]|\([^)]*\)")
_SLICE = 0.004
"""Seconds of work between two turns of the event loop."""


Part = Literal["reasoning", "text", "tools"]
Results = Callable[[int], Mapping[str, str]]
"""What tools gave to the calls of a message, by the ids of the calls."""


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """One hit. The names of the parts sort as these stand on screen."""

    index: int
    """Of the message among those that were searched."""
    part: Part
    block: int
    """Of the part. Of the tools it is the number that `shown_texts` gives."""
    start: int
    """As `end`, a place in the block's document: UTF-16 units."""
    end: int


class Finder(QObject):
    """Begins at the message it is told, goes on to the end, and then from the first."""

    progressed = Signal(object)
    """The index of a message with hits that was just searched"""
    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hits: list[Found] = []
        """So far, in the order of the conversation."""
        self._by_message: dict[int, list[Found]] = {}
        self._work: Iterator[None] = iter(())
        self._timer = Ticker(0, self._slice, self)

    @property
    def is_busy(self) -> bool:
        return self._timer.isActive()

    def of_message(self, index: int) -> Sequence[Found]:
        return self._by_message.get(index, ())

    def search(
        self, messages: Sequence[StoredMessage], words: str, begin: int, results: Results = lambda _: {}
    ) -> None:
        """Forget what was found, and look for `words`, whatever their case."""
        self.stop()
        if words:
            self._work = self._search(messages, re.compile(re.escape(words), re.IGNORECASE), begin, results)
            self._timer.start()

    def stop(self) -> None:
        """Forget what was found."""
        self._timer.stop()
        self.hits, self._by_message = [], {}

    def _search(
        self, messages: Sequence[StoredMessage], words: re.Pattern[str], begin: int, results: Results
    ) -> Iterator[None]:
        for index in (*range(begin, len(messages)), *range(begin)):
            found = list(_hits(messages[index], index, words, results(index)))
            if found:
                self._by_message[index] = found
                place = bisect_left(self.hits, found[0])
                self.hits[place:place] = found
                self.progressed.emit(index)
            yield

    def _slice(self) -> None:
        until = perf_counter() + _SLICE
        while perf_counter() < until:
            try:
                next(self._work)
            except StopIteration:
                self._timer.stop()
                self.finished.emit()
                return


def _hits(stored: StoredMessage, index: int, words: re.Pattern[str], results: Mapping[str, str]) -> Iterator[Found]:
    message = stored.message
    if message.role is Role.USER:
        if words.search(message.text) is not None:
            for number, block in enumerate(parse(message.text, typed=True)):
                for start, end in _places(raw_text(block), words):
                    yield Found(index, "text", number, start, end)
        return
    parts: tuple[tuple[Part, str], ...] = (("reasoning", message.reasoning), ("text", message.text))
    for part, source in parts:
        # Most messages have not even the letters: those need not be read as Markdown.
        if not _may_have(source, words):
            continue
        for number, block in enumerate(parse(source)):
            for start, end in _places(raw_text(block), words):
                yield Found(index, part, number, start, end)
    for number, text in shown_texts(message.tool_calls, results):
        for start, end in _places(text, words):
            yield Found(index, "tools", number, start, end)


def _may_have(source: str, words: re.Pattern[str]) -> bool:
    """Whether the words are in there, also where Markdown's marks stand between their letters."""
    return words.search(source) is not None or words.search(_MARKS.sub("", source)) is not None


def _places(text: str, words: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    plain = text.isascii()
    for found in words.finditer(text):
        before = found.start() if plain else units(text[: found.start()])
        yield before, before + units(found[0])
