"""Search over everything that was said, as one types: in a thread of its own, the newest wish first."""

import logging
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import UserError
from app.services.conversations.states import SearchResult
from app.services.runtime.worker_thread import Work, WorkerThread
from app.storage.search import SearchIndex
from app.storage.search_words import Term, telling, terms_of

_log = logging.getLogger(__name__)

_PAUSE_MS = 20
"""Between two pieces of reading, so that an old database is read without anybody noticing."""
_CALM_MS = 3_000
"""After a change, before it is read: an answer that is being written changes twice a second."""


class ChatSearch(QObject):
    """GUI thread. `found` comes for the newest search alone."""

    found = Signal(object)
    """SearchResult"""

    def __init__(self, index: Path, database: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._paths = (index, database)
        self._index: SearchIndex | None = None
        self._thread = WorkerThread(self, name="search")
        self._finding: Work | None = None
        self._reading: Work | None = None
        self._resting = False
        self._wanted = ""
        self._whole: int | None = None
        self._n_unread = 0
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._read)

    def start(self) -> None:
        """After the window is there: read what has changed since the last run."""
        self._read()

    def close(self) -> None:
        """Call before the database is closed. What is running is cut short."""
        self._pause.stop()
        if self._index is not None:
            self._index.interrupt()
        self._thread.close()
        if self._index is not None and not self._thread.is_running:
            self._index.close()
            self._index = None

    @Slot()
    def hear_change(self) -> None:
        """Something was said somewhere: read it when it is calm."""
        if self._reading is None and not (self._pause.isActive() and self._n_unread):
            self._pause.start(_CALM_MS)

    def rest(self, resting: bool) -> None:
        """Read nothing in the background for now: the model is writing, and wants the cores. Searches go on."""
        self._resting = resting

    def search(self, wanted: str, whole: int | None = None) -> None:
        """Look for `wanted`; `found` tells, unless another search comes first. Blanks find nothing, at once.

        All that is found in the conversation `whole` is told.
        """
        if self._finding is not None:
            self._thread.cancel(self._finding)
            self._finding = None
        self._wanted, self._whole = wanted, whole
        terms = telling(terms_of(wanted))
        if not terms:
            self.found.emit(SearchResult(wanted))
            return
        self._finding = self._thread.submit(lambda: self._find(wanted, terms, whole), self._hear_found)

    def _find(self, wanted: str, terms: tuple[Term, ...], whole: int | None) -> SearchResult:
        index = self._open()
        # What was said a moment ago is found too.
        n_unread = index.catch_up()
        return SearchResult(wanted, index.find(terms, whole=whole), n_unread)

    def _hear_found(self, result: SearchResult | Exception) -> None:
        self._finding = None
        if isinstance(result, SearchResult):
            self.found.emit(result)
            return
        self._tell_problem(result)
        self.found.emit(SearchResult(self._wanted))

    @Slot()
    def _read(self) -> None:
        if self._resting:
            self._pause.start(_CALM_MS)
        elif self._reading is None:
            self._reading = self._thread.submit(lambda: self._open().catch_up(), self._hear_read)

    def _hear_read(self, n_unread: int | Exception) -> None:
        self._reading = None
        if isinstance(n_unread, Exception):
            self._tell_problem(n_unread)
            return
        had_unread, self._n_unread = self._n_unread > 0, n_unread
        if n_unread:
            self._pause.start(_PAUSE_MS)
        else:
            self._thread.submit(lambda: self._open().tidy(), self._hear_tidied)
            if had_unread and self._wanted:
                self.search(self._wanted, self._whole)

    def _hear_tidied(self, result: Exception | None) -> None:
        if isinstance(result, Exception):
            self._tell_problem(result)

    def _open(self) -> SearchIndex:
        """In the thread: the index, opened on first use."""
        if self._index is None:
            self._index = SearchIndex.open(*self._paths)
        return self._index

    def _tell_problem(self, error: Exception) -> None:
        sentence = error.sentence if isinstance(error, UserError) else repr(error)
        _log.warning("The search index: %s", sentence)
