"""A view of rows that are drawn whole: without a frame, one chosen at a time, with a menu by mouse and key."""

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget


class RowsView(QListView):
    menu_wanted = Signal(QModelIndex, QPoint)
    """Where, in the viewport; the index is invalid beside the rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            place = self.visualRect(index).center()
        else:
            place = self.viewport().mapFromGlobal(event.globalPos())
            index = self.indexAt(place)
        self.menu_wanted.emit(index, place)
        event.accept()
