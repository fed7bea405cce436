"""The local HTTP API: OpenAI's and some of llama-server's over whatever answers them. What is said is never logged."""

import asyncio
import logging
import time
import traceback
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from aiohttp import hdrs, web

from app.api.auth import Access
from app.api.bodies import Bodies
from app.api.body_json import too_large
from app.api.chat_answers import Envelope
from app.api.chat_request import Checks, parse_chat_completion
from app.api.chat_tools import Schema
from app.api.errors import ApiError, Places, error_from
from app.api.ignored_names import IGNORED_HEADER, IgnoredNames
from app.api.limits import Limits
from app.api.loaded_model import MODEL_HEADER, LoadedModel, model_object, refuse_other
from app.api.openapi import description
from app.api.perplexity import parse_perplexity, scored
from app.api.pictures import PictureDecoder
from app.api.remembered import Conversation, RememberedAnswers
from app.api.slots import Slots
from app.api.sse_stream import AnswerStream, ReplySource
from app.api.text_answers import TextEnvelope
from app.api.text_request import TextCompletion, parse_text_completion
from app.api.tokens import (
    DetokenizeFields,
    TokenizeFields,
    detokenized,
    parse_detokenize,
    parse_tokenize,
    tokenized,
)
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, names_of
from app.api.visits import Nobody, VisitObserver, Visits
from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.likelihood import AnswerToScore
from app.core.requests import ChatRequest, SpellRequest, TokenRequest, Tokens
from app.core.sampling import Sampling, advised

_log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
DefaultsOf = Callable[[ModelInfo], Sampling]
"""How a model is sampled where a request says nothing; called in the API's thread."""


def make_application(
    source: ReplySource,
    access: Access,
    defaults: Sampling | DefaultsOf,
    *,
    observer: VisitObserver | None = None,
    limits: Limits | None = None,
    strict_model: bool = False,
    states: Path | None = None,
) -> web.Application:
    """The API as an aiohttp application; `defaults` stand in for what a request leaves out (as a value, what the
    model's file advises comes before what is only llama.cpp's default); `observer` is told of everyone who uses the
    model; `strict_model` refuses requests for a model of another name than the loaded one's; `states` is the folder
    where clients may save what the context holds.

    To be run with `handler_cancellation`, so that a client that goes away cancels its reply.
    """
    limits = limits or Limits()
    defaults_of = partial(_advised, defaults) if isinstance(defaults, Sampling) else defaults
    model = LoadedModel(source, limits, strict=strict_model)
    server = _Server(source, access, defaults_of, observer or Nobody(), limits, model, Slots(source, states))
    application = web.Application(middlewares=[server.guard], client_max_size=limits.body)
    add_get, add_post = application.router.add_get, application.router.add_post
    add_get("/health", server.health)
    add_get("/openapi.json", server.openapi)
    add_get("/v1/models", server.models)
    add_get("/v1/models/{model:.+}", server.one_model)
    add_post("/v1/chat/completions", server.chat_completions)
    add_post("/v1/completions", server.completions)
    add_post("/perplexity", server.perplexity)
    add_post("/slots/{slot}", server.slot)
    add_post("/tokenize", server.tokenize)
    add_post("/detokenize", server.detokenize)
    application.on_response_prepare.append(server.ignored.tell)
    application.on_response_prepare.append(model.tell)
    application.on_response_prepare.append(server.allow_origin)
    application.on_shutdown.append(server.end)
    return application


_NO_PLACES = Places()


class _Server:
    """Handlers and what they share. Lives on one event loop."""

    def __init__(
        self,
        source: ReplySource,
        access: Access,
        defaults: DefaultsOf,
        observer: VisitObserver,
        limits: Limits,
        model: LoadedModel,
        slots: Slots,
    ) -> None:
        self._source = source
        self._access = access
        self._defaults = defaults
        self._limits = limits
        self._visits = Visits(observer, limits.waiting)
        self._bodies = Bodies(limits)
        self._pictures = PictureDecoder()
        self._remembered = RememberedAnswers()
        self._model = model
        self._slots = slots
        self._started = int(time.time())
        self._open: set[asyncio.Task[object]] = set()
        self._closing = False
        self.ignored = IgnoredNames()

    async def end(self, _application: web.Application) -> None:
        """End all requests that are open; their clients are told."""
        self._closing = True
        self._bodies.close()
        for task in self._open:
            task.cancel()

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Checks access, and makes every refusal an OpenAI error object."""
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            self._access.check(request)
            if request.method == hdrs.METH_OPTIONS and self._access.allowed_origin(request) is not None:
                return web.Response(status=204)
            return await handler(request)
        except ApiError as error:
            return _refusal(error)
        except web.HTTPException as error:
            return _refusal(_from_http(error, self._limits), error.headers.get("Allow"))
        except ConnectionError:
            raise
        except asyncio.CancelledError:
            if not self._closing:
                raise
            task.uncancel()
            return _refusal(_closed())
        except Exception as error:  # noqa: BLE001 - the server must live on
            _log_bug(error)
            return _refusal(_bug())
        finally:
            self._open.discard(task)
            self._bodies.forget(request)

    async def allow_origin(self, request: web.Request, response: web.StreamResponse) -> None:
        """Browsers let the pages of sites that are allowed read what is sent."""
        origin = self._access.allowed_origin(request)
        if origin is not None:
            response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin
            response.headers[hdrs.VARY] = hdrs.ORIGIN
            if request.method == hdrs.METH_OPTIONS:
                response.headers[hdrs.ACCESS_CONTROL_ALLOW_METHODS] = "GET, POST"
                # OpenAI's client for browsers sends a dozen headers of its own.
                asked = request.headers.get(hdrs.ACCESS_CONTROL_REQUEST_HEADERS, "Authorization, Content-Type")
                response.headers[hdrs.ACCESS_CONTROL_ALLOW_HEADERS] = asked
            else:
                response.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = f"{IGNORED_HEADER}, {MODEL_HEADER}"

    async def health(self, _request: web.Request) -> web.Response:
        return self._model.health()

    async def openapi(self, _request: web.Request) -> web.Response:
        return web.json_response(description())

    async def models(self, _request: web.Request) -> web.Response:
        if self._source.is_loading:
            await self._model.get()
        model = self._source.model
        data = [] if model is None else [model_object(model, self._started)]
        return web.json_response({"object": "list", "data": data})

    async def one_model(self, request: web.Request) -> web.Response:
        model = await self._model.get()
        refuse_other(request.match_info["model"], model)
        return web.json_response(model_object(model, self._started))

    async def tokenize(self, request: web.Request) -> web.Response:
        body = await self._json(request)
        asked, pieces = parse_tokenize(body, self._checks(await self._model.get()))
        self.ignored.note(request, unknown_in(given_of(body), names_of(TokenizeFields) | {"model"}))
        tokens = await self._tokens(asked, Places("content"))
        told = await self._bodies.aside(request, partial(tokenized, pieces=pieces), tokens)
        return web.Response(body=told, content_type="application/json")

    async def detokenize(self, request: web.Request) -> web.Response:
        body = await self._json(request)
        asked = await self._bodies.aside(request, parse_detokenize, body, self._checks(await self._model.get()))
        self.ignored.note(request, unknown_in(given_of(body), names_of(DetokenizeFields) | {"model"}))
        return web.json_response(detokenized(await self._tokens(asked, Places("tokens"))))

    async def _tokens(self, asked: TokenRequest, places: Places) -> Tokens:
        with self._explained(places):
            return await self._source.tokens(asked)

    async def chat_completions(self, request: web.Request) -> web.StreamResponse:
        body = await self._json(request)
        model = await self._model.get()
        asked = await self._bodies.aside(request, parse_chat_completion, body, self._checks(model))
        self.ignored.note(request, asked.ignored)
        self._model.note(request, asked.model, model)
        chat, conversation = await self._known(request, asked.chat, model)
        envelope = Envelope(
            f"chatcmpl-{uuid.uuid4().hex}",
            int(time.time()),
            model.name,
            asked.include_usage,
            logprobs=chat.top_logprobs is not None,
        )
        # Of an answer that goes on, its text here is only the end.
        answering = self._asked((chat,), asked.n, asked.places, None if chat.continues else conversation)

        async def answer() -> web.StreamResponse:
            if asked.stream:
                return await answering.stream(request, envelope)
            return web.json_response(envelope.whole(await answering.whole()))

        return await self._in_turn(request, answer)

    async def _known(
        self, request: web.Request, chat: ChatRequest, model: ModelInfo
    ) -> tuple[ChatRequest, Conversation]:
        """A conversation with its pictures identified and its answers' tokens recalled. Raises ApiError."""
        if not model.sees and any(message.pictures for message in chat.messages):
            told = model.projector_problem or f"The model {model.name!r} can't see pictures."
            raise ApiError(400, told, param="messages", code="image_input_not_supported")
        identified = await self._pictures.identified(chat)
        conversation = await self._bodies.aside(request, Conversation.of, identified)
        return self._remembered.recall(conversation), conversation

    async def perplexity(self, request: web.Request) -> web.StreamResponse:
        body = await self._json(request)
        model = await self._model.get()
        asked = await self._bodies.aside(request, parse_perplexity, body, self._checks(model))
        self.ignored.note(request, asked.ignored)
        self._model.note(request, asked.model, model)
        wanted = asked.request
        if isinstance(wanted, AnswerToScore):
            wanted = AnswerToScore((await self._known(request, wanted.chat, model))[0])

        async def answer() -> web.StreamResponse:
            with self._explained(asked.places):
                async with asyncio.timeout(self._limits.seconds):
                    found = await self._source.likelihood(wanted)
            if found is None:
                raise ApiError(503, "It was stopped before its end.", code="stopped", retry=False)
            told = await self._bodies.aside(request, scored, found, per_token=asked.per_token)
            return web.Response(body=told, content_type="application/json")

        return await self._in_turn(request, answer)

    async def slot(self, request: web.Request) -> web.StreamResponse:
        body = await self._json(request) if request.can_read_body else {}
        wanted = self._slots.check(request.match_info["slot"], request.query.get("action", ""), body)
        await self._model.get()

        async def answer() -> web.StreamResponse:
            return web.json_response(await self._slots.act(*wanted))

        return await self._in_turn(request, answer)

    async def completions(self, request: web.Request) -> web.StreamResponse:
        body = await self._json(request)
        model = await self._model.get()
        asked = await self._bodies.aside(request, parse_text_completion, body, self._checks(model))
        self.ignored.note(request, asked.ignored)
        self._model.note(request, asked.model, model)
        echoed = await self._echoed(asked)
        envelope = TextEnvelope(
            f"cmpl-{uuid.uuid4().hex}",
            int(time.time()),
            model.name,
            asked.include_usage,
            logprobs=asked.logprobs is not None,
            echoed=tuple(prompt for prompt in echoed for _ in range(asked.n)),
        )
        answering = self._asked(asked.requests, asked.n, asked.places)

        async def answer() -> web.StreamResponse:
            if asked.stream:
                return await answering.stream(request, envelope)
            answers = await answering.whole()
            return web.json_response(envelope.whole(answers, answering.totalled(answers)))

        return await self._in_turn(request, answer)

    async def _echoed(self, asked: TextCompletion) -> list[str]:
        """The prompts as texts, where the answers are to begin with them."""
        if not asked.echo:
            return []
        return [await self._text_of(each.prompt or "") for each in asked.requests]

    async def _text_of(self, prompt: str | tuple[int, ...]) -> str:
        if isinstance(prompt, str):
            return prompt
        pieces = (await self._tokens(SpellRequest(prompt), Places("prompt"))).pieces
        return b"".join(pieces).decode("utf-8", "replace")

    def _asked(
        self, requests: tuple[ChatRequest, ...], n: int, places: Places, remember: Conversation | None = None
    ) -> AnswerStream:
        explained = partial(self._explained, places)
        asked = partial(AnswerStream, self._source, requests, n, self._limits, explained)
        return asked(partial(self._remembered.add, remember)) if remember is not None else asked()

    async def _in_turn(
        self, request: web.Request, answer: Callable[[], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Wait until nobody else who came before is being answered."""
        with self._explained():
            async with self._visits.turn(request.headers.get(hdrs.USER_AGENT, ""), request.path):
                return await answer()

    def _checks(self, model: ModelInfo) -> Checks:
        return Checks(self._defaults(model), model.n_vocab, _grammar_of, self._limits)

    @contextmanager
    def _explained(self, places: Places = _NO_PLACES) -> Iterator[None]:
        """Whatever ends an answer early becomes an ApiError, but for a client that went away."""
        task = asyncio.current_task()
        assert task is not None
        try:
            yield
        except UserError as error:
            raise error_from(error, places) from error
        except TimeoutError:
            told = f"The answer took longer than {self._limits.seconds:g} seconds."
            raise ApiError(408, told, code="time_limit", retry=False) from None
        except asyncio.CancelledError:
            if self._closing:
                task.uncancel()
                raise _closed() from None
            if self._visits.was_stopped(task):
                told = "The user of this computer has stopped the answer."
                raise ApiError(503, told, code="stopped", retry=False) from None
            raise
        except (ApiError, ConnectionError, GeneratorExit):
            raise
        except Exception as error:
            _log_bug(error)
            raise _bug() from error

    async def _json(self, request: web.Request) -> object:
        # A page of any website may send a body of another type here without asking; this one it may not.
        if request.content_type != "application/json":
            raise ApiError(415, "Send the body as JSON, with “Content-Type: application/json”.")
        return await self._bodies.json(request)


def _advised(defaults: Sampling, model: ModelInfo) -> Sampling:
    return advised(defaults, model.sampling)


def _grammar_of(schema: Schema | None) -> str:
    # Imported here: with a window, the API's thread starts before anybody asks for JSON.
    from app.engine.output.schema_grammar import json_grammar

    try:
        return json_grammar(schema if schema is not None else {"type": "object"})
    except UserError as error:
        raise ValueError(error.sentence) from error


def _refusal(error: ApiError, allow: str | None = None) -> web.Response:
    headers = {} if allow is None else {"Allow": allow}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if not error.retry:
        headers["X-Should-Retry"] = "false"  # OpenAI's clients heed it
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


def _log_bug(error: Exception) -> None:
    # Without the message, which may hold what was said.
    trace = "".join(traceback.format_tb(error.__traceback__))
    _log.error("A request failed by a bug: %s\n%s", type(error).__name__, trace)


def _closed() -> ApiError:
    return ApiError(503, "Hearth is being closed.", code="closing")


def _bug() -> ApiError:
    return ApiError(500, "This is a fault in Hearth, not in the request. The log tells more.")
