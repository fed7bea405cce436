"""An aiohttp application in a thread of its own: starting, ending, and who is told what."""

import asyncio
import http.client
import json
import logging
import socket
import threading
from collections.abc import Iterator

import pytest
from aiohttp import ClientConnectionError, ClientSession, web

from app.core.errors import UserError
from app.services.local_api.thread import ApiThread

LIMIT = 60.0


class Application:
    """Two paths: one answers with the name of its thread, one hangs until it is cancelled."""

    def __init__(self) -> None:
        self.hanging = threading.Event()
        self.cancelled = threading.Event()

    def make(self) -> web.Application:
        application = web.Application()
        application.router.add_get("/thread", self.thread)
        application.router.add_get("/hang", self.hang)
        return application

    async def thread(self, _request: web.Request) -> web.Response:
        return web.Response(text=threading.current_thread().name)

    async def hang(self, _request: web.Request) -> web.Response:
        self.hanging.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return web.Response()


@pytest.fixture(autouse=True)
def no_api_thread_is_left() -> Iterator[None]:
    yield
    assert not [thread for thread in threading.enumerate() if thread.name == "api"]


async def get(port: int, path: str) -> str:
    async with ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as response:
        return await response.text()


async def seen(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, LIMIT)


async def test_it_serves_from_its_own_thread_on_a_free_port() -> None:
    api = ApiThread(Application().make, "127.0.0.1", 0)
    port = await api.start()
    assert port > 0
    assert await get(port, "/thread") == "api"
    await api.stop()
    with pytest.raises(OSError, match="Connect"):
        await get(port, "/thread")
    again = ApiThread(Application().make, "127.0.0.1", port)
    assert await again.start() == port
    await again.stop()


async def test_it_listens_on_several_addresses() -> None:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6) as probe:
            port = probe.getsockname()[1]
    except OSError:
        pytest.skip("this machine has no IPv6")
    api = ApiThread(Application().make, "127.0.0.1, ::1", port)
    assert await api.start() == port
    async with ClientSession() as session:
        for host in ("127.0.0.1", "[::1]"):
            async with session.get(f"http://{host}:{port}/thread") as response:
                assert await response.text() == "api"
    await api.stop()


async def test_a_port_in_use_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        api = ApiThread(Application().make, "127.0.0.1", port)
        with pytest.raises(UserError, match=f"Port {port} is in use by another program"):
            await api.start()
        await api.stop()


async def test_an_address_of_another_computer_is_a_sentence() -> None:
    api = ApiThread(Application().make, "203.0.113.7", 0)
    with pytest.raises(UserError, match=r"203\.0\.113\.7 is no address of this computer"):
        await api.start()
    await api.stop()


async def test_a_bug_in_the_application_is_told_to_who_starts_it() -> None:
    def broken() -> web.Application:
        raise ZeroDivisionError

    api = ApiThread(broken, "127.0.0.1", 0)
    with pytest.raises(ZeroDivisionError):
        await api.start()
    await api.stop()


async def test_stopping_ends_open_requests() -> None:
    application = Application()
    api = ApiThread(application.make, "127.0.0.1", 0)
    port = await api.start()
    asking = asyncio.ensure_future(get(port, "/hang"))
    await seen(application.hanging)
    await api.stop()
    assert application.cancelled.is_set()
    with pytest.raises(ClientConnectionError):
        await asking


async def test_an_idle_connection_does_not_hold_it_up() -> None:
    api = ApiThread(Application().make, "127.0.0.1", 0)
    connection = http.client.HTTPConnection("127.0.0.1", await api.start())
    await asyncio.to_thread(connection.request, "GET", "/thread")
    assert (await asyncio.to_thread(connection.getresponse)).read() == b"api"
    await api.stop()
    connection.close()


async def test_a_client_that_goes_away_cancels_its_request() -> None:
    application = Application()
    api = ApiThread(application.make, "127.0.0.1", 0)
    port = await api.start()
    asking = asyncio.ensure_future(get(port, "/hang"))
    await seen(application.hanging)
    asking.cancel()
    await seen(application.cancelled)
    assert await get(port, "/thread") == "api"
    await api.stop()


async def test_giving_up_a_start_and_stopping_leaves_nothing(caplog: pytest.LogCaptureFixture) -> None:
    api = ApiThread(Application().make, "127.0.0.1", 0)
    starting = asyncio.ensure_future(api.start())
    await asyncio.sleep(0)
    starting.cancel()
    await api.stop()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_stopping_what_never_started_does_nothing() -> None:
    await ApiThread(Application().make, "127.0.0.1", 0).stop()


async def test_what_is_no_http_is_answered_and_its_bytes_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    api = ApiThread(Application().make, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", await api.start())
    writer.write(b"where is the marmalade\r\n\r\n")
    told = await reader.read()
    assert told.startswith(b"HTTP/1.0 400")
    assert json.loads(told.partition(b"\r\n\r\n")[2])["error"]["code"] == "bad_request"
    assert b"marmalade" not in told
    writer.close()
    await writer.wait_closed()
    await api.stop()
    assert "A request could not be read" in caplog.text
    assert "marmalade" not in caplog.text
    assert all(record.levelno <= logging.INFO for record in caplog.records)
