"""Calls as Python writes them: `[name(key="text", other=1), other()]`."""

import re
from dataclasses import dataclass

from app.engine.output.call_syntax import Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_calls import take_objects
from app.engine.output.literals import PYTHON, take_call_members
from app.engine.output.pieces import Pieces

_NAME = re.compile(r"[\w.\-]+")


@dataclass(frozen=True, slots=True)
class PythonCalls:
    """As LFM2 writes; some of its models write an array of JSON objects instead."""

    opening: str = "<|tool_call_start|>"
    closing: str = "<|tool_call_end|>"

    @property
    def openings(self) -> tuple[str, ...]:
        return (self.opening,)

    @property
    def markers(self) -> tuple[str, ...]:
        return (self.opening, self.closing)

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        yield from cursor.take_space()
        if (yield from cursor.next_is(("[{", "{"))):
            if not (yield from take_objects(cursor, pieces)):
                return
        elif not (yield from self._calls(cursor, pieces)):
            return
        yield from cursor.take_behind(self.closing)

    def _calls(self, cursor: Cursor, pieces: Pieces) -> Parsing[bool]:
        in_list = bool((yield from cursor.take("[")))
        first = True
        while True:
            if not (yield from self._call(cursor, pieces)):
                if not first:
                    cursor.rewind()
                return not first
            first = False
            cursor.mark()
            yield from cursor.take_space()
            separator = yield from cursor.take(",", ";", "]") if in_list else cursor.take(",", ";")
            if separator == "]":
                cursor.forget_mark()
                return True
            if not separator:
                cursor.rewind()
                return True

    def _call(self, cursor: Cursor, pieces: Pieces) -> Parsing[bool]:
        yield from cursor.take_space()
        name = yield from cursor.take_run(_NAME, 200)
        if not name or not (yield from cursor.take("(")):
            return False
        return (yield from take_call_members(cursor, pieces, name, PYTHON, "=", ")"))
