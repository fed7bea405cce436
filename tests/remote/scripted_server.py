"""A server on loopback that says byte by byte what a test wants, and knows who hung up."""

import contextlib
import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from app.remote.address import ServerAddress


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Caller:
    """One connection, after its request was read."""

    def __init__(self, connection: socket.socket, ended: threading.Event) -> None:
        self._connection = connection
        self._ended = ended
        self.hung_up = threading.Event()

    def send(self, data: bytes) -> None:
        try:
            self._connection.sendall(data)
        except OSError:
            self.hung_up.set()

    def wait_for_hang_up(self) -> None:
        """Returns when the other side has closed, or the server ends."""
        self._connection.settimeout(0.05)
        while not self._ended.is_set():
            try:
                if not self._connection.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        self.hung_up.set()


Script = Callable[[Caller], None]


@dataclass
class ScriptedServer:
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    scripts: deque[Script] = field(default_factory=deque)
    """For requests in order; the last one stays."""
    routes: dict[str, bytes] = field(default_factory=dict)
    """Whole answers, by path; before any script."""
    callers: list[Caller] = field(default_factory=list)

    @property
    def address(self) -> ServerAddress:
        return ServerAddress.typed(f"127.0.0.1:{self.port}")

    def answer(self, asked: Asked, caller: Caller) -> None:
        if asked.path == "/metrics" and asked.path not in self.routes:
            caller.send(head(404))  # nothing is counted, and nobody asks for an answer by it
            return
        self.asked.append(asked)
        self.callers.append(caller)
        if (told := self.routes.get(asked.path)) is not None:
            caller.send(told)
        elif self.scripts:
            (self.scripts.popleft() if len(self.scripts) > 1 else self.scripts[0])(caller)
        else:
            caller.send(head(404) + b'{"error":{"message":"no route"}}')


def head(status: int = 200, content_type: str = "application/json", **headers: str) -> bytes:
    """Of an answer that ends with its connection."""
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nConnection: close\r\n{more}\r\n".encode()


def whole(said: object, status: int = 200, **headers: str) -> bytes:
    return head(status, **headers) + json.dumps(said).encode()


def events(*payloads: object) -> bytes:
    """Server-sent events, with their head."""
    return head(200, "text/event-stream") + b"".join(map(event, payloads))


def event(payload: object) -> bytes:
    text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def says(text: str, **more: object) -> dict[str, object]:
    """A chunk of content."""
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}], **more}


def ends(reason: str = "stop", **more: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], **more}


def sending(data: bytes) -> Script:
    return lambda caller: caller.send(data)


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    with served(server):
        yield server


@contextmanager
def served(server: ScriptedServer) -> Iterator[None]:
    """Its threads have ended when this has."""
    ended = threading.Event()
    threads: list[threading.Thread] = []
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen(64)
        server.port = door.getsockname()[1]
        listener = threading.Thread(target=_listen, args=(door, server, ended, threads))
        listener.start()
        try:
            yield
        finally:
            ended.set()
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.port), 1):
                pass
            listener.join()
            for each in threads:
                each.join()


def _listen(
    door: socket.socket, server: ScriptedServer, ended: threading.Event, threads: list[threading.Thread]
) -> None:
    while not ended.is_set():
        connection, _ = door.accept()
        thread = threading.Thread(target=_serve, args=(connection, server, ended))
        threads.append(thread)
        thread.start()


def _serve(connection: socket.socket, server: ScriptedServer, ended: threading.Event) -> None:
    with connection:
        connection.settimeout(10)
        try:
            asked = _read(connection)
        except OSError:
            return
        if asked is not None and not ended.is_set():
            server.answer(asked, Caller(connection, ended))
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)


def _read(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    top, body = data.split(b"\r\n\r\n", 1)
    first, *lines = top.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    return Asked(method, path, headers, body)
