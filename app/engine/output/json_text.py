"""JSON values that are read while they arrive."""

import json
import re
from collections.abc import Callable
from typing import NoReturn

from app.engine.output.cursor import Cursor, Parsing

_OUTSIDE = re.compile(r'["{}\[\]]')
_INSIDE = re.compile(r'["\\\x00-\x1f]')
_SCALAR = re.compile(r"[^\s,:{}\[\]\"<]+")
_MENDED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
VALUE_STARTS = frozenset('{["-0123456789truefalsnNTFuNI')
"""Characters with which a value may begin, Python's spellings included."""
PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
NO_JSON = object()
Write = Callable[[str], None]


def take_value(cursor: Cursor, write: Write) -> Parsing[bool]:
    """Take one JSON value and write its text, as it stands, while it arrives.

    Only quotes and brackets are looked at, and line ends inside strings are escaped, which some models forget.
    False where none begins here; a value that the end cuts off is written as far as it goes.
    """
    first = yield from cursor.peek()
    if first not in VALUE_STARTS:
        return False
    if first not in '{["':
        scalar = yield from cursor.take_run(_SCALAR)
        write(scalar)
        return bool(scalar)
    scan = _Scan()
    while True:
        text = cursor.take_available()
        stop = scan.over(text, write)
        cursor.give_back(len(text) - stop)
        if scan.complete:
            return True
        if not (yield from cursor.more()):
            return True


def take_string(cursor: Cursor) -> Parsing[str | None]:
    """Take a JSON string and decode it; None where there is none, or no valid one."""
    if (yield from cursor.peek()) != '"':
        return None
    parts: list[str] = []
    yield from take_value(cursor, parts.append)
    return decoded_string("".join(parts))


def decoded_string(literal: str) -> str | None:
    try:
        value = json.loads(literal)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def value_of(text: str) -> object:
    """What JSON says, or `NO_JSON`; Python's own NaN and Infinity are none."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return NO_JSON


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def quoted(text: str) -> str:
    """The inside of a JSON string that means `text`."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


class _Scan:
    """Where a value ends that begins with a bracket or a quote."""

    def __init__(self) -> None:
        self.complete = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def over(self, text: str, write: Write) -> int:
        """Write the value's part of `text`, and return where it stops."""
        at = written = 0
        while at < len(text) and not self.complete:
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            match = (_INSIDE if self._in_string else _OUTSIDE).search(text, at)
            if match is None:
                at = len(text)
                break
            at = match.end()
            mended = self._step(match.group())
            if mended:
                write(text[written : match.start()] + mended)
                written = at
        if at > written:
            write(text[written:at])
        return at

    def _step(self, character: str) -> str:
        """Go past one character that matters; what is to be written in its place, where that is another."""
        if self._in_string:
            if character == '"':
                self._in_string = False
                self.complete = self._depth == 0
            elif character == "\\":
                self._escaped = True
            else:
                return _MENDED.get(character) or f"\\u{ord(character):04x}"
        elif character == '"':
            self._in_string = True
        elif character in "{[":
            self._depth += 1
        else:
            self._depth -= 1
            self.complete = self._depth == 0
        return ""
