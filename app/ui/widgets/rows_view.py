"""A view of rows that are drawn whole: without a frame, one chosen at a time, with a menu by mouse and key."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QHoverEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QListView, QMenu, QWidget

from app.ui.widgets.row_painter import ROUND

_BY_MOUSE = (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)


class RowsView(QListView):
    """A ring shows the row that the keyboard is at, or whose menu is open; a click alone needs none."""

    menu_wanted = Signal(QModelIndex, QPoint)
    """Where, in the viewport; the index is invalid beside the rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_keyboard = False
        self._menu_at = QPersistentModelIndex()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    @property
    def ringed(self) -> QModelIndex:
        """The row with the ring; invalid for none."""
        if self._menu_at.isValid():
            return self.model().index(self._menu_at.row(), 0)
        return self.currentIndex() if self._by_keyboard and self.hasFocus() else QModelIndex()

    def doItemsLayout(self) -> None:
        """Qt lets the look of a row that is pointed at travel with the row, when others come or go above it."""
        super().doItemsLayout()
        port, place = self.viewport(), QCursor.pos()
        inside = QPointF(port.mapFromGlobal(place))
        is_there = port.underMouse() and port.rect().contains(inside.toPoint())
        kind = QEvent.Type.HoverMove if is_there else QEvent.Type.HoverLeave
        self.viewportEvent(QHoverEvent(kind, inside, QPointF(place), inside))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            place = self.visualRect(index).center()
        else:
            place = self.viewport().mapFromGlobal(event.globalPos())
            index = self.indexAt(place)
        self.ask_for_menu(index, place)
        event.accept()

    def ask_for_menu(self, index: QModelIndex, place: QPoint) -> None:
        self.menu_wanted.emit(index, place)
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu):
            self._menu_at = QPersistentModelIndex(index)
            menu.aboutToHide.connect(self._forget_menu)
            self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in _BY_MOUSE:
            self._set_by_keyboard(True)
        elif event.reason() == Qt.FocusReason.MouseFocusReason:
            self._set_by_keyboard(False)
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._set_by_keyboard(True)
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._set_by_keyboard(False)
        super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        index = self.ringed
        is_empty = self._by_keyboard and self.hasFocus() and not self.model().rowCount()
        if not index.isValid() and not is_empty:
            return
        box = self.viewport().rect() if is_empty else self.visualRect(index)
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.palette().accent().color())
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 1.5, -0.5, -1.5), ROUND, ROUND)
        painter.end()

    def _set_by_keyboard(self, by_keyboard: bool) -> None:
        if by_keyboard != self._by_keyboard:
            self._by_keyboard = by_keyboard
            self.viewport().update()

    def _forget_menu(self) -> None:
        self._menu_at = QPersistentModelIndex()
        self.viewport().update()
