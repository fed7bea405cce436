"""What becomes of a request in any dialect: its body, its turn, its answer, and whatever ends that early."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from aiohttp import hdrs, web

from app.api.agent_sessions import AgentSessions, saw, session_of
from app.api.asked import Asked, Checks, Schema
from app.api.auth import conversation_of
from app.api.bodies import Bodies
from app.api.errors import ApiError, Json, Places, error_from
from app.api.figures import Figures
from app.api.ignored_names import IgnoredNames
from app.api.limits import Limits
from app.api.loaded_model import LoadedModel
from app.api.media import MediaDecoder, strip
from app.api.remembered import Conversation, RememberedAnswers
from app.api.sse_stream import EVENTS, AnswerStream, Framing, Objects, ReplySource
from app.api.visits import Visits
from app.core.errors import UserError
from app.core.events import Finished, ModelInfo, ReplyEvent
from app.core.messages import ImagePart
from app.core.requests import ChatRequest, PromptText, TokenRequest, Tokens
from app.core.sampling import Sampling
from app.services.local_api.named_models import ChatModel

_log = logging.getLogger(__name__)

DefaultsOf = Callable[[ModelInfo], Sampling]
"""How a model is sampled where a request says nothing; called in the API's thread."""
AskedT = TypeVar("AskedT", bound=Asked)
_NO_PLACES = Places()
_HELD = web.RequestKey("held", AsyncExitStack)
"""The turn of a request that had a model loaded."""
_TYPES = ("application/json", "application/octet-stream")
"""The second one is aiohttp's word for none at all."""


class ChatObjects(Objects, Protocol):
    """Of the answers to one request in a conversation."""

    @property
    def ids(self) -> tuple[str, ...]:
        """What the answer is called, besides the ids of its calls, where its client will call it so."""

    def whole(self, answers: list[Finished]) -> Json: ...


class Answering:
    """Lives on one event loop."""

    def __init__(
        self,
        source: ReplySource,
        model: LoadedModel,
        defaults: DefaultsOf,
        visits: Visits,
        limits: Limits,
        *,
        strip_images: bool = False,
        moves_changes: bool = False,
        keeps_sessions: bool = False,
        thinks: bool | None = None,
        continues: bool = False,
        tells_prompts: bool = False,
    ) -> None:
        """`strip_images`: a model that sees none gets the text alone, and no request is refused for its pictures.
        `moves_changes`, `keeps_sessions`: see `AgentSessions`. `thinks`: where a request leaves it out;
        None leaves it to the template.
        `continues`: an answer that a request ends with is gone on with. `tells_prompts`: whole answers tell theirs.
        """
        self.source = source
        self.model = model
        self.limits = limits
        self.visits = visits
        self.bodies = Bodies(limits)
        self.ignored = IgnoredNames()
        self.figures = Figures()
        self.is_closing = False
        self._defaults = defaults
        self._strips_images = strip_images
        self._media = MediaDecoder()
        self._remembered = RememberedAnswers()
        self._template_args = {} if thinks is None else {"enable_thinking": thinks}
        self._continues = continues
        self._tells_prompts = tells_prompts
        self.sessions = AgentSessions(moves=moves_changes, keeps=keeps_sessions)

    def close(self) -> None:
        """The server ends: what is cancelled from now on is told so."""
        self.is_closing = True
        self.bodies.close()

    async def json(self, request: web.Request, *, chats: bool = True) -> object:
        """The body. Where it names a model that `chats` and has to be loaded first, it is when this returns, and the
        request has its turn. Raises ApiError.
        """
        # A page of any website may send a body of another type here without asking; these it may not, but for one
        # without a type, and then it says where it comes from, and is refused for that.
        if request.content_type not in _TYPES:
            raise ApiError(415, "Send the body as JSON, with “Content-Type: application/json”.")
        body = await self.bodies.json(request)
        if chats and isinstance(body, dict) and (other := self.model.other(body.get("model"))) is not None:
            await self.switch(request, other)
        return body

    async def switch(self, request: web.Request, other: ChatModel) -> None:
        """Have another model loaded, in one queue with all that is answered, so that nobody's model is taken away in
        the midst of it. Raises ApiError.
        """
        client = request.headers.get(hdrs.USER_AGENT, "")
        held = request[_HELD] = AsyncExitStack()
        with self.explained():
            await self.model.permit(other, client)
            await held.enter_async_context(self.visits.turn(client, request.path))
            if self.model.other(other.title) is not None:  # who came before may have wanted the same
                await self.model.load(other.ref)

    async def release(self, request: web.Request) -> None:
        """To be called once a request has ended."""
        if (held := request.get(_HELD)) is not None:
            await held.aclose()

    async def checks(self) -> Checks:
        """Raises ApiError where no model is there to check against."""
        return self.checks_for(await self.model.get())

    def checks_for(self, model: ModelInfo) -> Checks:
        return Checks(self._defaults(model), model.n_vocab, _grammar_of, self.limits, self._continues)

    async def tokens(self, asked: TokenRequest, places: Places) -> Tokens:
        """Raises ApiError."""
        with self.explained(places):
            return await self.source.tokens(asked)

    async def counted(self, request: web.Request, parse: Callable[[object, Checks], AskedT]) -> int:
        """How many entries a conversation takes. Raises ApiError."""
        asked, conversation, _ = await self.parsed(request, parse)
        return (await self.written(self.recalled(conversation), asked.places)).n_tokens

    async def written(self, chat: ChatRequest, places: Places) -> PromptText:
        """What the model would read. Raises ApiError."""
        with self.explained(places):
            return await self.source.prompt(chat)

    async def parsed(
        self,
        request: web.Request,
        parse: Callable[[object, Checks], AskedT],
        *,
        follows: bool = False,
        body: object = None,
    ) -> tuple[AskedT, Conversation, ModelInfo]:
        """A request in a conversation, with what its client told, and who will answer. `follows`: it is compared with
        those before it. `body` where it was read before. Raises ApiError.
        """
        body = await self.json(request) if body is None else body
        model = await self.model.get()
        asked = await self.bodies.aside(request, parse, body, self.checks_for(model))
        self.ignored.note(request, asked.ignored)
        self.model.note(request, asked.model, model)
        strips = self._strips_images and not model.sees
        if strips:
            strip(request, asked.chat)
        _refuse_media(model, asked.chat, asked.places, strips=strips)
        chat = replace(asked.chat, template_args={**self._template_args, **asked.chat.template_args})
        identified = await self._media.identified(chat, asked.places.message)
        # How long a recording is was not known before.
        _refuse_media(model, identified, asked.places, strips=strips)
        if follows:
            session = session_of(body)
            identified = await self.bodies.aside(request, self.sessions.follow, request, session, identified)
        conversation = await self.bodies.aside(request, Conversation.of, identified, asked.ids)
        return asked, conversation, model

    def recalled(self, conversation: Conversation) -> ChatRequest:
        """With the answers that are known as the tokens that they were."""
        return self._remembered.recall(conversation)

    async def chat(
        self,
        request: web.Request,
        parse: Callable[[object, Checks], AskedT],
        objects_of: Callable[[AskedT, ModelInfo], ChatObjects],
        *,
        framing: Framing = EVENTS,
        body: object = None,
    ) -> web.StreamResponse:
        """Answer a conversation. Raises ApiError as long as nothing was sent."""
        asked, conversation, model = await self.parsed(request, parse, follows=True, body=body)
        chat, objects = self.recalled(conversation), objects_of(asked, model)
        if name := conversation_of(request):
            chat = replace(chat, conversation=name, keep_on_disk=False)

        def see(event: ReplyEvent) -> None:
            saw(request, event, chat)
            # Of an answer that goes on, its text here is only the end.
            if isinstance(event, Finished) and not chat.continues and chat.prompt is None:
                self._remembered.add(conversation, event, objects.ids)

        answering = self.asked((chat,), asked.n, asked.places, see)

        async def answer() -> web.StreamResponse:
            if asked.stream:
                return await replace(answering, framing=framing).stream(request, objects)
            told = objects.whole(await answering.whole())
            if asked.tells_prompt or self._tells_prompts:
                told = {**told, "__verbose": {"prompt": (await self.written(chat, asked.places)).text}}
            return web.json_response(told)

        return await self.in_turn(request, answer)

    def asked(
        self,
        requests: tuple[ChatRequest, ...],
        n: int,
        places: Places,
        see: Callable[[ReplyEvent], None] = lambda _: None,
    ) -> AnswerStream:
        @contextmanager
        def watched() -> Iterator[Callable[[ReplyEvent], None]]:
            with self.figures.answering() as saw:

                def saw_both(event: ReplyEvent) -> None:
                    saw(event)
                    see(event)

                yield saw_both

        return AnswerStream(self.source, requests, n, self.limits, partial(self.explained, places), watched)

    async def in_turn(
        self, request: web.Request, answer: Callable[[], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Wait until there is a place for it."""
        with self.explained():
            if _HELD in request:
                return await answer()
            async with self.visits.turn(request.headers.get(hdrs.USER_AGENT, ""), request.path):
                await self.model.ensure(request)
                return await answer()

    @contextmanager
    def explained(self, places: Places = _NO_PLACES) -> Iterator[None]:
        """Whatever ends an answer early becomes an ApiError, but for a client that went away."""
        task = asyncio.current_task()
        assert task is not None
        try:
            yield
        except UserError as error:
            raise error_from(error, places) from error
        except TimeoutError:
            told = f"The answer took longer than {self.limits.seconds:g} seconds."
            raise ApiError(408, told, code="time_limit", retry=False) from None
        except asyncio.CancelledError:
            if self.is_closing:
                task.uncancel()
                raise closed() from None
            if self.visits.was_stopped(task):
                raise stopped() from None
            raise
        except (ApiError, ConnectionError, GeneratorExit):
            raise
        except Exception as error:
            raise bug(error) from error


def _refuse_media(model: ModelInfo, chat: ChatRequest, places: Places, *, strips: bool) -> None:
    """Raises ApiError for what the model can't see or hear; not for pictures where it `strips` them."""
    for part in (part for message in chat.messages for part in message.media):
        if (why := model.refusal([part])) and not (strips and isinstance(part, ImagePart)):
            kind = "image" if isinstance(part, ImagePart) else "audio"
            raise ApiError(400, why, param=places.prompt, code=f"{kind}_input_not_supported")


def _grammar_of(schema: Schema | None) -> str:
    # Imported here: with a window, the API's thread starts before anybody asks for JSON.
    from app.engine.output.schema_grammar import json_grammar

    try:
        return json_grammar(schema if schema is not None else {"type": "object"})
    except UserError as error:
        raise ValueError(error.sentence) from error


def closed() -> ApiError:
    return ApiError(503, "Hearth is being closed.", code="closing")


def stopped() -> ApiError:
    return ApiError(503, "The user of this computer has stopped the answer.", code="stopped", retry=False)


def bug(error: Exception) -> ApiError:
    """What is told of it; the log gets all but its message, which may hold what was said."""
    trace = "".join(traceback.format_tb(error.__traceback__))
    _log.error("A request failed by a bug: %s\n%s", type(error).__name__, trace)
    return ApiError(500, "This is a fault in Hearth, not in the request. The log tells more.")
