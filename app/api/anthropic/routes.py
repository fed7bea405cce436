"""Anthropic's routes."""

import secrets
import uuid

from aiohttp import web

from app.api.answering import Answering
from app.api.anthropic.messages_answers import MessageObjects
from app.api.anthropic.messages_request import parse_messages
from app.api.asked import Asked
from app.core.events import ModelInfo


class AnthropicRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/messages", self.messages)
        router.add_post("/v1/messages/count_tokens", self.count_tokens)

    async def messages(self, request: web.Request) -> web.StreamResponse:
        def objects(asked: Asked, model: ModelInfo) -> MessageObjects:
            return MessageObjects(f"msg_{uuid.uuid4().hex}", model.name, secrets.token_urlsafe(24), asked.chat.stop)

        return await self._answering.chat(request, parse_messages, objects)

    async def count_tokens(self, request: web.Request) -> web.Response:
        return web.json_response({"input_tokens": await self._answering.counted(request, parse_messages)})
