"""OpenAI's messages as values of ours."""

import json
from collections.abc import Mapping
from dataclasses import replace

from app.api.fields import Given, check_free, given_of, invalid, text, typed
from app.api.limits import Limits
from app.api.pictures import picture_from
from app.api.unknown_fields import unknown_in
from app.core.messages import ImagePart, Message, Part, Role, TextPart, ToolCall

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_MAY_BE_SILENT = (Role.ASSISTANT, Role.TOOL)
"""An answer may have been cut off in its thoughts, and a tool may have nothing to say."""
_REASONING = ("reasoning_content", "reasoning")
"""Under what names clients send back what an answer thought."""
_KNOWN = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", *_REASONING})
_REFUSED: Mapping[str, tuple[object, ...]] = {"images": ([],)}
"""Ollama's place for pictures, which would not be seen."""
_NO_ID = ""


def messages_from(given: Given, limits: Limits) -> tuple[Message, ...]:
    """The field `messages`. Raises ApiError."""
    messages = given.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid("messages", "messages must be a list of at least one message.")
    _check_count(messages, limits)
    made = [_message(f"messages[{index}]", each) for index, each in enumerate(messages)]
    _check_sizes(made, limits)
    return tuple(_with_names(made))


def _check_count(messages: list[object], limits: Limits) -> None:
    """Before anything is made of them."""
    told = [each for each in messages if isinstance(each, dict)]
    inner = [each.get(name) for each in told for name in ("content", "tool_calls")]
    if len(messages) + sum(len(each) for each in inner if isinstance(each, list)) > limits.messages:
        raise invalid("messages", f"A request takes up to {limits.messages:,} messages, with their parts and calls.")


def _check_sizes(messages: list[Message], limits: Limits) -> None:
    written = sum(len(part.text) for each in messages for part in each.parts if isinstance(part, TextPart))
    written += sum(len(each.reasoning) + sum(len(call.arguments) for call in each.tool_calls) for each in messages)
    if written > limits.prompt:
        told = f"The messages have {written:,} characters; up to {limits.prompt:,} are taken."
        raise invalid("messages", told, code="context_length_exceeded")
    if sum(len(each.pictures) for each in messages) > limits.pictures:
        raise invalid("messages", f"A request takes up to {limits.pictures} pictures.")


def unknown_in_messages(given: Given) -> tuple[str, ...]:
    """What `messages_from` did nothing with."""
    return tuple(
        name for each in given["messages"] for name in unknown_in(given_of(each), _KNOWN, _REFUSED, "messages[].")
    )


def _with_names(messages: list[Message]) -> list[Message]:
    """What tools answered, with the names of the functions that were called: some templates write them. Clients count
    their calls anew in each turn, so the last call before an answer is meant.
    """
    names: dict[str, str] = {}
    made = []
    for each in messages:
        names |= {call.id: call.name for call in each.tool_calls}
        unnamed = each.role is Role.TOOL and not each.name
        made.append(replace(each, name=names.get(each.tool_call_id, "")) if unnamed else each)
    return made


def _message(where: str, told: object) -> Message:
    if not isinstance(told, dict):
        raise invalid(where, f"{where} must be an object with a role and a content.")
    given = given_of(told)
    role = given.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise invalid(f"{where}.role", f"{where}.role must be one of {', '.join(_ROLES)}.")
    unknown_in(given, _KNOWN, _REFUSED, f"{where}.")
    calls = _calls(where, given) if _ROLES[role] is Role.ASSISTANT else _no_calls(where, given)
    content = given.get("content")
    if content in (None, []) and not calls and _ROLES[role] in _MAY_BE_SILENT:
        content = ""
    return Message(
        _ROLES[role],
        _parts(f"{where}.content", content, empty=bool(calls)),
        reasoning=_reasoning(where, given) if _ROLES[role] is Role.ASSISTANT else "",
        tool_calls=calls,
        tool_call_id=text(f"{where}.tool_call_id", given.get("tool_call_id", "")),
        name=text(f"{where}.name", given.get("name", "")),
    )


def _reasoning(where: str, given: Given) -> str:
    found = next((name for name in _REASONING if given.get(name)), None)
    return "" if found is None else text(f"{where}.{found}", given[found])


def _no_calls(where: str, given: Given) -> tuple[ToolCall, ...]:
    for name in ("tool_calls", "function_call"):
        if given.get(name):
            raise invalid(f"{where}.{name}", f"{where}.{name}: only an assistant calls tools.")
    return ()


def _calls(where: str, given: Given) -> tuple[ToolCall, ...]:
    calls = typed(given, "tool_calls", list, f"{where}.") or []
    made = [_call(f"{where}.tool_calls[{index}]", each) for index, each in enumerate(calls)]
    if (old := typed(given, "function_call", dict, f"{where}.")) is not None:
        made.append(_function(f"{where}.function_call", old, _NO_ID))
    return tuple(made)


def _call(where: str, told: object) -> ToolCall:
    if not isinstance(told, dict) or not isinstance(function := told.get("function"), dict):
        raise invalid(where, f"{where} must be an object with an id and a function.")
    return _function(f"{where}.function", function, text(f"{where}.id", told.get("id") or _NO_ID))


def _function(where: str, function: Given, number: str) -> ToolCall:
    arguments = function.get("arguments", "")
    if isinstance(arguments, dict):
        check_free(f"{where}.arguments", arguments)
        arguments = json.dumps(arguments)
    name = text(f"{where}.name", function.get("name"))
    if not name:
        raise invalid(f"{where}.name", f"{where}.name must not be empty.")
    return ToolCall(number, name, text(f"{where}.arguments", arguments or ""))


def _parts(where: str, content: object, *, empty: bool) -> tuple[Part, ...]:
    """`empty`: there need be none, because the message says something else."""
    if empty and content in (None, "", []):
        return ()
    if isinstance(content, str):
        return (TextPart(text(where, content)),)
    if not isinstance(content, list) or not content:
        raise invalid(where, f"{where} must be a text, or a list of parts.")
    return tuple(_part(f"{where}[{index}]", each) for index, each in enumerate(content))


def _part(where: str, told: object) -> TextPart | ImagePart:
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(kind, str):
        raise invalid(where, f"{where} must be an object with a type.")
    if kind == "image_url":
        image = told.get("image_url")
        return picture_from(f"{where}.image_url.url", image.get("url") if isinstance(image, dict) else image)
    if kind != "text":
        raise invalid(where, f"{where}: Hearth reads parts of type text and image_url.")
    return TextPart(text(f"{where}.text", told.get("text")))
