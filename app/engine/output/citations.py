"""Citations in an answer: numbers in brackets, as in [1] or [2, 3], outside of code.

One rule says where they are, for what is being written, shown, checked and exported.
"""

import re
from collections.abc import Callable, Collection, Iterable
from copy import copy
from dataclasses import dataclass
from enum import Enum, auto
from typing import Self

from app.engine.output.code_marks import CodeMarks

_TURNING = re.compile(rb"[\[`~\n]")
_NEWLINE, _SPACE, _OPEN, _CLOSE, _COMMA = b"\n [],"
_DIGITS = frozenset(b"0123456789")
_JOINED = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_)]\\")
"""A bracket behind one of these is an index, a link or a formula."""


class Place(Enum):
    """In a text, seen from citations."""

    OUTSIDE = auto()
    OPENED = auto()
    """Behind a bracket that may become one."""
    NUMBER = auto()
    COMMA = auto()
    BLANK = auto()
    """Behind the one blank that may follow a comma."""
    CLOSED = auto()
    """Behind one: another may follow at once."""


class CitationRule:
    """Follows a text, and says what can't be: a citation of a number that does not exist."""

    __slots__ = ("_before", "_begun", "_code", "_digits", "_exists", "place")

    def __init__(self, exists: Collection[int] | None = None) -> None:
        """Without `exists` any number is there."""
        self._exists = None if exists is None else frozenset(str(each).encode() for each in exists)
        self._begun = frozenset(each[:n] for each in self._exists or () for n in range(1, len(each) + 1))
        self._code = CodeMarks()
        self._before = _NEWLINE
        self._digits = b""
        """Of the number that is being written."""
        self.place = Place.OUTSIDE

    def copy(self) -> Self:
        copied = copy(self)
        copied._code = self._code.copy()
        return copied

    def is_plain(self, text: bytes) -> bool:
        """Whether nothing in a text can begin or end a citation or code, wherever it is cut."""
        outside = self.place in (Place.OUTSIDE, Place.CLOSED)
        return bool(text) and outside and self._code.is_within_line and not _TURNING.search(text)

    def follow(self, text: Iterable[int]) -> bool:
        """Go on with bytes of UTF-8, or codes of characters; False, and of no more use, where they can't be."""
        if isinstance(text, bytes) and self.is_plain(text):
            self._before, self.place = text[-1], Place.OUTSIDE
            return True
        return all(map(self._step, text))

    def _step(self, code: int) -> bool:
        self._code.step(code)
        following = self._following(code)
        before, self._before, self.place = self._before, code, following or Place.OUTSIDE
        if following is None and self._exists is not None:
            return False
        if code == _OPEN and self.place is Place.OUTSIDE and not self._code.is_inside and before not in _JOINED:
            self.place = Place.OPENED
        return True

    def _following(self, code: int) -> Place | None:
        """Where `code` leads from here; None where it can't stand here."""
        match self.place:
            case Place.NUMBER if code in _DIGITS:
                return self._number(self._digits + bytes((code,)))
            case Place.NUMBER:
                known = self._exists is None or self._digits in self._exists
                return {_CLOSE: Place.CLOSED, _COMMA: Place.COMMA}.get(code) if known else None
            case Place.OPENED | Place.COMMA | Place.BLANK if code in _DIGITS:
                return self._number(bytes((code,)))
            case Place.COMMA if code == _SPACE:
                return Place.BLANK
            case Place.COMMA | Place.BLANK:
                return None
            case Place.CLOSED if code == _OPEN:
                return Place.OPENED
            case _:
                return Place.OUTSIDE

    def _number(self, digits: bytes) -> Place | None:
        self._digits = digits
        return Place.NUMBER if self._exists is None or digits in self._begun else None


@dataclass(frozen=True, slots=True)
class Citation:
    start: int
    """Of its opening bracket, in characters; `end` is behind the closing one."""
    end: int
    numbers: tuple[int, ...]


def citations(text: str, exists: Collection[int]) -> list[Citation]:
    """Those in a text whose numbers are all in `exists`, in their order."""
    found, rule, start = [], CitationRule(), 0
    known = {str(each): each for each in exists}
    for at, letter in enumerate(text if known and "[" in text else ""):
        rule.follow((min(ord(letter), 255),))
        if rule.place is Place.OPENED:
            start = at
        elif rule.place is Place.CLOSED:
            told = [each.strip(" ") for each in text[start + 1 : at].split(",")]
            if all(each in known for each in told):
                found.append(Citation(start, at + 1, tuple(known[each] for each in told)))
    return found


def with_citations(text: str, exists: Collection[int], written: Callable[[Citation], str] = lambda _: "") -> str:
    """The text with what is `written` for each citation; where that is nothing, also without the blanks before it."""
    pieces, place = [], 0
    for each in citations(text, exists):
        said = written(each)
        before = text[place : each.start]
        pieces += [before if said else before.rstrip(" "), said]
        place = each.end
    return "".join((*pieces, text[place:]))
