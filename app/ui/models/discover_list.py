"""The list of the hub: rows for the view, and how one is drawn."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.ui.models.discover_rows import Heading, Row, line, mark, said, subject, title
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, text_font
from app.ui.widgets.row_painter import ABOVE, RowLine, RowPainter, draw_ground, inside, name_font, small_height
from app.ui.widgets.rows_model import ROW, Index, RowsModel
from app.ui.widgets.rows_view import RowsView


class DiscoverRows(RowsModel[Row]):
    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self.row_at(index), Heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return said(row)
            case _ if role == ROW:
                return row
        return None


class DiscoverList(RowsView):
    """Arrows pass over headings; Home and End come to rows."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("hub")
        self.rows = DiscoverRows(self)
        self.setModel(self.rows)
        self.setItemDelegate(_Painter(appearance, self))
        appearance.changed.connect(self.viewport().update)
        appearance.changed.connect(self.doItemsLayout)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """What was chosen stays so where it is still there, without being chosen anew."""
        before, top = subject(self.chosen()), self.verticalScrollBar().value()
        self.selectionModel().blockSignals(True)
        self.rows.show_rows(rows)
        at = next((number for number, row in enumerate(rows) if before is not None and subject(row) == before), None)
        if at is not None:
            self.setCurrentIndex(self.rows.index(at, 0))
            self.verticalScrollBar().setValue(top)
        self.selectionModel().blockSignals(False)
        self.viewport().update()

    def chosen(self) -> Row | None:
        index = self.currentIndex()
        return self.rows.row_at(index) if index.isValid() else None

    def choose_first(self) -> None:
        at = next((number for number, row in enumerate(self.rows.rows) if not isinstance(row, Heading)), None)
        if at is not None:
            self.setCurrentIndex(self.rows.index(at, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Home or (event.key() == Qt.Key.Key_Down and not self.currentIndex().isValid()):
            self.choose_first()
        else:
            super().keyPressEvent(event)


class _Painter(RowPainter):
    """A heading; or two lines: the name with a mark at its end, and what is known of it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, small_height() + 2 * ABOVE + 4 if isinstance(index.data(ROW), Heading) else self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW)
        rect: QRect = option.rect
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Heading):
            lower = RowLine(painter, inside(rect).translated(0, ABOVE // 2), mirrored=mirrored)
            lower.write(row.text, text_font(SMALL_SIZE, QFont.Weight.Medium), self.colour("muted"))
        else:
            draw_ground(painter, self.appearance, rect, option.state)
            upper, lower = self.lines(painter, rect, mirrored=mirrored)
            text, role = mark(row)
            if text:
                font = text_font(SMALL_SIZE, QFont.Weight.Medium)
                upper.write_last(text, font, self.colour("link" if role == "accent" else role))
            upper.write(title(row), name_font(), self.colour("text"))
            lower.write(line(row), text_font(SMALL_SIZE), self.colour("muted"))
        painter.restore()
