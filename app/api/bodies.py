"""The bodies of all requests that are open: how they are read and understood beside the event loop, and how much they
hold.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from aiohttp import hdrs, web

from app.api.body_json import decoded, too_large, unpacked
from app.api.errors import ApiError
from app.api.limits import Limits

_SIZE = web.RequestKey("size", int)
_LARGE = 1 << 18
"""Bytes from which on bodies are worked on one after the other, so that they can't take all of the processor."""
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


class Bodies:
    """Lives on one event loop. The server runs with `auto_decompress=False`, or bodies are unpacked before anybody asks
    for a key.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held = 0
        """Bytes."""
        self._large = ThreadPoolExecutor(1, "large bodies")

    def close(self) -> None:
        self._large.shutdown(wait=False, cancel_futures=True)

    def forget(self, request: web.Request) -> None:
        """To be called once a request has ended."""
        self._held -= request.get(_SIZE, 0)

    async def json(self, request: web.Request) -> object:
        """What the body says. Raises ApiError."""
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await self._read(request)
        except TimeoutError:
            raise ApiError(408, "The body came too slowly.", code="request_timeout") from None
        except web.RequestPayloadError:
            raise ApiError(400, "The body did not come whole.") from None
        encoding = request.headers.get(hdrs.CONTENT_ENCODING, "")
        plain = await self.aside(request, unpacked, body, encoding, self._limits.body)
        self._hold(request, len(plain) - len(body))
        return await self.aside(request, decoded, plain, self._limits)

    async def aside(
        self, request: web.Request, work: Callable[_Given, _Made], *args: _Given.args, **more: _Given.kwargs
    ) -> _Made:
        """What `work` makes of a body or of an answer, in a thread: whatever its size, others are served meanwhile."""
        large = self._large if request.get(_SIZE, 0) > _LARGE else None
        return await asyncio.get_running_loop().run_in_executor(large, partial(work, *args, **more))

    async def _read(self, request: web.Request) -> bytes:
        if (request.content_length or 0) > self._limits.body:
            raise too_large(self._limits.body)
        pieces, size = [], 0
        async for piece in request.content.iter_any():
            self._hold(request, len(piece))
            pieces.append(piece)
            size += len(piece)
            if size > self._limits.body:
                raise too_large(self._limits.body)
        return b"".join(pieces)

    def _hold(self, request: web.Request, size: int) -> None:
        self._held += size
        request[_SIZE] = request.get(_SIZE, 0) + size
        if self._held > self._limits.bodies:
            raise ApiError(429, "Too much is being sent at once. Try again later.", code="too_many_requests")
