"""`/perplexity`: how likely the model finds a text, or an answer to a conversation."""

import asyncio
import json
from dataclasses import dataclass
from typing import Annotated, Any

from aiohttp import web
from msgspec import Meta, Struct

from app.api.answering import Answering
from app.api.asked import Asked, Checks
from app.api.errors import ApiError, Places
from app.api.openai.chat_messages import ChatMessage
from app.api.openai.chat_request import parse_chat_completion
from app.api.sampling_fields import TOKENS, tokens_from
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, invalid, names_of, text, validated
from app.core.likelihood import (
    LEAST_WINDOW,
    MOST_WINDOW,
    AnswerToScore,
    Likelihood,
    TextToScore,
    Windows,
    likelihood_json,
)
from app.core.requests import ChatRequest

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring(Asked):
    """A checked request: of a text, or (None) of the answer at the end of `chat`."""

    text: TextToScore | None
    per_token: bool


class PerplexityRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/perplexity", self.perplexity)

    async def perplexity(self, request: web.Request) -> web.StreamResponse:
        answering = self._answering
        asked, conversation, _ = await answering.parsed(request, parse_perplexity)
        wanted = asked.text or AnswerToScore(answering.recalled(conversation))

        async def answer() -> web.StreamResponse:
            with answering.explained(asked.places):
                async with asyncio.timeout(answering.limits.seconds):
                    found = await answering.source.likelihood(wanted)
            if found is None:
                raise ApiError(503, "It was stopped before its end.", code="stopped", retry=False)
            told = await answering.bodies.aside(request, scored, found, per_token=asked.per_token)
            return web.Response(body=told, content_type="application/json")

        return await answering.in_turn(request, answer)


def parse_perplexity(body: object, checks: Checks) -> Scoring:
    """Raises ApiError."""
    given = given_of(body)
    ignored = unknown_in(given, names_of(PerplexityFields) | {"model"})
    has_chat = "messages" in given
    if has_chat is ("content" in given):
        raise invalid("content", "Send either content, a text or tokens, or messages, which end with an answer.")
    told = {name: given.pop(name) for name in _OF_CHATS if name in given} if has_chat else {}
    asked = validated(PerplexityFields, given)
    windows = Windows(asked.window, asked.stride)
    return Scoring(
        model=text("model", given["model"]) if "model" in given else None,
        chat=_answer(told, checks) if has_chat else ChatRequest(()),
        stream=False,
        ignored=ignored,
        places=Places("messages" if has_chat else "content"),
        text=None if has_chat else TextToScore(_content(asked.content, checks), windows),
        per_token=asked.per_token,
    )


def scored(found: Likelihood, *, per_token: bool) -> bytes:
    """The answer as JSON."""
    return json.dumps(likelihood_json(found, per_token=per_token)).encode()


def _answer(chat: dict[str, Any], checks: Checks) -> ChatRequest:
    """The last message is read as an answer that goes on."""
    match chat["messages"]:
        case [*_, {"role": "assistant"} as last] if not last.get("tool_calls"):
            going_on = {"continue_final_message": True, "add_generation_prompt": False}
            return parse_chat_completion({**chat, **going_on}, checks).chat
    raise invalid("messages", "messages must end with the assistant's answer that is to be scored, without tool calls.")


def _content(content: object, checks: Checks) -> str | tuple[int, ...]:
    told = text("content", content) if isinstance(content, str) else tokens_from("content", content, checks.n_vocab)
    if len(told) > checks.limits.prompt:
        raise invalid("content", f"content may have up to {checks.limits.prompt:,} characters.")
    return told
