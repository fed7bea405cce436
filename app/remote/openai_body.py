"""A request as chat completions take it: of the fields that a kind of server understands, in an order that never
changes, so that what stays of a conversation stays byte by byte.
"""

import json
from collections.abc import Mapping, Sequence

from app.core.document_form import document_form, passage_form
from app.core.messages import (
    AudioPart,
    DocumentPart,
    ImagePart,
    MediaPart,
    Message,
    Part,
    PassagePart,
    Role,
    TextPart,
    ToolCall,
)
from app.core.requests import ChatRequest, ToolChoice
from app.core.sampling import RANDOM_SEED
from app.remote.media import MediaBytes, encoded
from app.remote.refusals import takes
from app.remote.server import Abilities, ServerModel
from app.remote.shapes import SchemaForm, Shape

Body = dict[str, object]


def openai_body(request: ChatRequest, model: ServerModel, shape: Shape, media: MediaBytes) -> Body:
    """Raises UserError for a medium that can't be sent."""
    messages = [_message(each, model.abilities, shape, media) for each in request.messages]
    return {
        "model": model.id,
        **_tools(request, shape),
        "messages": messages,
        "stream": True,
        **shape.asks,
        **sampling_fields(request, shape),
        **({"stop": list(request.stop)} if request.stop else {}),
        **_constraints(request, shape),
        **({shape.template_args: request.template_args} if shape.template_args and request.template_args else {}),
        **(shape.continues if request.continues else {}),
        **({"ignore_eos": True} if request.ignore_eos else {}),
    }


def sampling_fields(request: ChatRequest, shape: Shape) -> Body:
    """What nobody set, a seed that is to be drawn, and a length without a limit, are the server's to choose."""
    sampling, set_by_people = request.sampling, request.sampling_set
    fields = {
        told: getattr(sampling, name)
        for name, told in shape.sampling.items()
        if set_by_people is None or name in set_by_people
    }
    seed, longest = shape.sampling.get("seed", ""), shape.sampling.get("max_tokens", "")
    if "top_k" in fields:
        fields["top_k"] = sampling.top_k or shape.all_top_k
    if sampling.seed == RANDOM_SEED:
        fields.pop(seed, None)
    if not sampling.max_tokens:
        fields.pop(longest, None)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def _tools(request: ChatRequest, shape: Shape) -> Body:
    if not request.tools or request.tool_choice is ToolChoice.NONE:
        return {}
    body: Body = {"tools": [*request.tools, *request.found_tools]}
    if request.tool_choice is ToolChoice.REQUIRED:
        named = {"type": "function", "function": {"name": request.tool_name}}
        body["tool_choice"] = named if request.tool_name else "required"
    if not request.parallel_tool_calls and shape.parallel_calls:
        body["parallel_tool_calls"] = False
    return body


def _constraints(request: ChatRequest, shape: Shape) -> Body:
    if request.grammar:
        inner: object = request.grammar
        for name in reversed(shape.grammar):
            inner = {name: inner}
        return dict(inner) if isinstance(inner, Mapping) else {}
    if request.schema is None:
        return {}
    if shape.schema is SchemaForm.JSON_OBJECT:
        return {"response_format": {"type": "json_object", "schema": request.schema}}
    wanted = {"name": "answer", "schema": request.schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _message(message: Message, can: Abilities, shape: Shape, media: MediaBytes) -> Body:
    match message.role:
        case Role.ASSISTANT:
            return _answer(message, shape)
        case Role.TOOL:
            return {"role": "tool", "tool_call_id": message.tool_call_id, "content": spoken(message, can)}
        case Role.SYSTEM | Role.USER:
            shown = [each for each in message.media if takes(can, each)]
            if not shown:
                return {"role": message.role.value, "content": spoken(message, can)}
            text = {"type": "text", "text": spoken(message, can)}
            return {"role": message.role.value, "content": [*(_medium(each, media) for each in shown), text]}


def spoken(message: Message, can: Abilities) -> str:
    """All of a message that is text: documents and passages as prompts have them, names of media that are not sent."""
    return "".join(_spoken(part, message, can) for part in message.parts)


def _spoken(part: Part, message: Message, can: Abilities) -> str:
    match part:
        case TextPart(text):
            return text
        case DocumentPart():
            return document_form(part)
        case PassagePart():
            return passage_form(part)
        case ImagePart() | AudioPart():
            sent = message.role is not Role.TOOL and takes(can, part)
            return "" if sent else f"[{part.name or 'a file'}]\n"


def _medium(part: MediaPart, media: MediaBytes) -> Body:
    kind, data = encoded(part, media(part))
    if isinstance(part, AudioPart):
        return {"type": "input_audio", "input_audio": {"data": data, "format": kind}}
    return {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{data}"}}


def _answer(message: Message, shape: Shape) -> Body:
    body: Body = {"role": "assistant", "content": message.text}
    if message.reasoning and shape.reasoning:
        body[shape.reasoning] = message.reasoning
    if message.tool_calls:
        body["tool_calls"] = _calls(message.tool_calls)
    return body


def _calls(calls: Sequence[ToolCall]) -> list[Body]:
    """With arguments as they were written."""
    return [
        {
            "id": each.id,
            "type": "function",
            "function": {"name": each.name, "arguments": each.arguments if arguments_of(each) else "{}"},
        }
        for each in calls
    ]


def arguments_of(call: ToolCall) -> Body:
    """Of a call that was cut off nothing can be told: servers refuse all of a conversation for half an object."""
    try:
        told = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
