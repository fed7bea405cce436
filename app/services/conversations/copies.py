"""Copies of the database, made behind the user's back while nothing is being written."""

import logging
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.services.runtime.worker_thread import WorkerThread, told
from app.storage.copies import keep_copy, remove_copies
from app.storage.file_errors import DamagedError

_log = logging.getLogger(__name__)

_CALM_MS = 15_000
"""After the start, and after an answer."""
_HOUR_MS = 3_600_000


class DatabaseCopies(QObject):
    """GUI thread."""

    failed = Signal(object)
    """DamagedError: the database is no longer sound, and the next start saves what is left."""
    ended = Signal(bool)
    """Whether a copy was made."""

    def __init__(self, database: Path, parent: QObject | None = None, *, calm_ms: int = _CALM_MS) -> None:
        super().__init__(parent)
        self._database = database
        self._calm_ms = calm_ms
        self._thread = WorkerThread(self, name="copies")
        self._resting = False
        self._is_copying = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """After the window is there."""
        self._timer.start(self._calm_ms)

    def close(self) -> None:
        """A copy that is half made is forgotten where it takes long."""
        self._timer.stop()
        self._thread.close()

    def rest(self, resting: bool) -> None:
        """Begin nothing for now: an answer is being written, and wants the disk and the cores."""
        self._resting = resting

    @Slot()
    def renew(self) -> None:
        """Something was deleted for good, and is to be in no copy either."""
        self._thread.submit(lambda: remove_copies(self._database), self._hear_removed)

    @Slot()
    def _look(self) -> None:
        if self._resting:
            self._timer.start(self._calm_ms)
        elif not self._is_copying:
            self._is_copying = True
            self._thread.submit(lambda: keep_copy(self._database), self._hear)

    def _hear(self, result: bool | Exception) -> None:
        self._is_copying = False
        self._timer.start(_HOUR_MS)
        if isinstance(result, DamagedError):
            self.failed.emit(result)
        elif isinstance(result, Exception):
            _log.warning("%s", told(result, "The conversations could not be copied"))
        self.ended.emit(result is True)

    def _hear_removed(self, result: Exception | None) -> None:
        if isinstance(result, Exception):
            _log.warning("%s", told(result, "The copies could not be removed"))
        self._timer.start(self._calm_ms)
