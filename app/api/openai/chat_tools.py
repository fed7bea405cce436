"""Tools, and the form that an answer must have: how requests declare them, and what they are as values of ours."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.asked import MakeGrammar, Tools, checked_tools, function_tool, grammar_of
from app.api.validation import invalid
from app.core.requests import ToolChoice


class _Declared(Struct, kw_only=True, frozen=True):
    name: Annotated[
        str,
        # Python's $ lets a line's end follow.
        Meta(pattern=r"^[a-zA-Z0-9_.-]{1,64}$(?!\n)", title="1 to 64 letters, digits, dots, dashes or underscores"),
    ]
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Tool(Struct, tag_field="type", tag="function", kw_only=True, frozen=True):
    function: _Declared


class _Named(Struct, kw_only=True, frozen=True):
    name: str


class _NamedTool(Struct, tag_field="type", tag="function", kw_only=True, frozen=True):
    function: _Named


Choice = Annotated[
    Literal["auto", "none", "required"] | _NamedTool,
    Meta(title="auto, none, required, or an object that names a function"),
]


class _Text(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    pass


class _JsonObject(Struct, tag_field="type", tag="json_object", kw_only=True, frozen=True):
    schema: Any = None
    """Heeded where it is an object."""


class _Schema(Struct, kw_only=True, frozen=True):
    schema: dict[str, Any]


class _JsonSchema(Struct, tag_field="type", tag="json_schema", kw_only=True, frozen=True):
    json_schema: _Schema


Format = _Text | _JsonObject | _JsonSchema | Literal[""]


class Constraints(Struct, kw_only=True, frozen=True):
    """The fields of which one may say what form an answer has."""

    response_format: Annotated[
        Format, Meta(title="of type text, json_object, or json_schema with a json_schema that has a schema")
    ] = ""
    json_schema: Annotated[
        dict[str, Any] | Literal[""], Meta(title="an object", description="A schema of the JSON that is answered.")
    ] = ""
    grammar: Annotated[str, Meta(description="GBNF that the answer keeps to.")] = ""

    def given(self) -> list[str]:
        """Those that ask for something."""
        format_asks = self.response_format != "" and not isinstance(self.response_format, _Text)
        asks = {"response_format": format_asks, "json_schema": self.json_schema != "", "grammar": self.grammar != ""}
        return [name for name, asked in asks.items() if asked]


def tools_from(declared: Sequence[Tool], chosen: str | _NamedTool) -> Tools:
    """Raises ApiError."""
    functions = [each.function for each in declared]
    tools = [function_tool(each.name, each.description, each.parameters) for each in functions]
    if isinstance(chosen, str):
        return checked_tools(tools, ToolChoice(chosen))
    return checked_tools(tools, ToolChoice.REQUIRED, chosen.function.name)


def grammar_from(asked: Constraints, make_grammar: MakeGrammar) -> str:
    """GBNF for what the answer is constrained to. Raises ApiError."""
    given = asked.given()
    if len(given) > 1:
        raise invalid(given[1], f"{given[0]} and {given[1]} can't both hold. Leave one out.")
    if "json_schema" in given and isinstance(asked.json_schema, dict):
        return grammar_of("json_schema", asked.json_schema, make_grammar)
    match asked.response_format:
        case _JsonObject(schema=dict(schema)):
            return grammar_of("response_format.schema", schema, make_grammar)
        case _JsonObject():
            return grammar_of("response_format", None, make_grammar)
        case _JsonSchema(json_schema=_Schema(schema=schema)):
            return grammar_of("response_format.json_schema.schema", schema, make_grammar)
    return asked.grammar


def grammar_place(asked: Constraints, choice: ToolChoice = ToolChoice.NONE) -> str:
    """The parameter that the grammar of an answer comes from."""
    return "tools" if choice is ToolChoice.REQUIRED else next(iter(asked.given()), "grammar")
