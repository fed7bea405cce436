"""OpenAI's messages: how they are declared, and what they are as values of ours."""

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, get_args

from msgspec import Meta, Struct

from app.api.asked import custom_arguments
from app.api.content import Content, Parts, parts_from
from app.api.limits import Limits
from app.api.message_checks import check_count, checked_messages
from app.api.unknown_fields import unknown_in
from app.api.validation import Given, invalid, names_of
from app.core.messages import Message, Role, ToolCall


class _Function(Struct, kw_only=True, frozen=True):
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    arguments: str | dict[str, Any] | Annotated[list[Any], Meta(max_length=0, title="an empty list")] | None = None
    """Some languages write an empty object as []."""


class _Custom(Struct, kw_only=True, frozen=True):
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    input: str


class _Called(Struct, kw_only=True, frozen=True):
    """One of both."""

    function: _Function | None = None
    custom: _Custom | None = None
    id: str | None = None


_Content = str | Annotated[Parts, Meta(min_length=1)]
_Call = Annotated[_Called, Meta(extra_json_schema={"oneOf": [{"required": ["function"]}, {"required": ["custom"]}]})]
_NoCalls = Annotated[list[Any], Meta(max_length=0, title="left out where the role is not assistant")]


class _Message(Struct, tag_field="role", kw_only=True, frozen=True):
    content: Any
    name: str | None = None
    tool_call_id: str | None = None


class System(_Message, tag="system", kw_only=True, frozen=True):
    content: _Content | None = None
    tool_calls: _NoCalls | None = None
    function_call: _NoCalls | None = None


class Developer(System, tag="developer", kw_only=True, frozen=True):
    pass


class User(System, tag="user", kw_only=True, frozen=True):
    pass


class Assistant(_Message, tag="assistant", kw_only=True, frozen=True):
    """It may have been cut off in its thoughts, or say something else than a text."""

    content: Content | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None


class Tool(_Message, tag="tool", kw_only=True, frozen=True):
    """It may have nothing to say."""

    content: Content | None = None
    tool_calls: _NoCalls | None = None
    function_call: _NoCalls | None = None


class Function(Tool, tag="function", kw_only=True, frozen=True):
    pass


ChatMessage = System | Developer | User | Assistant | Tool | Function
_REASONING = ("reasoning_content", "reasoning")
"""Under what names clients send back what an answer thought."""
_CALLS = ("tool_calls", "function_call")
_KNOWN = frozenset({"role"}).union(*map(names_of, get_args(ChatMessage)))
_REFUSED: Mapping[str, tuple[object, ...]] = {"images": ([],)}
"""Ollama's place for pictures, which would not be seen."""


def sorted_out(given: Given, limits: Limits) -> tuple[list[object], list[str]]:
    """The field `messages` without what nothing is done with, and the names of that. Raises ApiError."""
    messages = given.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid("messages", "messages must be a list of at least one message.")
    check_count(messages, limits)
    ignored = [
        f"messages[].{name}"
        for index, each in enumerate(messages)
        if isinstance(each, dict)
        for name in unknown_in(_given(each), _KNOWN, _REFUSED, f"messages[{index}].")
    ]
    return [_known(each) if isinstance(each, dict) else each for each in messages], ignored


def _given(message: Given) -> Given:
    return {name: value for name, value in message.items() if value is not None}


def _known(message: Given) -> Given:
    """Null is as if left out, and so is whatever is empty where a role has no use for more."""
    spare = _REASONING if message.get("role") == "assistant" else _CALLS
    told = {name: value for name, value in _given(message).items() if name in _KNOWN}
    return {name: value for name, value in told.items() if value or name not in spare}


def messages_from(asked: Iterable[ChatMessage], limits: Limits) -> tuple[Message, ...]:
    """Raises ApiError."""
    made = [_message(f"messages[{index}]", each) for index, each in enumerate(asked)]
    return checked_messages(made, limits)


def _message(where: str, told: ChatMessage) -> Message:
    role, reasoning = Role.SYSTEM, ""
    calls: tuple[ToolCall, ...] = ()
    match told:
        case Assistant():
            role, reasoning, calls = Role.ASSISTANT, told.reasoning_content or told.reasoning or "", _calls(where, told)
        case User():
            role = Role.USER
        case Tool():
            role = Role.TOOL
    # An answer comes back in the pieces that it was sent in.
    parts = parts_from(f"{where}.content", told.content or "", lines=role is not Role.ASSISTANT)
    return Message(
        role,
        () if calls and not told.content else tuple(parts),
        reasoning=reasoning,
        tool_calls=calls,
        tool_call_id=told.tool_call_id or "",
        name=told.name or "",
    )


def _calls(where: str, told: Assistant) -> tuple[ToolCall, ...]:
    made = [_call(f"{where}.tool_calls[{index}]", each) for index, each in enumerate(told.tool_calls or ())]
    if told.function_call is not None:
        made.append(_called("", told.function_call))
    return tuple(made)


def _call(where: str, told: _Called) -> ToolCall:
    number = told.id or ""
    if told.custom is not None:
        return ToolCall(number, told.custom.name, custom_arguments(told.custom.input))
    if told.function is None:
        raise invalid(f"{where}.function", f"{where}.function must be an object.")
    return _called(number, told.function)


def _called(number: str, told: _Function) -> ToolCall:
    arguments = json.dumps(told.arguments) if isinstance(told.arguments, dict) else told.arguments or ""
    return ToolCall(number, told.name, str(arguments))
