"""What every dialect makes of a request for an answer to a conversation, and what it checks one against."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from app.api.errors import Places
from app.api.limits import Limits
from app.api.validation import check_free, invalid
from app.core.requests import ChatRequest, ToolChoice
from app.core.sampling import Sampling

Schema = Mapping[str, object]
MakeGrammar = Callable[[Schema | None], str]
"""A JSON schema as GBNF; None is for any object. Raises ValueError with a sentence."""
MOST_IGNORED = 2048
"""Names that are told; an attacker knows many."""
MOST_TOOLS = 512
ToolName = Annotated[
    str,
    # Python's $ lets a line's end follow.
    Meta(pattern=r"^[^\x00-\x1f\"<>\\]{1,256}$(?!\n)", title="1 to 256 characters, without quotes, \\, < and >"),
]
"""MCP's names are long, and have blanks and slashes."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What a request is checked against."""

    defaults: Sampling
    """Stand in for what it leaves out."""
    n_vocab: int
    make_grammar: MakeGrammar
    limits: Limits = Limits()
    continues: bool = False
    """An answer that a request ends with is gone on with, also where the request does not say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A checked request."""

    model: str | None
    """As the client names it; None for whichever is loaded."""
    chat: ChatRequest
    stream: bool
    n: int = 1
    """Answers that are wanted."""
    progress: bool = False
    """A stream tells how far the prompt has been read."""
    tells_prompt: bool = False
    """A whole answer tells what the model read."""
    ignored: tuple[str, ...] = ()
    """Names of what the client sent and Hearth does nothing with."""
    places: Places = Places()
    ids: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By the place of an answer among the messages: what it was called when it was given; see `remembered`."""


@dataclass(frozen=True, slots=True)
class Tools:
    tools: tuple[Mapping[str, object], ...] = ()
    choice: ToolChoice = ToolChoice.AUTO
    name: str = ""


def function_tool(name: str, description: str | None, parameters: Schema | None) -> Mapping[str, object]:
    """As `ChatRequest.tools` has it."""
    parameters = parameters or {"type": "object", "properties": {}}
    return {"type": "function", "function": {"name": name, "description": description or "", "parameters": parameters}}


def checked_tools(tools: Sequence[Mapping[str, object]], choice: ToolChoice, name: str = "") -> Tools:
    """`name`: the one that has to be called. Raises ApiError."""
    names = [function["name"] for each in tools if isinstance(function := each["function"], dict)]
    if len(set(names)) < len(names):
        raise invalid("tools", "Two tools have the same name.")
    if choice is ToolChoice.REQUIRED and not names:
        raise invalid("tool_choice", "tool_choice asks for a tool, and there are none.")
    if name and name not in names:
        raise invalid("tool_choice", f"tool_choice: there is no tool {name[:64]!r}.")
    return Tools(tuple(tools), choice, name)


def grammar_of(where: str, schema: Schema | None, make_grammar: MakeGrammar) -> str:
    """GBNF of a schema that stands at `where` in a request. Raises ApiError."""
    check_free(where, schema)
    try:
        return make_grammar(schema)
    except (ValueError, RecursionError) as error:
        told = str(error) if isinstance(error, ValueError) else "it is too deep"
        raise invalid(where, f"{where} can't be used: {told.rstrip('.')}.") from None


_CUSTOM: Schema = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def custom_tool(name: str, description: str | None) -> Mapping[str, object]:
    """One that takes a plain text, as a function."""
    return function_tool(name, description, _CUSTOM)


def custom_arguments(text: str) -> str:
    """What a custom tool was called with, as a function's arguments."""
    return json.dumps({"input": text}, ensure_ascii=False)


def custom_input(arguments: str) -> str:
    """The opposite; arguments that were cut off as they stand."""
    try:
        told = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return str(told["input"]) if isinstance(told, dict) and "input" in told else arguments
