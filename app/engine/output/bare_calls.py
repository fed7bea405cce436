"""Calls as JSON with no marker around them."""

from dataclasses import dataclass

from app.engine.output.call_syntax import Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_calls import take_fenced
from app.engine.output.pieces import Pieces


@dataclass(frozen=True, slots=True)
class BareCalls:
    """An answer that begins with an object that names an offered function and has arguments for it.

    As Llama 3.x writes, whose <|python_tag|> may stand before it, and many a model that was told of tools in words.
    """

    openings: tuple[str, ...] = ()
    arguments_key: str = "arguments"

    @property
    def markers(self) -> tuple[str, ...]:
        return self.openings

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        yield from take_fenced(cursor, pieces, only=tools.__contains__)
