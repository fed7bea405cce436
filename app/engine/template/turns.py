"""Messages as a chat template is given them, and what is done for templates that can't say all of them."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.document_form import document_form, passage_form
from app.core.messages import AudioPart, DocumentPart, ImagePart, Message, Part, PassagePart, Role, TextPart, ToolCall
from app.core.requests import ChatRequest, ToolChoice
from app.engine.template.marked_text import (
    MEDIA,
    MESSAGE,
    PLACEHOLDER,
    TRUSTED,
    MarkedText,
    WrittenObject,
    concat,
    marked,
)

_GAP = MarkedText("\n\n")
_LINE = MarkedText("\n")
_ASSIGNMENT = MarkedText(
    "You may call these functions. To call one, answer with nothing but a JSON object with its name and its arguments, "
    'as in {"name": "...", "arguments": {...}}.',
    TRUSTED,
)
"""For templates that have no word for tools."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message on its way into a template."""

    role: Role
    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    origin: int = TRUSTED
    """Of the message that it came from."""
    more: Mapping[str, object] = field(default_factory=dict)
    """Further keys of the template's message."""
    generated: bool = False
    """A model wrote it here, and its calls are as it wrote them."""


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """Texts with the origin `MESSAGE + k`, media in them as placeholders that are numbered through."""
    numbers = itertools.count()
    return [_turn(MESSAGE + index, message, numbers) for index, message in enumerate(messages)]


def _turn(origin: int, message: Message, numbers: Iterator[int]) -> Turn:
    text = concat(_spoken(part, origin, numbers) for part in message.parts)
    more: dict[str, object] = {}
    if message.tool_call_id:
        more["tool_call_id"] = MarkedText(message.tool_call_id, origin)
    if message.name:
        more["name"] = MarkedText(message.name, origin)
    generated = message.generation is not None
    return Turn(message.role, text, message.reasoning, message.tool_calls, origin, more, generated)


def _spoken(part: Part, origin: int, numbers: Iterator[int]) -> MarkedText:
    match part:
        case TextPart(text):
            return MarkedText(text, origin)
        case DocumentPart():
            return MarkedText(document_form(part), origin)
        case PassagePart():
            return MarkedText(passage_form(part), origin)
        case ImagePart() | AudioPart():
            return MarkedText(PLACEHOLDER, MEDIA + next(numbers))


def call_object(call: ToolCall, origin: int, *, as_text: bool, generated: bool = False) -> dict[str, object]:
    """A tool call as OpenAI writes it; its arguments as an object, or as the JSON text that they came as."""
    arguments = MarkedText(call.arguments, origin) if as_text else _arguments(call, origin)
    if generated and isinstance(arguments, dict) and call.arguments:
        arguments = WrittenObject(arguments, MarkedText(call.arguments, origin))
    function = {"name": MarkedText(call.name, origin), "arguments": arguments}
    return {"id": MarkedText(call.id, origin), "type": MarkedText("function", TRUSTED), "function": function}


def _arguments(call: ToolCall, origin: int) -> object:
    try:
        parsed = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        parsed = None
    return _marked(parsed, origin) if isinstance(parsed, dict) else MarkedText(call.arguments, origin)


def _marked(value: Any, origin: int) -> object:
    match value:
        case str():
            return MarkedText(value, origin)
        case list():
            return [_marked(each, origin) for each in value]
        case dict():
            return {key: _marked(each, origin) for key, each in value.items()}
    return value


def without_system(turns: list[Turn]) -> list[Turn]:
    """Every system text at the head of the user message that follows it, or as one where none follows."""
    merged: list[Turn] = []
    waiting: list[str] = []
    for turn in turns:
        if turn.role is Role.SYSTEM:
            waiting.append(turn.text)
        elif turn.role is Role.USER:
            merged.append(replace(turn, text=_GAP.join(filter(None, [*waiting, turn.text]))))
            waiting.clear()
        else:
            merged.append(turn)
    if waiting:
        merged.append(Turn(Role.USER, _GAP.join(waiting)))
    return merged


def without_tool_turns(turns: list[Turn]) -> list[Turn]:
    """What tools answered as what the user says; several answers in a row as one message."""
    told: list[Turn] = []
    previous: Role | None = None
    for turn in turns:
        if turn.role is Role.TOOL and previous is Role.TOOL:
            told[-1] = replace(told[-1], text=_GAP.join((told[-1].text, turn.text)))
        else:
            told.append(replace(turn, role=Role.USER, more={}) if turn.role is Role.TOOL else turn)
        previous = turn.role
    return told


def with_written_calls(turns: list[Turn]) -> list[Turn]:
    """Tool calls as JSON at the end of the answer's text."""
    return [replace(turn, text=_LINE.join(filter(None, _written(turn))), calls=()) for turn in turns]


def _written(turn: Turn) -> Iterator[str]:
    yield turn.text
    for call in turn.calls:
        arguments = _arguments(call, turn.origin)
        written = turn.generated and isinstance(arguments, dict) and call.arguments
        told = written or json.dumps(arguments, ensure_ascii=False)
        name = json.dumps(call.name, ensure_ascii=False)
        yield MarkedText(f'{{"name": {name}, "arguments": {told}}}', turn.origin)


def with_described_tools(turns: list[Turn], tools: Sequence[Mapping[str, object]]) -> list[Turn]:
    """The tools in a system message at the beginning."""
    described = (json.dumps(tool.get("function", tool), ensure_ascii=False) for tool in tools)
    told = _LINE.join((_ASSIGNMENT, *map(marked, described)))
    if turns and turns[0].role is Role.SYSTEM:
        return [replace(turns[0], text=_GAP.join((turns[0].text, told))), *turns[1:]]
    return [Turn(Role.SYSTEM, told), *turns]


def shown_tools(request: ChatRequest) -> tuple[Mapping[str, object], ...]:
    """Those that the model is told of."""
    return () if request.tool_choice is ToolChoice.NONE else request.tools


def callable_tools(request: ChatRequest) -> tuple[Mapping[str, object], ...]:
    """Those, and what it found since."""
    shown = shown_tools(request)
    return (*shown, *request.found_tools) if shown else ()
