"""States that paired computers send must find room on the disk, all of them together."""

import asyncio
import itertools
import shutil
from collections import namedtuple
from pathlib import Path
from typing import cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from app.api import peer_states
from app.api.answering import Answering
from app.api.errors import ApiError
from app.api.peer_states import PeerStates

_Usage = namedtuple("_Usage", "total used free")
_ROOM = 1000


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    free = peer_states._SPARE + _ROOM
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Usage(free, 0, free))


def test_room_is_counted_for_all_that_come(tmp_path: Path) -> None:
    states, numbers = PeerStates(cast(Answering, None)), itertools.count()

    async def take(request: web.Request) -> web.Response:
        try:
            await states._receive(request, tmp_path / str(next(numbers)))
        except ApiError as error:
            return web.Response(status=error.status)
        return web.Response()

    async def send() -> None:
        application = web.Application()
        application.router.add_put("/", take)
        async with TestClient(TestServer(application)) as client:
            assert (await client.put("/", data=bytes(_ROOM + 1))).status == 413
            reader, writer = await asyncio.open_connection(client.host, client.port)
            writer.write(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 800\r\n\r\n" + bytes(100))
            while not states._promised:
                await asyncio.sleep(0)
            assert (await client.put("/", data=bytes(950))).status == 413, "the other one needs it"
            writer.write(bytes(700))
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            writer.close()
            assert (await client.put("/", data=bytes(_ROOM))).status == 200
            assert states._promised == 0
            reader, writer = await asyncio.open_connection(client.host, client.port)
            writer.write(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 800\r\n\r\n")
            while not states._promised:
                await asyncio.sleep(0)
            writer.close()
            while states._promised:
                await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(send(), 60))
