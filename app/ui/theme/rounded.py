"""Drawing pictures with round corners, sharp on every screen."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen


def draw_rounded(painter: QPainter, image: QImage, box: QRectF, radius: float, *, fill: bool = False) -> None:
    """Draw `image` into `box`, in its own proportions: whole, or cut so that it fills the box."""
    if image.isNull():
        return
    painter.save()
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    outline = QPainterPath()
    outline.addRoundedRect(box, radius, radius)
    painter.setClipPath(outline)
    mode = Qt.AspectRatioMode.KeepAspectRatioByExpanding if fill else Qt.AspectRatioMode.KeepAspectRatio
    size = image.size().toSizeF().scaled(box.size(), mode)
    target = QRectF(0, 0, size.width(), size.height())
    target.moveCenter(box.center())
    painter.drawImage(target, image)
    painter.restore()


def draw_outline(painter: QPainter, box: QRectF, radius: float, colour: str, width: float = 1.0) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = width / 2
    painter.drawRoundedRect(box.adjusted(half, half, -half, -half), radius, radius)
    painter.restore()
