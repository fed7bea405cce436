"""The list of models: rows for the view, and how one is drawn."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core.fit import Verdict
from app.ui.fonts import SMALL_SIZE, text_font
from app.ui.model_rows import DOT, Judge, Row, verdict_role, verdict_text
from app.ui.theme import Look

_Index = QModelIndex | QPersistentModelIndex
_SIDE, _ABOVE, _BETWEEN, _GAP, _ROUND = 12, 8, 3, 10, 8
_BADGE_PAD = 6
ROW = Qt.ItemDataRole.UserRole
VERDICT = Qt.ItemDataRole.UserRole + 1
LOADED = Qt.ItemDataRole.UserRole + 2


class ModelsList(QAbstractListModel):
    """Asks `judge` for what is in sight alone, so that a thousand models cost as much as ten."""

    def __init__(self, judge: Judge, parent: QObject) -> None:
        super().__init__(parent)
        self._judge = judge
        self._rows: Sequence[Row] = ()
        self._loaded: Path | None = None

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def show_loaded(self, path: Path | None) -> None:
        """The model in memory."""
        if path != self._loaded:
            self._loaded = path
            self.refresh()

    def refresh(self) -> None:
        """Memory or settings are different: what fits may be, too."""
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0))

    def row_at(self, index: _Index) -> Row | None:
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    def index_of(self, path: Path) -> QModelIndex:
        """Invalid where it is not listed."""
        at = next((number for number, row in enumerate(self._rows) if row.model.path == path), -1)
        return self.index(at, 0)

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.model.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._said(row)
            case Qt.ItemDataRole.ToolTipRole:
                return f"<p>{_escaped(str(row.model.path))}</p>"
            case _ if role == ROW:
                return row
            case _ if role == VERDICT:
                return self._verdict(row)
            case _ if role == LOADED:
                return row.model.path == self._loaded
        return None

    def _verdict(self, row: Row) -> Verdict | None:
        return self._judge(row.model) if row.model.is_usable else None

    def _said(self, row: Row) -> str:
        verdict = self._verdict(row)
        parts = [row.model.name]
        if row.model.path == self._loaded:
            parts.append(self.tr("loaded"))
        parts += [verdict_text(verdict)] if verdict is not None else []
        return ", ".join((*parts, row.line.replace(DOT, ", "), *row.badges))


class ModelPainter(QStyledItemDelegate):
    """Two lines: the name and whether it fits; figures and badges."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        name, small = QFontMetrics(_name_font()).height(), QFontMetrics(text_font(SMALL_SIZE)).height()
        return QSize(0, name + small + _BETWEEN + 2 * _ABOVE + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW)
        if not isinstance(row, Row):
            return
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_ground(painter, rect, state)
        inside = rect.adjusted(_SIDE, _ABOVE + 1, -_SIDE, -_ABOVE - 1)
        upper, lower = QRect(inside), QRect(inside)
        upper.setHeight(QFontMetrics(_name_font()).height())
        lower.setTop(upper.bottom() + 1 + _BETWEEN)
        room = _Room(painter, upper, mirrored=mirrored)
        self._draw_name(room, row, index)
        room = _Room(painter, lower, mirrored=mirrored)
        self._draw_badges(room, row)
        colour = "danger" if row.model.problem else "muted"
        room.write(row.line, text_font(SMALL_SIZE), self._colour(colour))
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

    def _draw_name(self, room: "_Room", row: Row, index: _Index) -> None:
        told = index.data(VERDICT)
        if told:
            # Qt hands an enumeration of strings back as a plain string.
            verdict = Verdict(told)
            room.write_last(verdict_text(verdict), text_font(SMALL_SIZE), self._colour(verdict_role(verdict)))
        if index.data(LOADED):
            room.draw_icon(self._look.icon("check", "accent").pixmap(16, 16))
        room.write(row.model.name, _name_font(), self._colour("text"))

    def _draw_badges(self, room: "_Room", row: Row) -> None:
        """As many, from the first, as half of the line takes."""
        metrics = QFontMetrics(text_font(SMALL_SIZE - 1))
        boxes: list[tuple[str, int]] = []
        left = room.width // 2
        for badge in row.badges:
            width = metrics.horizontalAdvance(badge) + 2 * _BADGE_PAD
            left -= width + _GAP // 2
            if left < 0:
                break
            boxes.append((badge, width))
        for badge, width in reversed(boxes):
            self._draw_badge(room, badge, width, is_problem=bool(row.model.problem) and badge == row.badges[0])

    def _draw_badge(self, room: "_Room", text: str, width: int, *, is_problem: bool) -> None:
        box = room.take_last(width)
        if box is None:
            return
        font = text_font(SMALL_SIZE - 1)
        painter, colour = room.painter, self._colour("danger" if is_problem else "muted")
        painter.setPen(colour if is_problem else self._colour("scroll"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter.value, text)

    def _colour(self, role: str) -> QColor:
        return QColor(getattr(self._look.tokens, role))


class _Room:
    """A line that is filled from its end and then from its beginning."""

    def __init__(self, painter: QPainter, rect: QRect, *, mirrored: bool) -> None:
        self.painter = painter
        self._rect = QRect(rect)
        self._mirrored = mirrored
        self.width = rect.width()

    def take_last(self, width: int) -> QRect | None:
        """A box at the end; None where there is no room."""
        if self._rect.width() < width + _GAP:
            return None
        box = QRect(self._rect)
        if self._mirrored:
            box.setWidth(width)
            self._rect.setLeft(box.right() + 1 + _GAP // 2)
        else:
            box.setLeft(self._rect.right() + 1 - width)
            self._rect.setRight(box.left() - 1 - _GAP // 2)
        return box

    def write_last(self, text: str, font: QFont, colour: QColor) -> None:
        box = self.take_last(QFontMetrics(font).horizontalAdvance(text) + 1)
        if box is not None:
            self.painter.setFont(font)
            self.painter.setPen(colour)
            self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter.value, text)

    def draw_icon(self, pixmap: QPixmap) -> None:
        side = QRect(self._rect)
        size = round(pixmap.width() / pixmap.devicePixelRatio())
        side.setWidth(size)
        if self._mirrored:
            side.moveRight(self._rect.right())
            self._rect.setRight(side.left() - 1 - _GAP // 2)
        else:
            self._rect.setLeft(side.right() + 1 + _GAP // 2)
        side.setTop(self._rect.center().y() - size // 2)
        side.setHeight(size)
        self.painter.drawPixmap(side, pixmap)

    def write(self, text: str, font: QFont, colour: QColor) -> None:
        """What fits of `text`, from the beginning."""
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, self._rect.width())
        side = Qt.AlignmentFlag.AlignRight if self._mirrored else Qt.AlignmentFlag.AlignLeft
        self.painter.setFont(font)
        self.painter.setPen(colour)
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        self.painter.drawText(self._rect, flags.value, shown)


def _name_font() -> QFont:
    return text_font(weight=QFont.Weight.Medium)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
