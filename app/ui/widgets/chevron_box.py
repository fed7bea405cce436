"""Fields that open a list, with a chevron that says so: the style sheet takes Qt's own arrow away."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QWidget

from app.ui.theme.fonts import half_scaled

_INSET = 12
Value = TypeVar("Value")


class ChevronBox(QComboBox):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        # The style sheet reaches the entries of Qt's own delegate only.
        self.setItemDelegate(QStyledItemDelegate(self))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A page that is scrolled must not change what the pointer passes over."""
        event.ignore()

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(2 * (half_scaled(4) - 4), 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() + QSize(2 * (half_scaled(4) - 4), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        size = half_scaled(4)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.PlaceholderText), 1.5 * size / 4))
        is_left = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        place = QPointF(_INSET + size if is_left else self.width() - _INSET - size, self.height() / 2)
        painter.drawPolyline([place + QPointF(x, y) * size for x, y in ((-1, -0.5), (0, 0.5), (1, -0.5))])
        painter.end()


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
