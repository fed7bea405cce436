"""llama-server's own routes."""

import time
from functools import partial

from aiohttp import web

from app.api.answering import Answering
from app.api.errors import ApiError, Places
from app.api.llama_server.state import metrics, props, slots
from app.api.llama_server.tokens import (
    DetokenizeFields,
    TokenizeFields,
    detokenized,
    parse_detokenize,
    parse_tokenize,
    tokenized,
)
from app.api.openai.chat_request import parse_chat_completion
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, names_of


class LlamaServerRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering, *, tells_slots: bool, tells_metrics: bool) -> None:
        self._answering = answering
        self._tells_slots = tells_slots
        self._tells_metrics = tells_metrics
        self._started = int(time.time())

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/health", self.health)
        router.add_post("/tokenize", self.tokenize)
        router.add_post("/detokenize", self.detokenize)
        router.add_post("/apply-template", self.apply_template)
        router.add_get("/props", self.props)
        router.add_get("/slots", self.slots)
        router.add_get("/metrics", self.metrics)

    async def health(self, _request: web.Request) -> web.Response:
        return self._answering.model.health()

    async def tokenize(self, request: web.Request) -> web.Response:
        answering = self._answering
        body = await answering.json(request)
        asked, pieces = parse_tokenize(body, await answering.checks())
        answering.ignored.note(request, unknown_in(given_of(body), names_of(TokenizeFields) | {"model"}))
        tokens = await answering.tokens(asked, Places("content"))
        told = await answering.bodies.aside(request, partial(tokenized, pieces=pieces), tokens)
        return web.Response(body=told, content_type="application/json")

    async def detokenize(self, request: web.Request) -> web.Response:
        answering = self._answering
        body = await answering.json(request)
        asked = await answering.bodies.aside(request, parse_detokenize, body, await answering.checks())
        answering.ignored.note(request, unknown_in(given_of(body), names_of(DetokenizeFields) | {"model"}))
        return web.json_response(detokenized(await answering.tokens(asked, Places("tokens"))))

    async def apply_template(self, request: web.Request) -> web.Response:
        """The prompt of a chat completion."""
        asked, conversation, _ = await self._answering.parsed(request, parse_chat_completion)
        written = await self._answering.written(self._answering.recalled(conversation), asked.places)
        return web.json_response({"prompt": written.text})

    async def props(self, _request: web.Request) -> web.Response:
        answering = self._answering
        model = await answering.model.get()
        defaults = answering.checks_for(model).defaults
        tells = {"endpoint_slots": self._tells_slots, "endpoint_metrics": self._tells_metrics}
        return web.json_response({**props(model, answering.source.place, defaults), **tells})

    async def slots(self, _request: web.Request) -> web.Response:
        answering = self._answering
        if not self._tells_slots:
            told = "This server does not tell what is being answered: it was started with --no-slots."
            raise ApiError(501, told, kind="not_supported_error", retry=False)
        return web.json_response(slots(await answering.model.get(), answering.figures))

    async def metrics(self, _request: web.Request) -> web.Response:
        if not self._tells_metrics:
            told = "This server does not tell how much it answered: it was started with --no-metrics."
            raise ApiError(501, told, kind="not_supported_error", retry=False)
        answering, visits = self._answering, self._answering.visits
        told = metrics(
            answering.figures,
            n_answered=visits.n_answered,
            n_waiting=visits.n_waiting,
            kept_bytes=answering.source.kept_bytes,
        )
        return web.Response(
            body=told.encode(),
            headers={
                "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
                "Process-Start-Time-Unix": str(self._started),
            },
        )
