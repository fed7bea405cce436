"""Gemma 4's calls: `call:name{key:<|"|>text<|"|>,other:1}`."""

import re
from dataclasses import dataclass

from app.engine.output.call_syntax import Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.literals import GEMMA, take_call_members
from app.engine.output.pieces import Pieces

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

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        yield from cursor.take_space()
        if not (yield from cursor.take("call:")):
            return
        name = yield from cursor.take_run(_NAME, 200)
        if not name or not (yield from cursor.take("{")):
            return
        if (yield from take_call_members(cursor, pieces, name, GEMMA, ":", "}")):
            yield from cursor.take_behind(self.closing)
