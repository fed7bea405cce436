"""llama-server's `/infill`: what stands between a prefix and a suffix, for models that were made for it."""

from dataclasses import replace
from typing import Annotated, Any

from aiohttp import web
from msgspec import Meta, Struct, field

from app.api.answering import Answering
from app.api.errors import ApiError, Places
from app.api.llama_server.completion import CompletionFields, CompletionRoutes
from app.api.validation import given_of, names_of, validated
from app.core.requests import FillRequest


class _Extra(Struct, kw_only=True, frozen=True):
    text: str
    filename: str = "tmp"


class InfillFields(CompletionFields, kw_only=True, frozen=True):
    prompt: Annotated[str, Meta(description="What has been typed of it already.")] = ""
    input_prefix: str
    input_suffix: str
    input_extra: Annotated[list[_Extra], Meta(max_length=1024, description="Of other files.")] = field(
        default_factory=list
    )


_OWN = (names_of(InfillFields) - names_of(CompletionFields)) | {"prompt"}


class InfillRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering, completion: CompletionRoutes) -> None:
        self._answering = answering
        self._completion = completion

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/infill", self.infill)

    async def infill(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = given_of(await self._answering.json(request))
        asked = validated(InfillFields, {name: body.pop(name) for name in _OWN & body.keys()})
        model = await self._answering.model.get()
        if not model.capabilities.fills:
            told = "This model was not made to fill a gap in a text: it has no tokens for that."
            raise ApiError(501, told, kind="not_supported_error", retry=False)
        own = self._answering.checks_for(model).defaults.max_tokens or -1
        wanted = FillRequest(
            asked.input_prefix,
            asked.input_suffix,
            asked.prompt,
            tuple((each.filename, each.text) for each in asked.input_extra),
            n_batch=model.loading.batch_size,
            # By the server's own limit, as llama-server reckons it: editors warm the prompt up by a request for no
            # token, and the next one has to begin the same.
            n_extra=model.n_ctx - model.loading.batch_size - 2 * own,
        )
        tokens = await self._answering.tokens(wanted, Places("input_prefix"))
        limit = body.get("n_predict", 0)
        beyond = len(tokens.ids) + max(limit if isinstance(limit, int) else 0, 1) - model.n_ctx
        if beyond > 0:
            fewer = replace(wanted, n_extra=max(0, wanted.n_extra - beyond))
            tokens = await self._answering.tokens(fewer, Places("input_prefix"))
        return await self._completion.answered(request, {**body, "prompt": list(tokens.ids)})
