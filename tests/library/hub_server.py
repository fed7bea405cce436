"""A small hub on loopback: search, repositories, files with ranges, and every fault that a hub can have."""

import asyncio
import hashlib
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

_COMMIT = "c" * 40


@dataclass
class Fault:
    """What happens to one request for a file."""

    status: int = 0
    """Answer with this instead."""
    retry_after: str = ""
    break_after: int = -1
    """Close the connection after so many bytes."""
    stall_after: int = -1
    """Send nothing more after so many bytes, and keep the connection."""
    silent: bool = False
    """Say nothing at all, and keep the connection."""
    no_ranges: bool = False
    corrupt_at: int = -1
    """Flip the byte of the file at this place, if it is sent."""
    lie: int = 0
    """Announce so many more bytes than there are."""
    shifted: int = 0
    """Send what lies so many bytes behind what was asked for."""


@dataclass
class Repo:
    files: dict[str, bytes] = field(default_factory=dict)
    gated: bool = False
    info: dict[str, Any] = field(default_factory=dict)


class FakeHub:
    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.faults: deque[Fault] = deque()
        """For the requests for files, in order; then all goes well."""
        self.fault: Callable[[], Fault | None] = lambda: None
        """Asked when `faults` is empty."""
        self.asked: list[str] = []
        """Path of each request that is not for a file."""
        self.requests: list[tuple[str, str]] = []
        """Path and range of each request for a file."""
        self.api_status = 0
        self.api_stalls = False
        """Say nothing, until the one who asks has gone."""
        self.api_wait = ""
        """Retry-After of such an answer."""
        self.pages: dict[str, bytes] = {}
        """What else is served, by path."""
        self.token = "hf_right"
        self.redirects = False
        self.elsewhere = ""
        """Where redirects lead to; empty for the same server."""
        self.linked = ""
        """What redirects say of the file that they lead to, in X-Linked-Etag."""
        self.etags: deque[str] = deque()
        """One for each answer with a file, in order."""
        self.tokens: set[str] = set()
        """Names of this server under which a token came with a request for a file."""
        self.sent = 0
        self.announced: dict[str, str] = {}
        """Hashes that are told instead of the right ones, by file."""
        self.url = ""
        self.is_ending = False
        self.transports: set[asyncio.Transport] = set()

    def add(self, repo: str, name: str, data: bytes, **info: Any) -> None:
        self.repos.setdefault(repo, Repo()).files[name] = data
        self.repos[repo].info.update(info)

    def file_url(self, repo: str, name: str) -> str:
        return f"{self.url}/{repo}/resolve/{_COMMIT}/{name}"

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._note])
        app.router.add_get("/api/models", self._list)
        app.router.add_get("/api/models/{org}/{name}", self._info)
        app.router.add_get("/api/models/{org}/{name}/revision/{revision}", self._info)
        app.router.add_get("/{org}/{name}/resolve/{revision}/{path:.+}", self._resolve)
        app.router.add_get("/cdn/{org}/{name}/{path:.+}", self._cdn)
        app.router.add_get("/{name}", self._page)
        return app

    @web.middleware
    async def _note(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith("/api/"):
            self.asked.append(request.path)
        if request.transport is not None:
            self.transports.add(request.transport)
        return await handler(request)

    def _note_token(self, request: web.Request) -> None:
        if request.headers.get("Authorization"):
            self.tokens.add(request.host.partition(":")[0])

    def _allowed(self, request: web.Request, repo: Repo) -> web.Response | None:
        if not repo.gated:
            return None
        told = request.headers.get("Authorization", "")
        if told == f"Bearer {self.token}":
            return None
        return web.Response(status=403 if told else 401, headers={"X-Error-Code": "GatedRepo"})

    async def _page(self, request: web.Request) -> web.Response:
        data = self.pages.get(request.path)
        return web.Response(status=404) if data is None else web.Response(body=data)

    def _trouble(self) -> web.Response:
        return web.Response(status=self.api_status, headers={"Retry-After": self.api_wait} if self.api_wait else {})

    async def _stall(self, request: web.Request) -> None:
        while self.api_stalls and request.transport is not None and not request.transport.is_closing():
            await asyncio.sleep(0.05)

    async def _list(self, request: web.Request) -> web.Response:
        await self._stall(request)
        if self.api_status:
            return self._trouble()
        wanted = request.query.get("search", "").lower()
        licence = [each for each in request.query.getall("filter", []) if each.startswith("license:")]
        found = [self._model(name, repo) for name, repo in self.repos.items() if wanted in name.lower()]
        found = [each for each in found if all(tag in each["tags"] for tag in licence)]
        found.sort(key=lambda each: -each.get(request.query.get("sort", "downloads"), 0))
        return web.json_response(found[: int(request.query.get("limit", "100"))])

    async def _info(self, request: web.Request) -> web.Response:
        if self.api_status:
            return self._trouble()
        name = f"{request.match_info['org']}/{request.match_info['name']}"
        repo = self.repos.get(name)
        if repo is None:
            return web.Response(status=404, headers={"X-Error-Code": "RepoNotFound"})
        return web.json_response(self._model(name, repo))

    def _model(self, name: str, repo: Repo) -> dict[str, Any]:
        siblings = [
            {
                "rfilename": path,
                "size": len(data),
                "lfs": {
                    "sha256": self.announced.get(path, hashlib.sha256(data).hexdigest()),
                    "size": len(data),
                    "pointerSize": 1,
                },
            }
            if path.endswith(".gguf")
            else {"rfilename": path, "size": len(data)}
            for path, data in repo.files.items()
        ]
        return {
            "_id": name, "id": name, "modelId": name, "sha": _COMMIT, "private": False, "siblings": siblings,
            "gated": "manual" if repo.gated else False, "tags": ["gguf"], "downloads": 1, "likes": 1,
            "lastModified": "2025-06-01T00:00:00.000Z", "createdAt": "2025-06-01T00:00:00.000Z", **repo.info,
        }  # fmt: skip

    def _hash(self, path: str, data: bytes) -> str:
        return self.announced.get(path, hashlib.sha256(data).hexdigest())

    async def _resolve(self, request: web.Request) -> web.StreamResponse:
        repo = self.repos.get(f"{request.match_info['org']}/{request.match_info['name']}")
        if repo is None or request.match_info["path"] not in repo.files:
            return web.Response(status=404, headers={"X-Error-Code": "EntryNotFound"})
        self._note_token(request)
        if refused := self._allowed(request, repo):
            return refused
        if self.redirects:
            place = f"{request.match_info['org']}/{request.match_info['name']}/{request.match_info['path']}"
            where = f"{self.elsewhere}/cdn/{place}"
            linked = {"X-Linked-Etag": self.linked} if self.linked else {}
            return web.Response(status=302, headers={"Location": where, **linked})
        return await self._send(request, repo.files[request.match_info["path"]])

    async def _cdn(self, request: web.Request) -> web.StreamResponse:
        repo = self.repos[f"{request.match_info['org']}/{request.match_info['name']}"]
        return await self._send(request, repo.files[request.match_info["path"]])

    async def _send(self, request: web.Request, data: bytes) -> web.StreamResponse:
        fault = self.faults.popleft() if self.faults else self.fault() or Fault()
        wanted = request.headers.get("Range", "")
        self.requests.append((request.path, wanted))
        self._note_token(request)
        while fault.silent and request.transport is not None and not request.transport.is_closing():
            await asyncio.sleep(0.05)
            if self.is_ending:
                break
        if fault.status:
            headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            return web.Response(status=fault.status, headers=headers)
        if fault.corrupt_at >= 0:
            changed = bytearray(data)
            changed[fault.corrupt_at] ^= 1
            data = bytes(changed)
        answer = web.StreamResponse()
        if self.etags:
            answer.headers["ETag"] = self.etags.popleft()
        total = len(data) + fault.lie
        if wanted and not fault.no_ranges:
            first, last = (int(each) for each in wanted.removeprefix("bytes=").split("-"))
            first += fault.shifted
            data = data[first : last + 1]
            answer.set_status(206)
            answer.headers["Content-Range"] = f"bytes {first}-{first + len(data) - 1}/{total}"
            answer.headers["Content-Length"] = str(len(data))
        else:
            answer.headers["Content-Length"] = str(total)
        await answer.prepare(request)
        try:
            if fault.break_after >= 0:
                self.sent += len(data[: fault.break_after])
                await answer.write(data[: fault.break_after])
                assert request.transport
                request.transport.close()
                return answer
            if fault.stall_after >= 0:
                await answer.write(data[: fault.stall_after])
                while request.transport is not None and not request.transport.is_closing():
                    await asyncio.sleep(0.05)
                return answer
            for at in range(0, len(data), 8192):
                self.sent += len(data[at : at + 8192])
                await answer.write(data[at : at + 8192])
        except ConnectionError:
            pass
        return answer


@contextmanager
def running(hub: FakeHub) -> Iterator[FakeHub]:
    """Serves in a thread of its own until the block ends."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    end = asyncio.Event()

    async def serve() -> None:
        runner = web.AppRunner(hub.app(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        assert runner.addresses
        hub.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        await end.wait()
        hub.is_ending = True
        await runner.cleanup()
        for each in hub.transports:
            # Closed alone, one would go on as long as there is something that nobody reads.
            each.abort()
        # Sockets are closed a turn of the loop later.
        for _ in range(3):
            await asyncio.sleep(0)

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield hub
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()
