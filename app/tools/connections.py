"""The servers that run: begun when they are first needed, left when they rest. For one asyncio loop."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.core.errors import UserError
from app.tools.mcp_file import ServerEntry
from app.tools.mcp_session import McpSession, Progress
from app.tools.server_process import ServerLog
from app.tools.tool import Tool, ToolResult
from app.tools.watcher import Watcher

_REST_AFTER = 600.0
"""Seconds without a call."""


@dataclass(frozen=True, slots=True)
class Started:
    """A server runs."""

    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """It does not any more."""

    problem: UserError | None = None
    """None where it was told to end."""


class _Running:
    def __init__(self, entry: ServerEntry, session: McpSession, task: "asyncio.Task[None]") -> None:
        self.entry = entry
        self.session = session
        self.task = task
        self.tools: asyncio.Future[tuple[Tool, ...]] = asyncio.get_running_loop().create_future()
        self.n_calls = 0
        self.rest: asyncio.TimerHandle | None = None


class Connections:
    """`hear` is told in the loop's thread what becomes of each server, by its name."""

    def __init__(self, hear: Callable[[str, Started | Ended], None]) -> None:
        self._hear = hear
        self._running: dict[str, _Running] = {}
        self._watcher = Watcher()
        self.logs: dict[str, ServerLog] = {}
        """What servers said last, also after they have ended. Read in any thread."""

    async def tools(self, entry: ServerEntry) -> tuple[Tool, ...]:
        """Begin a server where it does not run. Raises UserError."""
        running = self._running.get(entry.name)
        if running is None:
            running = self._begin(entry)
        # Who gives up waiting does not stop it.
        return await asyncio.shield(running.tools)

    async def call(
        self, entry: ServerEntry, tool: Tool, arguments: Mapping[str, object], seconds: float, tell: Progress
    ) -> ToolResult:
        """Raises UserError, also where the server has another tool by now than the one that was allowed. Cancelled, it
        tells the server so.
        """
        if not any(tool.is_same(each) for each in await self.tools(entry)):
            raise UserError("{tool} is not what it was when it was allowed.", tool=tool.name)
        running = self._running.get(entry.name)
        if running is None:
            raise UserError("{name} has ended.", name=entry.name)
        running.n_calls += 1
        try:
            return await running.session.call(tool.name, arguments, seconds, tell)
        finally:
            running.n_calls -= 1
            self._rest_later(running)

    async def end(self, name: str) -> None:
        """End a server, if it runs."""
        running = self._running.get(name)
        if running is not None:
            running.session.stop()
            if not running.tools.done():
                running.task.cancel()
            await asyncio.gather(running.task, return_exceptions=True)

    async def close(self) -> None:
        """The program ends, and is not to wait for servers that take their time."""
        self._watcher.grace = 0.2
        await asyncio.gather(*(self.end(name) for name in tuple(self._running)))
        self.abandon()

    def abandon(self) -> None:
        """Leave what still runs to the watcher. Any thread."""
        self._watcher.close()

    def _begin(self, entry: ServerEntry) -> _Running:
        log = self.logs[entry.name] = ServerLog()
        session = McpSession(entry, log, self._watcher)
        task = asyncio.get_running_loop().create_task(self._run(entry, session), name=f"server {entry.name}")
        running = self._running[entry.name] = _Running(entry, session, task)
        return running

    async def _run(self, entry: ServerEntry, session: McpSession) -> None:
        problem: UserError | None = None
        try:
            await session.run(lambda tools: self._ready(entry, tools))
        except UserError as error:
            problem = error
        finally:
            running = self._running.pop(entry.name)
            if running.rest is not None:
                running.rest.cancel()
            if not running.tools.done():
                running.tools.set_exception(problem or UserError("{name} was stopped.", name=entry.name))
                # Nobody may have waited for it, and asyncio would complain.
                running.tools.exception()
            self._hear(entry.name, Ended(problem))

    def _ready(self, entry: ServerEntry, tools: tuple[Tool, ...]) -> None:
        running = self._running[entry.name]
        running.tools.set_result(tools)
        self._rest_later(running)
        self._hear(entry.name, Started(tools))

    def _rest_later(self, running: _Running) -> None:
        if running.rest is not None:
            running.rest.cancel()
        if not running.n_calls and not running.task.done():
            running.rest = asyncio.get_running_loop().call_later(_REST_AFTER, self._rest, running)

    def _rest(self, running: _Running) -> None:
        if not running.n_calls:
            running.session.stop()
