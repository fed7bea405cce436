"""Tools of OpenAI's Responses, and the form of an answer: how they are declared, and what they mean here."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.asked import MakeGrammar, ToolName, Tools, checked_tools, custom_tool, function_tool, grammar_of
from app.api.unknown_fields import unknown_in
from app.core.requests import ToolChoice


class ResponseTool(Struct, kw_only=True, frozen=True):
    """A function, or a custom tool, which takes a plain text. Others run on OpenAI's servers, and are left out."""

    type: str
    name: ToolName | None = None
    description: str | None = None
    parameters: dict[str, Any] | None = None

    @property
    def is_ours(self) -> bool:
        return self.type in ("function", "custom") and self.name is not None

    def told(self) -> Mapping[str, object]:
        name = self.name or ""
        if self.type == "custom":
            return custom_tool(name, self.description)
        return function_tool(name, self.description, self.parameters)


class _NamedFunction(Struct, tag_field="type", tag="function", kw_only=True, frozen=True):
    name: str


class _NamedCustom(Struct, tag_field="type", tag="custom", kw_only=True, frozen=True):
    name: str


class _AllowedTool(Struct, kw_only=True, frozen=True):
    name: str | None = None


class _Allowed(Struct, tag_field="type", tag="allowed_tools", kw_only=True, frozen=True):
    tools: list[_AllowedTool]
    mode: Literal["auto", "required"] = "auto"


ResponseChoice = Annotated[
    Literal["auto", "none", "required"] | _NamedFunction | _NamedCustom | _Allowed,
    Meta(title="auto, none, required, or an object that names a function or those that are allowed"),
]


def tools_from(declared: Sequence[ResponseTool], chosen: ResponseChoice) -> Tools:
    """Raises ApiError."""
    ours = [each for each in declared if each.is_ours]
    if isinstance(chosen, _Allowed):
        allowed = {each.name for each in chosen.tools}
        ours = [each for each in ours if each.name in allowed]
        return checked_tools([each.told() for each in ours], ToolChoice(chosen.mode))
    tools = [each.told() for each in ours]
    if isinstance(chosen, str):
        return checked_tools(tools, ToolChoice(chosen))
    return checked_tools(tools, ToolChoice.REQUIRED, chosen.name)


def left_out(declared: Sequence[ResponseTool]) -> tuple[str, ...]:
    """What is no function of the client's own, told by its type."""
    others = {each.type: 0 for each in declared if not each.is_ours}
    return tuple(f"tools[].{name}" for name in unknown_in(others, frozenset(), {}))


class _Text(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    pass


class _JsonObject(Struct, tag_field="type", tag="json_object", kw_only=True, frozen=True):
    pass


class _JsonSchema(Struct, tag_field="type", tag="json_schema", kw_only=True, frozen=True):
    schema: dict[str, Any]


class TextForm(Struct, kw_only=True, frozen=True):
    format: _Text | _JsonObject | _JsonSchema | None = None


def grammar_from(form: TextForm, make_grammar: MakeGrammar) -> str:
    """GBNF for what the answer is constrained to. Raises ApiError."""
    match form.format:
        case _JsonObject():
            return grammar_of("text.format", None, make_grammar)
        case _JsonSchema(schema=schema):
            return grammar_of("text.format.schema", schema, make_grammar)
    return ""
