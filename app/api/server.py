"""The local HTTP API: OpenAI's, Anthropic's, Ollama's and some of llama-server's over whatever answers them. What is
said is never logged.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol

from aiohttp import hdrs, web

from app.api.agent_sessions import REREAD_HEADER
from app.api.answering import Answering, DefaultsOf, bug, closed, stopped
from app.api.anthropic.errors import anthropic_refusal, speaks_anthropic
from app.api.anthropic.routes import AnthropicRoutes
from app.api.auth import Access, asks_first
from app.api.body_json import too_large
from app.api.errors import ApiError
from app.api.ignored_names import IGNORED_HEADER
from app.api.lenient_paths import lenient_path
from app.api.limits import Limits
from app.api.llama_server.completion import CompletionRoutes
from app.api.llama_server.infill import InfillRoutes
from app.api.llama_server.model_places import PlaceRoutes
from app.api.llama_server.perplexity import PerplexityRoutes
from app.api.llama_server.rerank import RerankRoutes
from app.api.llama_server.routes import LlamaServerRoutes
from app.api.llama_server.slot_states import SlotRoutes
from app.api.loaded_model import MODEL_HEADER, LoadedModel, NoOthers, Others
from app.api.media import STRIPPED_HEADER, tell_stripped
from app.api.ollama.answers import ollama_error
from app.api.ollama.routes import OllamaRoutes
from app.api.openai.embeddings import EmbeddingRoutes
from app.api.openai.model_routes import ModelRoutes
from app.api.openai.responses_routes import ResponsesRoutes
from app.api.openai.routes import OpenAiRoutes
from app.api.sse_stream import ReplySource
from app.api.vectors import VectorAnswers, VectorSource
from app.api.visits import Nobody, VisitObserver, Visits
from app.core.events import ModelInfo
from app.core.sampling import Sampling, advised
from app.services.local_api.vector_models import NO_VECTORS

_OWN_HEADERS = (IGNORED_HEADER, MODEL_HEADER, STRIPPED_HEADER, REREAD_HEADER)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_application(
    source: ReplySource,
    access: Access,
    defaults: Sampling | DefaultsOf,
    *,
    observer: VisitObserver | None = None,
    limits: Limits | None = None,
    strict_model: bool = False,
    states: Path | None = None,
    strip_images: bool = False,
    vectors: VectorSource = NO_VECTORS,
    others: Others | None = None,
    moves_changes: bool = False,
    keeps_sessions: bool = False,
    thinks: bool | None = None,
    tells_slots: bool = True,
    tells_metrics: bool = True,
    tells_prompts: bool = False,
    continues_answers: bool = False,
) -> web.Application:
    """The API as an aiohttp application; `defaults` stand in for what a request leaves out (as a value, what the
    model's file advises comes before what is only llama.cpp's default); `observer` is told of everyone who uses the
    model; `strict_model` refuses requests for a model of another name than the loaded one's; `states` is the folder
    where clients may save what the context holds; `strip_images` lets a model that sees none have the text alone;
    `vectors` are the models that make vectors of texts, and are closed at the end; `others` those that a request may
    have loaded by its name; `moves_changes` puts lines of system prompts that change behind what stays;
    `keeps_sessions` has the engine keep conversations on disk, where it may; `thinks` is whether a model does where
    a request leaves it out, and None leaves it to its template; `tells_slots` is whether programs are told what is
    being answered, and `tells_metrics` how much was; `tells_prompts` has whole answers tell their prompts, and
    `continues_answers` goes on with an answer that a chat completion ends with.

    To be run with `handler_cancellation`, so that a client that goes away cancels its reply.
    """
    limits = limits or Limits()
    defaults_of = partial(_advised, defaults) if isinstance(defaults, Sampling) else defaults
    others = others or NoOthers()
    model = LoadedModel(source, limits, others, strict=strict_model, beside=lambda: bool(vectors.known()))
    at_once = partial(_n_at_once, source, others, shared=observer is not None)
    visits = Visits(observer or Nobody(), limits.waiting, at_once)
    answering = Answering(
        source,
        model,
        defaults_of,
        visits,
        limits,
        strip_images=strip_images,
        moves_changes=moves_changes,
        keeps_sessions=keeps_sessions,
        thinks=thinks,
        continues=continues_answers,
        tells_prompts=tells_prompts,
    )
    server = _Server(access, answering)
    application = web.Application(middlewares=[server.guard], client_max_size=limits.body)
    application.on_response_prepare.append(answering.ignored.tell)
    application.on_response_prepare.append(model.tell)
    application.on_response_prepare.append(tell_stripped)
    application.on_response_prepare.append(answering.sessions.tell)
    application.on_response_prepare.append(server.allow_origin)
    application.on_shutdown.append(server.end)
    application.on_cleanup.append(partial(_close, vectors))
    if access.is_paired:
        # Imported here, for the others are to be ready sooner.
        from app.api.peer_states import PeerStates

        PeerStates(answering).add_to(application.router)
    _Description(paired=access.is_paired).add_to(application.router)
    for routes in _routes(
        answering, vectors, states, LlamaServerRoutes(answering, tells_slots=tells_slots, tells_metrics=tells_metrics)
    ):
        routes.add_to(application.router)
    return application


class _Routes(Protocol):
    def add_to(self, router: web.UrlDispatcher) -> None: ...


def _routes(
    answering: Answering, vectors: VectorSource, states: Path | None, llama_server: LlamaServerRoutes
) -> Iterator[_Routes]:
    yield (openai := OpenAiRoutes(answering))
    yield ResponsesRoutes(answering)
    yield AnthropicRoutes(answering)
    yield llama_server
    yield PerplexityRoutes(answering)
    yield PlaceRoutes(answering)
    yield SlotRoutes(answering, states)
    yield (completion := CompletionRoutes(answering, openai.completed))
    yield InfillRoutes(answering, completion)
    making = VectorAnswers(answering, vectors)
    yield ModelRoutes(answering, vectors)
    yield EmbeddingRoutes(answering, making)
    yield RerankRoutes(answering, making)
    yield OllamaRoutes(answering, making)


async def _close(vectors: VectorSource, _application: web.Application) -> None:
    vectors.close()


def _n_at_once(source: ReplySource, others: Others, *, shared: bool) -> int:
    """Requests that are answered at once. `shared`: with a window, which finds a place whoever else is there. One where
    a request may have another model loaded, which would take the model from those beside it.
    """
    n_parallel = source.model.n_parallel if source.model is not None and not others.chat() else 1
    return max(1, n_parallel - shared)


class _Description:
    def __init__(self, *, paired: bool) -> None:
        self._paired = paired

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/openapi.json", self.openapi)

    async def openapi(self, _request: web.Request) -> web.Response:
        from app.api.openapi import description  # who asks waits for it, and not everybody at the start

        return web.json_response(description(paired=self._paired))


class _Server:
    """What happens to every request, whatever it asks for. Lives on one event loop."""

    def __init__(self, access: Access, answering: Answering) -> None:
        self._access = access
        self._answering = answering
        self._open: set[asyncio.Task[object]] = set()

    async def end(self, _application: web.Application) -> None:
        """End all requests that are open; their clients are told."""
        self._answering.close()
        for task in self._open:
            task.cancel()

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Checks access, and makes every refusal an error object in the client's dialect."""
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            self._access.check(request)
            if asks_first(request):
                return web.Response()
            return await (await _lenient(request) or handler)(request)
        except ApiError as error:
            return _refusal(request, error)
        except web.HTTPException as error:
            return _refusal(request, _from_http(error, self._answering.limits), error.headers.get("Allow"))
        except ConnectionError:
            raise
        except asyncio.CancelledError:
            if self._answering.visits.was_stopped(task):  # with its turn, and not yet answered
                return _refusal(request, stopped())
            if not self._answering.is_closing:
                raise
            task.uncancel()
            return _refusal(request, closed())
        except Exception as error:  # noqa: BLE001 - the server must live on
            return _refusal(request, bug(error))
        finally:
            self._open.discard(task)
            await self._answering.release(request)
            self._answering.bodies.forget(request)

    async def allow_origin(self, request: web.Request, response: web.StreamResponse) -> None:
        """Browsers let the pages of sites that are allowed read what is sent."""
        origin = self._access.allowed_origin(request)
        if origin is not None:
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin
            response.headers[hdrs.VARY] = hdrs.ORIGIN
            if request.method == hdrs.METH_OPTIONS:
                response.headers[hdrs.ACCESS_CONTROL_ALLOW_METHODS] = "GET, POST, DELETE"
                # OpenAI's client for browsers sends a dozen headers of its own.
                asked = request.headers.get(hdrs.ACCESS_CONTROL_REQUEST_HEADERS, "Authorization, Content-Type")
                response.headers[hdrs.ACCESS_CONTROL_ALLOW_HEADERS] = asked
            else:
                response.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = ", ".join(_OWN_HEADERS)


async def _lenient(request: web.Request) -> Callable[[web.Request], Awaitable[web.StreamResponse]] | None:
    """What is meant by a path at which there is nothing, if anything is."""
    path = lenient_path(request.path)
    if not isinstance(request.match_info.http_exception, web.HTTPNotFound) or path == request.path:
        return None
    nearly = request.clone(rel_url=path)
    if nearly.path != path or path == "/":  # where nothing was meant
        return None
    meant = await request.app.router.resolve(nearly)
    return None if isinstance(meant.http_exception, web.HTTPNotFound) else meant.handler


def _advised(defaults: Sampling, model: ModelInfo) -> Sampling:
    return advised(defaults, model.sampling)


def _refusal(request: web.Request, error: ApiError, allow: str | None = None) -> web.Response:
    headers = {} if allow is None else {"Allow": allow}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if not error.retry:
        headers["X-Should-Retry"] = "false"  # OpenAI's and Anthropic's clients heed it
    if speaks_anthropic(request):
        return anthropic_refusal(error, headers)
    if request.path.startswith("/api/"):
        return web.json_response(ollama_error(error), status=error.status, headers=headers)
    return web.json_response(error.body(), status=error.status, headers=headers)


def _from_http(error: web.HTTPException, limits: Limits) -> ApiError:
    match error:
        case web.HTTPNotFound():
            told = "There is nothing at this path. OpenAI's paths begin with /v1; /openapi.json lists them all."
            return ApiError(404, told, code="unknown_url")
        case web.HTTPMethodNotAllowed():
            return ApiError(405, f"{error.method} is not what this path is for.", code="method_not_allowed")
        case web.HTTPRequestEntityTooLarge():
            return too_large(limits.body)
    return ApiError(error.status, error.reason)
