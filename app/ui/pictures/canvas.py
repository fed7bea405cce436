"""A picture as large as there is room, to zoom and to move."""

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.ui.theme.appearance import Appearance

_STEP = 1.25
_LARGEST = 16.0
"""Screen pixels for one of the picture's."""
_MOVE = 60
_MUCH_SMALLER = 0.6


class PictureCanvas(QWidget):
    """Wheel, + and - zoom; the mouse and the arrows move; 0 and a double click fit it in, or show it pixel by pixel."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._image = QImage()
        self._words = ""
        self.scale = 1.0
        """Widget pixels for one of the picture's."""
        self.fits = True
        """Whether the whole picture is shown, whatever the window's size."""
        self._middle = QPointF()
        """The picture's own point that stands in the middle."""
        self._held: QPointF | None = None
        self._small = QImage()
        """The whole picture as it is shown, where that is much smaller than it is."""
        self.setMinimumSize(200, 150)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        appearance.changed.connect(self.update)

    def show_image(self, image: QImage) -> None:
        self._image, self._small, self._words = image, QImage(), ""
        self.fit()

    def show_words(self, words: str) -> None:
        """Instead of a picture."""
        self._image, self._words = QImage(), words
        self.update()

    def fit(self) -> None:
        self.fits = True
        self.scale = self._fitting()
        self._middle = QRectF(QPointF(), self._image.size().toSizeF()).center()
        self._changed()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Make it larger or smaller; what stands at `at`, or in the middle, stays there."""
        if self._image.isNull():
            return
        scale = max(min(self._fitting(), 1.0), min(_LARGEST, self.scale * factor))
        away = (at if at is not None else self._centre()) - self._centre()
        self._middle += away / self.scale - away / scale
        self.scale = scale
        self.fits = scale <= self._fitting()
        self._changed()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() / 120
        if turned:
            self.zoom(_STEP**turned, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._held = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._move(self._held - event.position())
            self._held = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.fits and self.scale < 1:
            self.zoom(1 / self.scale, event.position())
        else:
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: QPointF(-_MOVE, 0),
            Qt.Key.Key_Right: QPointF(_MOVE, 0),
            Qt.Key.Key_Up: QPointF(0, -_MOVE),
            Qt.Key.Key_Down: QPointF(0, _MOVE),
        }
        key = Qt.Key(event.key())
        if key in moves:
            self._move(moves[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.fits:
            self.fit()
        else:
            self._changed()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._image.isNull():
            painter.setPen(QColor(self._appearance.tokens.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._words)
            return
        if self.fits and self.scale * self.devicePixelRatioF() < _MUCH_SMALLER:
            painter.drawImage(self._target(), self._made_small())
        else:
            # Enlarged, people want to see the pixels themselves.
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self.scale < 3)
            painter.drawImage(self._target(), self._image)
        # Beside the picture: a white page would have no end otherwise.
        painter.setPen(QColor(self._appearance.tokens.border))
        painter.drawRect(self._target().adjusted(-0.5, -0.5, 0.5, 0.5))

    def _target(self) -> QRectF:
        return QRectF(self._centre() - self._middle * self.scale, QSizeF(self._image.size()) * self.scale)

    def _made_small(self) -> QImage:
        """Averaged over all pixels: a painter would skip most of them."""
        size = (QSizeF(self._image.size()) * self.scale * self.devicePixelRatioF()).toSize().expandedTo(QSize(1, 1))
        if self._small.size() != size:
            mode = Qt.TransformationMode.SmoothTransformation
            self._small = self._image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, mode)
        return self._small

    def _fitting(self) -> float:
        """The scale at which all of it is seen, on this screen never larger than it is."""
        if self._image.isNull():
            return 1.0
        room = min(self.width() / self._image.width(), self.height() / self._image.height())
        return min(room, 1.0)

    def _move(self, by: QPointF) -> None:
        self._middle += by / self.scale
        self._changed()

    def _changed(self) -> None:
        """Keep the picture over the middle of the widget, and where it is smaller than that, in its middle."""
        width, height = self._image.width(), self._image.height()
        half = QPointF(self.width(), self.height()) / (2 * self.scale)
        x = width / 2 if width <= 2 * half.x() else max(half.x(), min(width - half.x(), self._middle.x()))
        y = height / 2 if height <= 2 * half.y() else max(half.y(), min(height - half.y(), self._middle.y()))
        self._middle = QPointF(x, y)
        self.setCursor(Qt.CursorShape.ArrowCursor if self.fits else Qt.CursorShape.OpenHandCursor)
        self.update()

    def _centre(self) -> QPointF:
        return QRectF(self.rect()).center()
