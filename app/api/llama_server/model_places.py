"""llama-server's `/models/load` and `/models/unload`, and the step between: a model in memory without a context."""

from typing import Annotated, Literal

from aiohttp import web
from msgspec import Meta, Struct

from app.api.answering import Answering
from app.api.errors import ApiError
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, names_of, validated
from app.services.engine.states import ModelPlace

_HEIGHTS = {ModelPlace.ON_DISK: 0, ModelPlace.IN_MEMORY: 1, ModelPlace.ACTIVE: 2}
_BUSY = "The model is being used by somebody else. Try again later."


class LoadFields(Struct, kw_only=True, frozen=True):
    model: str | None = None
    state: Annotated[
        Literal["active", "in_memory"], Meta(description="in_memory makes no context: the first request does.")
    ] = "active"


class UnloadFields(Struct, kw_only=True, frozen=True):
    model: str | None = None
    state: Annotated[
        Literal["on_disk", "in_memory"], Meta(description="in_memory frees the context alone, and keeps the weights.")
    ] = "on_disk"


class PlaceRoutes:
    """Of the one model that there is. Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/models/load", self.load)
        router.add_post("/models/unload", self.unload)

    async def load(self, request: web.Request) -> web.StreamResponse:
        return await self._move(request, LoadFields, up=True)

    async def unload(self, request: web.Request) -> web.StreamResponse:
        return await self._move(request, UnloadFields, up=False)

    async def _move(
        self, request: web.Request, fields: type[LoadFields] | type[UnloadFields], *, up: bool
    ) -> web.StreamResponse:
        answering = self._answering
        body = given_of(await answering.json(request))
        asked, model = validated(fields, body), await answering.model.get()
        answering.ignored.note(request, unknown_in(body, names_of(fields)))
        answering.model.note(request, asked.model, model)

        async def move() -> web.StreamResponse:
            wanted, place = ModelPlace(asked.state), answering.source.place
            if place is None or (_HEIGHTS[place] < _HEIGHTS[wanted] if up else _HEIGHTS[place] > _HEIGHTS[wanted]):
                place = await answering.source.move(wanted)
                if place is not wanted:
                    raise ApiError(503, _BUSY, code="model_in_use")
            return web.json_response({"success": True, "state": place})

        return await answering.in_turn(request, move)
