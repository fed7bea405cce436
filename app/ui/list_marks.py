"""Marks in front of list items. Qt's own stand a blank's width before their text, whatever the style sheet says."""

from typing import cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QPainter,
    QPen,
    QTextBlock,
    QTextDocument,
    QTextList,
    QTextListFormat,
)

_BOXES = ("☐", "☑")
"""What tasks begin with; it is their mark."""
_DIAMETER, _DISTANCE = 0.34, 0.8
"""Of a mark, and from its centre to the text, as parts of the letters' size."""


def draw_marks(painter: QPainter, document: QTextDocument, clip: QRectF, colour: QColor) -> None:
    """Discs and rings in turn, by depth, for the lists that the style sheet left without a mark.

    `clip` is in the document's coordinates; what lies outside of it is not drawn.
    """
    metrics = QFontMetricsF(document.defaultFont())
    size = document.defaultFont().pixelSize()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    block = document.begin()
    while block.isValid():
        if (depth := _depth(block)) and (centre := _centre(block, size, metrics.xHeight())) is not None:
            radius = size * _DIAMETER / 2
            place = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
            if place.intersects(clip):
                _draw(painter, place, colour, is_ring=depth % 2 == 0)
        block = block.next()


def _depth(block: QTextBlock) -> int:
    """From 1; 0 where no mark is wanted."""
    # The stubs do not say that there may be none.
    items = cast("QTextList | None", block.textList())
    if items is None or items.format().style() != QTextListFormat.Style.ListStyleUndefined:
        return 0
    return 0 if block.text().startswith(_BOXES) else items.format().indent()


def _centre(block: QTextBlock, size: int, x_height: float) -> QPointF | None:
    """Half as high as small letters, before the first line; None where there is none."""
    above = block.document().documentLayout().blockBoundingRect(block).topLeft()
    line = block.layout().lineAt(0)
    if not line.isValid():
        return None
    text = line.naturalTextRect()
    right_to_left = block.textDirection() == Qt.LayoutDirection.RightToLeft
    x = text.right() + size * _DISTANCE if right_to_left else text.left() - size * _DISTANCE
    return QPointF(above.x() + x, above.y() + line.y() + line.ascent() - x_height / 2)


def _draw(painter: QPainter, place: QRectF, colour: QColor, *, is_ring: bool) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush if is_ring else QBrush(colour))
    painter.setPen(QPen(colour, place.width() / 5) if is_ring else QPen(Qt.PenStyle.NoPen))
    inset = place.width() / 10 if is_ring else 0
    painter.drawEllipse(place.adjusted(inset, inset, -inset, -inset))
