"""Fields that open a list, with a chevron that says so: the style sheet takes Qt's own arrow away."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QComboBox, QWidget

from app.ui.theme.fonts import half_scaled

_INSET = 12
Value = TypeVar("Value")


class ChevronBox(QComboBox):
    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(2 * (half_scaled(4) - 4), 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() + QSize(2 * (half_scaled(4) - 4), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_chevron(self)


class PickBox(ChevronBox, Generic[Value]):
    """One of some values, the first of which is the usual one."""

    def __init__(self, name: str, choices: Sequence[tuple[str, Value]], parent: QWidget) -> None:
        super().__init__(parent)
        self._values = [value for _, value in choices]
        self.addItems([text for text, _ in choices])
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    @property
    def value(self) -> Value:
        return self._values[self.currentIndex()]

    def choose(self, value: Value) -> None:
        self.setCurrentIndex(self._values.index(value))


def paint_chevron(field: QComboBox) -> None:
    """That it opens; inside its paint event."""
    painter = QPainter(field)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    size = half_scaled(4)
    painter.setPen(QPen(field.palette().color(QPalette.ColorRole.PlaceholderText), 1.5 * size / 4))
    is_left = field.layoutDirection() == Qt.LayoutDirection.RightToLeft
    place = QPointF(_INSET + size if is_left else field.width() - _INSET - size, field.height() / 2)
    painter.drawPolyline([place + QPointF(x, y) * size for x, y in ((-1, -0.5), (0, 0.5), (1, -0.5))])
    painter.end()
