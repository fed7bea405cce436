"""A list of rows of two lines, and how one is drawn."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.ui.documents.rows import Row
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, text_font
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.row_painter import RowPainter, draw_ground, name_font
from app.ui.widgets.rows_model import ROW, Index, RowsModel
from app.ui.widgets.rows_view import RowsView

_ICON = 16


class RowList(RowsModel[Row]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.said
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip("\n".join(filter(None, (row.line, row.path))))
            case _ if role == ROW:
                return row
        return None


class _Painter(RowPainter):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        if not isinstance(row, Row):
            return
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_ground(painter, self.appearance, rect, option.state)
        upper, lower = self.lines(painter, rect, mirrored=option.direction == Qt.LayoutDirection.RightToLeft)
        upper.draw_icon(self.appearance.icon(row.icon, "muted").pixmap(_ICON, _ICON))
        upper.write(row.name, name_font(), self.colour("text"))
        lower.write(row.line, text_font(SMALL_SIZE), self.colour(row.tone))
        painter.restore()


class RowListView(RowsView):
    """The row that the keyboard is at stays, also where others come above it."""

    chosen = Signal()
    """The current row, by Enter or a double click"""
    removal_wanted = Signal()

    def __init__(self, appearance: Appearance, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("models")
        self.setAccessibleName(name)
        self.list = RowList(self)
        self.setModel(self.list)
        self.setItemDelegate(_Painter(appearance, self))
        # One row is as high as any other: thousands are laid out by asking for one.
        self.setUniformItemSizes(True)
        self.doubleClicked.connect(self._choose)

    @property
    def current(self) -> Row | None:
        return self.list.row_at(self.currentIndex())

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        if rows == self.list.rows:
            return
        before, place = self.current, self.verticalScrollBar().value()
        self.list.show_rows(rows)
        wanted = _key(before)
        at = next((number for number, row in enumerate(rows) if wanted is not None and _key(row) == wanted), 0)
        self.setCurrentIndex(self.list.index(at, 0))
        self.verticalScrollBar().setValue(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.current is not None:
            self.removal_wanted.emit()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def _choose(self) -> None:
        if self.current is not None:
            self.chosen.emit()


def _key(row: Row | None) -> tuple[str, str, str] | None:
    return (type(row.of).__name__, row.path, row.name) if row is not None else None
