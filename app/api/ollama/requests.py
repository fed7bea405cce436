"""Ollama's requests: how they are declared, and the completions that they ask for."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from app.api.asked import MOST_TOOLS, Asked, Checks
from app.api.errors import Places
from app.api.openai.chat_request import parse_chat_completion
from app.api.openai.text_request import parse_text_completion
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, invalid, names_of, validated

_OPTIONS = {
    **{name: name for name in ("temperature", "top_k", "top_p", "min_p", "seed", "stop", "repeat_last_n")},
    **{name: name for name in ("repeat_penalty", "presence_penalty", "frequency_penalty")},
    "typical_p": "typ_p",
    "num_predict": "max_tokens",
}
"""OpenAI's or llama-server's name of each that is heeded; others say how a model is loaded."""
_FILL = -2
"""Ollama's word for an answer as long as the context."""

Format = Annotated[Literal["", "json"] | dict[str, Any], Meta(title="json, or a schema")]
Think = bool | Literal["low", "medium", "high"]
KeepAlive = Annotated[Any, Meta(title="a time", extra_json_schema={"anyOf": [{"type": "number"}, {"type": "string"}]})]
"""Heeded where it is 0."""
Images = list[Annotated[str, Meta(description="Base64.")]]


class _Called(Struct, kw_only=True, frozen=True):
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


class _Call(Struct, kw_only=True, frozen=True):
    function: _Called


class OllamaMessage(Struct, kw_only=True, frozen=True):
    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    thinking: str = ""
    images: Images = field(default_factory=list)
    tool_calls: list[_Call] = field(default_factory=list)
    tool_name: str = ""
    tool_call_id: str = ""


class _Fields(Struct, kw_only=True, frozen=True):
    model: str
    stream: bool = True
    format: Format = ""
    options: dict[str, Any] = field(default_factory=dict)
    think: Think | None = None
    keep_alive: KeepAlive | None = None


class OllamaChatFields(_Fields, kw_only=True, frozen=True):
    messages: list[OllamaMessage] = field(default_factory=list)
    tools: Annotated[list[dict[str, Any]], Meta(max_length=MOST_TOOLS)] = field(default_factory=list)


class GenerateFields(_Fields, kw_only=True, frozen=True):
    prompt: str = ""
    suffix: str = ""
    system: str = ""
    images: Images = field(default_factory=list)
    raw: Annotated[bool, Meta(description="The prompt is all that the model reads.")] = False


def parse_ollama_chat(body: object, checks: Checks) -> Asked:
    """Raises ApiError."""
    given = given_of(body)
    asked = validated(OllamaChatFields, given)
    messages = _messages(asked.messages)
    wanted = {**_common(asked), "messages": messages, "tools": asked.tools}
    return _as_told(parse_chat_completion(wanted, checks), asked, given)


def parse_generate(body: object, checks: Checks) -> Asked:
    """Raises ApiError."""
    given = given_of(body)
    asked = validated(GenerateFields, given)
    if asked.raw or asked.suffix:
        wanted = {**_common(asked), "prompt": asked.prompt, "suffix": asked.suffix}
        wanted.pop("enable_thinking", None)
        wanted.pop("reasoning_effort", None)
        text = parse_text_completion(wanted, checks)
        made = Asked(model=text.model, chat=text.requests[0], stream=asked.stream, places=Places("prompt"))
        return _as_told(made, asked, given)
    told = [OllamaMessage(role="system", content=asked.system)] if asked.system else []
    told.append(OllamaMessage(role="user", content=asked.prompt, images=asked.images))
    return _as_told(parse_chat_completion({**_common(asked), "messages": _messages(told)}, checks), asked, given)


def loads_only(asked: OllamaChatFields | GenerateFields) -> bool:
    """Whether nothing is to be answered."""
    said = asked.messages if isinstance(asked, OllamaChatFields) else asked.prompt or asked.suffix
    return not said


def unloads(asked: _Fields) -> bool:
    return str(asked.keep_alive).rstrip("smh") in ("0", "0.0")


def _as_told(made: Asked, asked: _Fields, given: Mapping[str, Any]) -> Asked:
    ignored = unknown_in(given, names_of(type(asked)), {})
    options = tuple(f"options.{name}" for name in unknown_in(asked.options, frozenset(_OPTIONS), {}))
    return replace(made, ignored=(*ignored, *options), stream=asked.stream)


def _common(asked: _Fields) -> dict[str, Any]:
    """What both kinds of completion take."""
    made: dict[str, Any] = {"model": asked.model}
    for name, value in asked.options.items():
        if name in _OPTIONS and value is not None:
            made[_OPTIONS[name]] = _number(value) if name != "stop" else value
    if made.get("max_tokens") == _FILL:
        made["max_tokens"] = -1
    if isinstance(asked.format, dict):
        made["json_schema"] = asked.format
    elif asked.format:
        made["response_format"] = {"type": "json_object"}
    if isinstance(asked.think, bool):
        made["enable_thinking"] = asked.think
    elif asked.think is not None:
        made["reasoning_effort"] = asked.think
    return made


def _number(value: object) -> object:
    """Some clients write numbers as texts."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _messages(told: list[OllamaMessage]) -> list[dict[str, Any]]:
    """As OpenAI's. Ollama's calls have no ids: a result belongs to the first call of its function without one."""
    made: list[dict[str, Any]] = []
    waiting: list[tuple[str, str]] = []
    for index, each in enumerate(told):
        one: dict[str, Any] = {"role": each.role, "content": _content(each)}
        if each.thinking and each.role == "assistant":
            one["reasoning_content"] = each.thinking
        if each.tool_calls:
            calls = [(f"call_{index}_{number}", call.function) for number, call in enumerate(each.tool_calls)]
            waiting = [(number, function.name) for number, function in calls]
            one["tool_calls"] = [
                {
                    "id": number,
                    "type": "function",
                    "function": {"name": called.name, "arguments": json.dumps(called.arguments)},
                }
                for number, called in calls
            ]
        if each.role == "tool":
            answered = next((call for call in waiting if each.tool_name in ("", call[1])), ("", each.tool_name))
            waiting = [call for call in waiting if call != answered]
            one |= {"tool_call_id": each.tool_call_id or answered[0], "name": answered[1]}
        made.append(one)
    return made


def _content(told: OllamaMessage) -> str | list[dict[str, Any]]:
    if not told.images:
        return told.content
    if told.role != "user":
        raise invalid("messages", "Only messages of the user take images.")
    pictures = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{each}"}} for each in told.images]
    return [*([{"type": "text", "text": told.content}] if told.content else []), *pictures]
