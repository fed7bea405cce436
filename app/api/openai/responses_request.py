"""OpenAI's Responses: how requests are declared, and what they are as values of ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from app.api.asked import MOST_IGNORED, MOST_TOOLS, Asked, Checks, Tools
from app.api.errors import Json, Places
from app.api.message_checks import check_count
from app.api.openai.responses_items import Item, conversation_from
from app.api.openai.responses_tools import (
    ResponseChoice,
    ResponseTool,
    TextForm,
    grammar_from,
    left_out,
    tools_from,
)
from app.api.openai.stored_responses import Conversation, StoredResponses
from app.api.sampling_fields import Limit, only_reads, sampling_from, with_sampling
from app.api.unknown_fields import RELIED_ON, unknown_in
from app.api.validation import given_of, invalid, names_of, validated
from app.core.messages import Message
from app.core.overflow import Overflow
from app.core.requests import ChatRequest, ToolChoice

_REFUSED: Mapping[str, tuple[object, ...]] = {**RELIED_ON, "background": (False,), "conversation": (), "prompt": ()}
_TAKEN = frozenset({"include", "max_tool_calls", "client_metadata", "stream_options"})
"""What changes nothing of what is told here."""
_NO_THOUGHT = ("none", "minimal")


class _Reasoning(Struct, kw_only=True, frozen=True):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    summary: str | None = None


@with_sampling
class ResponsesFields(Struct, kw_only=True, frozen=True):
    input: Annotated[str | list[Item], Meta(title="a text, or a list of items")] = ""
    model: str | None = None
    instructions: str = ""
    previous_response_id: str = ""
    stream: bool = False
    return_progress: Annotated[bool, Meta(description="A stream tells how far the prompt has been read.")] = False
    timings_per_token: Annotated[bool, Meta(description="Each piece of a stream tells the timings so far.")] = False
    store: bool = True
    tools: Annotated[list[ResponseTool], Meta(max_length=MOST_TOOLS)] = field(default_factory=list)
    tool_choice: ResponseChoice = "auto"
    parallel_tool_calls: bool = True
    reasoning: _Reasoning = _Reasoning()
    text: TextForm = TextForm()
    truncation: Literal["auto", "disabled"] = "disabled"
    max_output_tokens: Limit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response(Asked):
    """A checked request."""

    before: Conversation
    """All that the answer follows."""
    store: bool
    timings: bool
    """Each piece of a stream tells those so far."""
    customs: frozenset[str]
    """Names of tools that take a plain text."""
    echo: Json
    """What the answer says again of the request."""


def parse_response(body: object, checks: Checks, stored: StoredResponses) -> Response:
    """Check a decoded JSON body. What it leaves out or sets to null is as in the defaults. Raises ApiError."""
    given = given_of(body)
    ignored = unknown_in(given, names_of(ResponsesFields) | _TAKEN, _REFUSED)
    before = _before(given, checks, stored)
    given["input"] = list(before.items)
    asked = validated(ResponsesFields, given)
    told = conversation_from(asked.instructions, _items(asked), checks.limits)
    tools = tools_from(asked.tools, asked.tool_choice)
    chat = _chat(asked, told.messages, tools, checks)
    return Response(
        model=asked.model,
        chat=chat,
        stream=asked.stream,
        progress=asked.return_progress,
        ignored=(*ignored, *left_out(asked.tools))[:MOST_IGNORED],
        places=Places("input", "tools" if tools.choice is ToolChoice.REQUIRED else "text.format", "input"),
        ids=told.ids,
        before=before,
        store=asked.store,
        timings=asked.timings_per_token,
        customs=frozenset(each.name or "" for each in asked.tools if each.type == "custom"),
        echo=_echo(given, asked, chat),
    )


def _chat(asked: ResponsesFields, messages: tuple[Message, ...], tools: Tools, checks: Checks) -> ChatRequest:
    return ChatRequest(
        messages,
        sampling=sampling_from(asked, checks.defaults),
        overflow=Overflow.DROP_MIDDLE if asked.truncation == "auto" else Overflow.STOP,
        template_args=_template_args(asked.reasoning),
        tools=tools.tools,
        tool_choice=tools.choice,
        tool_name=tools.name,
        parallel_tool_calls=asked.parallel_tool_calls,
        grammar=grammar_from(asked.text, checks.make_grammar),
        only_read=only_reads(asked),
    )


def _items(asked: ResponsesFields) -> list[Item]:
    return asked.input if isinstance(asked.input, list) else []


def _before(given: Mapping[str, Any], checks: Checks, stored: StoredResponses) -> Conversation:
    """All items of the conversation, as JSON: those that were named, and those that were sent. Raises ApiError."""
    told = given.get("input", [])
    items = [{"role": "user", "content": told}] if isinstance(told, str) else told
    if not isinstance(items, list):
        raise invalid("input", "input must be a text, or a list of items.")
    check_count(items, checks.limits, "input")
    previous = given.get("previous_response_id") or ""
    before = stored.conversation(previous) if isinstance(previous, str) and previous else Conversation()
    whole = before.with_more([_item(f"input[{index}]", each, stored) for index, each in enumerate(items)])
    check_count(list(whole.items), checks.limits, "input")
    return whole


def _item(where: str, told: Any, stored: StoredResponses) -> Any:
    """With its type, which people leave out, and without null; what is only named as it was."""
    if not isinstance(told, dict):
        return told
    if told.get("type") == "item_reference":
        return stored.item(where, str(told.get("id")))
    kind = {"type": "message"} if "role" in told and not told.get("type") else {}
    return {**{name: value for name, value in told.items() if value is not None}, **kind}


def _template_args(reasoning: _Reasoning) -> dict[str, object]:
    effort = reasoning.effort
    return {} if effort is None else {"reasoning_effort": effort, "enable_thinking": effort not in _NO_THOUGHT}


def _echo(given: Mapping[str, Any], asked: ResponsesFields, chat: ChatRequest) -> Json:
    return {
        "instructions": asked.instructions or None,
        "max_output_tokens": asked.max_output_tokens,
        "parallel_tool_calls": asked.parallel_tool_calls,
        "previous_response_id": asked.previous_response_id or None,
        "reasoning": {"effort": asked.reasoning.effort, "summary": asked.reasoning.summary},
        "store": asked.store,
        "temperature": chat.sampling.temperature,
        "text": given.get("text", {"format": {"type": "text"}}),
        "tool_choice": given.get("tool_choice", "auto"),
        "tools": given.get("tools", []),
        "top_p": chat.sampling.top_p,
        "truncation": asked.truncation,
        "metadata": given.get("metadata", {}),
        "user": given.get("user"),
    }
