"""What one thread tells the coroutines of another's event loop."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import TypeVar

Said = TypeVar("Said")


class Mailbox:
    """Wakes its loop once for all that is posted until it is awake: of several answers a step of the engine's says a
    word of each, and a wake-up costs more than a word.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._posted: deque[tuple[asyncio.Queue[object], object]] = deque()
        self._wakes = False

    def is_of(self, loop: asyncio.AbstractEventLoop) -> bool:
        return self._loop is loop

    def post(self, queue: "asyncio.Queue[Said]", said: Said) -> None:
        """In any thread: `queue`, which belongs to the loop, gets it soon, behind what was posted before."""
        self._posted.append((queue, said))  # type: ignore[arg-type]  # each goes into its own queue
        if not self._wakes:
            self._wakes = True
            # A loop that has been closed since raises RuntimeError; nobody listens any more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._wakes = False  # before what is there is taken: what comes behind it wakes again
        while self._posted:
            queue, said = self._posted.popleft()
            queue.put_nowait(said)
