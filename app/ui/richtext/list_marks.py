"""Marks in front of list items. Qt's own stand a blank's width before their text, whatever the style sheet says."""

from collections import Counter
from collections.abc import Iterator
from math import ceil
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
_GAP = 0.6
"""From a number to the text: about a disc's, as a full stop has some room of its own."""
NUMBERS_CSS = "ul, ol { list-style-type: none; } ol { -qt-list-number-suffix: '.'; } ul { -qt-list-number-suffix: ''; }"
"""Leaves the marks to `draw_marks`; the suffix tells it which lists have numbers."""


def draw_marks(painter: QPainter, document: QTextDocument, clip: QRectF, marks: QColor, numbers: QColor) -> None:
    """Discs and rings in turn, by depth, and numbers, for the lists that the style sheet left without a mark.

    `clip` is in the document's coordinates; what lies outside of it is not drawn.
    """
    font = document.defaultFont()
    metrics = QFontMetricsF(font)
    size = font.pixelSize()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font)
    # What is drawn is in the order in which it is seen, whichever way the window runs.
    painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    for block, items, number in _items(document):
        start = _start(block)
        if start is None:
            continue
        if _is_numbered(items):
            reads_left = block.textDirection() == Qt.LayoutDirection.RightToLeft
            told = _told(items, number, mirrored=reads_left)
            width = metrics.horizontalAdvance(told)
            left = start.x() + size * _GAP if reads_left else start.x() - size * _GAP - width
            if QRectF(left, start.y() - metrics.ascent(), width, metrics.height()).intersects(clip):
                painter.setPen(numbers)
                painter.drawText(QPointF(left, start.y()), told)
        elif not block.text().startswith(_BOXES):
            place = _mark_place(block, start, size, metrics.xHeight())
            if place.intersects(clip):
                _draw(painter, place, marks, is_ring=items.format().indent() % 2 == 0)


def indent_for(document: QTextDocument, usual: int) -> int:
    """Pixels by which lists are set in: `usual`, or more where a long number would not have room."""
    font = document.defaultFont()
    metrics = QFontMetricsF(font)
    numbered = [_told(items, number) for _, items, number in _items(document) if _is_numbered(items)]
    longest = max((metrics.horizontalAdvance(each) for each in numbered), default=0.0)
    return max(usual, ceil(longest + font.pixelSize() * _GAP))


def _items(document: QTextDocument) -> Iterator[tuple[QTextBlock, QTextList, int]]:
    """First blocks of items without a mark of Qt's, with their list and their place in it, from 0."""
    # Asked for it, a list would count all the items before.
    counted: Counter[int] = Counter()
    block = document.begin()
    while block.isValid():
        # The stubs do not say that there may be none.
        items = cast("QTextList | None", block.textList())
        if items is not None and items.format().style() == QTextListFormat.Style.ListStyleUndefined:
            yield block, items, counted[items.objectIndex()]
            counted[items.objectIndex()] += 1
        block = block.next()


def _is_numbered(items: QTextList) -> bool:
    return bool(items.format().numberSuffix())


def _told(items: QTextList, number: int, *, mirrored: bool = False) -> str:
    told, suffix = str(items.format().start() + number), items.format().numberSuffix()
    return suffix + told if mirrored else told + suffix


def _start(block: QTextBlock) -> QPointF | None:
    """Where the text begins, on the ground of its first line; None where there is none."""
    above = block.document().documentLayout().blockBoundingRect(block).topLeft()
    line = block.layout().lineAt(0)
    if not line.isValid():
        return None
    text = line.naturalTextRect()
    x = text.right() if block.textDirection() == Qt.LayoutDirection.RightToLeft else text.left()
    return QPointF(above.x() + x, above.y() + line.y() + line.ascent())


def _mark_place(block: QTextBlock, start: QPointF, size: int, x_height: float) -> QRectF:
    """Half as high as small letters."""
    away = size * _DISTANCE
    x = start.x() + away if block.textDirection() == Qt.LayoutDirection.RightToLeft else start.x() - away
    radius = size * _DIAMETER / 2
    return QRectF(x - radius, start.y() - x_height / 2 - radius, 2 * radius, 2 * radius)


def _draw(painter: QPainter, place: QRectF, colour: QColor, *, is_ring: bool) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush if is_ring else QBrush(colour))
    painter.setPen(QPen(colour, place.width() / 5) if is_ring else QPen(Qt.PenStyle.NoPen))
    inset = place.width() / 10 if is_ring else 0
    painter.drawEllipse(place.adjusted(inset, inset, -inset, -inset))
