"""`/v1/models`: which models there are, and what each is for."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from aiohttp import web

from app.api.answering import Answering
from app.api.errors import Json
from app.api.loaded_model import is_called, refuse_other
from app.api.vectors import VectorSource
from app.core.capabilities import capabilities_json
from app.core.events import ModelInfo
from app.services.engine.states import ModelPlace
from app.services.local_api.named_models import ChatModel, VectorFile


class ModelRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering, vectors: VectorSource) -> None:
        self._answering = answering
        self._vectors = vectors
        self._started = int(time.time())

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/v1/models", self.models)
        router.add_get("/v1/models/{model:.+}", self.one_model)

    async def models(self, _request: web.Request) -> web.Response:
        source = self._answering.source
        others = self._answering.model.others.chat()
        if source.is_loading and not others:
            await self._answering.model.get()
        known = source.model
        chat = [] if known is None else [_model_object(known, self._started, source.place)]
        chat += [self._other_object(each) for each in others if known is None or known.ref not in each.refs]
        return web.json_response(_model_list([*chat, *(self._vector_object(each) for each in self._vectors.known())]))

    def _other_object(self, model: ChatModel) -> Json:
        """Of one that would be loaded when a request names it, or is being loaded."""
        progress = self._answering.source.progress
        status: dict[str, object] = {"value": "unloaded", "state": ModelPlace.ON_DISK}
        if progress is not None and progress[0] in model.refs:
            status = {"value": "loading", "state": "loading", "progress": round(progress[1], 3)}
        return {**_head(model.title, self._started), "task": "chat", "status": status}

    async def one_model(self, request: web.Request) -> web.Response:
        asked = request.path.partition("/models/")[2]
        for file in self._vectors.known():
            if is_called(asked, *file.names):
                return web.json_response(self._vector_object(file))
        if (other := self._answering.model.other(asked)) is not None:
            return web.json_response(self._other_object(other))
        model = await self._answering.model.get()
        refuse_other(asked, model)
        return web.json_response(_model_object(model, self._started, self._answering.source.place))

    def _vector_object(self, file: VectorFile) -> Json:
        return {**_head(file.name, self._started), "task": "reranking" if file.ranks else "embedding"}


def _model_list(data: Sequence[Json]) -> Json:
    """OpenAI's list, with what Anthropic's clients (the ends of a page) and Codex (`models`) look for in it."""
    ids = [each["id"] for each in data]
    page = {"has_more": False, "first_id": ids[0] if ids else None, "last_id": ids[-1] if ids else None}
    return {"object": "list", "data": data, **page, "models": [_entry(each) for each in data]}


def _entry(told: Json) -> Json:
    """As llama-server names a model beside OpenAI's list."""
    can = told.get("capabilities")
    sees = isinstance(can, dict) and (can["sees"] or can["hears"])
    capabilities = ["completion", *(["multimodal"] if sees else [])] if told["task"] == "chat" else [told["task"]]
    return {"name": told["id"], "model": told["id"], "type": "model", "capabilities": capabilities}


_STATUS = {ModelPlace.ACTIVE: "loaded", ModelPlace.IN_MEMORY: "sleeping", ModelPlace.ON_DISK: "sleeping"}


def _head(name: str, created: int) -> dict[str, object]:
    """What OpenAI's clients and Anthropic's look for in an entry."""
    at = datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    openais = {"id": name, "object": "model", "created": created, "owned_by": "hearth"}
    return {**openais, "type": "model", "display_name": name, "created_at": at}


def _model_object(info: ModelInfo, created: int, place: ModelPlace | None) -> Json:
    """Of the model that chats; `meta` and `status` are llama-server's."""
    meta = {
        "n_vocab": info.n_vocab,
        "n_ctx": info.n_ctx,
        "n_ctx_train": info.n_ctx_train,
        "n_embd": info.n_embd,
        "n_params": info.n_params,
        "size": info.size,
    }
    return {
        **_head(info.name, created),
        "task": "chat",
        "meta": meta,
        "status": {"value": _STATUS[place] if place is not None else "loading", "state": place or "loading"},
        "capabilities": capabilities_json(info.capabilities),
    }
