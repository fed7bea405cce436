"""Anthropic's messages: how they are declared, and what they are as values of ours."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta, Struct

from app.api.limits import Limits
from app.api.message_checks import checked_messages
from app.api.pictures import DataUrl, picture_from
from app.core.messages import DocumentPart, Message, Part, Role, TextPart, ToolCall

CALL_PREFIX = "toolu_"
"""Before a call's id, as Anthropic's have it. The model's template is given the id without it."""
_LINE = TextPart("\n")


class _Base64(Struct, tag_field="type", tag="base64", kw_only=True, frozen=True):
    media_type: str
    data: str


class _Url(Struct, tag_field="type", tag="url", kw_only=True, frozen=True):
    url: DataUrl


class _PlainText(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    data: str


class Text(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    text: str


class _Content(Struct, tag_field="type", tag="content", kw_only=True, frozen=True):
    content: str | list[Text]


class _Image(Struct, tag_field="type", tag="image", kw_only=True, frozen=True):
    source: _Base64 | _Url


class _Document(Struct, tag_field="type", tag="document", kw_only=True, frozen=True):
    source: _PlainText | _Content
    title: str | None = None


class _ToolUse(Struct, tag_field="type", tag="tool_use", kw_only=True, frozen=True):
    id: str
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    input: dict[str, Any] | None = None


class _ToolResult(Struct, tag_field="type", tag="tool_result", kw_only=True, frozen=True):
    tool_use_id: str
    content: str | list[Text | _Image | _Document] | None = None
    is_error: bool | None = None


class _Thinking(Struct, tag_field="type", tag="thinking", kw_only=True, frozen=True):
    thinking: str
    signature: str | None = None


class _Redacted(Struct, tag_field="type", tag="redacted_thinking", kw_only=True, frozen=True):
    """It means nothing to any model here."""

    data: str | None = None


_Shown = Text | _Image | _Document


class User(Struct, tag_field="role", tag="user", kw_only=True, frozen=True):
    content: str | list[Text | _Image | _Document | _ToolResult]


class Assistant(Struct, tag_field="role", tag="assistant", kw_only=True, frozen=True):
    content: str | list[Text | _ToolUse | _Thinking | _Redacted]


class System(Struct, tag_field="role", tag="system", kw_only=True, frozen=True):
    content: str | list[Text]


AnthropicMessage = User | Assistant | System


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation, and what its answers were called."""

    messages: tuple[Message, ...]
    ids: dict[int, tuple[str, ...]]


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
                telling.messages += _from_user(where, each)
            case System():
                telling.messages.append(Message(Role.SYSTEM, tuple(_parts(where, _blocks(each.content)))))
    return Told(checked_messages(telling.messages, limits), telling.ids)


def _blocks(content: str | list[Any]) -> list[Any]:
    return [Text(text=content)] if isinstance(content, str) else content


def _add_answer(telling: _Telling, told: Assistant) -> None:
    blocks = _blocks(told.content)
    calls = tuple(_call(each) for each in blocks if isinstance(each, _ToolUse))
    thought = [each for each in blocks if isinstance(each, _Thinking)]
    ids = (*(each.signature or "" for each in thought), *(each.id for each in calls))
    telling.ids[len(telling.messages)] = tuple(filter(None, ids))
    # What an answer says around its calls is one text to a template.
    text = "".join(each.text for each in blocks if isinstance(each, Text))
    parts = () if calls and not text else (TextPart(text),)
    reasoning = "".join(each.thinking for each in thought)
    telling.messages.append(Message(Role.ASSISTANT, parts, reasoning=reasoning, tool_calls=calls))


def _call(told: _ToolUse) -> ToolCall:
    return ToolCall(told.id.removeprefix(CALL_PREFIX), told.name, json.dumps(told.input or {}, ensure_ascii=False))


def _from_user(where: str, told: User) -> Iterator[Message]:
    """What tools answered comes first, as messages of their own."""
    blocks = list(enumerate(_blocks(told.content)))
    for index, each in blocks:
        if isinstance(each, _ToolResult):
            parts = tuple(_parts(f"{where}[{index}].content", _blocks(each.content or "")))
            parts = (TextPart("Error: "), *parts) if each.is_error else parts
            yield Message(Role.TOOL, parts, tool_call_id=each.tool_use_id.removeprefix(CALL_PREFIX))
    shown = {index: each for index, each in blocks if not isinstance(each, _ToolResult)}
    if shown or not blocks:
        yield Message(Role.USER, tuple(_parts(where, shown)) or (TextPart(""),))


def _parts(where: str, blocks: Iterable[_Shown] | dict[int, _Shown]) -> Iterator[Part]:
    """A text that follows another begins on a line of its own."""
    numbered = blocks.items() if isinstance(blocks, dict) else enumerate(blocks)
    after_text = False
    for index, each in numbered:
        if after_text and isinstance(each, Text):
            yield _LINE
        yield _part(f"{where}[{index}]", each)
        after_text = isinstance(each, Text)


def _part(where: str, told: _Shown) -> Part:
    if isinstance(told, Text):
        return TextPart(told.text)
    if isinstance(told, _Document):
        return _document(told)
    source = told.source
    if isinstance(source, _Url):
        return picture_from(f"{where}.source.url", source.url)
    return picture_from(f"{where}.source.data", f"data:{source.media_type};base64,{source.data}")


def _document(told: _Document) -> DocumentPart:
    source = told.source
    if isinstance(source, _PlainText):
        text = source.data
    else:
        text = "\n".join(each.text for each in _blocks(source.content))
    return DocumentPart(hashlib.sha256(text.encode()).hexdigest(), told.title or "document", text)
