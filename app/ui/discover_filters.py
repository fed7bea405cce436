"""What is looked for on the hub: a field for words, and what narrows and orders the results."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QComboBox, QLineEdit, QToolButton, QVBoxLayout, QWidget

from app.library.hub import Sort, Task, Wanted
from app.ui.flow_row import FlowRow
from app.ui.theme import Look

_ARROW_INSET = 12
_BILLION = 10**9
Value = TypeVar("Value")


class PickBox(QComboBox, Generic[Value]):
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

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.PlaceholderText), 1.5))
        is_left = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        place = QPointF(_ARROW_INSET + 4 if is_left else self.width() - _ARROW_INSET - 4, self.height() / 2)
        painter.drawPolyline([place + QPointF(x, y) for x, y in ((-4, -2), (0, 2), (4, -2))])
        painter.end()


class DiscoverFilters(QWidget):
    changed = Signal()
    """`wanted` is another one; words are still being typed."""
    entered = Signal()
    """Enter, in the field"""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Search Hugging Face: name, maker or subject"))
        self.field.setAccessibleName(self.tr("Search Hugging Face"))
        self.field.setToolTip(self.tr("Search Hugging Face"))
        self.field.setClearButtonEnabled(True)
        self._glass = QAction(self.tr("Search"), self)
        for button in self.field.findChildren(QToolButton):
            button.setAccessibleName(self.tr("Clear the search"))
            button.setToolTip(self.tr("Clear the search"))
        self.field.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.task = PickBox(
            self.tr("Task"),
            (
                (self.tr("Any task"), Task.ANY),
                (self.tr("Text"), Task.TEXT),
                (self.tr("Pictures"), Task.VISION),
                (self.tr("Sound"), Task.AUDIO),
            ),
            self,
        )
        self.parameters = PickBox(
            self.tr("Size, in parameters"),
            (
                (self.tr("Any size"), (0, 0)),
                (self.tr("Up to 4B"), (0, 4 * _BILLION + _BILLION // 2)),
                (self.tr("4B to 15B"), (4 * _BILLION - _BILLION // 2, 15 * _BILLION)),
                (self.tr("15B to 40B"), (15 * _BILLION, 40 * _BILLION)),
                (self.tr("Over 40B"), (40 * _BILLION, 0)),
            ),
            self,
        )
        self.licence = PickBox(
            self.tr("Licence"),
            (
                (self.tr("Any licence"), ""),
                ("Apache 2.0", "apache-2.0"),
                ("MIT", "mit"),
                ("Gemma", "gemma"),
                ("Llama 3.1", "llama3.1"),
                ("Llama 3.2", "llama3.2"),
                ("Llama 3.3", "llama3.3"),
                ("CC BY-NC 4.0", "cc-by-nc-4.0"),
            ),
            self,
        )
        self.likes = PickBox(
            self.tr("Likes"),
            (
                (self.tr("Any number of likes"), 0),
                (self.tr("10 likes or more"), 10),
                (self.tr("100 likes or more"), 100),
                (self.tr("1,000 likes or more"), 1000),
            ),
            self,
        )
        self.sort = PickBox(
            self.tr("Order"),
            (
                (self.tr("Popular now"), Sort.TRENDING),
                (self.tr("Most downloads"), Sort.DOWNLOADS),
                (self.tr("Most likes"), Sort.LIKES),
                (self.tr("Newest"), Sort.NEWEST),
                (self.tr("Changed last"), Sort.UPDATED),
            ),
            self,
        )
        self.boxes: tuple[QComboBox, ...] = (self.sort, self.task, self.parameters, self.licence, self.likes)
        self._row = FlowRow(self.boxes, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self._row)
        self.field.textChanged.connect(self.changed)
        self.field.returnPressed.connect(self.entered)
        for box in self.boxes:
            box.currentIndexChanged.connect(self.changed)
        look.changed.connect(self._tint)
        self._tint()

    @property
    def wanted(self) -> Wanted:
        smallest, largest = self.parameters.value
        return Wanted(
            self.field.text().strip(),
            self.sort.value,
            self.task.value,
            self.licence.value,
            smallest,
            largest,
            self.likes.value,
        )

    def _tint(self) -> None:
        self._glass.setIcon(self._look.icon("search", "muted"))
