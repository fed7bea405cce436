"""One thread for everything that pictures need from the disk and the decoder, one piece of work after another."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from queue import SimpleQueue
from typing import Any, TypeVar

from PySide6.QtCore import QEventLoop, QObject, Signal, Slot

from app.core.errors import UserError
from app.services.runtime.frames import without_locals
from app.services.runtime.guarded_signal import GuardedSignal

_log = logging.getLogger(__name__)

Result = TypeVar("Result")

_numbers = count()

END_WITHIN = 3.0
"""Seconds that the end of the program waits for what is running."""


class Work:
    """One piece of work. It may be cancelled in the GUI thread at any time; `cancelled` is read in both.

    The GUI thread keeps each until it was heard of: what it holds may be Qt's, and must not be let go of elsewhere.
    """

    __slots__ = ("act", "cancelled", "number", "then")

    def __init__(self, act: Callable[[], object], then: Callable[[Any], None]) -> None:
        self.number = next(_numbers)
        self.act = act
        self.then = then
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def done(self) -> "Done":
        """In its thread: with what it returned or raised, for errors cross threads as objects."""
        try:
            return Done(self.number, self.act())
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread must live on
            return Done(self.number, without_locals(error))


@dataclass(frozen=True, slots=True)
class Done:
    number: int
    """Of the work."""
    result: object


class WorkerThread(QObject):
    """Lives in the GUI thread. The thread itself begins with the first work, so that the start costs nothing.

    A disk that is away lets nobody go. So the end of the program waits for no more than `END_WITHIN`, and a thread that
    is still held by then does not keep the process.
    """

    _done = Signal(object)

    def __init__(self, parent: QObject | None = None, *, name: str = "pictures") -> None:
        super().__init__(parent)
        self._name = name
        self._submitted: SimpleQueue[Work | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._results = GuardedSignal(self._done.emit)
        self._done.connect(self._hear)
        self._kept: dict[int, Work] = {}
        """By their numbers, those that were not heard of yet; also what was cancelled."""
        self._closed = False

    @property
    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def submit(self, act: Callable[[], Result], then: Callable[[Result | Exception], None]) -> Work:
        """Call `act` in the thread, then `then` in the GUI thread with what it returned or raised.

        Work that is cancelled in between ends without `then`; so does all that is left when this is closed.
        """
        work = Work(act, then)
        if not self._closed:
            self._kept[work.number] = work
            self._submitted.put(work)
            if self._thread is None:
                arguments = (self._submitted, self._results)
                self._thread = threading.Thread(target=_work, args=arguments, name=self._name, daemon=True)
                self._thread.start()
        return work

    def cancel(self, work: Work) -> None:
        work.cancel()

    def close(self) -> None:
        """Let what is running end, drop the rest, and end the thread. May be called twice."""
        self._closed = True
        for work in self._kept.values():
            work.cancel()
        self._submitted.put(None)
        if self._thread is not None:
            self._thread.join(END_WITHIN)
            if self._thread.is_alive():
                _log.warning("The thread %s can't be interrupted: it is left to itself.", self._name)
        self._results.shut()

    @Slot(object)
    def _hear(self, done: Done) -> None:
        work = self._kept.pop(done.number)
        if not work.cancelled:
            work.then(done.result)


def _work(submitted: "SimpleQueue[Work | None]", results: GuardedSignal) -> None:
    """In the thread, until None comes."""
    # It is never run: Qt's documents begin timers, and those want to know a dispatcher in their thread.
    dispatcher = QEventLoop()
    while (work := submitted.get()) is not None:
        done = Done(work.number, None) if work.cancelled else work.done()
        del work
        results.tell(done)
        del done
    del dispatcher


def told(error: Exception, otherwise: str) -> str:
    """The sentence of a failure that came back from the thread; a bug is logged and told as `otherwise`."""
    if isinstance(error, UserError):
        return error.sentence
    _log.error("%s", otherwise, exc_info=error)
    return otherwise
