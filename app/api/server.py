"""The local HTTP API: OpenAI's chat completions over whatever answers them. Nothing of what is said is logged."""

import asyncio
import json
import logging
import time
import traceback
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Protocol

from aiohttp import web

from app.api.auth import Access
from app.api.errors import ApiError, Json, error_from
from app.api.openai_types import Envelope, model_object, parse_chat_completion
from app.api.pictures import PictureDoor
from app.core.errors import UserError
from app.core.events import (
    Finished,
    FinishReason,
    Looking,
    ModelInfo,
    PromptProgress,
    ReplyEvent,
    TextDelta,
    ToolCallDelta,
)
from app.core.requests import ChatRequest
from app.core.sampling import Sampling, advised

_log = logging.getLogger(__name__)

_MAX_BODY = 64 << 20
_STREAM_HEADERS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
_DONE = b"data: [DONE]\n\n"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ReplySource(Protocol):
    """What answers: `app.services.reply_stream.ReplyStream`, or a test's stand-in."""

    @property
    def model(self) -> ModelInfo | None: ...

    def reply(self, request: ChatRequest) -> AsyncGenerator[ReplyEvent, None]: ...


def make_application(source: ReplySource, access: Access, defaults: Sampling) -> web.Application:
    """The API as an aiohttp application; `defaults` stand in for what a request leaves out.

    To be run with `handler_cancellation`, so that a client that goes away cancels its reply.
    """
    server = _Server(source, access, defaults)
    application = web.Application(middlewares=[server.guard], client_max_size=_MAX_BODY)
    application.router.add_get("/health", server.health)
    application.router.add_get("/v1/models", server.models)
    application.router.add_post("/v1/chat/completions", server.chat_completions)
    application.on_shutdown.append(server.end)
    return application


class _Server:
    """Handlers and what they share. Lives on one event loop."""

    def __init__(self, source: ReplySource, access: Access, defaults: Sampling) -> None:
        self._source = source
        self._access = access
        self._defaults = defaults
        self._pictures = PictureDoor()
        self._started = int(time.time())
        self._answering: set[asyncio.Task[object]] = set()
        self._closing = False

    async def end(self, _application: web.Application) -> None:
        """End all replies that are being given; their clients are told."""
        self._closing = True
        for task in self._answering:
            task.cancel()

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Checks access, and makes every refusal an OpenAI error object."""
        try:
            self._access.check(request)
            return await handler(request)
        except ApiError as error:
            return _refusal(error)
        except web.HTTPException as error:
            return _refusal(_from_http(error), error.headers.get("Allow"))
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - the server must live on
            # Without the message, which may hold what was said.
            trace = "".join(traceback.format_tb(error.__traceback__))
            _log.error("A request failed by a bug: %s\n%s", type(error).__name__, trace)
            return _refusal(_bug())

    async def health(self, _request: web.Request) -> web.Response:
        self._loaded()
        return web.json_response({"status": "ok"})

    async def models(self, _request: web.Request) -> web.Response:
        model = self._source.model
        data = [] if model is None else [model_object(model, self._started)]
        return web.json_response({"object": "list", "data": data})

    async def chat_completions(self, request: web.Request) -> web.StreamResponse:
        body = await _json(request)
        model = self._loaded()
        asked = parse_chat_completion(body, advised(self._defaults, model.sampling))
        if asked.model not in (None, model.name, model.path.name):
            raise ApiError(
                404,
                f"The model {asked.model!r} is not loaded; {model.name!r} is.",
                param="model",
                code="model_not_found",
            )
        if not model.sees and any(message.pictures for message in asked.chat.messages):
            told = model.vision_problem or f"The model {model.name!r} can't see pictures."
            raise ApiError(400, told, param="messages", code="image_input_not_supported")
        chat = await self._pictures.identified(asked.chat)
        envelope = Envelope(f"chatcmpl-{uuid.uuid4().hex}", int(time.time()), model.name, asked.include_usage)
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        try:
            async with aclosing(self._events(chat, task)) as events:
                if asked.stream:
                    return await _stream(request, envelope, events)
                return web.json_response(envelope.whole(await _last(events)))
        finally:
            self._answering.discard(task)

    def _loaded(self) -> ModelInfo:
        model = self._source.model
        if model is None:
            raise ApiError(503, "No model is loaded, or one is being loaded. Try again later.", code="model_not_loaded")
        return model

    async def _events(self, chat: ChatRequest, task: "asyncio.Task[object]") -> AsyncGenerator[ReplyEvent, None]:
        """The events of a reply that comes to its end. Raises ApiError, whatever else ends it."""
        try:
            async with aclosing(self._source.reply(chat)) as events:
                async for event in events:
                    if isinstance(event, Finished) and event.reason is FinishReason.CANCELLED:
                        raise ApiError(503, "The answer was stopped before its end.", code="stopped")
                    yield event
        except UserError as error:
            raise error_from(error) from error
        except asyncio.CancelledError:
            if not self._closing:
                raise
            task.uncancel()
            raise ApiError(503, "Hearth is being closed.", code="closing") from None
        except (ApiError, GeneratorExit):
            raise
        except Exception as error:
            raise _bug() from error  # the engine has logged it


async def _json(request: web.Request) -> object:
    # A page of any website may send a body of another type here without asking; this one it may not.
    if request.content_type != "application/json":
        raise ApiError(415, "Send the body as JSON, with “Content-Type: application/json”.")
    try:
        return json.loads(await request.read())
    except web.RequestPayloadError:
        raise ApiError(400, "The body did not come whole.") from None
    except (ValueError, RecursionError):
        raise ApiError(400, "The body is not valid JSON.") from None


async def _last(events: AsyncGenerator[ReplyEvent, None]) -> Finished:
    last: ReplyEvent | None = None
    async for event in events:
        last = event
    assert isinstance(last, Finished)
    return last


async def _stream(
    request: web.Request, envelope: Envelope, events: AsyncGenerator[ReplyEvent, None]
) -> web.StreamResponse:
    """Server-sent events. What is refused before the first event still has its own HTTP status."""
    event = await anext(events)
    response = web.StreamResponse(headers=_STREAM_HEADERS)
    await response.prepare(request)
    await response.write(_sent(envelope.opening()))
    try:
        while True:
            for chunk in _chunks(event, envelope):
                await response.write(_sent(chunk))
            if isinstance(event, Finished):
                break
            event = await anext(events)
        await response.write(_DONE)
    except ApiError as error:
        await response.write(_sent(error.body()))
    await response.write_eof()
    return response


def _chunks(event: ReplyEvent, envelope: Envelope) -> list[Json]:
    match event:
        case TextDelta(text):
            return [envelope.delta(text)]
        case Finished():
            return envelope.closing(event)
        case PromptProgress() | Looking() | ToolCallDelta():
            return []


def _sent(payload: Json) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def _refusal(error: ApiError, allow: str | None = None) -> web.Response:
    headers = {} if allow is None else {"Allow": allow}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return web.json_response(error.body(), status=error.status, headers=headers)


def _from_http(error: web.HTTPException) -> ApiError:
    match error:
        case web.HTTPNotFound():
            return ApiError(404, "There is nothing at this path.", code="unknown_url")
        case web.HTTPMethodNotAllowed():
            return ApiError(405, f"{error.method} is not what this path is for.", code="method_not_allowed")
        case web.HTTPRequestEntityTooLarge():
            return ApiError(413, f"The body is larger than {_MAX_BODY >> 20} MiB.", code="request_too_large")
    return ApiError(error.status, error.reason)


def _bug() -> ApiError:
    return ApiError(500, "This is a fault in Hearth, not in the request. The log tells more.")
