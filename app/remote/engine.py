"""A model of a server, asked as a local one is."""

import hashlib
import hmac
import logging
import random
import secrets
import threading
from base64 import urlsafe_b64encode
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakValueDictionary

from app.core.errors import ContextFullError, UserError
from app.core.events import Finished, FinishReason, ReplyEvent, Retrying
from app.core.messages import Generation
from app.core.requests import SESSION, ChatRequest, ToolChoice
from app.core.sampling import RANDOM_SEED
from app.core.sentence import Sentence
from app.remote.address import ServerAddress
from app.remote.answer import Answer, AnswerError, Figures, ServerEvent
from app.remote.counters import Counted, count, reused, tells_itself
from app.remote.exchange import Exchange, Head, Outgoing, Patience, StoppedError
from app.remote.failures import (
    LONGEST_ERROR,
    BrokenError,
    BusyError,
    cut_off,
    is_web_page,
    leads_on,
    of_error_event,
    of_status,
    unreadable,
    wait_told,
    web_page,
)
from app.remote.media import MediaBytes, own_bytes
from app.remote.ollama_body import ollama_body
from app.remote.ollama_stream import OllamaStream
from app.remote.openai_body import openai_body
from app.remote.openai_stream import OpenAIStream
from app.remote.overflow import shortened
from app.remote.payloads import EventPayloads, LinePayloads, TooLongError
from app.remote.refusals import refuse
from app.remote.server import Server, ServerModel
from app.remote.shapes import SHAPES, Dialect
from app.remote.stop_signal import StopSignal

_log = logging.getLogger(__name__)

_WHOLE = "application/json"
"""Not a stream: some answer at once, whatever was asked."""
_STREAMS = ("text/event-stream", "application/x-ndjson", "text/plain", _WHOLE, "")
_LONGEST_WHOLE = 1 << 26
"""Bytes."""
_TURN = 0.05
"""Seconds between two looks at the stop signal, while another answer is waited for."""
_turns: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_turns_lock = threading.Lock()


def _turn_at(address: ServerAddress) -> threading.Lock:
    """The same for all engines of a server, for as long as there is any."""
    with _turns_lock:
        return _turns.setdefault(address.base, threading.Lock())


@dataclass(frozen=True, slots=True)
class Retries:
    """How a server is asked again that has too much to do, or was not there for a moment; tests have less time."""

    busy: int = 6
    """Times that a server may say so."""
    broken: int = 1
    """Connections that may fail before anything came."""
    first_wait: float = 1.0
    """Seconds, where the server does not say; doubled each time."""
    longest_wait: float = 120.0
    """Seconds: who wants more is told to people instead."""

    def rest(self, failed: int, told: float) -> float:
        """Seconds until the next try, the failures counted from 0. Never all clients at once."""
        return max(told, self.first_wait * 2.0**failed) * random.uniform(1.0, 1.25)


class RemoteEngine:
    """Any thread may ask; each answer belongs to the one that asks for it, and several may be written at once."""

    def __init__(
        self,
        server: Server,
        model: ServerModel,
        *,
        media: MediaBytes = own_bytes,
        secret: bytes = b"",
        n_ctx: int | None = None,
        patience: Patience | None = None,
        retries: Retries | None = None,
    ) -> None:
        """`secret` is random and this person's for good: from it come the names by which servers keep apart what they
        have read. `n_ctx` is the context that Ollama loads the model with.
        """
        self.server = server
        self.model = model
        self._shape = SHAPES[server.kind]
        self._media = media
        self._salts = self._shape.cache_salt and bool(secret)
        self._secret = secret or secrets.token_bytes(32)
        self._n_ctx = n_ctx
        self._patience = patience or Patience()
        self._retries = retries or Retries()
        self._turn = _turn_at(server.address)

    def reply(self, request: ChatRequest, stop: StopSignal) -> Generator[ReplyEvent, None, None]:
        """The events that `Session.reply` gives, with Finished as the last one and exactly once: also where it is
        stopped, and where the server breaks off, whose sentence is in the notes then. The generator may be closed.

        Raises UserError where no answer began: for what can't be asked of this model, and for what the server or the
        network say instead; ContextFullError where they say that the conversation is too long.
        """
        refuse(request, self.server, self.model)
        if not self._shape.one_at_a_time:
            yield from self._reply(request, stop)
            return
        while not self._turn.acquire(timeout=_TURN):
            if stop.is_set:
                yield self._finished(Answer(), request, FinishReason.CANCELLED)
                return
        try:
            yield from self._reply(request, stop)
        finally:
            self._turn.release()

    def _reply(self, request: ChatRequest, stop: StopSignal) -> Iterator[ReplyEvent]:
        try:
            yield from self._retried(request, stop, ())
        except ContextFullError as error:
            shorter = shortened(request, self.model, error)
            if shorter is None:
                raise
            left_out = len(request.messages) - len(shorter.messages)
            note = Sentence("{count} earlier messages were left out, because the context is full.", count=left_out)
            yield from self._retried(shorter, stop, (note,))

    def _retried(self, request: ChatRequest, stop: StopSignal, notes: tuple[str, ...]) -> Iterator[ReplyEvent]:
        """Asks again for as long as nothing of an answer has come."""
        busy = broken = 0
        while True:
            answer = Answer()
            try:
                yield from self._asked(request, answer, stop, notes)
                return
            except BusyError as error:
                if busy >= self._retries.busy or error.wait > self._retries.longest_wait:
                    raise
                why, seconds = error.sentence, self._retries.rest(busy, error.wait)
                busy += 1
            except BrokenError as error:
                if broken >= self._retries.broken:
                    raise error.told from error
                why, seconds = error.told.sentence, self._retries.rest(broken, 0.0)
                broken += 1
            yield Retrying(why, seconds)
            if stop.wait(seconds):
                yield self._finished(answer, request, FinishReason.CANCELLED, notes)
                return

    def _asked(
        self, request: ChatRequest, answer: Answer, stop: StopSignal, notes: tuple[str, ...]
    ) -> Iterator[ReplyEvent]:
        """One try. Raises BusyError, BrokenError and UserError while the answer is empty."""
        told: UserError | None = None
        try:
            before = count(self.server, self._shape.counters, stop)
            with Exchange(
                self.server.address, self.server.key, self._outgoing(request), self._patience, stop
            ) as exchange:
                yield from self._read(exchange, answer)
            self._count(answer, before, stop)
            if answer.reason is None:
                told = cut_off(self.server.address, is_first=answer.is_empty)
        except StoppedError:
            yield self._finished(answer, request, FinishReason.CANCELLED, notes)
            return
        except BrokenError as error:
            if answer.is_empty and answer.reason is None:
                raise
            told = error.told
        except (AnswerError, TooLongError) as error:
            told = self._sentence(error, is_first=answer.is_empty)
        if told is not None and answer.reason is None:
            if answer.is_empty:
                raise told
            _log.info("An answer of a server broke off: %s", told.logged)
            notes = (*notes, told.sentence)
        yield self._finished(answer, request, answer.reason or FinishReason.BROKEN_OFF, notes)

    def _count(self, answer: Answer, before: Counted | None, stop: StopSignal) -> None:
        """Let the answer tell what was reused, also where only the server's counters do."""
        figures = answer.figures
        if figures.cached is not None:
            tells_itself(self.server)
        elif before is not None and figures.prompt_total is not None:
            with suppress(StoppedError):  # the answer is whole all the same
                cached = reused(before, count(self.server, self._shape.counters, stop), figures.prompt_total)
                figures.tell(Figures(cached=cached))

    def _read(self, exchange: Exchange, answer: Answer) -> Iterator[ServerEvent]:
        head = exchange.head()
        if head.status != 200 or head.content_type not in _STREAMS:
            raise self._refusal(head, exchange.body(LONGEST_ERROR))
        is_ollama = self._shape.dialect is Dialect.OLLAMA
        payloads = LinePayloads() if is_ollama else EventPayloads()
        reader = OllamaStream(answer) if is_ollama else OpenAIStream(answer)
        if head.content_type == _WHOLE and not is_ollama:
            yield from reader.read(exchange.body(_LONGEST_WHOLE))
            return
        for data in exchange.pieces(lambda: answer.reason is not None):
            for payload in payloads.feed(data):
                yield from reader.read(payload)
                if reader.is_done:
                    return
        for payload in payloads.end():
            yield from reader.read(payload)

    def _outgoing(self, request: ChatRequest) -> Outgoing:
        headers = {SESSION: self.session_of(request.conversation)} if request.conversation else {}
        if self._shape.dialect is Dialect.OLLAMA:
            body = ollama_body(request, self.model, self._shape, self._media, self._n_ctx)
            return Outgoing("POST", self.server.address.url("/api/chat"), body, headers)
        body = openai_body(request, self.model, self._shape, self._media)
        if self._salts:
            body["cache_salt"] = self._named("salt", "")
        return Outgoing("POST", self.server.address.url("/v1/chat/completions"), body, headers)

    def session_of(self, conversation: str) -> str:
        """What this server knows a conversation by."""
        return self._named("session", conversation)

    def _named(self, what: str, name: str) -> str:
        """Says nothing to anybody, and is another one for each server. Letters that vLLM's `cache_salt` takes."""
        text = f"{what}|{self.server.address.base}|{name}"
        return urlsafe_b64encode(hmac.digest(self._secret, text.encode(), hashlib.sha256)).decode().rstrip("=")

    def _refusal(self, head: Head, body: bytes) -> UserError:
        address = self.server.address
        if 300 <= head.status < 400:
            return leads_on(address, head.headers.get("location", ""))
        if is_web_page(head.content_type, body):
            return web_page(address)
        if head.status == 200:
            return unreadable(address, f"{head.content_type}: {body[:200]!r}")
        return of_status(address, head.status, body, key=self.server.key, wait=wait_told(head.headers))

    def _sentence(self, error: AnswerError | TooLongError, *, is_first: bool) -> UserError:
        if isinstance(error, TooLongError) or error.is_rubbish:
            return unreadable(self.server.address, str(error))
        key = self.server.key
        return of_error_event(self.server.address, error.told, error.code, key=key, is_first=is_first)

    def _finished(
        self, answer: Answer, request: ChatRequest, reason: FinishReason, notes: tuple[str, ...] = ()
    ) -> Finished:
        told, timings = answer.figures, answer.timings()
        if reason is FinishReason.STOP and request.tools and request.tool_choice is ToolChoice.REQUIRED:
            notes = (*notes, Sentence("The server did not hold the model to calling a tool, as it was asked to."))
        n_past = None if told.prompt_total is None or told.written is None else told.prompt_total + told.written
        if reason is FinishReason.LENGTH and self.model.context and n_past and n_past >= self.model.context:
            reason = FinishReason.CONTEXT_FULL
        seed = request.sampling.seed
        return Finished(
            reason,
            answer.text,
            Generation("", ()),
            timings,
            seed if seed != RANDOM_SEED and "seed" in self._shape.understood else None,
            n_past,
            self._reuse(answer),
            (*notes, answer.note) if answer.note else notes,
            reasoning=answer.reasoning,
            reasoning_ms=answer.reasoning_ms,
            tool_calls=(*(request.messages[-1].tool_calls if request.continues else ()), *answer.calls),
            reasoning_n=told.reasoning_n if answer.reasoning else 0,
        )

    def _reuse(self, answer: Answer) -> str:
        told = answer.figures
        if told.prompt_total is None or told.cached is None:
            return Sentence("The server does not tell what it reused.")
        template = "The server reused {cached:,} of {total:,} entries."
        return Sentence(template, cached=told.cached, total=told.prompt_total)
