"""Who is using the model through the local API: shown to the user, who can stop them."""

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakSet

from app.api.errors import ApiError

_numbers = itertools.count(1)
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that wants the model."""

    client: str
    """The program, as it calls itself; empty where it does not."""
    path: str
    stop: Callable[[], None] = field(repr=False, compare=False)
    """Ends it, from any thread; the client is told."""
    number: int = field(default_factory=lambda: next(_numbers))
    began: float = field(default_factory=time.time)
    """Seconds since 1970."""


class VisitObserver(Protocol):
    """Told on the API's own thread."""

    def came(self, visit: Visit) -> None: ...

    def got_its_turn(self, visit: Visit) -> None: ...

    def left(self, visit: Visit) -> None: ...


class Nobody:
    """Watches nothing."""

    def came(self, visit: Visit) -> None: ...

    def got_its_turn(self, visit: Visit) -> None: ...

    def left(self, visit: Visit) -> None: ...


class Visits:
    """The queue at the door. Lives on one event loop.

    One visit at a time is let through to the engine, in the order in which they came: so whatever the window asks for
    waits for one of them at the most.
    """

    def __init__(self, observer: VisitObserver, most_waiting: int) -> None:
        self._observer = observer
        self._most_waiting = most_waiting
        self._turn = asyncio.Lock()
        self._there: set[int] = set()
        """The numbers of those that wait or are being answered."""
        self._stopped: WeakSet[asyncio.Task[object]] = WeakSet()

    @property
    def n_answered(self) -> int:
        """Visits that have their turn."""
        return int(self._turn.locked())

    @property
    def n_waiting(self) -> int:
        return max(0, len(self._there) - self.n_answered)

    def was_stopped(self, task: "asyncio.Task[object]") -> bool:
        """Whether the cancellation that this task has caught came from the user; then it is undone."""
        if task not in self._stopped:
            return False
        self._stopped.discard(task)
        task.uncancel()
        return True

    @asynccontextmanager
    async def turn(self, client: str, path: str) -> AsyncGenerator[Visit, None]:
        """Wait for one's turn, and have it. Raises ApiError where too many wait."""
        if len(self._there) > self._most_waiting:
            raise ApiError(429, "Too many requests are waiting. Try again later.", code="too_many_requests")
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def stop() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._stop, visit.number, task)

        visit = Visit(" ".join(client.split())[:_LONGEST_NAME], path, stop)
        self._there.add(visit.number)
        self._observer.came(visit)
        try:
            async with self._turn:
                self._observer.got_its_turn(visit)
                yield visit
        finally:
            self._there.discard(visit.number)
            self._observer.left(visit)

    def _stop(self, number: int, task: "asyncio.Task[object]") -> None:
        # The task of a visit that has left may serve the next request of its connection.
        if number in self._there:
            self._stopped.add(task)
            task.cancel()
