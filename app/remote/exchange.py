"""One request to a server and its answer, which can be stopped in whatever phase it is."""

import contextlib
import json
import logging
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from app.core.errors import UserError
from app.remote.address import ServerAddress
from app.remote.failures import BrokenError, of_network, quiet_for
from app.remote.pipe import ClosedPipeError, Pipe
from app.remote.stop_signal import StopSignal

_PIECE = 1 << 20
_log = logging.getLogger(__name__)

_SENDABLE = re.compile(r"[!-~]+(?: +[!-~]+)*")
"""What httpx takes for a header's value; what it says of anything else would tell the key to the log."""


class StoppedError(Exception):
    """Somebody set the stop signal."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds; tests have less."""

    connect: float = 10.0
    write: float = 30.0
    first: float | None = None
    """Until the first byte: a long prompt is read in silence, so nothing but a person ends this."""
    between: float = 90.0
    """Without a byte, once the first was there."""
    after: float = 5.0
    """Without a byte, once the end of the answer was told: figures may follow, and some keep the connection."""


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer, by names in lower case."""

    status: int
    headers: Mapping[str, str]

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is asked; holds a key."""

    method: str
    url: str
    body: Mapping[str, object] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    file: Path | None = None
    """Sent as it is, in place of a body."""


class Exchange:
    """Made by whoever reads it; a daemon thread of its own holds the connection, since names are looked up, connections
    made and answers begun in calls that nothing can interrupt. No connection is used twice: servers close idle ones,
    and a question must not be asked again because of that. Redirects are not followed: a key goes to nobody else.
    """

    def __init__(self, address: ServerAddress, key: str, asked: Outgoing, patience: Patience, stop: StopSignal) -> None:
        self._address = address
        self._key = key
        self._asked = asked
        self._patience = patience
        self._stop = stop
        self._pipe = Pipe()
        self._head: Head | None = None
        self._head_there = threading.Event()
        self._connection: Any = None
        """httpcore's network stream."""
        self._halted = False
        self._thread = threading.Thread(target=self._run, name="server-exchange", daemon=True)
        self._calls = stop.calls(self.halt)

    def __enter__(self) -> "Exchange":
        self._calls.__enter__()
        if not self._stop.is_set:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._calls.__exit__(None, None, None)
        self.halt()

    def halt(self) -> None:
        """Cut the connection. From any thread; what waits in this one ends at once."""
        self._halted = True
        self._pipe.close()
        self._head_there.set()
        self._shut()

    def head(self) -> Head:
        """Raises StoppedError, BrokenError, and UserError with a sentence."""
        if not self._head_there.wait(self._patience.first):
            raise BrokenError(quiet_for(self._address, self._patience.first or 0.0))
        if self._halted:
            raise StoppedError
        if self._head is None:
            self._take(0.0)
            raise AssertionError("an exchange without a head ends with an error")
        return self._head

    def pieces(self, is_over: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
        """The body as it comes; where `is_over`, little is waited for what may come besides. Raises as `head` does, and
        BrokenError where the server falls silent.
        """
        seconds = self._patience.first
        while data := self._take(seconds):
            yield data
            seconds = self._patience.after if is_over() else self._patience.between

    def body(self, longest: int) -> bytes:
        """All of it, or somewhat more than `longest` bytes."""
        found = bytearray()
        for data in self.pieces():
            found += data
            if len(found) > longest:
                break
        return bytes(found)

    def _take(self, seconds: float | None) -> bytes:
        try:
            data = self._pipe.take(seconds)
        except ClosedPipeError as error:
            raise StoppedError from error
        if data is None:
            raise BrokenError(quiet_for(self._address, seconds or 0.0))
        return data

    def _run(self) -> None:
        import httpx2

        try:
            with contextlib.closing(self._client()) as client, self._answer(client) as answer:
                self._head = Head(answer.status_code, {name.lower(): value for name, value in answer.headers.items()})
                self._head_there.set()
                for data in answer.iter_bytes():
                    self._pipe.put(data)
            self._pipe.end()
        except ClosedPipeError:
            pass
        except UserError as error:
            self._pipe.end(error)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError, ImportError) as error:
            # Headers that are no text are ValueErrors, and a proxy by SOCKS wants a package that is not there.
            self._pipe.end(of_network(error, self._address))
        except Exception as error:  # noqa: BLE001 - who reads must hear of the end, whatever it was
            if not self._halted:  # a connection that is shut under its reader fails in many ways
                _log.exception("An exchange with a server failed")
            self._pipe.end(UserError("The server's answer can't be read.", detail=repr(error)))
        finally:
            self._head_there.set()

    def _client(self) -> Any:
        import httpx2

        patience = self._patience
        timeout = httpx2.Timeout(None, connect=patience.connect, write=patience.write)
        # What is on this computer or in a network of one's own is no proxy's business. Without TLS nothing is verified,
        # and the system's certificates need not be read.
        return httpx2.Client(
            verify=self._trusted(),
            timeout=timeout,
            trust_env=not self._address.is_private and self._address.pin is None,
        )

    def _trusted(self) -> "ssl.SSLContext | bool":
        if self._address.pin is not None:
            return self._address.pin.context()
        return _trust() if self._address.is_encrypted else False

    def _answer(self, client: Any) -> Any:
        asked = self._asked
        # Proxies that compress hold back what came until there is more of it.
        headers = {"Accept-Encoding": "identity", "Connection": "close", **asked.headers}
        if self._key:
            if not _SENDABLE.fullmatch(self._key):
                told = "The key of {server} holds characters that no key has, such as a line break. Copy it anew."
                raise UserError(told, server=self._address.shown)
            headers["Authorization"] = f"Bearer {self._key}"
        content: bytes | Iterator[bytes] | None = None
        if asked.file is not None:
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Length"] = str(asked.file.stat().st_size)
            content = _pieces_of(asked.file)
        if asked.body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(asked.body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        return client.stream(asked.method, asked.url, content=content, headers=headers, extensions={"trace": self._saw})

    def _saw(self, event: str, told: Mapping[str, Any]) -> None:
        """httpcore's trace: a connection is known from here on, long before it answers."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._connection = told.get("return_value")
        if self._halted:
            self._shut()

    def _shut(self) -> None:
        stream = self._connection
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is not None:
            with contextlib.suppress(OSError):
                # Not by its own method, which takes a TLS connection to pieces under the thread that reads from it.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _pieces_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(_PIECE):
            yield data


@cache
def _trust() -> ssl.SSLContext:
    """The system's certificates, which companies add theirs to; SSL_CERT_FILE as OpenSSL reads it."""
    import httpx2

    return httpx2.create_ssl_context()
