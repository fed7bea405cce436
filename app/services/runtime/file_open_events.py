"""macOS names the files of a double-click in an event instead of on the command line."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtGui import QFileOpenEvent


class FileOpenEvents(QObject):
    """GUI thread. To be made before the first event loop runs: the event of a start comes with it.

    A filter of Python's is asked about every event of the program, so there is one only where such events come.
    """

    opened = Signal(object)
    """Path"""

    def __init__(self, application: QCoreApplication) -> None:
        super().__init__(application)
        self._kept: list[Path] | None = []
        application.installEventFilter(self)

    def take(self) -> tuple[Path, ...]:
        """What came so far. From now on `opened` tells."""
        kept, self._kept = self._kept or [], None
        return tuple(kept)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QFileOpenEvent):
            return False
        if event.url().isLocalFile():
            path = Path(event.url().toLocalFile())
            if self._kept is None:
                self.opened.emit(path)
            else:
                self._kept.append(path)
        return True
