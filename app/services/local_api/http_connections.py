"""The connections of an HTTP server: how many there may be, and how long one may say or take nothing."""

import asyncio
import json
from http import HTTPStatus
from typing import Any

from aiohttp import web

from app.services.local_api.http_limits import HttpLimits


class Connections:
    """Makes the protocol of each connection that is accepted. Lives on one event loop."""

    def __init__(self, server: web.Server, patience: HttpLimits, **options: Any) -> None:
        """`options` are `web.RequestHandler`'s."""
        self.server = server
        self.patience = patience
        self.options = options
        self.open: set[_Connection] = set()
        self._refused: set[_Refused] = set()

    def __call__(self) -> asyncio.Protocol:
        if len(self.open) >= self.patience.connections:
            # Whoever says nothing makes room: at any time a server may end a connection that waits.
            idle = min((each for each in self.open if each.may_go), key=lambda each: each.since, default=None)
            if idle is None:
                return _Refused(self._refused)
            idle.end()
        return _Connection(self)

    async def watch(self) -> None:
        """Ends connections that ask or take nothing, until it is cancelled."""
        while True:
            await asyncio.sleep(self.patience.look_every)
            now = asyncio.get_running_loop().time()
            for each in list(self.open):
                each.look(now)

    def close(self) -> None:
        for each in list(self._refused):
            each.end()


class _Connection(web.RequestHandler):
    """aiohttp's, watched, and with errors that are OpenAI's objects and repeat nothing of what came."""

    def __init__(self, owner: Connections) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(owner.server, loop=loop, **owner.options)
        self.since = loop.time()
        """When it began, or when its client last took something."""
        self._owner = owner
        self._wire: asyncio.Transport | None = None
        self._unread = 0
        """Bytes."""

    @property
    def may_go(self) -> bool:
        """It waits for its client, who takes nothing and sends nothing, or too slowly."""
        asked = self._current_request
        if asked is not None and not asked.content.is_eof():
            return self._loop.time() - self.since > self._owner.patience.bodies
        return not self._request_in_progress and not self._messages and not self._unread_now()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._wire = transport
        self._owner.open.add(self)
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._owner.open.discard(self)
        super().connection_lost(exc)

    def end(self) -> None:
        self._owner.open.discard(self)
        self.force_close()

    def look(self, now: float) -> None:
        unread = self._unread_now()
        if unread != self._unread:
            self._unread, self.since = unread, now
        if unread and now - self.since > self._owner.patience.unread:
            assert self._wire is not None
            self._wire.abort()
        elif not self._request_count and now - self.since > self._owner.patience.headers:
            self.end()

    def _unread_now(self) -> int:
        return self._wire.get_write_buffer_size() if self._wire is not None else 0

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        # What is wrong with a request may be what somebody said.
        self.logger.info("A request could not be read: %s", type(exc).__name__)
        response = web.Response(status=status, body=_error(status), content_type="application/json")
        response.force_close()
        return response


class _Refused(asyncio.Protocol):
    """One connection too many: it is told, and has a moment to read that."""

    _MOST = 64
    _MOMENT = 1.0
    """Seconds."""

    def __init__(self, others: "set[_Refused]") -> None:
        self._others = others
        self._transport: asyncio.Transport | None = None
        self._ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._others) >= self._MOST:
            transport.abort()
            return
        self._others.add(self)
        self._ending = asyncio.get_running_loop().call_later(self._MOMENT, self.end)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        body = _error(503)
        head = f"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        self._transport.write(f"{head}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n".encode() + body)
        self._transport.close()

    def connection_lost(self, exc: BaseException | None) -> None:
        self._others.discard(self)
        if self._ending is not None:
            self._ending.cancel()

    def end(self) -> None:
        if self._transport is not None:
            self._transport.abort()


_TOLD = {
    400: ("This is no HTTP request that can be read.", "bad_request"),
    503: ("Too many connections are open. Try again later.", "too_many_connections"),
}


def _error(status: int) -> bytes:
    """OpenAI's error object."""
    message, code = _TOLD.get(status, (f"{HTTPStatus(status).phrase}.", None))
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()
