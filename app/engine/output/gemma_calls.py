"""Gemma 4's calls: `call:name{key:<|"|>text<|"|>,other:1}`."""

import re
from dataclasses import dataclass

from app.engine.output.call_syntax import CallSink, Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_calls import take_closing
from app.engine.output.literals import GEMMA, take_call_members

_NAME = re.compile(r"[\w.\-:/]+")


@dataclass(frozen=True, slots=True)
class GemmaCalls:
    opening: str = "<|tool_call>"
    closing: str = "<tool_call|>"

    @property
    def openings(self) -> tuple[str, ...]:
        return (self.opening,)

    @property
    def markers(self) -> tuple[str, ...]:
        return (self.opening, self.closing, GEMMA.quotes[0])

    def read(self, cursor: Cursor, sink: CallSink, tools: Schemas, opening: str) -> Parsing[None]:
        yield from cursor.take_space()
        if not (yield from cursor.take("call:")):
            return
        name = yield from cursor.take_run(_NAME, 200)
        if not name or not (yield from cursor.take("{")):
            return
        if (yield from take_call_members(cursor, sink, name, GEMMA, ":", "}")):
            yield from take_closing(cursor, self.closing)
