"""Calls as JSON with no marker around them."""

from dataclasses import dataclass

from app.engine.output.call_syntax import CallSink, Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_calls import FENCES, take_closing, take_objects


@dataclass(frozen=True, slots=True)
class BareCalls:
    """An answer that begins with an object that names an offered function and has arguments for it.

    As Llama 3.x writes, whose <|python_tag|> may stand before it, and many a model that was told of tools in words.
    """

    openings: tuple[str, ...] = ()
    name_key: str = "name"
    arguments_key: str = "arguments"

    @property
    def markers(self) -> tuple[str, ...]:
        return self.openings

    def read(self, cursor: Cursor, sink: CallSink, tools: Schemas, opening: str) -> Parsing[None]:
        yield from take_bare(cursor, sink, tools)


def take_bare(cursor: Cursor, sink: CallSink, tools: Schemas) -> Parsing[bool]:
    yield from cursor.take_space()
    fence = yield from cursor.take(*FENCES)
    if fence:
        yield from cursor.take_space()
    if (yield from cursor.peek()) not in ("{", "["):
        return False
    if not (yield from take_objects(cursor, sink, only=tools.__contains__)):
        return False
    if fence:
        yield from take_closing(cursor, "```")
    return True
