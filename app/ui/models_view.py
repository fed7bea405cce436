"""The view of the list of models: keys that a plain list does not know."""

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.ui.models_list import ModelPainter, ModelsList


class ModelsView(QListView):
    chosen = Signal()
    """The current row, by Enter or a double click"""
    removal_wanted = Signal()
    menu_wanted = Signal(QModelIndex, QPoint)
    """Where, in the viewport"""

    def __init__(self, rows: ModelsList, painter: ModelPainter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("models")
        self.setAccessibleName(self.tr("Models"))
        self.setModel(rows)
        self.setItemDelegate(painter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # One row is as high as any other: a thousand are laid out by asking for one.
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            place = self.visualRect(index).center()
        else:
            place = self.viewport().mapFromGlobal(event.globalPos())
            index = self.indexAt(place)
        self.menu_wanted.emit(index, place)
        event.accept()
