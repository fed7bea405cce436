"""OpenAI's messages: how they are declared, and what they are as values of ours."""

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, get_args

from msgspec import Meta, Struct

from app.api.limits import Limits
from app.api.message_checks import check_count, checked_messages
from app.api.pictures import DataUrl, picture_from
from app.api.unknown_fields import unknown_in
from app.api.validation import Given, invalid, names_of
from app.core.messages import ImagePart, Message, Part, Role, TextPart, ToolCall


class _TextPart(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    text: str


class _ImageUrl(Struct, kw_only=True, frozen=True):
    url: DataUrl


class _PicturePart(Struct, tag_field="type", tag="image_url", kw_only=True, frozen=True):
    image_url: _ImageUrl | DataUrl


class _Function(Struct, kw_only=True, frozen=True):
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    arguments: str | dict[str, Any] | Annotated[list[Any], Meta(max_length=0, title="an empty list")] | None = None
    """Some languages write an empty object as []."""


class _Call(Struct, kw_only=True, frozen=True):
    function: _Function
    id: str | None = None


_Parts = Annotated[list[_TextPart | _PicturePart], Meta(title="a list of parts")]
_Content = str | Annotated[_Parts, Meta(min_length=1)]
_NoCalls = Annotated[list[Any], Meta(max_length=0, title="left out where the role is not assistant")]


class _Message(Struct, tag_field="role", kw_only=True, frozen=True):
    content: Any
    name: str | None = None
    tool_call_id: str | None = None


class System(_Message, tag="system", kw_only=True, frozen=True):
    content: _Content
    tool_calls: _NoCalls | None = None
    function_call: _NoCalls | None = None


class Developer(System, tag="developer", kw_only=True, frozen=True):
    pass


class User(System, tag="user", kw_only=True, frozen=True):
    pass


class Assistant(_Message, tag="assistant", kw_only=True, frozen=True):
    """It may have been cut off in its thoughts, or say something else than a text."""

    content: str | _Parts | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None


class Tool(_Message, tag="tool", kw_only=True, frozen=True):
    """It may have nothing to say."""

    content: str | _Parts | None = None
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
    """Whatever is empty is as if left out, where a role has no use for more."""
    spare = _REASONING if message.get("role") == "assistant" else _CALLS
    return {name: value for name, value in message.items() if name in _KNOWN and (value or name not in spare)}


def messages_from(asked: Iterable[ChatMessage], limits: Limits) -> tuple[Message, ...]:
    """Raises ApiError."""
    made = [_message(f"messages[{index}]", each) for index, each in enumerate(asked)]
    return checked_messages(made, limits)


def _message(where: str, told: ChatMessage) -> Message:
    role, reasoning = Role.SYSTEM, ""
    calls: tuple[ToolCall, ...] = ()
    match told:
        case Assistant():
            role, reasoning, calls = Role.ASSISTANT, told.reasoning_content or told.reasoning or "", _calls(told)
        case User():
            role = Role.USER
        case Tool():
            role = Role.TOOL
    return Message(
        role,
        () if calls and not told.content else _parts(f"{where}.content", told.content or ""),
        reasoning=reasoning,
        tool_calls=calls,
        tool_call_id=told.tool_call_id or "",
        name=told.name or "",
    )


def _calls(told: Assistant) -> tuple[ToolCall, ...]:
    made = [_call(each.id or "", each.function) for each in told.tool_calls or ()]
    if told.function_call is not None:
        made.append(_call("", told.function_call))
    return tuple(made)


def _call(number: str, told: _Function) -> ToolCall:
    arguments = json.dumps(told.arguments) if isinstance(told.arguments, dict) else told.arguments or ""
    return ToolCall(number, told.name, str(arguments))


def _parts(where: str, content: str | list[_TextPart | _PicturePart]) -> tuple[Part, ...]:
    if isinstance(content, str):
        return (TextPart(content),)
    return tuple(_part(f"{where}[{index}]", each) for index, each in enumerate(content))


def _part(where: str, told: _TextPart | _PicturePart) -> TextPart | ImagePart:
    if isinstance(told, _TextPart):
        return TextPart(told.text)
    image = told.image_url
    return picture_from(f"{where}.image_url.url", image.url if isinstance(image, _ImageUrl) else image)
