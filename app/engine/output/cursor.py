"""Text that is read while it still arrives."""

import re
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache
from typing import TypeVar

_T = TypeVar("_T")
Parsing = Generator[None, None, _T]
"""A reader: it yields wherever it needs more text than there is, and its value is what it read.

What a reader does depends on the text alone, never on where the text was cut."""


class Cursor:
    """A place in the text. `feed` and `end` are the writer's side, all else is for readers."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._ended = False
        self._marked: int | None = None
        self._kept: list[str] = []
        self._plain: tuple[re.Pattern[str], Callable[[str], None]] | None = None
        """What may begin a marker that a reader waits for, and who takes all else; None where it must see the text."""

    def write_plain(self, text: str) -> bool:
        """Instead of `feed`: hand `text` to a reader that waits for a marker, without waking it. False where it may
        hold the beginning of one, or nobody waits so. Nearly all of an answer goes by here.
        """
        if self._plain is None or self._marked is not None:
            return False
        may_begin, write = self._plain
        if may_begin.search(text) is not None:
            return False
        write(text)
        return True

    def feed(self, text: str) -> None:
        if self._marked is not None:
            self._kept.append(self._text[self._marked : self._at])
            self._marked = 0
        self._text = self._text[self._at :] + text
        self._at = 0

    def end(self) -> None:
        """No more text comes."""
        self._ended = True

    def mark(self) -> None:
        """Remember this place for `rewind`. There is one mark; a new one takes its place."""
        self._kept.clear()
        self._marked = self._at

    @property
    def is_marked(self) -> bool:
        return self._marked is not None

    def forget_mark(self) -> None:
        self._kept.clear()
        self._marked = None

    def rewind(self) -> None:
        """Go back to the mark, and forget it."""
        if self._marked is None:
            raise ValueError("no mark to go back to")
        self._text = "".join(self._kept) + self._text[self._marked :]
        self._at = 0
        self.forget_mark()

    def more(self) -> Parsing[bool]:
        """Wait for text beyond what there is. False where none comes."""
        known = len(self._text) - self._at
        while len(self._text) - self._at == known:
            if self._ended:
                return False
            yield
        return True

    def peek(self) -> Parsing[str]:
        """The next character; empty at the end."""
        while self._at == len(self._text):
            if not (yield from self.more()):
                return ""
        return self._text[self._at]

    def next_is(self, literals: Sequence[str]) -> Parsing[str]:
        """The longest of `literals` that stands here, or ""; nothing is taken."""
        longest = max(map(len, literals), default=0)
        while True:
            here = self._text[self._at : self._at + longest]
            found = max((each for each in literals if here.startswith(each)), key=len, default="")
            if not any(len(each) > len(here) and each.startswith(here) for each in literals):
                return found
            if not (yield from self.more()):
                return found

    def take(self, *literals: str) -> Parsing[str]:
        """As `next_is`, and past it."""
        found = yield from self.next_is(literals)
        self._at += len(found)
        return found

    def take_behind(self, *literals: str) -> Parsing[str]:
        """Take blanks, and one of `literals` behind them; nothing where none of them comes. The mark is used for it."""
        self.mark()
        yield from self.take_space()
        found = yield from self.take(*literals)
        if found:
            self.forget_mark()
        else:
            self.rewind()
        return found

    def take_space(self) -> Parsing[str]:
        return (yield from self.take_run(_SPACE))

    def take_run(self, characters: re.Pattern[str], limit: int = 1 << 30) -> Parsing[str]:
        """All that comes of `characters`, a pattern for one of them, repeated; `limit` bounds the length."""
        parts: list[str] = []
        while True:
            match = characters.match(self._text, self._at, min(len(self._text), self._at + limit))
            if match is not None:
                parts.append(match.group())
                limit -= len(parts[-1])
                self._at = match.end()
            if self._at < len(self._text) or limit <= 0 or not (yield from self.more()):
                return "".join(parts)

    def take_available(self) -> str:
        """What has arrived, without waiting."""
        text, self._at = self._text[self._at :], len(self._text)
        return text

    def give_back(self, count: int) -> None:
        """The last `count` characters of `take_available` again."""
        self._at -= count

    def take_until(self, markers: Sequence[str], write: Callable[[str], None]) -> Parsing[str]:
        """Write what comes before the first of `markers`, and take it; its value is the marker, "" at the end.

        The earliest counts, and of several at one place the longest. Only what may begin a marker waits.
        """
        search = _search_for(tuple(markers))
        while True:
            found = search.full.search(self._text, self._at)
            undecided = self._undecided(search, found.start() if found else len(self._text))
            if found and (undecided is None or self._ended):
                if found.start() > self._at:
                    write(self._text[self._at : found.start()])
                self._at = found.end()
                return found.group()
            stop = len(self._text) if undecided is None else undecided
            if stop > self._at:
                write(self._text[self._at : stop])
                self._at = stop
            self._plain = (search.first, write) if self._at == len(self._text) else None
            has_more = yield from self.more()
            self._plain = None
            if not has_more and not search.full.search(self._text, self._at):
                if rest := self.take_available():
                    write(rest)
                return ""

    def _undecided(self, search: "_Search", last: int) -> int | None:
        """The first place up to `last` where the text's end may begin a marker, or a longer one than is there."""
        for place in search.first.finditer(self._text, max(self._at, len(self._text) - search.longest + 1)):
            if place.start() > last:
                return None
            tail = self._text[place.start() :]
            if any(len(marker) > len(tail) and marker.startswith(tail) for marker in search.markers):
                return place.start()
        return None


class _Search:
    def __init__(self, markers: tuple[str, ...]) -> None:
        self.markers = markers
        self.longest = max(map(len, markers), default=0)
        ordered = sorted(markers, key=len, reverse=True)
        self.full = re.compile("|".join(map(re.escape, ordered)) or "(?!)")
        self.first = re.compile("|".join(sorted({re.escape(each[0]) for each in markers})) or "(?!)")


@lru_cache(maxsize=256)
def _search_for(markers: tuple[str, ...]) -> _Search:
    return _Search(markers)


_SPACE = re.compile(r"\s+")
