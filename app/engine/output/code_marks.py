"""Where code stands in Markdown that is still being written: blocks between fences, and spans between backticks."""

from copy import copy
from typing import Self

_NEWLINE, _SPACE, _BACKTICK, _TILDE = b"\n `~"
_FENCE = 3
"""Marks in a row that open a block, where a line begins with them."""
_INDENT = 3
"""Blanks that may stand before them."""


class CodeMarks:
    """Follows a text character by character. Code that is indented is not known."""

    __slots__ = ("_fence", "_fence_of", "_indent", "_leads", "_run", "_run_of", "_span")

    def __init__(self) -> None:
        self._indent = 0
        """Blanks since the line began; more than `_INDENT` where something else stood there."""
        self._run, self._run_of, self._leads = 0, 0, False
        """How many backticks or tildes were just written, which, and whether they began their line."""
        self._span = 0
        """Backticks that opened the span that is open in this paragraph."""
        self._fence, self._fence_of = 0, 0

    def copy(self) -> Self:
        return copy(self)

    @property
    def is_inside(self) -> bool:
        """What is written next is code, or its marks are not all there."""
        return bool(self._fence or self._span or self._run)

    @property
    def is_within_line(self) -> bool:
        """Text without marks and line ends changes nothing here."""
        return not self._run and self._indent > _INDENT

    def step(self, code: int) -> None:
        if self._run and code != self._run_of:
            self._end_run(code)
        if code == _NEWLINE:
            if self._indent <= _INDENT:
                self._span = 0  # an empty line ends the paragraph
            self._indent = 0
        elif code == _BACKTICK or (code == _TILDE and (self._run or self._indent <= _INDENT)):
            if not self._run:
                self._run_of, self._leads = code, self._indent <= _INDENT
            self._run += 1
        else:
            self._indent = self._indent + 1 if code == _SPACE and self._indent <= _INDENT else _INDENT + 1

    def _end_run(self, code: int) -> None:
        """Of marks in a row, as CommonMark has them."""
        run, self._run, self._indent = self._run, 0, _INDENT + 1
        fences = self._leads and run >= _FENCE
        if self._fence:
            if fences and self._run_of == self._fence_of and run >= self._fence and code in (_NEWLINE, _SPACE):
                self._fence = 0
        elif fences and not self._span:
            self._fence, self._fence_of = run, self._run_of
        elif self._run_of == _BACKTICK and self._span in (0, run):
            self._span = run - self._span
