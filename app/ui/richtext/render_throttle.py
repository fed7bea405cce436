"""Rendering at most thirty times a second, and more rarely where it is dear."""

from collections.abc import Callable
from time import thread_time

from PySide6.QtCore import QObject, QTimer

FRAME_MS = 33
_SHARE = 8
"""Of the thread's time, rendering takes at most one part in this many."""


class RenderThrottle(QObject):
    """Runs `work` soon after `request`, however often that is called, and never in a row without a pause."""

    def __init__(self, work: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self.interval = FRAME_MS
        """Milliseconds until the next run may come."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.run_now)

    def request(self) -> None:
        if not self._timer.isActive():
            self._timer.start(self.interval)

    def run_now(self) -> None:
        self._timer.stop()
        begun = thread_time()
        self._work()
        self.interval = max(FRAME_MS, round(_SHARE * (thread_time() - begun) * 1000))

    def cancel(self) -> None:
        self._timer.stop()
