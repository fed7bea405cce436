"""Finding a setting by a word of its label or help, or by one that people use for it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidgetItem, QStackedWidget, QWidget

from app.ui.settings.elsewhere import where_else
from app.ui.widgets.fuzzy_match import folded
from app.ui.widgets.layouts import Placed, grow, vbox
from app.ui.widgets.list_keys import ListKeys
from app.ui.widgets.plain_list import plain_list
from app.ui.widgets.plain_text import plain_label, plain_tip, tell
from app.ui.widgets.search_field import SearchField

_SHORT = 3
"""Letters."""


@dataclass(frozen=True, slots=True)
class FoundSetting:
    section: type
    name: str
    label: str
    help: str
    page: str
    """Where people find it."""
    words: str = ""
    """What they may call it."""

    @property
    def index(self) -> str:
        """What is searched."""
        return folded(f"{self.label} {self.help} {self.page} {self.name.replace('_', ' ')} {self.words}")


def matching(settings: Sequence[FoundSetting], wanted: str) -> list[FoundSetting]:
    """Those that have every word, first those that have them in their labels."""
    words = [re.compile(_pattern(word)) for word in folded(wanted).split()]
    found = [each for each in settings if all(word.search(each.index) for word in words)]
    return sorted(found, key=lambda each: not all(word.search(folded(each.label)) for word in words))


def _pattern(word: str) -> str:
    """Anywhere in a word, short ones at its beginning: "ram" is in no diagram. Also of several, the single one."""
    single = word[:-1] if len(word) > _SHORT and word.endswith("s") else word
    return re.escape(single) if len(single) > _SHORT else rf"(?<!\w){re.escape(single)}"


class SettingsSearch(QWidget):
    """A field above the pages; what is found stands in the pages' place while something is looked for."""

    chosen = Signal(object)
    """FoundSetting; the field is empty again by then."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings: Sequence[FoundSetting] = ()
        self._found: list[FoundSetting] = []
        self.field = SearchField(self.tr("Find a setting"), self)
        told = self.tr("Settings that were found")
        self.results = plain_list(told, self, told)
        self.told = plain_label("muted", self, wraps=True)
        """Where it is chosen if it is no setting, or that there is nothing like it."""
        self.stack = QStackedWidget(self)
        """The pages' parent."""
        self._lay_out()
        self.field.textChanged.connect(self._search)
        # It must not press the dialog's OK.
        ListKeys(self.field, self.results).entered.connect(self._choose)
        self.results.itemClicked.connect(self._choose)

    def add_pages(self, pages: QWidget, settings: Sequence[FoundSetting]) -> None:
        """What stands below the field, a child of `stack`, and what can be found there; once."""
        self._settings = settings
        self.stack.insertWidget(0, pages)
        self.stack.setCurrentIndex(0)

    def _search(self, wanted: str) -> None:
        self._found = matching(self._settings, wanted) if wanted.strip() else []
        self.results.clear()
        for each in self._found:
            item = QListWidgetItem(f"{each.label}\n{each.page} · {each.help}", self.results)
            item.setToolTip(plain_tip(each.help))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{each.label}, {each.page}. {each.help}")
        nothing = self.tr("No setting is like “{wanted}”. Try another word for it; Esc brings the pages back.")
        elsewhere = where_else(wanted)
        tell(self.told, elsewhere if elsewhere or self._found else nothing.format(wanted=wanted.strip()))
        self.results.setVisible(bool(self._found))
        self.stack.setCurrentIndex(1 if wanted.strip() else 0)
        self.field.setAccessibleDescription(self.told.text() if wanted.strip() else "")
        self.results.setCurrentRow(0)

    def _choose(self) -> None:
        row = self.results.currentRow()
        if 0 <= row < len(self._found):
            found = self._found[row]
            self.field.setText("")
            self.chosen.emit(found)

    def _lay_out(self) -> None:
        self.field.setToolTip(self.tr("A word of its name, or of what it does"))
        place = QWidget(self.stack)
        vbox(self.told, grow(self.results), Placed(), on=place, margins=(4, 0, 4, 0))
        self.stack.addWidget(place)
        vbox(self.field, grow(self.stack), on=self, gap=14)
