"""The items of OpenAI's Responses: how they are declared, and what they are as messages of ours."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.limits import Limits
from app.api.message_checks import checked_messages
from app.api.pictures import DataUrl, picture_from
from app.core.messages import Message, Part, Role, TextPart, ToolCall

CALL_PREFIX = "call_"
"""Before a call's id, as OpenAI's have it. The model's template is given the id without it."""


class _InputText(Struct, tag_field="type", tag="input_text", kw_only=True, frozen=True):
    text: str


class _OutputText(Struct, tag_field="type", tag="output_text", kw_only=True, frozen=True):
    text: str


class _Text(Struct, tag_field="type", tag="text", kw_only=True, frozen=True):
    text: str


class _Refusal(Struct, tag_field="type", tag="refusal", kw_only=True, frozen=True):
    refusal: str


class _ImageUrl(Struct, kw_only=True, frozen=True):
    url: DataUrl


class _Image(Struct, tag_field="type", tag="input_image", kw_only=True, frozen=True):
    image_url: DataUrl | _ImageUrl


_ItemPart = _InputText | _OutputText | _Text | _Refusal | _Image
_Content = str | list[_ItemPart]


class MessageItem(Struct, tag_field="type", tag="message", kw_only=True, frozen=True):
    role: Literal["user", "assistant", "system", "developer"]
    content: _Content
    id: str | None = None


class FunctionCall(Struct, tag_field="type", tag="function_call", kw_only=True, frozen=True):
    call_id: str
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    arguments: str | dict[str, Any] | None = None
    id: str | None = None


class FunctionOutput(Struct, tag_field="type", tag="function_call_output", kw_only=True, frozen=True):
    call_id: str
    output: _Content | None = None


class CustomCall(Struct, tag_field="type", tag="custom_tool_call", kw_only=True, frozen=True):
    call_id: str
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    input: str
    id: str | None = None


class CustomOutput(Struct, tag_field="type", tag="custom_tool_call_output", kw_only=True, frozen=True):
    call_id: str
    output: _Content | None = None


class _Thought(Struct, kw_only=True, frozen=True):
    text: str


class Reasoning(Struct, tag_field="type", tag="reasoning", kw_only=True, frozen=True):
    id: str | None = None
    summary: list[_Thought] | None = None
    content: list[_Thought] | None = None
    encrypted_content: str | None = None


Item = MessageItem | FunctionCall | FunctionOutput | CustomCall | CustomOutput | Reasoning
_ROLES = {"user": Role.USER, "system": Role.SYSTEM, "developer": Role.SYSTEM}


def item_id(prefix: str, answer: str, index: int) -> str:
    """Of an answer's part; `answer` is found in it again."""
    return f"{prefix}_{answer}_{index}"


def _answer_in(told: str | None) -> str:
    """Our own ids name the answer that they are of."""
    pieces = (told or "").split("_")
    return pieces[1] if len(pieces) == 3 else ""


@dataclass(slots=True)
class _Answer:
    """Items that follow one another, of one answer."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def add(self, told: MessageItem | FunctionCall | CustomCall | Reasoning) -> None:
        self.ids.append(_answer_in(told.id))
        match told:
            case MessageItem():
                self.texts += [_text(each) for each in _blocks(told.content)]
            case FunctionCall():
                arguments = json.dumps(told.arguments) if isinstance(told.arguments, dict) else told.arguments or ""
                self._add_call(told.call_id, told.name, arguments)
            case CustomCall():
                self._add_call(told.call_id, told.name, json.dumps({"input": told.input}, ensure_ascii=False))
            case Reasoning():
                self.ids.append(told.encrypted_content or "")
                self.thoughts += [each.text for each in told.content or told.summary or ()]

    def _add_call(self, number: str, name: str, arguments: str) -> None:
        number = number.removeprefix(CALL_PREFIX)
        self.ids.append(number)
        self.calls.append(ToolCall(number, name, arguments))

    def message(self) -> Message:
        text = "".join(self.texts)
        parts = () if self.calls and not text else (TextPart(text),)
        return Message(Role.ASSISTANT, parts, reasoning="".join(self.thoughts), tool_calls=tuple(self.calls))


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation, and what its answers were called."""

    messages: tuple[Message, ...]
    ids: Mapping[int, tuple[str, ...]]


def conversation_from(instructions: str, items: Iterable[Item], limits: Limits) -> Told:
    """Raises ApiError."""
    messages = [Message.of(Role.SYSTEM, instructions)] if instructions else []
    ids: dict[int, tuple[str, ...]] = {}
    for each in _grouped(items):
        if isinstance(each, _Answer):
            ids[len(messages)] = tuple(dict.fromkeys(filter(None, each.ids)))
            messages.append(each.message())
        else:
            messages.append(each)
    if not any(each.role is not Role.SYSTEM for each in messages):
        messages.append(Message.of(Role.USER, ""))  # some only look whether anybody is there
    return Told(checked_messages(messages, limits, "input"), ids)


def _grouped(items: Iterable[Item]) -> Iterator[Message | _Answer]:
    answer: _Answer | None = None
    for index, each in enumerate(items):
        where = f"input[{index}]"
        match each:
            case FunctionOutput() | CustomOutput():
                message = _output(where, each)
            case MessageItem(role=role) if role != "assistant":
                message = Message(_ROLES[role], tuple(_parts(f"{where}.content", each.content)))
            case _:
                answer = answer or _Answer()
                answer.add(each)
                continue
        if answer is not None:
            yield answer
            answer = None
        yield message
    if answer is not None:
        yield answer


def _output(where: str, told: FunctionOutput | CustomOutput) -> Message:
    parts = tuple(_parts(f"{where}.output", told.output or ""))
    return Message(Role.TOOL, parts, tool_call_id=told.call_id.removeprefix(CALL_PREFIX))


def _blocks(content: _Content) -> list[_ItemPart]:
    return [_InputText(text=content)] if isinstance(content, str) else content


def _text(told: _ItemPart) -> str:
    match told:
        case _Refusal(refusal=text) | _InputText(text=text) | _OutputText(text=text) | _Text(text=text):
            return text
        case _Image():
            return ""


def _parts(where: str, content: _Content) -> Iterator[Part]:
    for index, each in enumerate(_blocks(content)):
        if isinstance(each, _Image):
            url = each.image_url
            yield picture_from(f"{where}[{index}].image_url", url.url if isinstance(url, _ImageUrl) else url)
        else:
            yield TextPart(_text(each))
