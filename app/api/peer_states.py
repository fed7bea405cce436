"""What the model holds of a paired computer's own conversation, handed to it, and taken from it."""

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

from aiohttp import web

from app.api.answering import Answering
from app.api.auth import conversation_of
from app.api.errors import ApiError
from app.core.errors import UserError
from app.remote.moving import HELD, STATE

_CHUNK = 1 << 20
_SPARE = 1 << 30
"""Bytes of the disk that are left alone."""
_NAME = "The state that was sent"
"""Stands in sentences."""


class PeerStates:
    """Served to paired computers alone; each reaches what it asked itself alone. Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._promised = 0
        """Bytes that are still to come, of all that are being sent."""

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get(HELD, self.held)
        router.add_get(STATE, self.fetch)
        router.add_put(STATE, self.take)

    async def held(self, request: web.Request) -> web.StreamResponse:
        conversation = _named(request)

        async def answer() -> web.StreamResponse:
            return web.json_response(asdict(await self._answering.source.held_state(conversation)))

        return await self._answering.in_turn(request, answer)

    async def fetch(self, request: web.Request) -> web.StreamResponse:
        """The state, as a file. It is sent when others have their turn again."""
        conversation = _named(request)
        async with _folder() as folder:
            path = folder / _NAME

            async def save() -> web.StreamResponse:
                try:
                    done = await self._answering.source.save_state(path, conversation)
                except UserError as error:
                    raise ApiError(404, error.sentence, code="no_state", retry=False) from error
                if done is None:
                    raise ApiError(503, "It was stopped before its end.", code="stopped", retry=False)
                return web.Response()

            await self._answering.in_turn(request, save)
            response = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
            response.content_length = path.stat().st_size
            await response.prepare(request)
            with path.open("rb") as file:
                while data := await asyncio.to_thread(file.read, _CHUNK):
                    await response.write(data)
            await response.write_eof()
            return response

    async def take(self, request: web.Request) -> web.StreamResponse:
        conversation = _named(request)
        async with _folder() as folder:
            path = folder / _NAME
            await self._receive(request, path)

            async def restore() -> web.StreamResponse:
                began = time.monotonic()
                try:
                    await self._answering.source.try_state(path)
                    done = await self._answering.source.restore_state(path, conversation, foreign=True)
                except UserError as error:
                    raise ApiError(400, error.sentence, code="invalid_state", retry=False) from error
                return web.json_response({"entries": done.n_entries, "seconds": time.monotonic() - began})

            return await self._answering.in_turn(request, restore)

    async def _receive(self, request: web.Request, path: Path) -> None:
        """As much as is said to come, and no more than the disk has for all that come. Raises ApiError."""
        size, room = request.content_length, shutil.disk_usage(path.parent).free - _SPARE - self._promised
        if size is None:
            raise ApiError(411, "Content-Length has to be told.", code="no_length", retry=False)
        if size > room:
            raise ApiError(413, "There is no room on the disk for this state.", code="no_room", retry=False)
        self._promised += size
        try:
            with path.open("wb") as file:
                async for data in request.content.iter_chunked(_CHUNK):
                    await asyncio.to_thread(file.write, data)
                    self._promised, size = self._promised - len(data), size - len(data)
        finally:
            self._promised -= size


def _named(request: web.Request) -> str:
    """Raises ApiError."""
    if not (conversation := conversation_of(request)):
        raise ApiError(400, "X-Session-ID has to name the conversation.", code="no_session", retry=False)
    return conversation


@asynccontextmanager
async def _folder() -> AsyncIterator[Path]:
    made = await asyncio.to_thread(tempfile.mkdtemp, prefix="hearth-state-")
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)
