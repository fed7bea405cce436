"""OpenAI's routes."""

import time
import uuid
from datetime import UTC, datetime

from aiohttp import web

from app.api.answering import Answering
from app.api.errors import Json, Places
from app.api.loaded_model import refuse_other
from app.api.openai.chat_answers import Envelope
from app.api.openai.chat_request import ChatCompletion, parse_chat_completion
from app.api.openai.responses_routes import counted
from app.api.openai.text_answers import TextEnvelope
from app.api.openai.text_request import TextCompletion, parse_text_completion
from app.core.capabilities import capabilities_json
from app.core.events import ModelInfo, ModelPlace
from app.core.requests import SpellRequest


class OpenAiRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._started = int(time.time())

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/v1/models", self.models)
        router.add_get("/v1/models/{model:.+}", self.one_model)
        router.add_post("/v1/chat/completions", self.chat_completions)
        router.add_post("/v1/chat/completions/input_tokens", self.input_tokens)
        router.add_post("/v1/completions", self.completions)

    async def models(self, _request: web.Request) -> web.Response:
        source = self._answering.source
        if source.is_loading:
            await self._answering.model.get()
        models = [] if source.model is None else [source.model]
        return web.json_response(_model_list(models, self._started, source.place))

    async def one_model(self, request: web.Request) -> web.Response:
        model = await self._answering.model.get()
        refuse_other(request.path.partition("/models/")[2], model)
        return web.json_response(_model_object(model, self._started, self._answering.source.place))

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
        answering = self._answering
        body = await answering.json(request)
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


def _model_list(models: list[ModelInfo], created: int, place: ModelPlace | None) -> Json:
    """OpenAI's list, with what Anthropic's clients (the ends of a page) and Codex (`models`) look for in it."""
    data = [_model_object(each, created, place) for each in models]
    ids = [each.name for each in models]
    page = {"has_more": False, "first_id": ids[0] if ids else None, "last_id": ids[-1] if ids else None}
    return {"object": "list", "data": data, **page, "models": [_entry(each) for each in models]}


def _entry(info: ModelInfo) -> Json:
    """As llama-server names a model beside OpenAI's list."""
    capabilities = ["completion", *(["multimodal"] if info.uses_projector else [])]
    return {"name": info.name, "model": info.name, "type": "model", "capabilities": capabilities}


_STATUS = {ModelPlace.ACTIVE: "loaded", ModelPlace.IN_MEMORY: "sleeping", ModelPlace.ON_DISK: "sleeping"}


def _model_object(info: ModelInfo, created: int, place: ModelPlace | None) -> Json:
    """An entry of `GET /v1/models`, for OpenAI's clients and Anthropic's; `meta` and `status` are llama-server's."""
    meta = {
        "n_vocab": info.n_vocab,
        "n_ctx": info.n_ctx,
        "n_ctx_train": info.n_ctx_train,
        "n_embd": info.n_embd,
        "n_params": info.n_params,
        "size": info.size,
    }
    anthropics = {"type": "model", "display_name": info.name}
    at = datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    openais = {"id": info.name, "object": "model", "created": created, "owned_by": "hearth"}
    return {
        **openais,
        **anthropics,
        "created_at": at,
        "meta": meta,
        "status": {"value": _STATUS[place] if place is not None else "loading", "state": place or "loading"},
        "capabilities": capabilities_json(info.capabilities),
    }
