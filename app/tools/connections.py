"""The servers that run: begun when they are first needed, left when they rest. For one asyncio loop."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.tools.mcp_file import ServerEntry
from app.tools.mcp_session import Ask, McpSession, Progress, Started, Told
from app.tools.secrets import Secrets
from app.tools.server_process import ServerLog
from app.tools.tool import Listing, Prompt, Resource, Tool, ToolResult
from app.tools.watcher import Watcher

_REST_AFTER = 600.0
"""Seconds without a call."""
_END_WITHIN = 5.0
"""Seconds that one may take to stop what it is about."""


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
        self.listing: asyncio.Future[Listing] = asyncio.get_running_loop().create_future()
        self._n_calls = 0
        self._rest: asyncio.TimerHandle | None = None

    def serves(self, entry: ServerEntry) -> bool:
        """Not what the entry was before it was changed, and not about to end."""
        return self.entry == entry and not self.session.is_stopping

    def hear(self, listing: Listing) -> None:
        """It has started, or has other tools now."""
        if self.listing.done():
            self.listing = asyncio.get_running_loop().create_future()
        self.listing.set_result(listing)
        self._rest_later()

    @contextmanager
    def used(self) -> Iterator[McpSession]:
        """It does not rest meanwhile."""
        self._n_calls += 1
        try:
            yield self.session
        finally:
            self._n_calls -= 1
            self._rest_later()

    def ended(self, problem: UserError | None) -> None:
        """Whoever waits for its tools is told."""
        if self._rest is not None:
            self._rest.cancel()
        if not self.listing.done():
            self.listing.set_exception(problem or UserError("{name} was stopped.", name=self.entry.name))
            # Nobody may have waited for it, and asyncio would complain.
            self.listing.exception()

    def _rest_later(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        if not self._n_calls and not self.task.done():
            self._rest = asyncio.get_running_loop().call_later(_REST_AFTER, self._rest_now)

    def _rest_now(self) -> None:
        if not self._n_calls:
            self.session.stop()


class Connections:
    """`hear` is told in the loop's thread what becomes of each server, by its entry."""

    def __init__(self, hear: Callable[[ServerEntry, Told | Ended], None], secrets: Secrets | None = None) -> None:
        self._hear = hear
        self._secrets = secrets or Secrets()
        self._running: dict[str, _Running] = {}
        self._watcher = Watcher()
        self.logs: dict[str, ServerLog] = {}
        """What servers said last, also after they have ended. Read in any thread."""

    async def tools(self, entry: ServerEntry) -> tuple[Tool, ...]:
        """Begin a server where it does not run. Raises UserError."""
        while (running := self._running.get(entry.name)) is not None and not running.serves(entry):
            await self.end(entry.name)
        if running is None:
            running = self._begin(entry)
        # Who gives up waiting does not stop it.
        return (await asyncio.shield(running.listing)).tools

    async def call(
        self, entry: ServerEntry, tool: Tool, arguments: Mapping[str, object], seconds: float, tell: Progress, ask: Ask
    ) -> ToolResult:
        """Raises UserError, also where the server has another tool by now than the one that was allowed. Cancelled, it
        tells the server so.
        """
        if not any(tool.is_same(each) for each in await self.tools(entry)):
            raise UserError("{tool} is not what it was when it was allowed.", tool=tool.name)
        with self._used(entry) as session:
            return await session.call(tool.name, arguments, seconds, tell, ask)

    async def prompt(self, entry: ServerEntry, prompt: Prompt, arguments: Mapping[str, str]) -> str:
        """Raises UserError."""
        await self.tools(entry)
        with self._used(entry) as session:
            return await session.prompt(prompt, arguments)

    async def resource(self, entry: ServerEntry, resource: Resource) -> tuple[str, tuple[ImagePart, ...]]:
        """Its text, and its pictures, each with its bytes. Raises UserError."""
        await self.tools(entry)
        with self._used(entry) as session:
            return await session.resource(resource)

    def _used(self, entry: ServerEntry) -> AbstractContextManager[McpSession]:
        """Raises UserError."""
        running = self._running.get(entry.name)
        if running is None:
            raise UserError("{name} has ended.", name=entry.name)
        return running.used()

    async def end(self, name: str) -> None:
        """End a server, if it runs."""
        running = self._running.get(name)
        if running is not None:
            running.session.stop()
            if running.listing.done():
                await asyncio.wait([running.task], timeout=_END_WITHIN)
            running.task.cancel()
            await asyncio.gather(running.task, return_exceptions=True)

    async def close(self) -> None:
        """The program ends, and is not to wait for servers that take their time."""
        self._watcher.hurry()
        await asyncio.gather(*(self.end(name) for name in tuple(self._running)))
        self.abandon()

    def abandon(self) -> None:
        """Leave what still runs to the watcher. Any thread."""
        self._watcher.close()

    def _begin(self, entry: ServerEntry) -> _Running:
        log = self.logs[entry.name] = ServerLog()
        session = McpSession(entry, log, self._watcher, self._secrets, partial(self._told, entry))
        task = asyncio.get_running_loop().create_task(self._run(entry, session), name=f"server {entry.name}")
        running = self._running[entry.name] = _Running(entry, session, task)
        return running

    async def _run(self, entry: ServerEntry, session: McpSession) -> None:
        problem: UserError | None = None
        try:
            await session.run()
        except UserError as error:
            problem = error
        finally:
            running = self._running.pop(entry.name)
            running.ended(problem)
            self._hear(entry, Ended(problem))

    def _told(self, entry: ServerEntry, what: Told) -> None:
        running = self._running[entry.name]
        if isinstance(what, Started):
            running.hear(what.listing)
        self._hear(entry, what)
