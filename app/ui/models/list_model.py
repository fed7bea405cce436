"""The list of models: rows, how one is drawn, and keys that a plain list does not know."""

from PySide6.QtCore import QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.core.fit import Verdict
from app.core.model_ref import ModelRef
from app.ui.models.rows import DOT, AnyRow, Judge, Row, ServerRow, verdict_role, verdict_text
from app.ui.theme.fonts import SMALL_SIZE, text_font
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.row_painter import GAP, RowLine, RowPainter, draw_ground, name_font
from app.ui.widgets.rows_model import ROW, Index, RowsModel
from app.ui.widgets.rows_view import RowsView

_BADGE_PAD = 6
VERDICT = Qt.ItemDataRole.UserRole + 1
LOADED = Qt.ItemDataRole.UserRole + 2


class ModelsList(RowsModel[AnyRow]):
    """Asks `judge` for what is in sight alone, so that a thousand models cost as much as ten."""

    def __init__(self, judge: Judge, parent: QObject) -> None:
        super().__init__(parent)
        self._judge = judge
        self._loaded: ModelRef | None = None

    def show_loaded(self, model: ModelRef | None) -> None:
        """The model in memory."""
        if model != self._loaded:
            self._loaded = model
            self.refresh()

    def refresh(self) -> None:
        """Memory or settings are different: what fits may be, too."""
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))

    def index_of(self, model: ModelRef) -> QModelIndex:
        """Invalid where it is not listed."""
        at = next((number for number, row in enumerate(self.rows) if row.ref == model), -1)
        return self.index(at, 0)

    def is_loaded(self, index: Index) -> bool:
        row = self.row_at(index)
        return row is not None and row.ref == self._loaded

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._said(row)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(row.tip)
            case _ if role == ROW:
                return row
            case _ if role == VERDICT:
                return self._verdict(row)
            case _ if role == LOADED:
                return self.is_loaded(index)
        return None

    def _verdict(self, row: Row | ServerRow) -> Verdict | None:
        return self._judge(row.model) if isinstance(row, Row) and row.model.is_usable else None

    def _said(self, row: Row | ServerRow) -> str:
        verdict = self._verdict(row)
        parts = [row.name]
        if row.ref == self._loaded:
            parts.append(self.tr("loaded") if isinstance(row, Row) else self.tr("chosen"))
        parts += [verdict_text(verdict)] if verdict is not None else []
        return ", ".join((*parts, row.line.replace(DOT, ", "), *row.badges))


class ModelPainter(RowPainter):
    """Two lines: the name and whether it fits; figures and badges."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        if not isinstance(row, Row | ServerRow):
            return
        rect: QRect = option.rect
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_ground(painter, self.appearance, rect, option.state)
        upper, lower = self.lines(painter, rect, mirrored=mirrored)
        self._draw_name(upper, row, index)
        self._draw_badges(lower, row)
        lower.write(row.line, text_font(SMALL_SIZE), self.colour("danger" if row.is_wrong else "muted"))
        painter.restore()

    def _draw_name(self, line: RowLine, row: Row | ServerRow, index: Index) -> None:
        if isinstance(row, ServerRow) and row.leaves:
            line.draw_icon(self.appearance.icon("server", "accent").pixmap(16, 16))
        told = index.data(VERDICT)
        if told:
            # Qt hands an enumeration of strings back as a plain string.
            verdict = Verdict(told)
            line.write_last(verdict_text(verdict), text_font(SMALL_SIZE), self.colour(verdict_role(verdict)))
        if index.data(LOADED):
            line.draw_icon(self.appearance.icon("check", "accent").pixmap(16, 16))
        line.write(row.name, name_font(), self.colour("text"))

    def _draw_badges(self, line: RowLine, row: Row | ServerRow) -> None:
        """As many, from the first, as half of the line takes."""
        metrics = QFontMetrics(text_font(SMALL_SIZE - 1))
        boxes: list[tuple[str, int]] = []
        left = line.width // 2
        for badge in row.badges:
            width = metrics.horizontalAdvance(badge) + 2 * _BADGE_PAD
            left -= width + GAP // 2
            if left < 0:
                break
            boxes.append((badge, width))
        for badge, width in reversed(boxes):
            self._draw_badge(line, badge, width, is_problem=row.is_wrong and badge == row.badges[0])

    def _draw_badge(self, line: RowLine, text: str, width: int, *, is_problem: bool) -> None:
        box = line.take_last(width)
        if box is None:
            return
        font = text_font(SMALL_SIZE - 1)
        painter, colour = line.painter, self.colour("danger" if is_problem else "muted")
        painter.setPen(colour if is_problem else self.colour("scroll"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter.value, text)


class ModelsListView(RowsView):
    chosen = Signal()
    """The current row, by Enter or a double click"""
    removal_wanted = Signal()

    def __init__(self, rows: ModelsList[AnyRow], painter: ModelPainter, parent: QWidget | None = None) -> None:
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
