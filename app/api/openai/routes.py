"""OpenAI's routes."""

import time
import uuid

from aiohttp import web

from app.api.answering import Answering
from app.api.errors import Places
from app.api.openai.chat_answers import Envelope
from app.api.openai.chat_request import ChatCompletion, parse_chat_completion
from app.api.openai.responses_routes import counted
from app.api.openai.text_answers import TextEnvelope
from app.api.openai.text_request import TextCompletion, parse_text_completion
from app.core.events import ModelInfo
from app.core.requests import SpellRequest


class OpenAiRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/chat/completions", self.chat_completions)
        router.add_post("/v1/chat/completions/input_tokens", self.input_tokens)
        router.add_post("/v1/completions", self.completions)

    async def chat_completions(self, request: web.Request) -> web.StreamResponse:
        def objects(asked: ChatCompletion, model: ModelInfo) -> Envelope:
            number, logprobs = f"chatcmpl-{uuid.uuid4().hex}", asked.chat.top_logprobs is not None
            made = int(time.time())
            return Envelope(
                number,
                made,
                model.name,
                asked.include_usage,
                logprobs=logprobs,
                customs=asked.customs,
                progress=asked.progress,
            )

        return await self._answering.chat(request, parse_chat_completion, objects)

    async def input_tokens(self, request: web.Request) -> web.Response:
        return web.json_response(counted(await self._answering.counted(request, parse_chat_completion)))

    async def completions(self, request: web.Request) -> web.StreamResponse:
        return await self.completed(request, await self._answering.json(request))

    async def completed(self, request: web.Request, body: object) -> web.StreamResponse:
        """What a plain completion's body asks for. Raises ApiError."""
        answering = self._answering
        model = await answering.model.get()
        asked = await answering.bodies.aside(request, parse_text_completion, body, answering.checks_for(model))
        answering.ignored.note(request, asked.ignored)
        answering.model.note(request, asked.model, model)
        echoed = await self._echoed(asked)
        envelope = TextEnvelope(
            f"cmpl-{uuid.uuid4().hex}",
            int(time.time()),
            model.name,
            asked.include_usage,
            logprobs=asked.logprobs is not None,
            progress=asked.progress,
            echoed=tuple(prompt for prompt in echoed for _ in range(asked.n)),
        )
        stream = answering.asked(asked.requests, asked.n, asked.places)

        async def answer() -> web.StreamResponse:
            if asked.stream:
                return await stream.stream(request, envelope)
            answers = await stream.whole()
            return web.json_response(envelope.whole(answers, stream.totalled(answers)))

        return await answering.in_turn(request, answer)

    async def _echoed(self, asked: TextCompletion) -> list[str]:
        """The prompts as texts, where the answers are to begin with them."""
        if not asked.echo:
            return []
        return [await self._text_of(each.prompt or "") for each in asked.requests]

    async def _text_of(self, prompt: str | tuple[int, ...]) -> str:
        if isinstance(prompt, str):
            return prompt
        pieces = (await self._answering.tokens(SpellRequest(prompt), Places("prompt"))).pieces
        return b"".join(pieces).decode("utf-8", "replace")
