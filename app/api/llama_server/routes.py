"""llama-server's own routes."""

from functools import partial

from aiohttp import web

from app.api.answering import Answering
from app.api.errors import Places
from app.api.llama_server.tokens import (
    DetokenizeFields,
    TokenizeFields,
    detokenized,
    parse_detokenize,
    parse_tokenize,
    tokenized,
)
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, names_of


class LlamaServerRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/health", self.health)
        router.add_post("/tokenize", self.tokenize)
        router.add_post("/detokenize", self.detokenize)

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
