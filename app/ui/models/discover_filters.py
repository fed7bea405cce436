"""What is looked for on the hub: a field for words, and what narrows and orders the results."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLineEdit, QVBoxLayout, QWidget

from app.library.hub import Sort, Task, Wanted
from app.ui.theme.appearance import Appearance
from app.ui.widgets.chevron_box import PickBox
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.search_field import ClearButton

_BILLION = 10**9


class DiscoverFilters(QWidget):
    changed = Signal()
    """`wanted` is another one; words are still being typed."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.field = QLineEdit(self)
        self._glass = QAction(self.tr("Search"), self)
        self.task = self._task_box()
        self.parameters = self._parameters_box()
        self.licence = self._licence_box()
        self.likes = self._likes_box()
        self.sort = self._sort_box()
        self.boxes: tuple[QComboBox, ...] = (self.sort, self.task, self.parameters, self.licence, self.likes)
        self._lay_out()
        self.field.textChanged.connect(self.changed)
        for box in self.boxes:
            box.currentIndexChanged.connect(self.changed)
        appearance.changed.connect(self._tint)
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
        self._glass.setIcon(self._appearance.icon("search", "muted"))

    def _sort_box(self) -> PickBox[Sort]:
        return PickBox(
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

    def _task_box(self) -> PickBox[Task]:
        return PickBox(
            self.tr("Task"),
            (
                (self.tr("Any task"), Task.ANY),
                (self.tr("Text"), Task.TEXT),
                (self.tr("Pictures"), Task.VISION),
            ),
            self,
        )

    def _parameters_box(self) -> PickBox[tuple[int, int]]:
        return PickBox(
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

    def _licence_box(self) -> PickBox[str]:
        return PickBox(
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

    def _likes_box(self) -> PickBox[int]:
        return PickBox(
            self.tr("Likes"),
            (
                (self.tr("Any number of likes"), 0),
                (self.tr("10 likes or more"), 10),
                (self.tr("100 likes or more"), 100),
                (self.tr("1,000 likes or more"), 1000),
            ),
            self,
        )

    def _lay_out(self) -> None:
        self.field.setPlaceholderText(self.tr("Search Hugging Face: name, maker or subject"))
        self.field.setAccessibleName(self.tr("Search Hugging Face"))
        self.field.setToolTip(self.tr("Search Hugging Face"))
        ClearButton(self.field)
        self.field.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(FlowRow(self.boxes, self))
