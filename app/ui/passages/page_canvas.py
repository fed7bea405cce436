"""A page as a picture, as wide as there is room, with what is cited marked."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.engine.documents.page_picture import Box
from app.ui.theme.appearance import Appearance

_INK = 90
"""Of 255: how strong the mark is over the page."""
_ROUND = 2


class PageCanvas(QWidget):
    """Its height follows from its width."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._image = QImage()
        self._marks: Sequence[Box] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        appearance.changed.connect(self._tint)

    @property
    def marks(self) -> Sequence[Box]:
        """In pixels of the page's picture."""
        return self._marks

    def show_page(self, image: QImage, marks: Sequence[Box]) -> None:
        self._image, self._marks = image, marks
        self.updateGeometry()
        self.update()

    def top_of_marks(self) -> int:
        """Pixels of this widget from its upper edge; 0 where nothing is marked."""
        return round(min((top for _, top, _, _ in self._marks), default=0.0) * self._scale())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(width * self._image.height() / self._image.width()) if self._image.width() else 0

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        scale = self._scale()
        painter.drawImage(QRectF(0, 0, self.width(), self._image.height() * scale), self._image)
        ink = QColor(self._appearance.tokens.found_now)
        ink.setAlpha(_INK)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        # What is marked stays readable: paper times ink.
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        for left, top, width, height in self._marks:
            box = QRectF(left * scale, top * scale, width * scale, height * scale)
            painter.drawRoundedRect(box.adjusted(-2, -1, 2, 1), _ROUND, _ROUND)
        painter.end()

    def _scale(self) -> float:
        return self.width() / self._image.width() if self._image.width() else 1.0

    @Slot()
    def _tint(self) -> None:
        self.update()
