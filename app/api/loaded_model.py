"""The one model that answers: waited for while it is being loaded, and told by its true name."""

import asyncio
from collections.abc import Callable
from typing import Protocol
from urllib.parse import quote

from aiohttp import web

from app.api.errors import ApiError
from app.api.limits import Limits
from app.api.sse_stream import ReplySource
from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.model_ref import ModelRef
from app.services.local_api.named_models import ChatModel

MODEL_HEADER = "Hearth-Model"
"""The name of the model that answers, percent-encoded where it is no plain ASCII."""
_KEY = web.RequestKey("model", str)
_READ_FOR = web.RequestKey("read_for", ModelRef)
"""The model that was loaded when the request was read, and against which it was checked."""
_NAMED = web.RequestKey("named", bool)
"""Whether the request asks for that one by its name."""
_PLAIN = " !#$&'()*+,/:;=?@[]"


class Others(Protocol):
    """`app.services.local_api.other_models.OtherModels`, or none."""

    def chat(self) -> tuple[ChatModel, ...]: ...

    async def may_load(self, name: str, client: str = "") -> bool: ...


class NoOthers:
    def chat(self) -> tuple[ChatModel, ...]:
        return ()

    async def may_load(self, _name: str, _client: str = "") -> bool:
        return False


class LoadedModel:
    """Lives on one event loop."""

    def __init__(
        self, source: ReplySource, limits: Limits, others: Others, *, strict: bool, beside: Callable[[], bool]
    ) -> None:
        """`strict`: only its own name will do. Otherwise every name means it, for there is no other: clients ask for
        "gpt-4o" where nobody has set another name. `beside`: whether there are models that make vectors, and there
        need be no other. `others` may be loaded when a request names them.
        """
        self._source = source
        self._limits = limits
        self._strict = strict
        self.others = others
        self._beside = beside
        self._waiting = 0
        """Requests."""
        self._brought: ModelRef | None = None
        """What a request had loaded last."""

    async def get(self) -> ModelInfo:
        """The model, once it is loaded. Raises ApiError where that takes too long, and where none is being loaded."""
        if (known := self._source.model) is not None:
            return known
        if self._waiting >= self._limits.waiting:
            raise ApiError(429, "Too many requests wait for the model. Try again later.", code="too_many_requests")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._limits.loading):
                model = await self._source.loaded()
        except TimeoutError:
            raise ApiError(503, "The model is still being loaded. Try again later.", code="model_loading") from None
        finally:
            self._waiting -= 1
        if model is None:
            raise _none()
        return model

    def other(self, asked: object) -> ChatModel | None:
        """The model that a request names and that has to be loaded first; None for the loaded one, and for a name that
        nobody has. Raises ApiError where two have it.
        """
        known = self._source.model
        if not isinstance(asked, str) or (known is not None and _is(known, asked)):
            return None
        named = [each for each in self.others.chat() if is_called(asked, each.title, *each.names)]
        fit = [each for each in named if each.title == asked] or named
        if len(fit) > 1:
            told = f"{len(fit)} models are called {asked[:200]!r}: {', '.join(each.title for each in fit)[:400]}."
            raise ApiError(400, told, param="model", code="model_ambiguous")
        return fit[0] if fit else None

    async def permit(self, model: ChatModel, client: str) -> None:
        """Raises ApiError where the user does not want it to be loaded."""
        if not await self.others.may_load(model.title, client):
            told = f"The user of this computer did not let {model.title} be loaded."
            raise ApiError(403, told, param="model", code="model_not_allowed")

    async def ensure(self, request: web.Request) -> None:
        """Another model may have been loaded since the request was read. Another request's makes room again; the one
        that the user chose since only for a request that wants its own by name. Raises ApiError.
        """
        wanted, known = request.get(_READ_FOR), self._source.model
        if wanted is None or known is None or known.ref == wanted or not self.others.chat():
            return
        if request[_NAMED] or known.ref == self._brought:
            await self.load(wanted)
        else:
            self.tell_name(request, known.name)

    async def load(self, model: ModelRef) -> None:
        """Raises ApiError where it can't be."""
        try:
            await self._source.load(model)
        except UserError as error:
            raise ApiError(503, error.sentence, param="model", code="model_not_loaded", retry=False) from error
        self._brought = model

    def health(self) -> web.Response:
        """Raises ApiError where there is no model, and will be none."""
        if self._source.model is not None or (self._beside() and not self._source.is_loading):
            return web.json_response({"status": "ok"})
        if not self._source.is_loading:
            raise _none()
        # As llama-server says it, before and since it gave errors a form.
        error = {"code": 503, "message": "Loading model", "type": "unavailable_error", "param": None}
        return web.json_response({"status": "loading model", "error": error}, status=503)

    def note(self, request: web.Request, asked: str | None, model: ModelInfo) -> None:
        """`model` answers a request for the one that is called `asked`. Raises ApiError where it must not."""
        if self._strict and asked is not None:
            refuse_other(asked, model)
        request[_READ_FOR], request[_NAMED] = model.ref, asked is not None and _is(model, asked)
        self.tell_name(request, model.name)

    def tell_name(self, request: web.Request, name: str) -> None:
        """Another model than the loaded one answers, and is called so."""
        request[_KEY] = quote(name, _PLAIN)

    async def tell(self, request: web.Request, response: web.StreamResponse) -> None:
        """To be called before a response is sent."""
        if name := request.get(_KEY):
            response.headers[MODEL_HEADER] = name


def is_called(asked: str, *names: str) -> bool:
    """Whether one of the names is meant: Ollama's clients add ":latest", others folders or the file's ending."""
    return _core(asked) in map(_core, names)


def _core(name: str) -> str:
    return name.lower().rpartition("/")[2].removesuffix(":latest").removesuffix(".gguf")


def _is(model: ModelInfo, asked: str) -> bool:
    """Whatever the window calls it, its file's name will do."""
    return is_called(asked, model.name, model.ref.name, model.ref.title)


def refuse_other(asked: str, model: ModelInfo) -> None:
    """Raises ApiError for a name that the model does not have."""
    if not _is(model, asked):
        told = f"The model {asked[:200]!r} is not loaded; {model.name!r} is."
        raise ApiError(404, told, param="model", code="model_not_found")


def _none() -> ApiError:
    return ApiError(503, "No model is loaded. Load one, and try again.", code="model_not_loaded")
