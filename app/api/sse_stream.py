"""One request's answers: asked for one after another, told whole or as a stream, of server-sent events or lines."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from aiohttp import HttpVersion11, web

from app.api.errors import ApiError, Json
from app.api.limits import Limits
from app.api.usage import together, total_timings
from app.core.events import Finished, FinishReason, HeldState, ModelInfo, ReplyEvent, SavedState, TextDelta
from app.core.likelihood import Likelihood, LikelihoodRequest
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest, PromptText, TokenRequest, Tokens
from app.core.sampling import MAX_SEED, RANDOM_SEED
from app.services.engine.states import ModelPlace

DONE = b"data: [DONE]\n\n"
_STILL_HERE = b": reading\n\n"
"""A comment, which clients pass over; it keeps them from thinking that nobody is there."""
_SOME = 1 << 16
"""Bytes that a client has to read for its answer to go on."""
_QUIET = 10.0
"""Seconds without a word to the client."""


class ReplySource(Protocol):
    """What answers: `app.services.engine.reply_stream.ReplyStream`, or a test's stand-in."""

    @property
    def model(self) -> ModelInfo | None: ...

    @property
    def place(self) -> ModelPlace | None: ...
    @property
    def kept_bytes(self) -> int: ...

    @property
    def is_loading(self) -> bool: ...

    @property
    def progress(self) -> tuple[ModelRef, float] | None: ...

    async def load(self, model: ModelRef) -> None: ...

    async def loaded(self) -> ModelInfo | None: ...

    def reply(self, request: ChatRequest) -> AsyncGenerator[ReplyEvent, None]: ...

    async def tokens(self, request: TokenRequest) -> Tokens: ...

    async def prompt(self, request: ChatRequest) -> PromptText: ...

    async def move(self, wanted: ModelPlace) -> ModelPlace | None: ...

    async def likelihood(self, request: LikelihoodRequest) -> Likelihood | None: ...

    async def held_state(self, conversation: str) -> HeldState: ...

    async def save_state(self, path: Path, conversation: str = "") -> SavedState | None: ...

    async def try_state(self, path: Path) -> None: ...

    async def restore_state(self, path: Path, conversation: str = "", *, foreign: bool = False) -> SavedState: ...

    async def erase_slot(self) -> int: ...


class Objects(Protocol):
    """Makes the objects that a client is sent in its dialect. One that says its `type` is sent as an event of that
    name.
    """

    @property
    def done(self) -> bytes:
        """What ends a stream behind its last object."""

    def opening(self, index: int) -> list[Json]: ...

    def chunks(self, event: ReplyEvent, index: int) -> list[Json]: ...

    def ending(self, finished: Finished, index: int, told: int) -> list[Json]: ...

    def closing(self, answers: Sequence[Finished], last: list[Json]) -> list[Json]: ...

    def failing(self, error: ApiError) -> list[Json]:
        """An answer that breaks off."""

    def waiting(self) -> list[Json]:
        """A sign of life while there is nothing to tell; a comment where there is none."""


def _event(payload: Json) -> bytes:
    name = f"event: {kind}\n" if isinstance(kind := payload.get("type"), str) else ""
    return f"{name}data: {json.dumps(payload)}\n\n".encode()


def _line(payload: Json) -> bytes:
    return json.dumps(payload).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Framing:
    """How the objects of a stream are written."""

    content_type: str
    written: Callable[[Json], bytes]


EVENTS = Framing("text/event-stream; charset=utf-8", _event)
LINES = Framing("application/x-ndjson", _line)
Explained = Callable[[], AbstractContextManager[None]]
"""Turns whatever ends an answer early into an `ApiError`."""


@dataclass(frozen=True, slots=True)
class AnswerStream:
    """What is asked for, in order: every prompt `n` times."""

    source: ReplySource
    requests: tuple[ChatRequest, ...]
    n: int
    limits: Limits
    explained: Explained
    watched: Callable[[], AbstractContextManager[Callable[[ReplyEvent], None]]]
    """Entered for each answer; what it gives is told every event before the client is."""
    framing: Framing = EVENTS

    def totalled(self, answers: Sequence[Finished]) -> Sequence[Finished]:
        """What the figures are of: several prompts count as one that is as long as all of them."""
        groups = [answers[start : start + self.n] for start in range(0, len(answers), self.n)]
        if len(groups) == 1:
            return answers
        return [together([replace(group[0], timings=total_timings(group)) for group in groups])]

    async def whole(self) -> list[Finished]:
        """All answers. Raises ApiError."""
        answers: list[Finished] = []
        with self.explained():
            for index in range(len(self)):
                async with asyncio.timeout(self.limits.seconds), aclosing(self._events(index)) as events:
                    async for event in events:
                        if isinstance(event, Finished):
                            answers.append(event)
        return answers

    def __len__(self) -> int:
        return len(self.requests) * self.n

    async def stream(self, request: web.Request, objects: Objects) -> web.StreamResponse:
        """Raises ApiError as long as nothing was sent, so that a refusal has its own HTTP status."""
        writer = _Writer(request, self.limits, objects.waiting, self.framing)
        answers: list[Finished] = []
        last: list[Json] = []
        try:
            with self.explained():
                for index in range(len(self)):
                    await writer.write(*last)
                    answer, last = await self._send(index, objects, writer)
                    answers.append(answer)
                await writer.write(*objects.closing(self.totalled(answers), last))
                await writer.send(objects.done)
        except ApiError as error:
            if not writer.response.prepared:
                raise
            await writer.write(*objects.failing(error))
        await writer.close()
        return writer.response

    async def _send(self, index: int, objects: Objects, writer: "_Writer") -> tuple[Finished, list[Json]]:
        """Send one answer but its last objects, which are given back with what they end."""
        opened, told = False, 0
        async with asyncio.timeout(self.limits.seconds), aclosing(self._events(index)) as events:
            async for event in events:
                if not opened:
                    opened = True
                    await writer.write(*objects.opening(index))
                told += len(event.logprobs) if isinstance(event, TextDelta) else 0
                await writer.write(*objects.chunks(event, index))
                if isinstance(event, Finished):
                    return event, objects.ending(event, index, told)
        raise AssertionError("an answer without an end")

    async def _events(self, index: int) -> AsyncGenerator[ReplyEvent, None]:
        """The events of one answer that comes to its end."""
        asked = _with_seed(self.requests[index // self.n], index % self.n)
        with self.watched() as saw:
            async with aclosing(self.source.reply(asked)) as events:
                async for event in events:
                    if isinstance(event, Finished) and event.reason is FinishReason.CANCELLED:
                        raise ApiError(503, "The answer was stopped before its end.", code="stopped", retry=False)
                    saw(event)
                    yield event
                    if isinstance(event, Finished):
                        return


def _with_seed(asked: ChatRequest, number: int) -> ChatRequest:
    """The answer with this number to the same prompt has a seed of its own."""
    seed = asked.sampling.seed
    if not number or seed == RANDOM_SEED:
        return asked
    return replace(asked, sampling=replace(asked.sampling, seed=(seed + number) % (MAX_SEED + 1)))


class _Writer:
    """Sends events to one client, which must read them. The response begins with the first of them."""

    def __init__(
        self, request: web.Request, limits: Limits, waiting: Callable[[], list[Json]], framing: Framing
    ) -> None:
        self._written = framing.written
        self.response = web.StreamResponse(headers={"Content-Type": framing.content_type, "Cache-Control": "no-cache"})
        if request.version < HttpVersion11:
            self.response.force_close()  # it knows no chunks: a stream ends where the connection does
        self._request = request
        self._limits = limits
        self._waiting = waiting
        self._said = time.monotonic()

    async def write(self, *payloads: Json) -> None:
        if payloads:
            await self.send(b"".join(map(self._written, payloads)))
        elif time.monotonic() - self._said > _QUIET:
            await self.send(b"".join(map(self._written, self._waiting())) or _STILL_HERE)

    async def send(self, data: bytes) -> None:
        self._said = time.monotonic()
        if not self.response.prepared:
            if self._request.transport is not None:
                # What is written lies here until the client reads it; nobody waits for that as long as it is little.
                most = self._limits.unread
                self._request.transport.set_write_buffer_limits(high=most, low=max(0, most - _SOME))
            await self.response.prepare(self._request)
        transport = self._request.transport
        if transport is not None and transport.get_write_buffer_size() + len(data) <= self._limits.unread - _SOME:
            await self.response.write(data)  # it waits for nobody
        else:
            await self._patiently(self.response.write(data))

    async def close(self) -> None:
        await self._patiently(self.response.write_eof())

    async def _patiently(self, written: Awaitable[None]) -> None:
        """Raises ConnectionResetError for a client that reads nothing: others wait for its turn to end."""
        try:
            async with asyncio.timeout(self._limits.stalled):
                await written
        except TimeoutError:
            raise ConnectionResetError("the client reads nothing") from None
