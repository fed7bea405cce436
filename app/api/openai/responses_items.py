"""The items of OpenAI's Responses: how they are declared, and what they are as messages of ours."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from app.api.asked import custom_arguments
from app.api.content import Content, parts_from, text_of
from app.api.limits import Limits
from app.api.message_checks import Told, checked_messages
from app.core.messages import Message, Role, TextPart, ToolCall

CALL_PREFIX = "call_"
"""Before a call's id, as OpenAI's have it. The model's template is given the id without it."""


class MessageItem(Struct, tag_field="type", tag="message", kw_only=True, frozen=True):
    role: Literal["user", "assistant", "system", "developer"]
    content: Content
    id: str | None = None


class FunctionCall(Struct, tag_field="type", tag="function_call", kw_only=True, frozen=True):
    call_id: str
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    arguments: str | dict[str, Any] | None = None
    id: str | None = None


class FunctionOutput(Struct, tag_field="type", tag="function_call_output", kw_only=True, frozen=True):
    call_id: str
    output: Content | None = None


class CustomCall(Struct, tag_field="type", tag="custom_tool_call", kw_only=True, frozen=True):
    call_id: str
    name: Annotated[str, Meta(min_length=1, title="a text that is not empty")]
    input: str
    id: str | None = None


class CustomOutput(Struct, tag_field="type", tag="custom_tool_call_output", kw_only=True, frozen=True):
    call_id: str
    output: Content | None = None


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
                self.texts.append(text_of(told.content))
            case FunctionCall():
                arguments = json.dumps(told.arguments) if isinstance(told.arguments, dict) else told.arguments or ""
                self._add_call(told.call_id, told.name, arguments)
            case CustomCall():
                self._add_call(told.call_id, told.name, custom_arguments(told.input))
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
                message = Message(_ROLES[role], tuple(parts_from(f"{where}.content", each.content, lines=True)))
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
    parts = tuple(parts_from(f"{where}.output", told.output or "", lines=True))
    return Message(Role.TOOL, parts, tool_call_id=told.call_id.removeprefix(CALL_PREFIX))
