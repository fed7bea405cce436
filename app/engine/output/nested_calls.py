"""MiniMax M3's calls: as XML, in which arrays and objects are tags within tags, with a token before each tag."""

import json
import re
from dataclasses import dataclass

from app.engine.output.call_syntax import Schema, Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_text import quoted
from app.engine.output.parameter_schema import inner, types_in, value_text
from app.engine.output.pieces import Pieces

_NAME = re.compile(r"[\w.\-:/]+")
_LONGEST_NAME = 200
_DEEPEST = 16
ITEM = "item"
"""The tag of an array's elements."""


@dataclass(frozen=True, slots=True)
class NestedCalls:
    mark: str = "]<]minimax[>["

    @property
    def section(self) -> tuple[str, str]:
        return (f"{self.mark}<tool_call>", f"{self.mark}</tool_call>")

    @property
    def call(self) -> tuple[str, str]:
        return (f'{self.mark}<invoke name="', '">')

    @property
    def openings(self) -> tuple[str, ...]:
        return (self.section[0], self.call[0])

    @property
    def markers(self) -> tuple[str, ...]:
        return (self.mark, "<tool_call>", "</tool_call>")

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        if opening == self.section[0]:
            yield from cursor.take_space()
            if not (yield from cursor.take(self.call[0])):
                return
        while (yield from self._call(cursor, pieces, tools)):
            if not (yield from cursor.take_behind(self.call[0])):
                break
        yield from cursor.take_behind(self.section[1])

    def _call(self, cursor: Cursor, pieces: Pieces, tools: Schemas) -> Parsing[bool]:
        """False where none stands here, or the end cuts it off."""
        name = yield from cursor.take_run(_NAME, _LONGEST_NAME)
        if not name or not (yield from cursor.take(self.call[1])):
            return False
        pieces.begin(name)
        schema = tools.get(name) or {}
        whole = yield from self._members(cursor, pieces, schema, schema, array=False, depth=0)
        return whole and bool((yield from cursor.take("invoke>")))

    def _members(
        self, cursor: Cursor, pieces: Pieces, schema: Schema, root: Schema, *, array: bool, depth: int
    ) -> Parsing[bool]:
        """All tags up to the one that closes what is around them, of which the beginning is taken."""
        opened, closed = "[]" if array else "{}"
        pieces.write(opened)
        separator = ""
        while True:
            yield from cursor.take_space()
            tag = yield from cursor.take(f"{self.mark}<", f"{self.mark}</")
            if tag != f"{self.mark}<":
                pieces.write(closed if tag else "")
                return bool(tag)
            parts: list[str] = []
            if not (yield from cursor.take_until([">"], parts.append)):
                return False
            key = "".join(parts)
            pieces.write(separator if array else f"{separator}{json.dumps(key, ensure_ascii=False)}: ")
            separator = ", "
            if not (yield from self._value(cursor, pieces, inner(schema, key, root), root, depth + 1)):
                return False
            yield from cursor.take_until([">"], parts.append)

    def _value(self, cursor: Cursor, pieces: Pieces, schema: Schema, root: Schema, depth: int) -> Parsing[bool]:
        """A value up to `</` of its tag. False where the end cuts it off, or it lies too deep."""
        types = types_in(schema, root)
        ends = (f"{self.mark}<", f"{self.mark}</")
        if (yield from cursor.next_is(ends)) == ends[0]:
            array = "array" in types or (yield from cursor.next_is((f"{ends[0]}{ITEM}>",))) != ""
            nested = self._members(cursor, pieces, schema, root, array=array, depth=depth)
            return depth < _DEEPEST and (yield from nested)
        if types == {"string"}:
            pieces.write('"')
            whole = bool((yield from cursor.take_until(ends[1:], lambda text: pieces.write(quoted(text)))))
            pieces.write('"' if whole else "")
            return whole
        parts: list[str] = []
        whole = bool((yield from cursor.take_until(ends[1:], parts.append)))
        raw = "".join(parts)
        empty = {"array": "[]", "object": "{}"}.get(next(iter(types), ""), "") if not raw and len(types) == 1 else ""
        pieces.write(empty or value_text(raw, types) if whole else raw)
        return whole
