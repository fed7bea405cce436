"""The list of presets above the composer: type to filter, Enter to choose."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPixmap
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from app.services.chat.presets import KeptPreset
from app.ui.theme.appearance import Appearance
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.popover import Popover

_WIDTH = 300
_MOST_ROWS = 8
_ICON = 14
_KEYS = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}


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
        self.list = QListWidget(self)
        self.edit_button = QPushButton(self.tr("Edit presets…"), self)
        self._lay_out()
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._filter)
        self.list.itemClicked.connect(self._choose)
        self.edit_button.clicked.connect(self._edit)

    def open_above(self, anchor: QWidget, presets: Sequence[KeptPreset], current: str) -> None:
        # Heights are known only with the style.
        for child in (self.list, self.search, self.edit_button):
            child.ensurePolished()
        self._fill(presets, current)
        self.search.clear()
        self._filter("")
        self._place(anchor)
        self.show()
        # Some platforms give even a popup a frame, which is known only now.
        self._place(anchor)
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The keyboard stays in the field, and moves through the list."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _KEYS:
                self.list.event(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

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
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 8)
        column.setSpacing(8)
        self.search.setPlaceholderText(self.tr("Find a preset"))
        self.search.setAccessibleName(self.tr("Find a preset"))
        self.search.setToolTip(self.tr("Type a part of the name, and press Enter"))
        self.list.setObjectName("pages")
        self.list.setAccessibleName(self.tr("Presets"))
        self.list.setToolTip(self.tr("Presets"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setIconSize(QSize(_ICON, _ICON))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.edit_button.setProperty("tone", "flat")
        self.edit_button.setAccessibleName(self.edit_button.text())
        self.edit_button.setToolTip(self.tr("Make, change, and share presets"))
        for widget in (self.search, self.list, self.edit_button):
            column.addWidget(widget)
