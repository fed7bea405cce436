"""`/perplexity`: how likely the model finds a text, or an answer to a conversation."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta, Struct

from app.api.chat_messages import ChatMessage
from app.api.chat_request import Checks, parse_chat_completion
from app.api.errors import Places
from app.api.text_request import TOKENS, tokens_from
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, invalid, names_of, text, validated
from app.core.likelihood import (
    LEAST_WINDOW,
    MOST_WINDOW,
    AnswerToScore,
    Likelihood,
    LikelihoodRequest,
    TextToScore,
    Windows,
    likelihood_json,
)

_USUAL = Windows()


class PerplexityFields(Struct, kw_only=True, frozen=True):
    content: (
        Annotated[
            Any,
            Meta(
                title="a text or a list of tokens",
                extra_json_schema={"anyOf": [{"type": "string"}, TOKENS]},
                description="What is scored, by itself.",
            ),
        ]
        | None
    ) = None
    messages: (
        Annotated[
            list[ChatMessage], Meta(min_length=1, description="Instead: a conversation whose last answer is scored.")
        ]
        | None
    ) = None
    tools: list[dict[str, Any]] | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    window: Annotated[int, Meta(ge=LEAST_WINDOW, le=MOST_WINDOW)] = _USUAL.window
    stride: Annotated[int, Meta(ge=0, le=MOST_WINDOW)] = _USUAL.stride
    per_token: bool = False


_OF_CHATS = ("messages", "tools", "chat_template_kwargs")


@dataclass(frozen=True, slots=True)
class Scoring:
    """A checked request."""

    model: str | None
    request: LikelihoodRequest
    per_token: bool
    ignored: tuple[str, ...]
    places: Places


def parse_perplexity(body: object, checks: Checks) -> Scoring:
    """Raises ApiError."""
    given = given_of(body)
    ignored = unknown_in(given, names_of(PerplexityFields) | {"model"})
    has_chat = "messages" in given
    if has_chat is ("content" in given):
        raise invalid("content", "Send either content, a text or tokens, or messages, which end with an answer.")
    chat = {name: given.pop(name) for name in _OF_CHATS if name in given} if has_chat else {}
    asked = validated(PerplexityFields, given)
    windows = Windows(asked.window, asked.stride)
    request = _answer(chat, checks) if has_chat else TextToScore(_content(asked.content, checks), windows)
    model = text("model", given["model"]) if "model" in given else None
    return Scoring(model, request, asked.per_token, ignored, Places("messages" if has_chat else "content"))


def scored(found: Likelihood, *, per_token: bool) -> bytes:
    """The answer as JSON."""
    return json.dumps(likelihood_json(found, per_token=per_token)).encode()


def _answer(chat: dict[str, Any], checks: Checks) -> AnswerToScore:
    """The last message is read as an answer that goes on."""
    match chat["messages"]:
        case [*_, {"role": "assistant"} as last] if not last.get("tool_calls"):
            going_on = {"continue_final_message": True, "add_generation_prompt": False}
            return AnswerToScore(parse_chat_completion({**chat, **going_on}, checks).chat)
    raise invalid("messages", "messages must end with the assistant's answer that is to be scored, without tool calls.")


def _content(content: object, checks: Checks) -> str | tuple[int, ...]:
    told = text("content", content) if isinstance(content, str) else tokens_from("content", content, checks)
    if len(told) > checks.limits.prompt:
        raise invalid("content", f"content may have up to {checks.limits.prompt:,} characters.")
    return told
