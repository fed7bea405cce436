"""What a chat request says of tools, and of the form that an answer must have."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.api.fields import Given, check_free, invalid, text, typed
from app.core.requests import ToolChoice

_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_MOST_TOOLS = 128
_GRAMMARS = ("response_format", "json_schema", "grammar")
Schema = Mapping[str, object]
MakeGrammar = Callable[[Schema | None], str]
"""A JSON schema as GBNF; None is for any object. Raises ValueError with a sentence."""


@dataclass(frozen=True, slots=True)
class Tools:
    tools: tuple[Mapping[str, object], ...] = ()
    choice: ToolChoice = ToolChoice.AUTO
    name: str = ""
    parallel: bool = True


def tools_from(given: Given) -> Tools:
    """Raises ApiError."""
    declared = typed(given, "tools", list) or []
    if len(declared) > _MOST_TOOLS:
        raise invalid("tools", f"A request takes up to {_MOST_TOOLS} tools.")
    tools = tuple(_tool(f"tools[{index}]", each) for index, each in enumerate(declared))
    names = [_name_of(tool) for tool in tools]
    if len(set(names)) < len(names):
        raise invalid("tools", "Two tools have the same name.")
    choice, name = _choice(given.get("tool_choice"), names)
    parallel = typed(given, "parallel_tool_calls", bool)
    return Tools(tools, choice, name, parallel is not False)


def _tool(where: str, told: object) -> Mapping[str, object]:
    if not isinstance(told, dict) or told.get("type") != "function" or not isinstance(told.get("function"), dict):
        raise invalid(where, f"{where} must be an object of type function, with a function.")
    function = {name: value for name, value in told["function"].items() if value is not None}
    name = function.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        told = f"{where}.function.name must be 1 to 64 letters, digits, dots, dashes or underscores."
        raise invalid(f"{where}.function.name", told)
    description = text(f"{where}.function.description", function.get("description", ""))
    parameters = typed(function, "parameters", dict, f"{where}.function.")
    check_free(f"{where}.function.parameters", parameters)
    empty: Schema = {"type": "object", "properties": {}}
    made = {"name": name, "description": description, "parameters": parameters or empty}
    return {"type": "function", "function": made}


def _name_of(tool: Mapping[str, object]) -> str:
    function = tool["function"]
    assert isinstance(function, dict)
    return str(function["name"])


def _choice(told: object, names: list[str]) -> tuple[ToolChoice, str]:
    match told:
        case None:
            return ToolChoice.AUTO, ""
        case "auto" | "none" | "required":
            choice, name = ToolChoice(told), ""
        case {"type": "function", "function": {"name": str(name)}}:
            choice = ToolChoice.REQUIRED
        case _:
            raise invalid(
                "tool_choice", "tool_choice must be auto, none, required, or an object that names a function."
            )
    if choice is ToolChoice.REQUIRED and not names:
        raise invalid("tool_choice", "tool_choice asks for a tool, and there are none.")
    if name and name not in names:
        raise invalid("tool_choice", f"tool_choice: there is no tool {name[:64]!r}.")
    return choice, name


def grammar_from(given: Given, make_grammar: MakeGrammar) -> str:
    """GBNF for `response_format`, `json_schema` or `grammar`, of which only one may be given. Raises ApiError."""
    asked = [name for name in _GRAMMARS if _asks(given, name)]
    if len(asked) > 1:
        raise invalid(asked[1], f"{asked[0]} and {asked[1]} can't both hold. Leave one out.")
    match asked:
        case ["grammar"]:
            return text("grammar", given["grammar"])
        case ["json_schema"]:
            return _grammar_of("json_schema", typed(given, "json_schema", dict), make_grammar)
        case ["response_format"]:
            return _formatted(given["response_format"], make_grammar)
    return ""


def grammar_place(given: Given, choice: ToolChoice = ToolChoice.NONE) -> str:
    """The parameter that the grammar of an answer comes from."""
    if choice is ToolChoice.REQUIRED:
        return "tools"
    return next((name for name in _GRAMMARS if _asks(given, name)), "grammar")


def _asks(given: Given, name: str) -> bool:
    return name in given and given[name] != "" and (name != "response_format" or given[name] != {"type": "text"})


def _formatted(told: object, make_grammar: MakeGrammar) -> str:
    match told:
        case {"type": "json_object", "schema": dict(schema)}:
            return _grammar_of("response_format.schema", schema, make_grammar)
        case {"type": "json_object"}:
            return _grammar_of("response_format", None, make_grammar)
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return _grammar_of("response_format.json_schema.schema", schema, make_grammar)
    raise invalid(
        "response_format",
        "response_format must be of type text, json_object, or json_schema with a json_schema that has a schema.",
    )


def _grammar_of(where: str, schema: Schema | None, make_grammar: MakeGrammar) -> str:
    check_free(where, schema)
    try:
        return make_grammar(schema)
    except (ValueError, RecursionError) as error:
        told = str(error) if isinstance(error, ValueError) else "it is too deep"
        raise invalid(where, f"{where} can't be used: {told.rstrip('.')}.") from None
