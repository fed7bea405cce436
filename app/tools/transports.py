"""How messages come from a server and go to it, as the SDK wants them: pipes, HTTP, and what HTTP was before."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from app.tools.mcp_file import ServerEntry
from app.tools.server_process import ServerProcess

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

MOST_IN_ALL = 900.0
"""Seconds for one call, however much progress it tells."""
_MOST_EVENT = 4 << 20
"""Bytes of one message over HTTP."""
MOST_LISTED = 500
"""Tools, and what else servers have, of each kind."""
_CONNECT = 30.0


@asynccontextmanager
async def over_http(entry: ServerEntry, auth: "httpx2.Auth | None") -> "AsyncIterator[TransportStreams]":
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    timeout = httpx2.Timeout(_CONNECT, read=MOST_IN_ALL)
    async with (
        httpx2.AsyncClient(headers=dict(entry.headers), timeout=timeout, auth=auth) as client,
        streamable_http_client(entry.url, http_client=client, max_sse_event_size=_MOST_EVENT) as streams,
    ):
        yield streams


@asynccontextmanager
async def over_sse(entry: ServerEntry, auth: "httpx2.Auth | None") -> "AsyncIterator[TransportStreams]":
    """For servers of before 2025-03-26."""
    from mcp.client.sse import sse_client

    async with sse_client(entry.url, dict(entry.headers), _CONNECT, MOST_IN_ALL, auth=auth) as streams:
        yield streams


@asynccontextmanager
async def over_pipes(process: ServerProcess, ended: Callable[[], None]) -> "AsyncIterator[TransportStreams]":
    """Not the SDK's own: one bad server brings that to its knees, and what servers leave behind survives it.

    `ended` is called when nothing comes from it any more.
    """
    import anyio
    from mcp.shared.message import SessionMessage

    loop = asyncio.get_running_loop()
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](64)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    reading = loop.create_task(_read(process, to_session), name="server's messages")
    reading.add_done_callback(lambda _: ended())
    writing = loop.create_task(_write(process, from_session, to_session), name="messages to server")
    try:
        yield from_server, to_server
    finally:
        for task in (reading, writing):
            task.cancel()
        await asyncio.gather(reading, writing, return_exceptions=True)
        for stream in (to_session, from_server, to_server, from_session):
            stream.close()


async def _read(process: ServerProcess, to_session: Any) -> None:
    import mcp_types as types
    from mcp.shared.message import SessionMessage

    try:
        async for line in process.lines():
            with suppress(ValueError):
                text = line.decode("utf-8", "replace")
                message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
                _bound(getattr(message, "result", None))
                await to_session.send(SessionMessage(message))
    finally:
        to_session.close()


def _bound(result: object) -> None:
    """Of a list only so many, and of tools only what is one: the SDK checks all of a page at once, which keeps Python's
    lock, and refuses the whole for the sake of one.
    """
    if not isinstance(result, dict):
        return
    if isinstance(tools := result.get("tools"), list):
        result["tools"] = [each for each in tools if isinstance(each, dict) and {"name", "inputSchema"} <= each.keys()]
    for kind in ("tools", "prompts", "resources"):
        if isinstance(each := result.get(kind), list):
            del each[MOST_LISTED:]


async def _write(process: ServerProcess, from_session: Any, to_session: Any) -> None:
    try:
        async for message in from_session:
            await process.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
    except OSError:
        # Nobody listens: the session learns it by the end of what it reads.
        to_session.close()
