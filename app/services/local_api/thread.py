"""An HTTP server on an asyncio loop in a thread of its own, so that no client can slow the window."""

import asyncio
import errno
import logging
import math
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.core.sentence import Sentence
from app.remote.pairing.listening import everywhere
from app.services.local_api.http_limits import HttpLimits

if TYPE_CHECKING:
    import ssl

    from aiohttp import web

    from app.services.local_api.http_connections import Connections

_log = logging.getLogger(__name__)
_http_log = logging.getLogger(f"{__name__}.http")

_GRACE = 0.25
"""Seconds that requests have to end by themselves once the server stops."""
_KEEP_ALIVE = 75.0
"""Seconds that an idle connection is kept for the client's next request."""
_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_QUIET = 60.0
"""Seconds between two lines of the log about the same want."""


class ApiThread:
    """Runs one aiohttp application. `start` and `stop` are awaited on the caller's own loop, once each."""

    def __init__(
        self,
        make_application: "Callable[[], web.Application]",
        host: str,
        port: int,
        *,
        patience: HttpLimits | None = None,
        tls: "Callable[[], ssl.SSLContext] | None" = None,
    ) -> None:
        """Without a `host` all addresses are listened at.

        `make_application` is called in the new thread; handlers are cancelled when their client goes away, and get
        bodies as they are sent, packed or not. `tls` is asked in it, too, for whom only encrypted connections are.
        """
        self._patience = patience or HttpLimits()
        self._tls = tls
        self._make_application = make_application
        self._host = host
        self._port = port
        self._ready: Future[int] = Future()
        self._ended: Future[None] = Future()
        for future in (self._ready, self._ended):
            future.set_running_or_notify_cancel()  # who gives up waiting for it does not cancel it
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="api", daemon=True)

    async def start(self) -> int:
        """Listen. Returns the port, which is a free one where 0 was asked for. Raises UserError."""
        self._thread.start()
        return await asyncio.wrap_future(self._ready)

    async def stop(self) -> None:
        """Take no more requests, end those that are open, and end the thread. Without a start it does nothing."""
        if self._thread.ident is None:
            return
        await asyncio.gather(asyncio.wrap_future(self._ready), return_exceptions=True)
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended by itself, and is closed
                self._loop.call_soon_threadsafe(self._stop.set)
        await asyncio.wrap_future(self._ended)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self._fail(_explain(self._host, self._port, error))
        except Exception as error:  # noqa: BLE001 - whoever awaits the start must hear of it
            self._fail(error)
        finally:
            self._ended.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._ready.done():
            _log.error("The local API ended by an error", exc_info=error)
        else:
            self._ready.set_exception(error)

    async def _serve(self) -> None:
        # Imported here, off the thread that draws the window: it takes 0.14 s.
        from aiohttp import web

        from app.services.local_api.http_connections import Connections

        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_Complaints().hear)
        runner = web.AppRunner(self._make_application(), handler_cancellation=True, shutdown_timeout=_GRACE)
        await runner.setup()
        assert runner.server is not None
        connections = Connections(
            runner.server,
            self._patience,
            access_log=None,
            logger=_http_log,
            keepalive_timeout=_KEEP_ALIVE,
            # Nothing is unpacked for who has no key.
            auto_decompress=False,
        )
        try:
            await self._listen(connections)
        finally:
            connections.close()
            await runner.cleanup()

    async def _listen(self, connections: "Connections") -> None:
        loop = asyncio.get_running_loop()
        hosts = self._host if "," not in self._host else [each.strip() for each in self._host.split(",")]
        context = self._tls() if self._tls is not None else None
        if self._host:
            server = await loop.create_server(connections, hosts, self._port, ssl=context)
        else:
            # One socket for both families: two would get different ports where any will do.
            server = await loop.create_server(connections, sock=everywhere(self._port), ssl=context)
        watching = loop.create_task(connections.watch())
        try:
            self._ready.set_result(server.sockets[0].getsockname()[1])
            await self._stop.wait()
        finally:
            watching.cancel()
            server.close()


class _Complaints:
    """What goes wrong on the loop by itself. At the limit of open files asyncio complains a hundred times a second."""

    def __init__(self) -> None:
        self._last = -math.inf

    def hear(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in _SHORT:
            loop.default_exception_handler(context)
        elif loop.time() - self._last > _QUIET:
            self._last = loop.time()
            _log.warning("No connection can be accepted at the moment: %s", error.strerror)


def _tame(record: logging.LogRecord) -> bool:
    """A malformed request is no news to a person, and its bytes may be what somebody said."""
    record.levelno, record.levelname = logging.INFO, "INFO"
    record.exc_info = None
    return True


_http_log.addFilter(_tame)


def _explain(host: str, port: int, error: OSError) -> UserError:
    if error.errno == errno.EADDRINUSE:
        sentence = Sentence(
            "Port {port} is in use by another program. Choose another port, or 0 for any free one.", port=port
        )
    elif error.errno == errno.EACCES:
        sentence = Sentence("You are not allowed to listen on port {port}. Choose one above 1023.", port=port)
    elif isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        sentence = Sentence("{host} is no address of this computer. Choose 127.0.0.1, or one that is.", host=host)
    else:
        sentence = Sentence(
            "The local API can't listen on {host}, port {port}: {reason}.",
            host=host,
            port=port,
            reason=error.strerror or error,
        )
    return UserError(sentence, detail=repr(error))
