"""The list of presets above the composer: type to filter, Enter to choose."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QWidget

from app.services.chat.presets import KeptPreset
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import vbox
from app.ui.widgets.list_keys import ListKeys
from app.ui.widgets.plain_list import plain_list
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.popover import Popover

_WIDTH = 300
_MOST_ROWS = 8
_ICON = 14


class PresetPopover(Popover):
    """Closes by Esc and by a click elsewhere. Everything it shows is told to it."""

    chosen = Signal(str)
    """The preset's id; empty for none"""
    edit_clicked = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Presets"))
        self._appearance = appearance
        blank = QPixmap(_ICON, _ICON)
        blank.fill(Qt.GlobalColor.transparent)
        self._nothing = QIcon(blank)
        """Keeps the names in one line."""
        self.search = QLineEdit(self)
        self.list = plain_list(self.accessibleName(), self, self.accessibleName())
        self.edit_button = push_button(
            self.tr("Edit presets…"), self, self._edit, tip=self.tr("Make, change, and share presets"), tone="flat"
        )
        self._lay_out()
        ListKeys(self.search, self.list).entered.connect(lambda: self._choose(self.list.currentItem()))
        self.search.textChanged.connect(self._filter)
        self.list.itemClicked.connect(self._choose)

    def open_above(self, anchor: QWidget, presets: Sequence[KeptPreset], current: str) -> None:
        # Heights are known only with the style.
        for child in (self.list, self.search, self.edit_button):
            child.ensurePolished()
        self._fill(presets, current)
        self.search.setText("")
        self._filter("")
        self._place(anchor)
        self.show()
        # Some platforms give even a popup a frame, which is known only now.
        self._place(anchor)
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _fill(self, presets: Sequence[KeptPreset], current: str) -> None:
        self.list.clear()
        for number, name in [("", self.tr("No preset")), *((kept.id, kept.preset.name) for kept in presets)]:
            item = QListWidgetItem(name, self.list)
            item.setData(Qt.ItemDataRole.UserRole, number)
            item.setToolTip(plain_tip(name))
            item.setIcon(self._nothing)
            if number == current:
                item.setIcon(self._appearance.icon("check", "accent"))
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, self.tr("In use"))
                self.list.setCurrentItem(item)
        rows = min(_MOST_ROWS, self.list.count())
        self.list.setFixedHeight(sum(self.list.sizeHintForRow(row) for row in range(rows)) + 4)

    def _filter(self, text: str) -> None:
        wanted = text.casefold().split()
        first = None
        for row in range(self.list.count()):
            item = self.list.item(row)
            fits = all(word in item.text().casefold() for word in wanted)
            item.setHidden(not fits)
            first = item if fits and first is None else first
        row = self.list.currentRow()
        if (wanted or row < 0 or self.list.item(row).isHidden()) and first is not None:
            self.list.setCurrentItem(first)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None and not item.isHidden():
            self.close()
            self.chosen.emit(str(item.data(Qt.ItemDataRole.UserRole)))

    def _edit(self) -> None:
        self.close()
        self.edit_clicked.emit()

    def _place(self, anchor: QWidget) -> None:
        self.setFixedWidth(_WIDTH)
        self.adjustSize()
        self.put_at(anchor, ends=False)

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(self.tr("Find a preset"))
        self.search.setAccessibleName(self.tr("Find a preset"))
        self.search.setToolTip(self.tr("Type a part of the name, and press Enter"))
        self.list.setIconSize(QSize(_ICON, _ICON))
        vbox(self.search, self.list, self.edit_button, on=self, gap=8, margins=(10, 10, 10, 8))
