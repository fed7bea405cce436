"""Calls that come again and again, and calls that wait until nobody has asked for them for a moment."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Ticker(QTimer):
    """Calls `act` every `ms` milliseconds from `start` until `stop`, in the thread of `parent`."""

    def __init__(self, ms: int, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self.setInterval(ms)
        self.timeout.connect(act)


class Debounce(Ticker):
    """Calls `act` once, `ms` milliseconds after the last `start`, in the thread of `parent`."""

    def __init__(self, ms: int, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(ms, act, parent)
        self.setSingleShot(True)

    def flush(self) -> None:
        """Do it now if it waits."""
        if self.isActive():
            self.stop()
            # Not by a reference to `act`: a method of the parent would keep it alive in a cycle.
            self.timeout.emit()
