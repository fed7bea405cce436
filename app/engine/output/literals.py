"""Values in notations that are nearly JSON, rewritten as JSON while they arrive."""

import json
import re
from dataclasses import dataclass

from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_text import NO_JSON, PYTHON_WORDS, Write, quoted, value_of
from app.engine.output.pieces import Pieces

_DEEPEST = 64
_SCALAR = re.compile(r"[^,\]})\"'<|]+")
_KEY = re.compile(r"[\w.\-$/ ]+")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "\n": ""}
_CODES = {"x": 2, "u": 4, "U": 8}
_HEX = re.compile(r"[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class Notation:
    quotes: tuple[str, ...]
    """What opens a string, and closes it."""
    escapes: bool
    """Backslashes in strings mean what they mean in Python."""


PYTHON = Notation(('"""', "'''", '"', "'"), escapes=True)
GEMMA = Notation(('<|"|>', '"'), escapes=False)


def take_literal(cursor: Cursor, write: Write, notation: Notation, depth: int = 0) -> Parsing[bool]:
    """Take one value and write it as JSON. False where it breaks off, or is none: then what it was is written as far
    as it went.

    A word that is no JSON becomes a string.
    """
    if depth > _DEEPEST:
        return False
    if (yield from cursor.next_is(notation.quotes)):
        write('"')
        whole = yield from _string(cursor, write, notation)
        if whole:
            write('"')
        return whole
    if (yield from cursor.take("{")):
        return (yield from take_members(cursor, write, notation, depth, ":", "}"))
    if bracket := (yield from cursor.take("[", "(")):
        return (yield from take_members(cursor, write, notation, depth, "", "]" if bracket == "[" else ")"))
    text = (yield from cursor.take_run(_SCALAR)).strip()
    if text:
        write(_scalar(text))
    return bool(text)


def literal_text(text: str) -> str | None:
    """A whole value in Python's notation as JSON; None where it is none."""
    cursor = Cursor()
    cursor.feed(text)
    cursor.end()
    parts: list[str] = []
    reading = take_literal(cursor, parts.append, PYTHON)
    try:
        while True:
            next(reading)
    except StopIteration as stop:
        return "".join(parts) if stop.value and not cursor.take_available().strip() else None


def take_call_members(
    cursor: Cursor, pieces: Pieces, name: str, notation: Notation, colon: str, closing: str
) -> Parsing[bool]:
    """A call's arguments behind the opening bracket. The call begins with the first key or the closing bracket.

    False where neither comes.
    """
    begun = False
    opened = False

    def write(text: str) -> None:
        nonlocal begun, opened
        if not opened:
            opened = True
            return
        if not begun:
            begun = True
            pieces.begin(name)
            pieces.write("{")
        pieces.write(text)

    yield from take_members(cursor, write, notation, 0, colon, closing)
    return begun


def take_members(
    cursor: Cursor, write: Write, notation: Notation, depth: int, colon: str, closing: str
) -> Parsing[bool]:
    """Keys and values behind an opening bracket, as a JSON object, with the closing one. Without a `colon` there are no
    keys, and it is an array."""
    opened, closed = "{}" if colon else "[]"
    write(opened)
    separator = ""
    while True:
        yield from cursor.take_space()
        if (yield from cursor.take(closing)):
            write(closed)
            return True
        key = ""
        if colon:
            key = yield from _key(cursor, notation)
            yield from cursor.take_space()
            if not key or not (yield from cursor.take(colon)):
                return False
            yield from cursor.take_space()
            key = f"{json.dumps(key, ensure_ascii=False)}: "
        write(separator + key)
        separator = ", "
        if not (yield from take_literal(cursor, write, notation, depth + 1)):
            return False
        yield from cursor.take_space()
        if not (yield from cursor.take(",")) and (yield from cursor.peek()) != closing:
            return False


def _key(cursor: Cursor, notation: Notation) -> Parsing[str]:
    if (yield from cursor.next_is(notation.quotes)):
        parts: list[str] = []
        yield from _string(cursor, parts.append, notation)
        return str(json.loads(f'"{"".join(parts)}"'))
    return (yield from cursor.take_run(_KEY, 200)).strip()


def _string(cursor: Cursor, write: Write, notation: Notation) -> Parsing[bool]:
    """Write the inside of a string as the inside of a JSON string; False where the end cuts it off."""
    quote = yield from cursor.take(*notation.quotes)
    stops = (quote, "\\") if notation.escapes else (quote,)
    while True:
        found = yield from cursor.take_until(stops, lambda text: write(quoted(text)))
        if found != "\\":
            return bool(found)
        if not (yield from _escape(cursor, write)):
            return False


def _escape(cursor: Cursor, write: Write) -> Parsing[bool]:
    character = yield from cursor.peek()
    if not character:
        return False
    yield from cursor.take(character)
    if size := _CODES.get(character):
        digits = yield from cursor.take_run(_HEX, size)
        sound = len(digits) == size and int(digits, 16) < 0x110000
        text = chr(int(digits, 16)) if sound else f"\\{character}{digits}"
        # Half of a pair keeps its escape: the other half makes it whole.
        write(f"\\u{ord(text):04x}" if len(text) == 1 and 0xD800 <= ord(text) < 0xE000 else quoted(text))
    elif character in _ESCAPED:
        write(quoted(_ESCAPED[character]))
    else:
        write(quoted(character if character in "\\\"'" else "\\" + character))
    return True


def _scalar(text: str) -> str:
    text = PYTHON_WORDS.get(text, text)
    return json.dumps(text, ensure_ascii=False) if value_of(text) is NO_JSON else text
