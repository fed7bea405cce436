"""Lists below a field: the keyboard stays in the field, and moves through the list."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit

_MOVING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ListKeys(QObject):
    """What the list stands at is told to screen readers at the field. Give `view` its model first."""

    entered = Signal()
    """Enter, in the field"""

    def __init__(self, field: QLineEdit, view: QAbstractItemView) -> None:
        super().__init__(field)
        self._field = field
        self._view = view
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.selectionModel().currentChanged.connect(self._tell)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _MOVING:
                self._view.event(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.entered.emit()
                return True
        return super().eventFilter(watched, event)

    @Slot(QModelIndex)
    def _tell(self, index: QModelIndex) -> None:
        if index.isValid():
            told = index.data(Qt.ItemDataRole.AccessibleTextRole) or index.data()
            self._field.setAccessibleDescription(str(told))
