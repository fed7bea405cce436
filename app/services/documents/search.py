"""Searching in documents as one types: in a thread of its own, the newest wish first."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.documents.index_states import FoundPassages
from app.services.documents.passage_finder import PassageFinder
from app.services.runtime.worker_thread import Work, WorkerThread, told

_FAULT = "The search failed because of a fault in Hearth."
_IDLE_MS = 600_000
"""Without a search after which the models go."""


class DocumentSearch(QObject):
    """GUI thread. `found` comes for the newest search alone."""

    found = Signal(object)
    """FoundPassages"""

    def __init__(self, path: Path, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._finder = PassageFinder(path, command)
        self._thread = WorkerThread(self, name="passages")
        self._finding: Work | None = None
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(_IDLE_MS)
        self._idle.timeout.connect(self._rest)

    def close(self) -> None:
        """What is running is cut short."""
        self._idle.stop()
        self._finder.interrupt()
        self._thread.close()
        if not self._thread.is_running:
            self._finder.close()

    def search(self, question: str, collection: int, most: int = 20) -> None:
        """Blanks find nothing, at once."""
        if self._finding is not None:
            self._thread.cancel(self._finding)
            # It may be running: the newest need not wait for it.
            self._finder.interrupt()
            self._finding = None
        if not question.strip():
            self.found.emit(FoundPassages(question))
            return
        self._idle.start()

        def hear(result: FoundPassages | Exception) -> None:
            self._finding = None
            self.found.emit(result if isinstance(result, FoundPassages) else _failed(question, result))

        self._finding = self._thread.submit(lambda: self._find(question, collection, most), hear)

    def _find(self, question: str, collection: int, most: int) -> FoundPassages:
        found = self._finder.find(question, collections=[collection], most=most)
        return FoundPassages(question, found.hits, self._finder.paths_of(found.hits), found.by_vectors, found.problem)

    def _rest(self) -> None:
        self._thread.submit(self._finder.rest, lambda _: None)


def _failed(question: str, error: Exception) -> FoundPassages:
    # One that was cut short is nothing that anybody has to know.
    problem = "" if isinstance(error, sqlite3.OperationalError) else told(error, _FAULT)
    return FoundPassages(question, problem=problem)
