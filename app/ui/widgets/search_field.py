"""A field to search a list with, from which the keyboard goes down into the list."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QIcon, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import tinted

_ACTION = "_q_qlineeditclearaction"
"""What Qt calls the action of the button that empties a field."""
_RECOLOURED = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange)


class ClearButton(QObject):
    """In a field: Qt's button that empties it, with our icon and a name. The field owns this."""

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(field)
        self._field = field
        field.setClearButtonEnabled(True)
        for button in field.findChildren(QToolButton):
            button.setAccessibleName(self.tr("Clear"))
        for action in field.findChildren(QAction, _ACTION):
            # The button says what its action says, anew with each change.
            action.setToolTip(self.tr("Clear"))
        field.installEventFilter(self)
        self._tint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _RECOLOURED:
            self._tint()
        return super().eventFilter(watched, event)

    def _tint(self) -> None:
        for action in self._field.findChildren(QAction, _ACTION):
            action.setIcon(tinted("close", self._field.palette().placeholderText().color().name()))


class SearchField(QLineEdit):
    left_downwards = Signal()
    """By the arrow that points to the list"""

    def __init__(self, name: str, parent: QWidget | None = None, appearance: Appearance | None = None) -> None:
        """With a glass in front, in the colours of `appearance`, where that is given."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        ClearButton(self)
        if appearance is not None:
            self._appearance = appearance
            self._glass = self.addAction(QIcon(), self.ActionPosition.LeadingPosition)
            self._glass.setText(self.tr("Search"))
            appearance.changed.connect(self._tint)
            self._tint()

    def _tint(self) -> None:
        self._glass.setIcon(self._appearance.icon("search", "muted"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.left_downwards.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
            return
        event.accept()
