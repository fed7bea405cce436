"""Calls as tags: the function, and each parameter with its value as plain text between them."""

import json
import re
from dataclasses import dataclass

from app.engine.output.call_syntax import Schema, Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_calls import take_objects
from app.engine.output.json_text import Write, quoted, take_value
from app.engine.output.parameter_schema import types_of, value_text
from app.engine.output.pieces import Pieces

_NAME = re.compile(r"[\w.\-:/$]+")
_LONGEST_NAME = 200


def _ignore(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class TaggedCalls:
    """As Qwen3-Coder, GLM, MiniMax, DeepSeek V3.2 and others write.

    A value is a string where the schema says so, and streams; any other is kept back until it is whole, and is
    taken as JSON where it is some. Blank lines directly inside the tags belong to them.
    """

    section: tuple[str, str] = ("<tool_call>", "</tool_call>")
    """Around all calls, or around each; either may be missing. Where `call` is empty it is the call's own."""
    call: tuple[str, str] = ("<function=", ">")
    """Around the name."""
    call_end: str = "</function>"
    parameter: tuple[str, str] = ("<parameter=", ">")
    """Around a parameter's name."""
    value: str = ""
    """Opens the value, where that has a tag of its own."""
    parameter_end: str = "</parameter>"
    lines: bool = False
    """Values are written on lines of their own."""
    typed: str = ""
    """What the tag of a parameter says besides where its value is a string, such as string="true"."""
    tag_end: str = ">"
    """Behind such attributes."""
    numbered: bool = False
    """A call's tag says more than the name."""
    raw: tuple[str, str] = ("", "")
    """May stand around a value, in which tags are text, as XML's CDATA."""
    whole: tuple[str, str] = ("", "")
    """Around arguments that are written as one JSON object instead."""

    @property
    def openings(self) -> tuple[str, ...]:
        return tuple(text for text in (self.section[0], self.call[0]) if text)

    @property
    def markers(self) -> tuple[str, ...]:
        tags = (*self.section, *self.call, self.call_end, *self.parameter, self.value, self.parameter_end)
        texts = (*tags, self.tag_end, *self.whole)
        return tuple(dict.fromkeys(text for text in texts if len(text) > 1 and text.startswith(("<", "]"))))

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        if opening == self.section[0] and (yield from self._is_object(cursor)):
            # A model of the family that was taught the other way of writing.
            if (yield from take_objects(cursor, pieces)):
                yield from cursor.take_behind(self.section[1])
            return
        named = opening == self.call[0] or not self.call[0]
        while True:
            yield from cursor.take_space()
            if not named and not (yield from cursor.take(self.call[0])):
                return
            if not (yield from self._call(cursor, pieces, tools)):
                return
            closed = self.section[1] and (yield from cursor.take_behind(self.section[1]))
            named = self.call[0] == ""
            cursor.mark()
            yield from cursor.take_space()
            again = self.section[:1] if closed or named else (self.call[0],)
            if not (yield from cursor.next_is([each for each in again if each])):
                cursor.rewind()
                return
            if closed or named:
                yield from cursor.take(self.section[0])

    def _is_object(self, cursor: Cursor) -> Parsing[bool]:
        yield from cursor.take_space()
        return (yield from cursor.peek()) == "{"

    def _call(self, cursor: Cursor, pieces: Pieces, tools: Schemas) -> Parsing[bool]:
        name = (yield from cursor.take_run(_NAME, _LONGEST_NAME)).strip()
        if not name or not (yield from self._name_ends(cursor)):
            return False
        pieces.begin(name)
        if self.whole[0] and (yield from cursor.take_behind(self.whole[0])):
            yield from take_value(cursor, pieces.write)
            yield from cursor.take_behind(self.whole[1])
        elif not (yield from self._parameters(cursor, pieces, tools.get(name))):
            return True
        if self.call_end:
            yield from cursor.take_behind(self.call_end)
        return True

    def _parameters(self, cursor: Cursor, pieces: Pieces, schema: Schema | None) -> Parsing[bool]:
        """Take all of them. False where the end cuts one off."""
        pieces.write("{")
        separator = ""
        while True:
            cursor.mark()
            yield from cursor.take_space()
            if not (yield from cursor.take(self.parameter[0])):
                cursor.rewind()
                break
            key = yield from self._parameter_name(cursor)
            if key is None:
                cursor.rewind()
                break
            cursor.forget_mark()
            pieces.write(f"{separator}{json.dumps(key[0], ensure_ascii=False)}: ")
            separator = ", "
            if not (yield from self._take_value(cursor, pieces, key, types_of(schema, key[0]))):
                return False
        pieces.write("}")
        return True

    def _name_ends(self, cursor: Cursor) -> Parsing[bool]:
        if self.call[1]:
            named = yield from cursor.take(self.call[1])
            if named and self.numbered:
                return bool((yield from cursor.take_until([self.tag_end], _ignore)))
            return bool(named)
        yield from cursor.take_space()
        return bool((yield from cursor.next_is([self.parameter[0], self.section[1]])))

    def _parameter_name(self, cursor: Cursor) -> Parsing[tuple[str, str] | None]:
        """The name, and what the tag says of the type."""
        parts: list[str] = []
        if not (yield from cursor.take_until([self.parameter[1]], parts.append)):
            return None
        name, said = "".join(parts), ""
        if self.typed:
            attributes: list[str] = []
            yield from cursor.take_until([self.tag_end], attributes.append)
            told = "".join(attributes)
            # Where it does not say, the value is a string.
            said = "string" if self.typed in told or self.typed.partition("=")[0] not in told else "other"
        if self.value:
            yield from cursor.take_space()
            if not (yield from cursor.take(self.value)):
                return None
        return name.strip(), said

    def _take_value(self, cursor: Cursor, pieces: Pieces, key: tuple[str, str], types: frozenset[str]) -> Parsing[bool]:
        """Take a value with its closing tag. False where the end cuts it off."""
        yield from cursor.take("\n", "\r\n")
        if types == {"string"} or key[1] == "string":
            pieces.write('"')
            closed = yield from self._until_end(cursor, lambda text: pieces.write(quoted(text)))
            if closed:
                pieces.write('"')
            return closed
        parts: list[str] = []
        closed = yield from self._until_end(cursor, parts.append)
        raw = "".join(parts)
        pieces.write(value_text(raw, types) if closed else raw)
        return closed

    def _until_end(self, cursor: Cursor, write: Write) -> Parsing[bool]:
        if self.raw[0] and (yield from cursor.take(self.raw[0])):
            yield from cursor.take_until([self.raw[1]], write)
            return bool((yield from cursor.take_behind(self.parameter_end)))
        ends = (self.parameter_end, "\n" + self.parameter_end, "\r\n" + self.parameter_end)
        return bool((yield from cursor.take_until(ends, write)))
