"""What is looked for on the hub: a field for words, and what narrows and orders the results."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.library.hub import Sort, Task, Wanted
from app.ui.theme.appearance import Appearance
from app.ui.widgets.chevron_box import PickBox
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import vbox
from app.ui.widgets.search_field import SearchField

_BILLION = 10**9
_LICENCES = (
    ("Apache 2.0", "apache-2.0"),
    ("MIT", "mit"),
    ("Gemma", "gemma"),
    ("Llama 3.1", "llama3.1"),
    ("Llama 3.2", "llama3.2"),
    ("Llama 3.3", "llama3.3"),
    ("CC BY-NC 4.0", "cc-by-nc-4.0"),
)


class DiscoverFilters(QWidget):
    changed = Signal()
    """`wanted` is another one; words are still being typed."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = SearchField(self.tr("Search Hugging Face"), self, appearance)
        self.task = PickBox(self.tr("Task"), self._tasks(), self)
        self.parameters = PickBox(self.tr("Size, in parameters"), self._sizes(), self)
        self.licence = PickBox(self.tr("Licence"), ((self.tr("Any licence"), ""), *_LICENCES), self)
        self.likes = PickBox(self.tr("Likes"), self._numbers_of_likes(), self)
        self.sort = PickBox(self.tr("Order"), self._orders(), self)
        self.boxes: tuple[QComboBox, ...] = (self.sort, self.task, self.parameters, self.licence, self.likes)
        self._lay_out()
        self.field.textChanged.connect(self.changed)
        for box in self.boxes:
            box.currentIndexChanged.connect(self.changed)

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

    def _orders(self) -> tuple[tuple[str, Sort], ...]:
        return (
            (self.tr("Popular now"), Sort.TRENDING),
            (self.tr("Most downloads"), Sort.DOWNLOADS),
            (self.tr("Most likes"), Sort.LIKES),
            (self.tr("Newest"), Sort.NEWEST),
            (self.tr("Changed last"), Sort.UPDATED),
        )

    def _tasks(self) -> tuple[tuple[str, Task], ...]:
        return (self.tr("Any task"), Task.ANY), (self.tr("Text"), Task.TEXT), (self.tr("Pictures"), Task.VISION)

    def _sizes(self) -> tuple[tuple[str, tuple[int, int]], ...]:
        return (
            (self.tr("Any size"), (0, 0)),
            (self.tr("Up to 4B"), (0, 4 * _BILLION + _BILLION // 2)),
            (self.tr("4B to 15B"), (4 * _BILLION - _BILLION // 2, 15 * _BILLION)),
            (self.tr("15B to 40B"), (15 * _BILLION, 40 * _BILLION)),
            (self.tr("Over 40B"), (40 * _BILLION, 0)),
        )

    def _numbers_of_likes(self) -> tuple[tuple[str, int], ...]:
        return (
            (self.tr("Any number of likes"), 0),
            (self.tr("10 likes or more"), 10),
            (self.tr("100 likes or more"), 100),
            (self.tr("1,000 likes or more"), 1000),
        )

    def _lay_out(self) -> None:
        self.field.setPlaceholderText(self.tr("Search Hugging Face: name, maker or subject"))
        self.field.setToolTip(self.tr("Search Hugging Face"))
        vbox(self.field, FlowRow(self.boxes, self), on=self, gap=8)
