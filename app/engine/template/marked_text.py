"""Text that knows, for each of its characters, who wrote it.

A prompt mixes what the chat template writes with what people, tools and documents say, and with answers
that the model gave. Only the template may write control tokens, and an answer is put back as the tokens it
was generated with, so the origin of every character has to survive whatever a template does to the text.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Self, SupportsIndex

UNTRUSTED = 0
"""Tools, documents, and everything whose origin got lost."""
TRUSTED = 1
"""Written by the template, or by Hearth in its place."""
MESSAGE = 2
"""Origin of the text of message 0; message k has `MESSAGE + k`. Not trusted either."""
MEDIA = 0x20000
"""Origin of the one character that stands for picture 0 of the conversation; picture j has `MEDIA + j`."""
PLACEHOLDER = "\ufffc"
"""That character, Unicode's own for an object in a text. Where people write it, it has another origin."""

LONGEST = 1 << 22
"""Characters that any text may grow to; a template that asks for more is stopped before the memory is taken."""

_RUN = re.compile("\0+|\1+|(.)\\1*", re.DOTALL)


class TextTooLongError(Exception):
    """An operation would have made a text longer than `LONGEST`."""


class MarkedText(str):
    """A `str` with an origin for each character.

    Equality, order and hash are those of `str`. What cuts, joins or respells text keeps the origins; a plain
    `str` that comes in counts as untrusted. Methods that are not overridden return a plain `str`, so that
    whatever was forgotten here costs trust and never gives it.
    """

    __slots__ = ("_marks",)
    # One character, chr(origin), for each character of the text: str's own C code then moves the marks as it
    # moves the text, in one byte each as long as there are fewer than 254 answers.
    _marks: str

    def __new__(cls, text: str = "", origin: int = UNTRUSTED) -> Self:
        """`text`, all of it from `origin`, whatever origins it had before."""
        made = super().__new__(cls, text)
        made._marks = chr(origin) * len(text)
        return made

    @property
    def origins(self) -> "array[int]":
        """One code for each character, a copy: `UNTRUSTED`, `TRUSTED`, or `MESSAGE + k`."""
        return array("I", map(ord, self._marks))

    def runs(self) -> list[tuple[int, int, int]]:
        """(start, stop, origin) of every longest stretch of one origin, in order, covering the whole text."""
        marks = self._marks
        return [(*found.span(), ord(marks[found.start()])) for found in _RUN.finditer(marks)]

    def __add__(self, other: str) -> "MarkedText":
        if not isinstance(other, str):
            return NotImplemented
        _check_length(len(self) + len(other))
        return _marked(super().__add__(other), self._marks + _marks_of(other))

    def __radd__(self, other: str) -> "MarkedText":
        if not isinstance(other, str):
            return NotImplemented
        return marked(other) + self

    def __mul__(self, count: SupportsIndex) -> "MarkedText":
        _check_length(len(self) * max(0, count.__index__()))
        return _marked(super().__mul__(count), self._marks * count)

    __rmul__ = __mul__

    def join(self, iterable: Iterable[str], /) -> "MarkedText":
        items: list[str] = []
        length = -len(self)
        for item in iterable:
            length += len(self) + len(item)
            if length > LONGEST:
                _check_length(length)
            items.append(item)
        return _marked(super().join(items), self._marks.join(map(_marks_of, items)))

    def ljust(self, width: SupportsIndex, fillchar: str = " ", /) -> "MarkedText":
        return self + self._padding(width, fillchar)

    def rjust(self, width: SupportsIndex, fillchar: str = " ", /) -> "MarkedText":
        return self._padding(width, fillchar) + self

    def center(self, width: SupportsIndex, fillchar: str = " ", /) -> "MarkedText":
        room = len(self._padding(width, fillchar))
        # Where the room is odd, str puts the odd one on the left for an odd width.
        left = room // 2 + (room & width.__index__() & 1)
        fill = marked(fillchar)
        return fill * left + self + fill * (room - left)

    def zfill(self, width: SupportsIndex, /) -> "MarkedText":
        _check_length(width.__index__())
        return respelled(self, super().zfill(width))

    def _padding(self, width: SupportsIndex, fillchar: str) -> "MarkedText":
        _check_length(width.__index__())
        super().ljust(0, fillchar)  # complains about a fill that is not one character, as str does
        return marked(fillchar) * max(0, width.__index__() - len(self))

    def __getitem__(self, key: SupportsIndex | slice) -> "MarkedText":
        return _marked(super().__getitem__(key), self._marks[key])

    def __iter__(self) -> Iterator["MarkedText"]:
        return map(_marked, super().__iter__(), self._marks)

    def strip(self, chars: str | None = None, /) -> "MarkedText":
        return self.lstrip(chars).rstrip(chars)

    def lstrip(self, chars: str | None = None, /) -> "MarkedText":
        text = super().lstrip(chars)
        return _marked(text, self._marks[len(self) - len(text) :])

    def rstrip(self, chars: str | None = None, /) -> "MarkedText":
        text = super().rstrip(chars)
        return _marked(text, self._marks[: len(text)])

    def removeprefix(self, prefix: str, /) -> "MarkedText":
        text = super().removeprefix(prefix)
        return _marked(text, self._marks[len(self) - len(text) :])

    def removesuffix(self, suffix: str, /) -> "MarkedText":
        text = super().removesuffix(suffix)
        return _marked(text, self._marks[: len(text)])

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        pieces = super().split(sep, maxsplit)
        return self._words(pieces) if sep is None else self._pieces(pieces, len(sep))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        pieces = super().rsplit(sep, maxsplit)
        return self._words(pieces) if sep is None else self._pieces(pieces, len(sep))

    def splitlines(self, keepends: bool = False) -> list[str]:
        whole = self._pieces(super().splitlines(True), 0)
        if keepends:
            return whole
        return [line[: len(text)] for line, text in zip(whole, super().splitlines(), strict=True)]

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        head, middle, tail = self._pieces(super().partition(sep), 0)
        return head, middle, tail

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        head, middle, tail = self._pieces(super().rpartition(sep), 0)
        return head, middle, tail

    def _pieces(self, pieces: Iterable[str], gap: int) -> list[str]:
        """The pieces of this text that lie `gap` characters apart, from its beginning."""
        found: list[str] = []
        start = 0
        for piece in pieces:
            stop = start + len(piece)
            found.append(_marked(piece, self._marks[start:stop]))
            start = stop + gap
        return found

    def _words(self, words: Iterable[str]) -> list[str]:
        """The pieces of this text that white space keeps apart, in order."""
        found: list[str] = []
        stop = 0
        for word in words:
            start = self.find(word, stop)
            stop = start + len(word)
            found.append(_marked(word, self._marks[start:stop]))
        return found

    def replace(self, old: str, new: str, /, count: SupportsIndex = -1) -> "MarkedText":
        times = self.count(old)
        if count.__index__() >= 0:
            times = min(times, count.__index__())
        _check_length(len(self) + times * (len(new) - len(old)))
        if not old:  # goes between all characters, so it can be done to the marks alike
            return _marked(super().replace(old, new, count), self._marks.replace("", _marks_of(new), count))
        kept = self._pieces(super().split(old, count), len(old))
        return _marked(super().replace(old, new, count), _marks_of(new).join(map(_marks_of, kept)))

    def lower(self) -> "MarkedText":
        return respelled(self, super().lower())

    def upper(self) -> "MarkedText":
        return respelled(self, super().upper())

    def title(self) -> "MarkedText":
        return respelled(self, super().title())

    def capitalize(self) -> "MarkedText":
        return respelled(self, super().capitalize())

    def swapcase(self) -> "MarkedText":
        return respelled(self, super().swapcase())

    def casefold(self) -> "MarkedText":
        return respelled(self, super().casefold())

    def __str__(self) -> "MarkedText":
        return self


def marked(text: str) -> MarkedText:
    """`text` as it is where it is marked, otherwise as untrusted text."""
    return text if isinstance(text, MarkedText) else MarkedText(text)


def plain(text: str) -> str:
    """The text alone, as a `str` proper."""
    return str.__str__(text)


def concat(parts: Iterable[str]) -> MarkedText:
    """All parts after one another, with their origins."""
    return _EMPTY.join(parts)


def respelled(text: str, spelling: str) -> MarkedText:
    """`spelling`, which was made from `text` one character for one; untrusted where the lengths differ.

    Only for spellings in which no character can vanish: then equal lengths mean that nothing has moved.
    """
    marks = _marks_of(text)
    return _marked(spelling, marks) if len(spelling) == len(marks) else MarkedText(spelling)


def _marked(text: str, marks: str) -> MarkedText:
    made = str.__new__(MarkedText, text)
    made._marks = marks
    return made


def _marks_of(text: str) -> str:
    return text._marks if isinstance(text, MarkedText) else "\0" * len(text)


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise TextTooLongError(f"a text of {length} characters")


_EMPTY = MarkedText()


class WrittenObject(dict[str, object]):
    """An object that a model wrote as JSON: to a template it is one, and as JSON it is what the model wrote, so that
    the blanks and the order in it stay.
    """

    def __init__(self, value: Mapping[str, object], text: MarkedText) -> None:
        super().__init__(value)
        self.text = text
