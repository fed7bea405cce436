"""What every syntax of tool calls offers to the parser."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.pieces import Pieces

Schema = Mapping[str, Any]
Schemas = Mapping[str, Schema]
"""The JSON schema of the parameters of each function that is offered, by its name."""


def schemas(tools: Iterable[Mapping[str, Any]]) -> Schemas:
    """What `OutputParser` needs of tools in OpenAI's form; those of another type or without a name are left out."""
    functions = (tool.get("function") for tool in tools if tool.get("type", "function") == "function")
    return {
        function["name"]: function.get("parameters") or {"type": "object", "properties": {}}
        for function in functions
        if isinstance(function, Mapping) and function.get("name")
    }


class CallSyntax(Protocol):
    @property
    def openings(self) -> tuple[str, ...]:
        """Texts at which `read` is tried, wherever they stand in an answer; none where calls stand bare."""

    @property
    def markers(self) -> tuple[str, ...]:
        """All texts of this syntax that a vocabulary may have as control tokens."""

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        """Read calls behind `opening`, which is taken already, with what closes them.

        Before each call it marks the cursor, or leaves a mark before all of them; what is read up to `begin`
        is text again where it returns without one.
        """
