"""Calls as JSON objects that name the function and its arguments."""

from collections.abc import Callable
from dataclasses import dataclass

from app.engine.output.call_syntax import Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_text import VALUE_STARTS, decoded_string, take_string, take_value
from app.engine.output.pieces import Pieces

_NAMES = ("name", "tool_name", "function", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "input")
_IDS = ("id", "tool_call_id", "call_id")
_FENCES = ("```json", "```tool_call", "```tool_code", "```")
"""Openings of code blocks in which models wrap their calls."""


@dataclass(frozen=True, slots=True)
class JsonCalls:
    """One object, several, or an array of them, between an opening and a closing text.

    As Hermes, Qwen, Granite, Phi, Mistral's first form and Command-R write; the closing may be missing.
    """

    opening: str = "<tool_call>"
    closing: str = "</tool_call>"
    name_key: str = "name"
    """For writing; all known ones are read, as with `arguments_key`."""
    arguments_key: str = "arguments"
    array: bool = False
    """Calls are written as one array."""
    name_is_key: bool = False
    """An object's one key is the function's name (Apertus)."""
    also: tuple[str, ...] = ()
    """Other openings that models of the family write."""

    @property
    def openings(self) -> tuple[str, ...]:
        return (self.opening, *self.also)

    @property
    def markers(self) -> tuple[str, ...]:
        return tuple(text for text in (*self.openings, self.closing) if text)

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        if (yield from take_fenced(cursor, pieces, name_is_key=self.name_is_key)) and self.closing:
            yield from cursor.take_behind(self.closing)


def take_fenced(
    cursor: Cursor, pieces: Pieces, *, name_is_key: bool = False, only: Callable[[str], bool] | None = None
) -> Parsing[bool]:
    """`take_objects`, with a code block around them where there is one."""
    yield from cursor.take_space()
    fence = yield from cursor.take(*_FENCES)
    found = yield from take_objects(cursor, pieces, name_is_key=name_is_key, only=only)
    if found and fence:
        yield from cursor.take_behind("```")
    return found


def take_objects(
    cursor: Cursor,
    pieces: Pieces,
    *,
    name_is_key: bool = False,
    only: Callable[[str], bool] | None = None,
) -> Parsing[bool]:
    """Take call objects, side by side or in an array; True where the first of them was a call.

    `only` refuses calls by their names, and those without arguments with them.
    """
    yield from cursor.take_space()
    in_array = bool((yield from cursor.take("[")))
    first = True
    while True:
        if in_array or first:
            yield from cursor.take_space()
        if not (yield from _ObjectReader(cursor, pieces, name_is_key, only).read()):
            if not first:
                cursor.rewind()
            return not first
        first = False
        cursor.mark()
        yield from cursor.take_space()
        separator = yield from cursor.take(*((",", "]") if in_array else (",", ";")))
        if separator == "]" or (in_array and not separator):
            cursor.forget_mark()
            return True
        yield from cursor.take_space()
        if (yield from cursor.peek()) != "{":
            cursor.rewind()
            return True


class _ObjectReader:
    def __init__(self, cursor: Cursor, pieces: Pieces, name_is_key: bool, only: Callable[[str], bool] | None) -> None:
        self._cursor = cursor
        self._pieces = pieces
        self._name_is_key = name_is_key
        self._only = only
        self._name: str | None = None
        self._id = ""
        self._early: list[str] | None = None
        self._begun = False
        self._nested = False

    def read(self) -> Parsing[bool]:
        """Take one object; its value says whether a call began."""
        sound = yield from self._object()
        if self._begun:
            if not sound and self._cursor.is_marked:
                self._cursor.rewind()
            return True
        if not sound or not self._name or (self._only is not None and self._early is None):
            return False
        self._begin()
        self._pieces.write("".join(self._early or ()) or "{}")
        return True

    def _object(self) -> Parsing[bool]:
        cursor = self._cursor
        if not (yield from cursor.take("{")):
            return False
        while True:
            yield from cursor.take_space()
            if (yield from cursor.take("}")):
                return True
            key = yield from take_string(cursor)
            if key is None:
                return False
            yield from cursor.take_space()
            if not (yield from cursor.take(":")):
                return False
            yield from cursor.take_space()
            if not (yield from self._value(key)):
                return False
            if self._begun and not (yield from self._goes_on()):
                return True
            if not self._begun:
                yield from cursor.take_space()
                if not (yield from cursor.take(",")) and (yield from cursor.peek()) != "}":
                    return False

    def _goes_on(self) -> Parsing[bool]:
        """Behind the arguments: a comma, with a mark before it, or the end of the object. All else is text."""
        cursor = self._cursor
        cursor.mark()
        yield from cursor.take_space()
        if (yield from cursor.take(",")):
            return True
        if (yield from cursor.peek()) == "}":
            cursor.forget_mark()
            return True
        cursor.rewind()
        return False

    def _value(self, key: str) -> Parsing[bool]:
        first = yield from self._cursor.peek()
        if self._name_is_key and self._name is None:
            self._name = key
            return (yield from self._arguments())
        if key == "function" and first == "{" and not self._nested:
            self._nested = True
            return (yield from self._object())
        if key in _NAMES and self._name is None and first == '"':
            self._name = yield from take_string(self._cursor)
            return bool(self._name) and (self._only is None or self._only(self._name or ""))
        if key in _ARGUMENTS and not self._begun:
            return (yield from self._arguments())
        parts: list[str] = []
        sound = yield from take_value(self._cursor, parts.append)
        if key in _IDS and not self._begun:
            text = "".join(parts)
            self._id = decoded_string(text) or text.strip('"')
        # A bare object that says other things first is an answer in JSON.
        return sound and (self._only is None or self._name is not None or key in _IDS or key == "type")

    def _arguments(self) -> Parsing[bool]:
        if self._name is None:
            self._early = []
            return (yield from _take_arguments(self._cursor, self._early.append))
        if (yield from self._cursor.peek()) not in VALUE_STARTS:
            return False
        self._begin()
        return (yield from _take_arguments(self._cursor, self._pieces.write))

    def _begin(self) -> None:
        self._begun = True
        self._pieces.begin(self._name or "", self._id)


def _take_arguments(cursor: Cursor, write: Callable[[str], None]) -> Parsing[bool]:
    """Arguments as an object, or as a string with the JSON text of one; null means none."""
    first = yield from cursor.peek()
    if first == '"':
        parts: list[str] = []
        yield from take_value(cursor, parts.append)
        literal = "".join(parts)
        text = decoded_string(literal)
        write(literal if text is None else text)
        return True
    if first == "n":
        scalar: list[str] = []
        sound = yield from take_value(cursor, scalar.append)
        write("{}" if scalar == ["null"] else "".join(scalar))
        return sound
    return (yield from take_value(cursor, write))
