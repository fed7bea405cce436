"""A form on a page of a dialog, which has Enter and Esc to itself."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


class PageForm(QWidget):
    """The dialog would press a button of its own at Enter, and close at Esc with all that was typed."""

    ended = Signal()
    """It was kept, or given up"""

    def cancel(self) -> None:
        """Stop what is being asked, or give the form up."""
        self.end()

    def end(self) -> None:
        self.hide()
        self.ended.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
