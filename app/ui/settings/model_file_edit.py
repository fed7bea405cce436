"""An editor for a setting that names a model's file: those that fit, and a way to any other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.library.catalogue import LibraryModel
from app.ui.formatting.numbers import size_text
from app.ui.widgets.chevron_box import ChevronBox
from app.ui.widgets.file_dialogs import ask_for_file
from app.ui.widgets.plain_text import plain_tip

_BROWSE = "\n"
"""The data of the entry that opens a dialog: no path."""


@dataclass(frozen=True, slots=True)
class ModelOffer:
    path: Path
    name: str
    size: int
    """Bytes."""


def offers_of(models: Iterable[LibraryModel]) -> tuple[ModelOffer, ...]:
    return tuple(ModelOffer(each.path, each.name, each.size) for each in models)


class ModelFileEdit(ChevronBox):
    """A path as text, empty for none. GUI thread."""

    value_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._value = ""
        self._offers: Sequence[ModelOffer] = ()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(16)
        self._fill()
        self.currentIndexChanged.connect(self._chosen)

    def read(self) -> str:
        return self._value

    def write(self, value: str) -> None:
        if value != self._value:
            self._value = value
            self._fill()
            self.value_changed.emit()

    def offer(self, models: Sequence[ModelOffer]) -> None:
        """Models to choose from, the one that is suggested first. The value stays."""
        if tuple(models) != tuple(self._offers):
            self._offers = tuple(models)
            self._fill()

    def _fill(self) -> None:
        with QSignalBlocker(self):
            self.clear()
            self.addItem(self.tr("None"), "")
            for number, each in enumerate(self._offers):
                told = self.tr("{name} · {size} · suggested") if number == 0 else self.tr("{name} · {size}")
                self._add(told.format(name=each.name, size=size_text(each.size)), str(each.path))
            if self._value and self.findData(self._value) < 0:
                self._add(Path(self._value).name, self._value)
            self.insertSeparator(self.count())
            self.addItem(self.tr("Choose a file…"), _BROWSE)
            self.setCurrentIndex(self.findData(self._value))
        self.setToolTip(plain_tip(self._value) or self.tr("The file of a model"))

    def _add(self, text: str, path: str) -> None:
        self.addItem(text, path)
        self.setItemData(self.count() - 1, plain_tip(path), Qt.ItemDataRole.ToolTipRole)

    def _chosen(self) -> None:
        chosen = self.currentData()
        if chosen == _BROWSE:
            with QSignalBlocker(self):
                self.setCurrentIndex(self.findData(self._value))
            self._browse()
        elif isinstance(chosen, str):
            self.write(chosen)

    def _browse(self) -> None:
        folder = str(Path(self._value).parent) if self._value else ""
        filters = (self.tr("Models (*.gguf)"), self.tr("All files (*)"))
        title = self.tr("Choose a draft model")
        ask_for_file(self, title, lambda path: self.write(str(path)), folder=folder, filters=filters)
