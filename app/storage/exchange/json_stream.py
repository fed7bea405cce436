"""Reads a large JSON file one value at a time, so that memory holds one conversation and never all of them.

Python's own decoder does the work; this gives it as much of the file as the next value needs.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TextIO

_CHUNK = 1 << 18
"""Characters to read at first; a value that is longer doubles it, so that all tries together cost little."""
_SPACE = re.compile(r"[ \t\n\r]*")
_OPEN_END = 16
"""An error this close to the end of what was read may only mean that a literal goes on."""
_AFTER = frozenset(" \t\n\r,:]}")
_decoder = json.JSONDecoder()


class JsonStream:
    """A cursor in a file. Raises ValueError where the text is no JSON, OSError and UnicodeDecodeError as the file does.

    `told` is called with the number of characters read so far, and may raise to stop.
    """

    def __init__(self, file: TextIO, told: Callable[[int], None] | None = None) -> None:
        self._file = file
        self._told = told
        self._text = ""
        self._place = 0
        self._n_read = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            found = _SPACE.match(self._text, self._place)
            assert found is not None
            self._place = found.end()
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more(_CHUNK):
                return ""

    def value(self) -> Any:
        """The next value, whole."""
        self.peek()
        size = _CHUNK
        while True:
            try:
                found, end = _decoder.raw_decode(self._text, self._place)
            except RecursionError:
                raise ValueError("nested too deeply") from None
            except json.JSONDecodeError as error:
                if not self._may_go_on(error) or not self._more(size):
                    raise
            else:
                # A number before the end of what was read may go on: "1", "1.", "1.5e".
                if self._text[end : end + 1] in _AFTER or not self._more(size):
                    self._place = end
                    return found
            size *= 2

    def items(self) -> Iterator[Any]:
        """The values of an array, one by one. Each must be taken before the next is asked for."""
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        while True:
            yield self.value()
            if not self._goes_on("]"):
                return

    def members(self) -> Iterator[str]:
        """The names of an object's members; after each the value must be read, by any method of this class."""
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        while True:
            if self.peek() != '"':
                raise ValueError("a member without a name")
            name = self.value()
            self._take(":")
            yield str(name)
            if not self._goes_on("}"):
                return

    def end(self) -> None:
        """There must be nothing more."""
        if self.peek():
            raise ValueError("something follows the end")

    def _goes_on(self, closing: str) -> bool:
        if self.peek() == closing:
            self._take(closing)
            return False
        self._take(",")
        return True

    def _take(self, wanted: str) -> None:
        if self.peek() != wanted:
            raise ValueError(f"{wanted} is missing")
        self._place += 1

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        """Whether more text could mend this: the damage of a file is noticed where it is, and not at its end."""
        return error.msg.startswith(("Unterminated", "Invalid \\u", "Invalid \\\\u")) or (
            error.pos >= len(self._text) - _OPEN_END
        )

    def _more(self, size: int) -> bool:
        if self._ended:
            return False
        chunk = self._file.read(size)
        self._ended = not chunk
        self._n_read += len(chunk)
        if self._told is not None:
            self._told(self._n_read)
        self._text = self._text[self._place :] + chunk
        self._place = 0
        return bool(chunk)
