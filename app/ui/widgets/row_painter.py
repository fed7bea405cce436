"""How a row of a list is drawn: its ground, and lines that are filled from both ends."""

from PySide6.QtCore import QObject, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPixmap, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QStyle, QStyledItemDelegate

from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, text_font

ABOVE, GAP = 8, 10
"""Pixels above a row's content, and between what stands in one line."""
_SIDE, _BETWEEN = 12, 3
ROUND = 8
"""Pixels: of the corners of a row's ground, and of the ring around it."""


class RowPainter(QStyledItemDelegate):
    """For rows of two lines, a name and what is known of it."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self.appearance = appearance

    @property
    def height(self) -> int:
        """Of two lines, with what is around them."""
        return QFontMetrics(name_font()).height() + small_height() + _BETWEEN + 2 * ABOVE + 4

    def colour(self, role: str) -> QColor:
        return QColor(getattr(self.appearance.tokens, role))

    def lines(self, painter: QPainter, rect: QRect, *, mirrored: bool) -> tuple["RowLine", "RowLine"]:
        """The two lines of a row that fills `rect`."""
        upper, lower = inside(rect), inside(rect)
        upper.setHeight(QFontMetrics(name_font()).height())
        lower.setTop(upper.bottom() + 1 + _BETWEEN)
        return RowLine(painter, upper, mirrored=mirrored), RowLine(painter, lower, mirrored=mirrored)


class RowLine:
    """A line that is filled from its end and then from its beginning."""

    def __init__(self, painter: QPainter, rect: QRect, *, mirrored: bool) -> None:
        self.painter = painter
        self._rect = QRect(rect)
        self._mirrored = mirrored
        self.width = rect.width()

    def take_last(self, width: int) -> QRect | None:
        """A box at the end; None where there is no room."""
        if self._rect.width() < width + GAP:
            return None
        box = QRect(self._rect)
        if self._mirrored:
            box.setWidth(width)
            self._rect.setLeft(box.right() + 1 + GAP // 2)
        else:
            box.setLeft(self._rect.right() + 1 - width)
            self._rect.setRight(box.left() - 1 - GAP // 2)
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
            self._rect.setRight(side.left() - 1 - GAP // 2)
        else:
            self._rect.setLeft(side.right() + 1 + GAP // 2)
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


def draw_ground(painter: QPainter, appearance: Appearance, rect: QRect, state: QStyle.StateFlag) -> None:
    """Under a row that is chosen, or under the mouse."""
    if state & QStyle.StateFlag.State_Selected:
        colour = appearance.tokens.selected
    elif state & QStyle.StateFlag.State_MouseOver:
        colour = appearance.tokens.hover
    else:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(QRectF(rect).adjusted(0, 1, 0, -1), ROUND, ROUND)


def format_range(
    start: int, length: int, ink: QColor, *, ground: QColor | None = None, weight: QFont.Weight | None = None
) -> QTextLayout.FormatRange:
    """How a part of a line looks otherwise than the rest."""
    made = QTextLayout.FormatRange()
    made.start, made.length = start, length
    made.format = QTextCharFormat()
    made.format.setForeground(ink)
    if ground is not None:
        made.format.setBackground(ground)
    if weight is not None:
        made.format.setFontWeight(weight)
    return made


def inside(rect: QRect) -> QRect:
    """Where a row's content stands."""
    return rect.adjusted(_SIDE, ABOVE + 1, -_SIDE, -ABOVE - 1)


def name_font() -> QFont:
    return text_font(weight=QFont.Weight.Medium)


def small_height() -> int:
    return QFontMetrics(text_font(SMALL_SIZE)).height()
