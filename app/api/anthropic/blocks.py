"""Anthropic's messages: how they are declared, and what they are as values of ours."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from msgspec import Meta, Struct

from app.api.content import Content, ContentPart, Text, parts_from, text_of
from app.api.limits import Limits
from app.api.message_checks import Told, checked_messages
from app.core.messages import Message, Role, TextPart, ToolCall

CALL_PREFIX = "toolu_"
"""Before a call's id, as Anthropic's have it. The model's template is given the id without it."""


class _ToolUse(Struct, tag_field="type", tag="tool_use", kw_only=True, frozen=True):
    id: str
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    input: dict[str, Any] | None = None


class _ToolResult(Struct, tag_field="type", tag="tool_result", kw_only=True, frozen=True):
    tool_use_id: str
    content: Content | None = None
    is_error: bool | None = None


class _Thinking(Struct, tag_field="type", tag="thinking", kw_only=True, frozen=True):
    thinking: str
    signature: str | None = None


class _Redacted(Struct, tag_field="type", tag="redacted_thinking", kw_only=True, frozen=True):
    """It means nothing to any model here."""

    data: str | None = None


class User(Struct, tag_field="role", tag="user", kw_only=True, frozen=True):
    content: str | list[ContentPart | _ToolResult]


class Assistant(Struct, tag_field="role", tag="assistant", kw_only=True, frozen=True):
    content: str | list[ContentPart | _ToolUse | _Thinking | _Redacted]


class System(Struct, tag_field="role", tag="system", kw_only=True, frozen=True):
    content: Content


AnthropicMessage = User | Assistant | System


@dataclass(slots=True)
class _Telling:
    messages: list[Message] = field(default_factory=list)
    ids: dict[int, tuple[str, ...]] = field(default_factory=dict)


def conversation_from(system: str, asked: Iterable[AnthropicMessage], limits: Limits) -> Told:
    """Raises ApiError."""
    telling = _Telling([Message.of(Role.SYSTEM, system)] if system else [])
    for index, each in enumerate(asked):
        where = f"messages[{index}].content"
        match each:
            case Assistant():
                _add_answer(telling, each)
            case User():
                _add_question(telling, list(_from_user(where, each)))
            case System():
                telling.messages.append(Message(Role.SYSTEM, tuple(parts_from(where, each.content, lines=True))))
    return Told(checked_messages(telling.messages, limits), telling.ids)


def _blocks(content: str | list[Any]) -> list[Any]:
    return [Text(text=content)] if isinstance(content, str) else content


def _add_question(telling: _Telling, told: list[Message]) -> None:
    """Two in a row are one, as Anthropic has it: templates refuse what does not take turns."""
    last, first = telling.messages[-1:], told[:1]
    if [each.role for each in (*last, *first)] == [Role.USER, Role.USER]:
        telling.messages[-1] = replace(last[0], parts=(*last[0].parts, TextPart("\n"), *first[0].parts))
        told = told[1:]
    telling.messages.extend(told)


def _add_answer(telling: _Telling, told: Assistant) -> None:
    blocks = _blocks(told.content)
    calls = tuple(_call(each) for each in blocks if isinstance(each, _ToolUse))
    thought = [each for each in blocks if isinstance(each, _Thinking)]
    ids = (*(each.signature or "" for each in thought), *(each.id for each in calls))
    telling.ids[len(telling.messages)] = tuple(filter(None, ids))
    # What an answer says around its calls is one text to a template.
    text = text_of([each for each in blocks if not isinstance(each, _ToolUse | _Thinking | _Redacted)])
    parts = () if calls and not text else (TextPart(text),)
    reasoning = "".join(each.thinking for each in thought)
    telling.messages.append(Message(Role.ASSISTANT, parts, reasoning=reasoning, tool_calls=calls))


def _call(told: _ToolUse) -> ToolCall:
    return ToolCall(told.id.removeprefix(CALL_PREFIX), told.name, json.dumps(told.input or {}, ensure_ascii=False))


def _from_user(where: str, told: User) -> Iterator[Message]:
    """What tools answered comes first, as messages of their own."""
    blocks = _blocks(told.content)
    for index, each in enumerate(blocks):
        if isinstance(each, _ToolResult):
            parts = tuple(parts_from(f"{where}[{index}].content", each.content or "", lines=True))
            parts = (TextPart("Error: "), *parts) if each.is_error else parts
            yield Message(Role.TOOL, parts, tool_call_id=each.tool_use_id.removeprefix(CALL_PREFIX))
    shown = {index: each for index, each in enumerate(blocks) if not isinstance(each, _ToolResult)}
    if shown or not blocks:
        yield Message(Role.USER, tuple(parts_from(where, shown, lines=True)) or (TextPart(""),))
