"""Python's machine code, made ahead when models may use it: the first call on a machine would wait for it."""

import concurrent.futures
import logging

from PySide6.QtCore import QObject, Signal

from app.services.tools.servers import ToolServers
from app.tools.built_in.python import Python

_log = logging.getLogger(__name__)


class PythonPreparation(QObject):
    """GUI thread."""

    changed = Signal()
    """It runs, or has ended."""

    def __init__(self, servers: ToolServers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._servers = servers
        self._running: concurrent.futures.Future[None] | None = None

    @property
    def is_running(self) -> bool:
        return self._running is not None

    def begin(self) -> None:
        """In a child that lets others have the processor; at once over where it was done before."""
        python = self._servers.built_in.get(Python.name)
        if isinstance(python, Python) and self._running is None:
            self._running = self._servers.ask(python.prepare, self._end)
            self.changed.emit()

    def leave(self) -> None:
        """It is not wanted any more."""
        if self._running is not None:
            self._running.cancel()
            self._end(None)

    def _end(self, problem: Exception | None) -> None:
        if problem is not None:
            # Whoever calls it is told.
            _log.info("Python could not be made ready: %s", problem)
        self._running = None
        self.changed.emit()
