"""Work that waits for a network: one piece after another, and nobody waits for one that does not end."""

import threading
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.services.runtime.guarded_signal import GuardedSignal
from app.services.runtime.worker_thread import Done, Work

Result = TypeVar("Result")

END_WITHIN = 0.5
"""Seconds that the end of the program waits for a network."""


class DetachedThread(QObject):
    """Lives in the GUI thread. What is cancelled while it runs is left to itself, and the next one begins at once: no
    name server and no keyring can be told to hurry. Such threads do not keep the process."""

    _done = Signal(object)

    def __init__(self, parent: QObject | None = None, *, name: str) -> None:
        super().__init__(parent)
        self._name = name
        self._waiting: deque[Work] = deque()
        self._running: tuple[Work, threading.Thread] | None = None
        self._left: list[tuple[Work, threading.Thread]] = []
        """Those that were left to themselves. Their work is kept for as long as they run."""
        self._closed = False
        self._results = GuardedSignal(self._done.emit)
        self._done.connect(self._hear)

    def submit(self, act: Callable[[], Result], then: Callable[[Result | Exception], None]) -> Work:
        """Call `act` in a thread, then `then` in the GUI thread with what it returned or raised.

        Work that is cancelled in between ends without `then`; so does all that is left when this is closed.
        """
        work = Work(act, then)
        if not self._closed:
            self._waiting.append(work)
            self._next()
        return work

    def cancel(self, work: Work) -> None:
        work.cancel()
        if work in self._waiting:
            self._waiting.remove(work)
        if self._running is not None and self._running[0] is work:
            self._left = [each for each in self._left if each[1].is_alive()] + [self._running]
            self._running = None
            self._next()

    def close(self) -> None:
        """Drop everything, at the end of the program. May be called twice."""
        self.leave()
        join([thread for _, thread in self._left], END_WITHIN)

    def leave(self) -> None:
        """As `close`, and wait for nobody."""
        self._closed = True
        self._waiting.clear()
        if self._running is not None:
            self.cancel(self._running[0])
        self._results.shut()

    def _next(self) -> None:
        if self._running is None and self._waiting:
            work = self._waiting.popleft()
            thread = threading.Thread(target=_run, args=(work, self._results), name=self._name, daemon=True)
            self._running = work, thread
            thread.start()

    @Slot(object)
    def _hear(self, done: Done) -> None:
        if self._running is None or self._running[0].number != done.number:
            return
        work, thread = self._running
        thread.join()
        self._running = None
        work.then(done.result)
        self._next()


def join(threads: list[threading.Thread], seconds: float) -> None:
    """Wait for all of them together, and no longer than that."""
    ends = monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, ends - monotonic()))


def _run(work: Work, results: GuardedSignal) -> None:
    results.tell(work.done())
