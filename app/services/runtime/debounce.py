"""A call that waits until nobody has asked for it for a moment."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Debounce(QTimer):
    """Calls `act` once, `ms` milliseconds after the last `start`, in the thread of `parent`."""

    def __init__(self, ms: int, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(ms)
        self.timeout.connect(act)

    def flush(self) -> None:
        """Do it now if it waits."""
        if self.isActive():
            self.stop()
            # Not by a reference to `act`: a method of the parent would keep it alive in a cycle.
            self.timeout.emit()
