"""The rows of the command palette: a model for the list, and how a row is drawn."""

from PySide6.QtCore import QObject, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.commands.palette_entries import Row
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, text_font
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.row_painter import format_range
from app.ui.widgets.rows_model import ROW, Index, RowsModel

_SIDE, _ABOVE, _GAP, _ROUND = 12, 9, 14, 8


class PaletteModel(RowsModel[Row]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        if row is None:
            return None
        entry = row.entry
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(part for part in (entry.title, entry.kind, entry.keys) if part)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(entry.detail) or None
            case _ if role == ROW:
                return row
        return None


class PaletteDelegate(QStyledItemDelegate):
    """The title, with what was typed in the accent's colour; at the other side its kind, or its keys in a frame."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, QFontMetrics(text_font()).height() + 2 * _ABOVE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        if not isinstance(row, Row):
            return
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        tokens = self._appearance.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.selected))
            painter.drawRoundedRect(rect, _ROUND, _ROUND)
        inside = rect.adjusted(_SIDE, 0, -_SIDE, 0)
        taken = self._draw_end(painter, inside, row, mirrored=mirrored)
        room = inside.adjusted(taken if mirrored else 0, 0, 0 if mirrored else -taken, 0)
        self._draw_title(painter, room, row, mirrored=mirrored)
        painter.restore()

    def _draw_end(self, painter: QPainter, inside: QRect, row: Row, *, mirrored: bool) -> int:
        """The kind or the keys. Returns the pixels that they take."""
        text = row.entry.keys or row.entry.kind
        if not text:
            return 0
        tokens = self._appearance.tokens
        painter.setFont(text_font(SMALL_SIZE))
        metrics = painter.fontMetrics()
        pad = 7 if row.entry.keys else 0
        width = metrics.horizontalAdvance(text) + 2 * pad
        box = QRect(inside.left() if mirrored else inside.right() + 1 - width, 0, width, metrics.height() + 6)
        box.moveTop(inside.center().y() - box.height() // 2 + 1)
        if row.entry.keys:
            painter.setPen(QColor(tokens.border))
            painter.setBrush(QColor(tokens.raised))
            painter.drawRoundedRect(box.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setPen(QColor(tokens.text if row.entry.keys else tokens.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter.value, text)
        return width + _GAP

    def _draw_title(self, painter: QPainter, room: QRect, row: Row, *, mirrored: bool) -> None:
        font = text_font()
        title = QFontMetrics(font).elidedText(row.entry.title, Qt.TextElideMode.ElideRight, room.width() - 4)
        layout = QTextLayout(title, font)
        side = Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
        option = QTextOption(side | Qt.AlignmentFlag.AlignAbsolute)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTextDirection(Qt.LayoutDirection.RightToLeft if mirrored else Qt.LayoutDirection.LeftToRight)
        layout.setTextOption(option)
        layout.setFormats([self._found(place) for place in row.places if place < len(title)])
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(room.width())
        layout.endLayout()
        painter.setPen(QColor(self._appearance.tokens.text))
        top = room.top() + (room.height() - line.height()) / 2
        layout.draw(painter, QPointF(room.left(), top))

    def _found(self, place: int) -> QTextLayout.FormatRange:
        return format_range(place, 1, QColor(self._appearance.tokens.link), weight=QFont.Weight.DemiBold)
