"""Tools, and the form that an answer must have: how requests declare them, and what they are as values of ours."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from app.api.asked import MakeGrammar, ToolName, Tools, checked_tools, custom_tool, function_tool, grammar_of
from app.api.validation import invalid
from app.core.requests import ToolChoice
from app.engine.output.gbnf import literal


class _Declared(Struct, kw_only=True, frozen=True):
    name: ToolName
    description: str | None = None
    parameters: dict[str, Any] | None = None


class FunctionTool(Struct, tag_field="type", tag="function", kw_only=True, frozen=True):
    function: _Declared


class _DeclaredCustom(Struct, kw_only=True, frozen=True):
    name: ToolName
    description: str | None = None


class CustomTool(Struct, tag_field="type", tag="custom", kw_only=True, frozen=True):
    """It takes a plain text."""

    custom: _DeclaredCustom


Tool = FunctionTool | CustomTool


class _Named(Struct, kw_only=True, frozen=True):
    name: str


class _NamedTool(Struct, tag_field="type", tag="function", kw_only=True, frozen=True):
    function: _Named


class _NamedCustom(Struct, tag_field="type", tag="custom", kw_only=True, frozen=True):
    custom: _Named


class _AllowedTools(Struct, kw_only=True, frozen=True):
    tools: list[_NamedTool | _NamedCustom]
    mode: Literal["auto", "required"] = "auto"


class _Allowed(Struct, tag_field="type", tag="allowed_tools", kw_only=True, frozen=True):
    allowed_tools: _AllowedTools


Choice = Annotated[
    Literal["auto", "none", "required"] | _NamedTool | _NamedCustom | _Allowed,
    Meta(title="auto, none, required, or an object that names a function or those that are allowed"),
]


class _Text(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    pass


class _JsonObject(Struct, tag_field="type", tag="json_object", kw_only=True, frozen=True):
    schema: dict[str, Any] | None = None


class _Schema(Struct, kw_only=True, frozen=True):
    schema: dict[str, Any]


class _JsonSchema(Struct, tag_field="type", tag="json_schema", kw_only=True, frozen=True):
    json_schema: _Schema


Format = _Text | _JsonObject | _JsonSchema | Literal[""]


class _Structured(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """vLLM's: one of them."""

    json: dict[str, Any] | None = None
    choice: list[str] | None = None
    json_object: bool | None = None


class Constraints(Struct, kw_only=True, frozen=True):
    """The fields of which one may say what form an answer has."""

    response_format: Annotated[
        Format, Meta(title="of type text, json_object, or json_schema with a json_schema that has a schema")
    ] = ""
    json_schema: Annotated[
        dict[str, Any] | Literal[""], Meta(title="an object", description="A schema of the JSON that is answered.")
    ] = ""
    grammar: Annotated[str, Meta(description="GBNF that the answer keeps to.")] = ""
    guided_json: Annotated[dict[str, Any] | Literal[""], Meta(title="an object", description="As json_schema.")] = ""
    guided_choice: Annotated[list[str], Meta(description="One of these texts is the answer.")] = field(
        default_factory=list
    )
    structured_outputs: (
        Annotated[_Structured, Meta(title="an object with json, choice or json_object alone")] | None
    ) = None

    def given(self) -> list[str]:
        """Those that ask for something."""
        format_asks = self.response_format != "" and not isinstance(self.response_format, _Text)
        asks = {
            "response_format": format_asks,
            "json_schema": self.json_schema != "",
            "grammar": self.grammar != "",
            "guided_json": self.guided_json != "",
            "guided_choice": bool(self.guided_choice),
            "structured_outputs": self.structured_outputs not in (None, _Structured()),
        }
        return [name for name, asked in asks.items() if asked]


def tools_from(declared: Sequence[Tool], chosen: Choice) -> Tools:
    """Raises ApiError."""
    if isinstance(chosen, _Allowed):
        allowed = {_name_of(each) for each in chosen.allowed_tools.tools}
        tools = [_tool(each) for each in declared if _name_of(each) in allowed]
        return checked_tools(tools, ToolChoice(chosen.allowed_tools.mode))
    tools = [_tool(each) for each in declared]
    if isinstance(chosen, str):
        return checked_tools(tools, ToolChoice(chosen))
    return checked_tools(tools, ToolChoice.REQUIRED, _name_of(chosen))


def customs_of(declared: Sequence[Tool]) -> frozenset[str]:
    """The names of those that take a plain text."""
    return frozenset(_name_of(each) for each in declared if isinstance(each, CustomTool))


def _name_of(told: Tool | _NamedTool | _NamedCustom) -> str:
    return told.custom.name if isinstance(told, CustomTool | _NamedCustom) else told.function.name


def _tool(told: Tool) -> Mapping[str, object]:
    if isinstance(told, CustomTool):
        return custom_tool(told.custom.name, told.custom.description)
    return function_tool(told.function.name, told.function.description, told.function.parameters)


def grammar_from(asked: Constraints, make_grammar: MakeGrammar) -> str:
    """GBNF for what the answer is constrained to. Raises ApiError."""
    given = asked.given()
    if len(given) > 1:
        raise invalid(given[1], f"{given[0]} and {given[1]} can't both hold. Leave one out.")
    match given:
        case ["json_schema"] if isinstance(asked.json_schema, dict):
            return grammar_of("json_schema", asked.json_schema, make_grammar)
        case ["guided_json"] if isinstance(asked.guided_json, dict):
            return grammar_of("guided_json", asked.guided_json, make_grammar)
        case ["guided_choice"]:
            return _one_of(asked.guided_choice)
        case ["structured_outputs"] if asked.structured_outputs is not None:
            return _structured(asked.structured_outputs, make_grammar)
    match asked.response_format:
        case _JsonObject(schema=dict(schema)):
            return grammar_of("response_format.schema", schema, make_grammar)
        case _JsonObject():
            return grammar_of("response_format", None, make_grammar)
        case _JsonSchema(json_schema=_Schema(schema=schema)):
            return grammar_of("response_format.json_schema.schema", schema, make_grammar)
    return asked.grammar


def _structured(asked: _Structured, make_grammar: MakeGrammar) -> str:
    if asked.choice:
        return _one_of(asked.choice)
    return grammar_of("structured_outputs.json", asked.json, make_grammar)


def _one_of(texts: Sequence[str]) -> str:
    return "root ::= " + " | ".join(literal(each) for each in texts)


def grammar_place(asked: Constraints, choice: ToolChoice = ToolChoice.NONE) -> str:
    """The parameter that the grammar of an answer comes from."""
    return "tools" if choice is ToolChoice.REQUIRED else next(iter(asked.given()), "grammar")
