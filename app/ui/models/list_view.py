"""The view of the list of models: keys that a plain list does not know."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.ui.models.list_model import ModelPainter, ModelsList
from app.ui.widgets.rows_view import RowsView


class ModelsListView(RowsView):
    chosen = Signal()
    """The current row, by Enter or a double click"""
    removal_wanted = Signal()

    def __init__(self, rows: ModelsList, painter: ModelPainter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("models")
        self.setAccessibleName(self.tr("Models"))
        self.setModel(rows)
        self.setItemDelegate(painter)
        # One row is as high as any other: a thousand are laid out by asking for one.
        self.setUniformItemSizes(True)
        self.doubleClicked.connect(lambda _: self.chosen.emit())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removal_wanted.emit()
        else:
            super().keyPressEvent(event)
            return
        event.accept()
