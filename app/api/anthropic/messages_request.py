"""Anthropic's Messages: how requests are declared, and what they are as values of ours."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from app.api.anthropic.blocks import AnthropicMessage, conversation_from
from app.api.asked import (
    MOST_IGNORED,
    MOST_TOOLS,
    Asked,
    Checks,
    ToolName,
    Tools,
    checked_tools,
    function_tool,
    grammar_of,
)
from app.api.content import Text
from app.api.errors import Places
from app.api.message_checks import check_count
from app.api.sampling_fields import Limit, only_reads, sampling_from, with_sampling
from app.api.unknown_fields import RELIED_ON, unknown_in
from app.api.validation import Given, given_of, names_of, validated
from app.core.messages import Message, Role
from app.core.requests import ChatRequest, ToolChoice

_REFUSED: Mapping[str, tuple[object, ...]] = {**RELIED_ON, "mcp_servers": ([],), "container": ()}
_TAKEN = frozenset({"cache_control", "betas"})
"""What is the same with and without."""
_BILLING = "x-anthropic-billing-header:"
"""Claude Code's first line to Anthropic's own servers, another one with each request: it says nothing to a model, and
all behind it would be read again.
"""
_SCHEMA = "output_config.format.schema"
_EFFORTS = {"max": "high"}
"""Anthropic's words that OpenAI and templates have not."""


class _Tool(Struct, kw_only=True, frozen=True):
    name: ToolName
    type: str | None = None
    description: str | None = None
    input_schema: dict[str, Any] | None = None


class _Auto(Struct, tag_field="type", tag="auto", kw_only=True, frozen=True):
    disable_parallel_tool_use: bool | None = None


class _Any(_Auto, tag="any", kw_only=True, frozen=True):
    pass


class _None(_Auto, tag="none", kw_only=True, frozen=True):
    pass


class _Named(_Auto, tag="tool", kw_only=True, frozen=True):
    name: str


class _Enabled(Struct, tag_field="type", tag="enabled", kw_only=True, frozen=True):
    budget_tokens: Any = None
    """Without effect: how long a model thinks is its own affair."""


class _Adaptive(Struct, tag_field="type", tag="adaptive", kw_only=True, frozen=True):
    pass


class _Disabled(Struct, tag_field="type", tag="disabled", kw_only=True, frozen=True):
    pass


class _Format(Struct, tag_field="type", tag="json_schema", kw_only=True, frozen=True):
    schema: dict[str, Any]


class _Output(Struct, kw_only=True, frozen=True):
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: _Format | None = None


@with_sampling
class MessagesFields(Struct, kw_only=True, frozen=True):
    messages: Annotated[list[AnthropicMessage], Meta(min_length=1, title="a list of at least one message")]
    model: str | None = None
    system: str | list[Text] = ""
    tools: Annotated[list[_Tool], Meta(max_length=MOST_TOOLS)] = field(default_factory=list)
    tool_choice: _Auto | _Any | _None | _Named | None = None
    thinking: _Enabled | _Adaptive | _Disabled | None = None
    output_config: _Output = _Output()
    output_format: _Format | None = None
    max_tokens: Limit | None = None
    stop_sequences: Annotated[list[str], Meta(max_length=64)] = field(default_factory=list)
    stream: bool = False


def parse_messages(body: object, checks: Checks) -> Asked:
    """Check a decoded JSON body. What it leaves out or sets to null is as in the defaults. Raises ApiError."""
    given = given_of(body)
    ignored = unknown_in(given, names_of(MessagesFields) | _TAKEN, _REFUSED)
    check_count(given["messages"] if isinstance(given.get("messages"), list) else [], checks.limits)
    asked = validated(MessagesFields, given)
    system, skipped = _system(asked)
    tools, unknown = _tools(asked)
    told = conversation_from(system, asked.messages, checks.limits)
    chat = _chat(asked, told.messages, tools, checks)
    names = (*ignored, *skipped, *unknown, *_without_effect(given))[:MOST_IGNORED]
    places = Places("messages", "tools" if tools.choice is ToolChoice.REQUIRED else _SCHEMA, "messages")
    return Asked(model=asked.model, chat=chat, stream=asked.stream, ignored=names, places=places, ids=told.ids)


def _chat(asked: MessagesFields, messages: tuple[Message, ...], tools: Tools, checks: Checks) -> ChatRequest:
    schema = asked.output_config.format or asked.output_format
    return ChatRequest(
        messages,
        continues=_continues(messages),
        sampling=sampling_from(asked, checks.defaults),
        stop=tuple(filter(None, asked.stop_sequences)),
        template_args=_template_args(asked),
        tools=tools.tools,
        tool_choice=tools.choice,
        tool_name=tools.name,
        parallel_tool_calls=not (asked.tool_choice and asked.tool_choice.disable_parallel_tool_use),
        grammar="" if schema is None else grammar_of(_SCHEMA, schema.schema, checks.make_grammar),
        only_read=only_reads(asked),
    )


def _system(asked: MessagesFields) -> tuple[str, tuple[str, ...]]:
    """The system text, and what of it was left out."""
    blocks = [asked.system] if isinstance(asked.system, str) else [each.text for each in asked.system]
    kept = [_without_billing(each) for each in blocks]
    told = ("system.x-anthropic-billing-header",) if kept != blocks else ()
    return "\n\n".join(filter(None, kept)), told


def _without_billing(text: str) -> str:
    return text.partition("\n")[2].lstrip("\n") if text.startswith(_BILLING) else text


def _tools(asked: MessagesFields) -> tuple[Tools, tuple[str, ...]]:
    """Those that the client runs, and the names of those that Anthropic's servers would."""
    own = [each for each in asked.tools if each.input_schema is not None or each.type in (None, "custom")]
    made = [function_tool(each.name, each.description, each.input_schema) for each in own]
    others = unknown_in({each.name: 0 for each in asked.tools if each not in own}, frozenset(), {})
    match asked.tool_choice:
        case _Named(name=name):
            tools = checked_tools(made, ToolChoice.REQUIRED, name)
        case _Any():
            tools = checked_tools(made, ToolChoice.REQUIRED)
        case _None():
            tools = checked_tools(made, ToolChoice.NONE)
        case _:
            tools = checked_tools(made, ToolChoice.AUTO)
    return tools, tuple(f"tools[].{name}" for name in others)


def _continues(messages: tuple[Message, ...]) -> bool:
    """A last message of the assistant's is the beginning of the answer."""
    return messages[-1].role is Role.ASSISTANT and not messages[-1].tool_calls


def _template_args(asked: MessagesFields) -> dict[str, object]:
    made: dict[str, object] = {}
    if asked.thinking is not None:
        made["enable_thinking"] = not isinstance(asked.thinking, _Disabled)
    if (effort := asked.output_config.effort) is not None:
        made["reasoning_effort"] = _EFFORTS.get(effort, effort)
    return made


def _without_effect(given: Given) -> tuple[str, ...]:
    thinking = given.get("thinking")
    return ("thinking.budget_tokens",) if isinstance(thinking, dict) and "budget_tokens" in thinking else ()
