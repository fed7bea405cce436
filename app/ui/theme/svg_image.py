"""Drawings as pictures: icons, and formulas."""

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer


def svg_image(source: bytes, wide: int, high: int, colour: str = "") -> QImage:
    """The drawing on nothing, stretched to a size in pixels, and all in `colour` where one is said. Any thread."""
    return drawn(QSvgRenderer(QByteArray(source)), wide, high, colour)


def drawn(drawing: QSvgRenderer, wide: int, high: int, colour: str = "") -> QImage:
    """The same of one that was read: to read it takes as long as to draw it."""
    image = QImage(max(1, wide), max(1, high), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    drawing.render(painter, QRectF(image.rect()))
    if colour:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(image.rect(), QColor(colour))
    painter.end()
    # What was painted on keeps the painter's tools as long as it lives, and they take more than a small picture does.
    return image.copy()
