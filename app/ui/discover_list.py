"""The list of the hub: rows for the view, and how one is drawn."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.ui.discover_rows import Heading, Row, line, mark, said, title
from app.ui.fonts import SMALL_SIZE, text_font
from app.ui.theme import Look

_Index = QModelIndex | QPersistentModelIndex
_SIDE, _ABOVE, _BETWEEN, _GAP, _ROUND = 12, 8, 3, 10, 8
_ROW = Qt.ItemDataRole.UserRole
_ACROSS = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter


class DiscoverRows(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: Sequence[Row] = ()

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row_at(self, index: _Index) -> Row | None:
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self.row_at(index), Heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return said(row)
            case _ if role == _ROW:
                return row
        return None


class DiscoverList(QListView):
    """Arrows pass over headings; Home and End come to rows."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("hub")
        self.rows = DiscoverRows(self)
        self.setModel(self.rows)
        self.setItemDelegate(_Painter(look, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        look.changed.connect(self.viewport().update)
        look.changed.connect(self.doItemsLayout)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """The row that was chosen stays so where it is still there, without being chosen anew."""
        before, top = self.chosen(), self.verticalScrollBar().value()
        self.selectionModel().blockSignals(True)
        self.rows.show_rows(rows)
        if before is not None and before in rows:
            self.setCurrentIndex(self.rows.index(list(rows).index(before), 0))
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


class _Painter(QStyledItemDelegate):
    """A heading; or two lines: the name with a mark at its end, and what is known of it."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        small = QFontMetrics(text_font(SMALL_SIZE)).height()
        if isinstance(index.data(_ROW), Heading):
            return QSize(0, small + 2 * _ABOVE + 4)
        return QSize(0, QFontMetrics(_name_font()).height() + small + _BETWEEN + 2 * _ABOVE + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: Row = index.data(_ROW)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        inside = rect.adjusted(_SIDE, _ABOVE + 1, -_SIDE, -_ABOVE - 1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Heading):
            font = text_font(SMALL_SIZE, QFont.Weight.Medium)
            self._write(painter, inside.adjusted(0, _ABOVE // 2, 0, _ABOVE // 2), row.text, font, "muted", mirrored)
        else:
            self._draw_ground(painter, rect, state)
            upper, lower = QRect(inside), QRect(inside)
            upper.setHeight(QFontMetrics(_name_font()).height())
            lower.setTop(upper.bottom() + 1 + _BETWEEN)
            upper = self._draw_mark(painter, upper, row, mirrored)
            self._write(painter, upper, title(row), _name_font(), "text", mirrored)
            self._write(painter, lower, line(row), text_font(SMALL_SIZE), "muted", mirrored)
        painter.restore()

    def _draw_ground(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        if state & QStyle.StateFlag.State_Selected:
            colour = self._look.tokens.selected
        elif state & QStyle.StateFlag.State_MouseOver:
            colour = self._look.tokens.hover
        else:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(rect).adjusted(0, 1, 0, -1), _ROUND, _ROUND)

    def _draw_mark(self, painter: QPainter, rect: QRect, row: Row, mirrored: bool) -> QRect:
        """What is left of the line."""
        text, role = mark(row)
        font = text_font(SMALL_SIZE, QFont.Weight.Medium)
        width = QFontMetrics(font).horizontalAdvance(text) + 1
        if not text or width + _GAP > rect.width():
            return rect
        box, rest = QRect(rect), QRect(rect)
        if mirrored:
            box.setWidth(width)
            rest.setLeft(box.right() + _GAP)
        else:
            box.setLeft(rect.right() + 1 - width)
            rest.setRight(box.left() - _GAP)
        self._write(painter, box, text, font, "link" if role == "accent" else role, mirrored)
        return rest

    def _write(self, painter: QPainter, rect: QRect, text: str, font: QFont, role: str, mirrored: bool) -> None:
        painter.setFont(font)
        painter.setPen(QColor(getattr(self._look.tokens, role)))
        side = Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, (side | _ACROSS).value, shown)


def _name_font() -> QFont:
    return text_font(weight=QFont.Weight.Medium)
