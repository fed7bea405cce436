"""One thread for everything that pictures need from the disk and the decoder, one piece of work after another."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.errors import UserError

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Work:
    """One piece of work; `cancelled` may be set from the GUI thread at any time, and is read by both."""

    __slots__ = ("act", "cancelled", "then")

    def __init__(self, act: Callable[[], object], then: Callable[[Any], None]) -> None:
        self.act = act
        self.then = then
        self.cancelled = False


@dataclass(frozen=True, slots=True)
class _Done:
    work: Work
    result: object


class _Worker(QObject):
    done = Signal(object)

    @Slot(object)
    def run(self, work: Work) -> None:
        if work.cancelled:
            return
        result: object
        try:
            result = work.act()
        except Exception as error:  # noqa: BLE001 - errors cross threads as objects, and the thread must live on
            result = error
        self.done.emit(_Done(work, result))


class PictureThread(QObject):
    """Lives in the GUI thread. The thread itself begins with the first work, so that the start costs nothing."""

    _submitted = Signal(object)

    def __init__(self, parent: QObject | None = None, *, name: str = "pictures") -> None:
        super().__init__(parent)
        self._thread = QThread(self)
        self._thread.setObjectName(name)
        self._worker = _Worker()
        self._worker.moveToThread(self._thread)
        self._submitted.connect(self._worker.run)
        self._worker.done.connect(self._hear)
        self._waiting: set[Work] = set()
        self._closed = False

    @property
    def is_running(self) -> bool:
        return self._thread.isRunning()

    def submit(self, act: Callable[[], Result], then: Callable[[Result | Exception], None]) -> Work:
        """Call `act` in the thread, then `then` in the GUI thread with what it returned or raised.

        Work that is cancelled in between ends without `then`; so does all that is left when this is closed.
        """
        work = Work(act, then)
        if not self._closed:
            self._waiting.add(work)
            if not self._thread.isRunning():
                self._thread.start()
            self._submitted.emit(work)
        return work

    def cancel(self, work: Work) -> None:
        work.cancelled = True
        self._waiting.discard(work)

    def close(self) -> None:
        """Let what is running end (less than a second), drop the rest, and end the thread. May be called twice."""
        self._closed = True
        for work in self._waiting:
            work.cancelled = True
        self._waiting.clear()
        self._thread.quit()
        self._thread.wait()

    @Slot(object)
    def _hear(self, done: _Done) -> None:
        if done.work.cancelled:
            return
        self._waiting.discard(done.work)
        done.work.then(done.result)


def told(error: Exception, otherwise: str) -> str:
    """The sentence of a failure that came back from the thread; a bug is logged and told as `otherwise`."""
    if isinstance(error, UserError):
        return error.sentence
    _log.error("%s", otherwise, exc_info=error)
    return otherwise
