"""A field to search a list with, from which the keyboard goes down into the list."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget


class SearchField(QLineEdit):
    left_downwards = Signal()
    """By the arrow that points to the list"""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        self.setClearButtonEnabled(True)
        # Qt's own button has an icon and no name.
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(self.tr("Clear"))
            button.setToolTip(self.tr("Clear"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.left_downwards.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
            return
        event.accept()
