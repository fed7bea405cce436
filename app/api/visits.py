"""Who is using the model through the local API: shown to the user, who can stop them."""

import asyncio
import itertools
import time
from collections import Counter
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

    As many as the model answers at once are let through to the engine. The next one is of the program that has the
    fewest there, and of several the one that came first.
    """

    def __init__(self, observer: VisitObserver, most_waiting: int, n_at_once: Callable[[], int] = lambda: 1) -> None:
        self._observer = observer
        self._most_waiting = most_waiting
        self._n_at_once = n_at_once
        self._waiting: dict[int, tuple[Visit, asyncio.Future[None]]] = {}
        """By the visits' numbers, in the order of coming."""
        self._answered: dict[int, Visit] = {}
        self._stopped: WeakSet[asyncio.Task[object]] = WeakSet()

    @property
    def n_answered(self) -> int:
        """Visits that have their turn."""
        return len(self._answered)

    @property
    def n_waiting(self) -> int:
        return len(self._waiting)

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
        if len(self._waiting) >= self._most_waiting:
            raise ApiError(429, "Too many requests are waiting. Try again later.", code="too_many_requests")
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def stop() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._stop, visit.number, task)

        visit = Visit(" ".join(client.split())[:_LONGEST_NAME], path, stop)
        self._waiting[visit.number] = (visit, turn := loop.create_future())
        self._observer.came(visit)
        try:
            self._let_in()
            await turn
            self._observer.got_its_turn(visit)
            yield visit
        finally:
            self._waiting.pop(visit.number, None)
            self._answered.pop(visit.number, None)
            self._observer.left(visit)
            self._let_in()

    def _let_in(self) -> None:
        while self._waiting and len(self._answered) < self._n_at_once():
            there = Counter(each.client for each in self._answered.values())
            visit, turn = min(self._waiting.values(), key=lambda each: there[each[0].client])
            del self._waiting[visit.number]
            self._answered[visit.number] = visit
            if not turn.done():
                turn.set_result(None)

    def _stop(self, number: int, task: "asyncio.Task[object]") -> None:
        # The task of a visit that has left may serve the next request of its connection.
        if number in self._waiting or number in self._answered:
            self._stopped.add(task)
            task.cancel()
