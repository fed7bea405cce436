"""One connection to a server of tools, by the Model Context Protocol. For one asyncio loop that is not Qt's.

The SDK is imported here alone, when the first server is switched on: that takes half a second.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from app.core.errors import UserError
from app.tools.mcp_file import ServerEntry
from app.tools.results import pictures_of, text_of
from app.tools.server_process import ServerLog, ServerProcess, server_process
from app.tools.tool import Hints, Tool, ToolResult
from app.tools.watcher import Watcher

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client._transport import TransportStreams

_log = logging.getLogger(__name__)

START_WITHIN = 120.0
"""Seconds for a start, which may download the server first."""
_MOST_TOOLS = 500
_MOST_EVENT = 4 << 20
"""Bytes of one message over HTTP."""
_MOST_IN_ALL = 900.0
"""Seconds for one call, however much progress it tells."""

Progress = Callable[[str], None]


class McpSession:
    """Begun by `run` in a task of its own, which enters and leaves the connection; calls come from other tasks."""

    def __init__(self, entry: ServerEntry, log: ServerLog, watcher: Watcher) -> None:
        self._entry = entry
        self._log = log
        self._watcher = watcher
        self._client: Client | None = None
        self._stop = asyncio.Event()
        self._stop_wanted = False
        self._ended = asyncio.Event()
        self._turn = asyncio.Lock()
        self._process: ServerProcess | None = None
        self.problem: UserError | None = None
        """Why the connection ended, where nobody wanted it to."""

    @property
    def has_ended(self) -> bool:
        return self._ended.is_set()

    async def run(self, ready: Callable[[tuple[Tool, ...]], None]) -> None:
        """Be connected until `stop`. `ready` is told the tools, once. Raises UserError."""
        try:
            await self._run(ready)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self.problem = self._explained(error)
            raise self.problem from error
        finally:
            self._client = None
            self._ended.set()

    def stop(self) -> None:
        self._stop_wanted = True
        self._stop.set()

    async def call(self, name: str, arguments: Mapping[str, object], seconds: float, tell: Progress) -> ToolResult:
        """Calls of one server run one after another. `seconds` begin anew with each progress. Raises UserError."""
        async with self._turn:
            if self._client is None:
                raise self.problem or UserError("{name} is not running.", name=self._entry.name)
            return await self._call(self._client, name, arguments, seconds, tell)

    async def _call(
        self, client: "Client", name: str, arguments: Mapping[str, object], seconds: float, tell: Progress
    ) -> ToolResult:
        import mcp_types as types

        loop = asyncio.get_running_loop()
        began = loop.time()

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            if timer.when() is not None:
                timer.reschedule(min(loop.time() + seconds, began + _MOST_IN_ALL))
            tell(_progress_text(progress, total, message))

        # Not the session's own `call_tool`: it loses a result that misses the schema which its server declared.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=dict(arguments)))
        asked = client.session.send_request(request, types.CallToolResult, progress_callback=heard)
        try:
            async with asyncio.timeout(seconds) as timer:
                found = await self._unless_ended(asked)
        except TimeoutError:
            raise UserError(
                "{tool} took longer than {n} seconds and was stopped.", tool=name, n=f"{seconds:.0f}"
            ) from None
        return ToolResult(text_of(found), bool(found.is_error), pictures_of(found, name))

    async def _unless_ended(self, asked: Any) -> Any:
        """A connection that breaks over HTTP cancels what waits in it without a word."""
        loop = asyncio.get_running_loop()
        call = loop.create_task(asked, name="tool call")
        ended = loop.create_task(self._ended.wait(), name="connection")
        try:
            await asyncio.wait((call, ended), return_when=asyncio.FIRST_COMPLETED)
            if call.done() and not call.cancelled():
                return call.result()
            raise self._explained(None)
        except UserError:
            raise
        except Exception as error:
            raise self._explained(error) from error
        finally:
            call.cancel()
            ended.cancel()
            await asyncio.gather(call, ended, return_exceptions=True)

    async def _run(self, ready: Callable[[tuple[Tool, ...]], None]) -> None:
        from mcp.shared.exceptions import MCPError

        try:
            await self._connected("legacy", ready)
        except* MCPError as errors:
            if self._client is not None or not _is_refusal(errors):
                raise
            # A server of the newer kind alone, which knows no handshake.
            await self._connected("auto", ready)

    async def _connected(self, mode: str, ready: Callable[[tuple[Tool, ...]], None]) -> None:
        from mcp import Client

        try:
            async with (
                asyncio.timeout(START_WITHIN) as starting,
                Client(self._transport(), mode=mode, cache=None) as client,
            ):
                tools = await self._list(client)
                starting.reschedule(None)
                self._client = client
                ready(tools)
                await self._stop.wait()
                if not self._stop_wanted:
                    raise UserError("{name} has ended.", name=self._entry.name)
        except TimeoutError:
            raise UserError(
                "{name} did not answer within {n} seconds.", name=self._entry.name, n=f"{START_WITHIN:.0f}"
            ) from None

    async def _list(self, client: "Client") -> tuple[Tool, ...]:
        found: list[Tool] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen and len(found) < _MOST_TOOLS:
            seen.add(cursor)
            page = await client.list_tools(cursor=cursor)
            found += [_tool(self._entry, each) for each in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
        return tuple({tool.name: tool for tool in found[:_MOST_TOOLS]}.values())

    def _transport(self) -> "AbstractAsyncContextManager[TransportStreams]":
        return self._http() if self._entry.url else self._stdio()

    @asynccontextmanager
    async def _http(self) -> "AsyncIterator[TransportStreams]":
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        timeout = httpx2.Timeout(30.0, read=_MOST_IN_ALL)
        async with (
            httpx2.AsyncClient(headers=dict(self._entry.headers), timeout=timeout) as client,
            streamable_http_client(self._entry.url, http_client=client, max_sse_event_size=_MOST_EVENT) as streams,
        ):
            yield streams

    @asynccontextmanager
    async def _stdio(self) -> "AsyncIterator[TransportStreams]":
        """Not the SDK's own: one bad server brings that to its knees, and what servers leave behind survives it."""
        import anyio
        from mcp.shared.message import SessionMessage

        loop = asyncio.get_running_loop()
        async with server_process(self._entry, self._log, self._watcher) as process:
            self._process = process
            to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](64)
            to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
            reading = loop.create_task(_read(process, to_session), name="server's messages")
            writing = loop.create_task(_write(process, from_session, to_session), name="messages to server")
            reading.add_done_callback(lambda _: self._stop.set())
            try:
                yield from_server, to_server
            finally:
                for task in (reading, writing):
                    task.cancel()
                await asyncio.gather(reading, writing, return_exceptions=True)
                for stream in (to_session, from_server, to_server, from_session):
                    stream.close()

    def _explained(self, error: BaseException | None) -> UserError:
        """One sentence, and what the server said last."""
        error = _first(error)
        told = self._process.problem if self._process is not None else None
        if isinstance(error, UserError):
            told = error
        detail = self._log.text.strip()
        name = self._entry.name
        if told is not None:
            return UserError(told.sentence, detail=detail or told.detail)
        if error is None or "onnection closed" in str(error):
            return UserError("{name} has ended.", name=name, detail=detail)
        if self._entry.url and type(error).__module__.startswith("httpx"):
            return UserError("{name} can't be reached at {url}.", name=name, url=self._entry.url, detail=repr(error))
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        _log.info("A server of tools failed", exc_info=error)
        return UserError("{name} failed: {reason}", name=name, reason=reason, detail=detail)


def _first(error: BaseException | None) -> BaseException | None:
    """Of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _read(process: ServerProcess, to_session: Any) -> None:
    import mcp_types as types
    from mcp.shared.message import SessionMessage

    try:
        async for line in process.lines():
            with suppress(ValueError):
                text = line.decode("utf-8", "replace")
                await to_session.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False)))
    finally:
        to_session.close()


async def _write(process: ServerProcess, from_session: Any, to_session: Any) -> None:
    try:
        async for message in from_session:
            await process.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
    except OSError:
        # Nobody listens: the session learns it by the end of what it reads.
        to_session.close()


def _tool(entry: ServerEntry, found: Any) -> Tool:
    told = found.annotations
    hints = Hints(bool(told is not None and told.read_only_hint), told is None or told.open_world_hint is not False)
    title = found.title or (told.title if told is not None else None) or ""
    return Tool(entry.name, entry.fingerprint, found.name, title, found.description or "", found.input_schema, hints)


def _progress_text(done: float, total: float | None, message: str | None) -> str:
    if message:
        return " ".join(message.split())[:200]
    return f"{done:g} / {total:g}" if total else f"{done:g}"


def _is_refusal(errors: BaseExceptionGroup[Any]) -> bool:
    """Of the handshake itself: no such method, or no such version."""
    return any(getattr(each, "code", 0) in (-32601, -32602, -32022) for each in errors.exceptions)
