"""Ollama's routes, for clients that speak nothing else."""

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated

from aiohttp import web
from msgspec import Meta, Struct

from app.api.answering import Answering
from app.api.asked import Asked, Checks
from app.api.errors import ApiError, Json, Places
from app.api.loaded_model import is_called
from app.api.ollama import models
from app.api.ollama.answers import OllamaObjects, now
from app.api.ollama.requests import (
    GenerateFields,
    KeepAlive,
    OllamaChatFields,
    loads_only,
    parse_generate,
    parse_ollama_chat,
    unloads,
)
from app.api.openai.embeddings import check, normalised
from app.api.sse_stream import LINES
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, names_of, validated
from app.api.vectors import Texts, VectorAnswers, texts_from
from app.core.events import ModelInfo
from app.engine.vectors.process import Vectors
from app.services.engine.states import ModelPlace
from app.services.local_api.named_models import VectorFile

_SPOKEN = "0.12.0"
"""The version of Ollama whose API this is: clients refuse old ones."""
_GREETING = "Hearth is running, and speaks Ollama's language."


class EmbedFields(Struct, kw_only=True, frozen=True):
    model: str
    input: Texts
    truncate: bool = True
    dimensions: Annotated[int, Meta(ge=1)] | None = None
    keep_alive: KeepAlive | None = None


class OldEmbedFields(Struct, kw_only=True, frozen=True):
    model: str
    prompt: str
    keep_alive: KeepAlive | None = None


class ShowFields(Struct, kw_only=True, frozen=True):
    model: str = ""
    name: str = ""


class OllamaRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering, vectors: VectorAnswers) -> None:
        self._answering = answering
        self._vectors = vectors

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/", self.greet)
        router.add_get("/api/version", self.version)
        router.add_get("/api/tags", self.tags)
        router.add_get("/api/ps", self.running)
        router.add_post("/api/show", self.show)
        router.add_post("/api/chat", self.chat)
        router.add_post("/api/generate", self.generate)
        router.add_post("/api/embed", self.embed)
        router.add_post("/api/embeddings", self.old_embed)

    async def greet(self, _request: web.Request) -> web.Response:
        return web.Response(text=_GREETING)

    async def version(self, _request: web.Request) -> web.Response:
        return web.json_response({"version": _SPOKEN})

    async def tags(self, request: web.Request) -> web.Response:
        told = await self._answering.bodies.aside(request, self._tags, self._answering.source.model)
        return web.json_response({"models": told})

    def _tags(self, model: ModelInfo | None) -> list[Json]:
        """In any thread: a disk may take its time."""
        own = [models.entry(model.name, model.ref.file, model)] if model is not None else []
        others = [
            models.entry(each.title, each.ref.file, None)
            for each in self._answering.model.others.chat()
            if model is None or model.ref not in each.refs
        ]
        vectors = [models.entry(each.name, each.ref.file, None) for each in self._vectors.source.known()]
        return [*own, *others, *vectors]

    async def running(self, _request: web.Request) -> web.Response:
        model, place = self._answering.source.model, self._answering.source.place
        told = [models.running(model)] if model is not None and place is ModelPlace.ACTIVE else []
        return web.json_response({"models": told})

    async def show(self, request: web.Request) -> web.Response:
        asked = validated(ShowFields, given_of(await self._answering.json(request, chats=False)))
        name = asked.model or asked.name
        for file in self._vectors.source.known():
            if is_called(name, *file.names):
                return web.json_response(
                    models.shown_by_file(file.ref.file, "reranking" if file.ranks else "embedding")
                )
        if (other := self._answering.model.other(name)) is not None:
            return web.json_response(models.shown_by_file(other.ref.file, "completion"))
        model = await self._answering.model.get()
        if not is_called(name, model.name, model.ref.name):
            raise ApiError(404, f"model '{name[:200]}' not found")
        return web.json_response(models.shown(model))

    async def chat(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, OllamaChatFields, parse_ollama_chat)

    async def generate(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, GenerateFields, parse_generate)

    async def _answer(
        self,
        request: web.Request,
        fields: type[OllamaChatFields] | type[GenerateFields],
        parse: Callable[[object, Checks], Asked],
    ) -> web.StreamResponse:
        answering, chats = self._answering, fields is OllamaChatFields
        body = await answering.json(request, chats=False)
        asked = validated(fields, given_of(body))
        if (other := answering.model.other(asked.model)) is not None:
            if loads_only(asked) and unloads(asked):  # it is not there
                return web.json_response(OllamaObjects(other.title, chats).nothing("unload"))
            await answering.switch(request, other)
        if loads_only(asked):
            return await self._place(request, asked)

        def objects(_asked: Asked, model: ModelInfo) -> OllamaObjects:
            return OllamaObjects(model.name, chats)

        return await answering.chat(request, parse, objects, framing=LINES, body=body)

    async def _place(self, request: web.Request, asked: OllamaChatFields | GenerateFields) -> web.StreamResponse:
        """Load the model, or free its memory."""
        answering, goes = self._answering, unloads(asked)
        model = await answering.model.get()
        answering.model.note(request, asked.model, model)

        async def move() -> web.StreamResponse:
            await answering.source.move(ModelPlace.ON_DISK if goes else ModelPlace.ACTIVE)
            objects = OllamaObjects(model.name, isinstance(asked, OllamaChatFields))
            return web.json_response(objects.nothing("unload" if goes else "load"))

        return await answering.in_turn(request, move)

    async def embed(self, request: web.Request) -> web.Response:
        began = time.monotonic()
        body = given_of(await self._answering.json(request, chats=False))
        asked = validated(EmbedFields, body)
        self._answering.ignored.note(request, unknown_in(body, names_of(EmbedFields), {}))
        texts = texts_from("input", asked.input)
        file = await self._chosen(request, asked.model, asked.dimensions)
        made = await self._vectors.of(file, texts, Places("input"), truncate=asked.truncate)
        tell = partial(_embedded, file.name, made, asked.dimensions, began)
        return web.json_response(await self._answering.bodies.aside(request, tell))

    async def old_embed(self, request: web.Request) -> web.Response:
        asked = validated(OldEmbedFields, given_of(await self._answering.json(request, chats=False)))
        file = await self._chosen(request, asked.model)
        made = await self._vectors.of(file, [asked.prompt], Places("prompt"), truncate=True)
        return web.json_response({"embedding": normalised(made.rows)[0].tolist()})

    async def _chosen(self, request: web.Request, name: str, dimensions: int | None = None) -> VectorFile:
        file = self._vectors.choose(name, ranks=False)
        check(await self._vectors.facts(file), dimensions)
        self._answering.model.tell_name(request, file.name)
        return file


def _embedded(name: str, made: Vectors, dimensions: int | None, began: float) -> Json:
    return {
        "model": name,
        "created_at": now(),
        "embeddings": [row.tolist() for row in normalised(made.rows, dimensions=dimensions)],
        "total_duration": int((time.monotonic() - began) * 1e9),
        "load_duration": 0,
        "prompt_eval_count": sum(made.n_tokens),
    }
