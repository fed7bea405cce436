"""Connections that ask nothing, take nothing or are too many."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from app.services.local_api.http_limits import HttpLimits
from app.services.local_api.thread import ApiThread

LIMIT = 60.0
ASKS = b"GET /thread HTTP/1.1\r\nHost: a\r\n\r\n"
HANGS = b"GET /hang HTTP/1.1\r\nHost: a\r\n\r\n"
SENDS_SLOWLY = b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"
TAKES_NOTHING = b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n"


class Caller:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, request: bytes = ASKS) -> bytes:
        self.writer.write(request)
        return await self.reader.readuntil(b"\r\n\r\n")

    async def ended(self) -> None:
        """Until the other side has hung up, whatever it said before."""
        try:
            while await self.reader.read(1 << 20):
                pass
        except ConnectionError:
            pass


Call = Callable[..., Awaitable[Caller]]


arrived = threading.Semaphore(0)
"""Once for each request that is being answered and will be for long."""


async def busy(call: Call, sent: bytes) -> Caller:
    caller = await call(sent)
    assert await asyncio.to_thread(arrived.acquire, timeout=LIMIT)
    return caller


def application() -> web.Application:
    async def thread(_: web.Request) -> web.Response:
        return web.Response(text="here")

    async def hang(_: web.Request) -> web.Response:
        arrived.release()
        await asyncio.Event().wait()
        raise AssertionError

    async def body(request: web.Request) -> web.Response:
        arrived.release()
        return web.Response(body=await request.read())

    async def large(_: web.Request) -> web.Response:
        arrived.release()
        return web.Response(body=bytes(32 << 20))

    made = web.Application()
    made.router.add_get("/thread", thread)
    made.router.add_get("/hang", hang)
    made.router.add_post("/body", body)
    made.router.add_get("/large", large)
    return made


@asynccontextmanager
async def served(patience: HttpLimits) -> AsyncGenerator[Call]:
    api, callers = ApiThread(application, "127.0.0.1", 0, patience=patience), []
    port = await api.start()

    async def call(sent: bytes = b"") -> Caller:
        caller = Caller(*await asyncio.open_connection("127.0.0.1", port))
        callers.append(caller)
        caller.writer.write(sent)
        return caller

    try:
        yield call
    finally:
        for each in callers:
            each.writer.close()
        await api.stop()


async def test_one_too_many_is_told() -> None:
    async with served(HttpLimits(connections=2)) as call:
        for _ in range(2):
            await busy(call, HANGS)
        late = await call()
        assert (await late.ask()).startswith(b"HTTP/1.1 503 ")
        assert json.loads(await late.reader.read())["error"]["code"] == "too_many_connections"


async def test_the_one_that_says_nothing_for_longest_makes_room() -> None:
    async with served(HttpLimits(connections=2)) as call:
        first, second = await call(), await call()
        assert b"200" in await second.ask()
        third = await call()
        assert b"200" in await third.ask()
        await first.ended()
        assert b"200" in await second.ask()


@pytest.mark.parametrize(("patience", "told"), [(0.0, b"HTTP/1.1 200 "), (LIMIT, b"HTTP/1.1 503 ")])
async def test_a_body_that_comes_slowly_makes_room_after_a_while(patience: float, told: bytes) -> None:
    async with served(HttpLimits(connections=2, bodies=patience)) as call:
        for _ in range(2):
            await busy(call, SENDS_SLOWLY)
        assert (await (await call()).ask()).startswith(told)


async def test_headers_must_come_in_time() -> None:
    async with served(HttpLimits(headers=0.2, look_every=0.02)) as call:
        for sent in (b"", b"GET /thread HTTP/1.1\r\nHost:"):
            await (await call(sent)).ended()
        hanging = await busy(call, HANGS)
        honest = await call(ASKS)
        await (await call()).ended()
        assert b"200" in await honest.ask(b""), "who has asked in time may take its time"
        assert not hanging.reader.at_eof()


async def test_who_takes_nothing_is_hung_up_on() -> None:
    async with served(HttpLimits(connections=1, unread=0.2, look_every=0.02)) as call:
        await busy(call, TAKES_NOTHING)
        while b" 503 " in await (await call()).ask():
            pass
