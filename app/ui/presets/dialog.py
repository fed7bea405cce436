"""All presets: make, change, duplicate, delete, export and import them."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.core.errors import UserError
from app.core.preset import ENDING, Preset
from app.core.sampling import Sampling
from app.services.chat.presets import KeptPreset, Presets
from app.storage.exchange.outfile import safe_name
from app.ui.formatting.sentences import translated
from app.ui.presets.form import PresetForm
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.file_dialogs import ask_for_file, ask_where_to_save, documents_folder
from app.ui.widgets.layouts import FILL, grow, hbox, middle, vbox
from app.ui.widgets.plain_list import plain_list
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.tab_order import TabOrderDialog
from app.ui.widgets.window_geometry import size_dialog

_LIST_WIDTH = 190


class PresetDialog(TabOrderDialog):
    """GUI thread; show it by `open()`. What was changed is kept when another preset is looked at, and at the end."""

    def __init__(self, appearance: Appearance, presets: Presets, base: Sampling, chosen: str, parent: QWidget) -> None:
        """`base` is the sampling that holds without a preset, `chosen` the id of the preset to begin with."""
        title = self.tr("Presets")
        super().__init__(title, parent)
        self._presets = presets
        self._base = base
        self._current = ""
        self._gone: KeptPreset | None = None
        self.list = plain_list(title, self, title)
        self.list.setFixedWidth(_LIST_WIDTH)
        self.form = PresetForm(appearance, self)
        about = self.tr("A preset is a system prompt with sampling and reasoning of its own.")
        self.empty = plain_label("muted", self, about, wraps=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.first_button = push_button(
            self.tr("New preset"), self, self._new, tip=self.tr("Make a preset, and name it")
        )
        self._nothing, self._left = QWidget(self), QWidget(self)
        self.new_button = IconButton(appearance, "plus", self.tr("New preset"), self._new, parent=self)
        self.duplicate_button = IconButton(appearance, "copy", self.tr("Duplicate"), self._duplicate, parent=self)
        self.delete_button = IconButton(appearance, "trash", self.tr("Delete"), self._delete, parent=self)
        self.import_button = push_button(
            self.tr("Import…"), self, self._ask_import, tip=self.tr("Bring in a preset from a file")
        )
        self.export_button = push_button(
            self.tr("Export…"), self, self._ask_export, tip=self.tr("Write the preset to a file")
        )
        self.undo_button = push_button(
            self.tr("Undo"), self, self._undo, tip=self.tr("Bring back what was deleted"), tone="link"
        )
        self.done_button = push_button(self.tr("Done"), self, self.accept, tip=self.tr("Keep the changes and close"))
        self.undo_button.hide()
        self.told = plain_label("", self, wraps=True)
        self._lay_out()
        self._connect()
        self._fill(chosen)

    def save(self) -> None:
        """Keep what was changed of the preset that is shown."""
        if self._current and self.form.is_changed():
            self._guard(lambda: self._presets.change(self._current, self.form.preset()))

    def done(self, code: int) -> None:
        self.save()
        super().done(code)

    def import_file(self, path: Path) -> None:
        self.save()
        self._guard(lambda: self._fill(self._presets.import_file(path)))

    def export_file(self, path: Path) -> None:
        self.save()
        if self._guard(lambda: self._presets.export(self._current, path)):
            self._say(self.tr("The preset is in {name}.").format(name=path.name))

    def _new(self) -> None:
        self.save()
        self._guard(lambda: self._fill(self._presets.add(Preset(self.tr("New preset")))))
        self.form.name.setFocus()
        self.form.name.selectAll()

    def _duplicate(self) -> None:
        self.save()
        preset = self._presets.get(self._current)
        if preset is not None:
            self._guard(lambda: self._fill(self._presets.add(preset)))

    def _delete(self) -> None:
        row = self.list.currentRow()
        gone: list[KeptPreset | None] = []
        if not self._guard(lambda: gone.append(self._presets.delete(self._current))) or gone[0] is None:
            return
        self._gone = gone[0]
        left = self._presets.all()
        self._current = ""
        self._fill(left[min(row, len(left) - 1)].id if left else "")
        self._say(self.tr("“{name}” was deleted.").format(name=self._gone.preset.name), undo=True)

    def _undo(self) -> None:
        gone = self._gone
        if gone is not None:
            self.save()
            self._guard(lambda: self._presets.restore(gone))
            self._fill(gone.id)

    def _ask_import(self) -> None:
        filters = (self.tr("Presets (*{ending})").format(ending=ENDING), self.tr("All files (*)"))
        title = self.tr("Import a preset")
        ask_for_file(self, title, self.import_file, folder=documents_folder(), filters=filters)

    def _ask_export(self) -> None:
        name = safe_name(self.form.preset().name, "preset") + ENDING
        title = self.tr("Export the preset")
        ask_where_to_save(self, title, self.export_file, name, folder=documents_folder(), ending=ENDING)

    def _show_item(self, item: QListWidgetItem | None) -> None:
        self.save()
        self._current = str(item.data(Qt.ItemDataRole.UserRole)) if item is not None else ""
        preset = self._presets.get(self._current)
        self._nothing.setVisible(preset is None)
        for each in (self._left, self.form, self.export_button):
            each.setVisible(preset is not None)
        (self.first_button if preset is None else self.done_button).setDefault(True)
        if preset is not None:
            self.form.show_preset(preset, self._base, is_default=self._presets.default_id == self._current)
            if item is not None:
                item.setText(preset.name)

    def _name_changed(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            item.setText(self.form.preset().name)

    def _set_default(self, is_default: bool) -> None:
        self._guard(lambda: self._presets.set_default(self._current if is_default else ""))

    def _fill(self, chosen: str) -> None:
        """Read all presets, and show one."""
        self._say("")
        self._current = ""
        with QSignalBlocker(self.list):
            self.list.clear()
            for kept in self._presets.all():
                item = QListWidgetItem(kept.preset.name, self.list)
                item.setData(Qt.ItemDataRole.UserRole, kept.id)
                if kept.id == chosen:
                    self.list.setCurrentItem(item)
            if self.list.currentItem() is None and self.list.count():
                self.list.setCurrentRow(0)
        self._show_item(self.list.currentItem())
        if not self.list.count():
            self.first_button.setFocus()

    def _guard(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except UserError as error:
            self._say(translated(error.sentence), "danger")
            return False
        return True

    def _say(self, sentence: str, tone: str = "small", *, undo: bool = False) -> None:
        self.told.setText(sentence)
        set_property(self.told, "tone", tone)
        self.undo_button.setVisible(undo)
        self.setAccessibleDescription(sentence)

    def _lay_out(self) -> None:
        vbox(FILL, self.empty, middle(self.first_button), FILL, on=self._nothing, gap=14, margins=(9, 9, 9, 9))
        tools = hbox(self.new_button, self.duplicate_button, self.delete_button, FILL, gap=2)
        vbox(grow(self.list), tools, on=self._left, gap=8)
        both = hbox(self._left, grow(self.form), grow(self._nothing), gap=20)
        buttons = (self.undo_button, self.import_button, self.export_button, self.done_button)
        foot = hbox(grow(self.told), *buttons, gap=8)
        vbox(grow(both), foot, on=self, gap=14, margins=(16, 18, 18, 16))
        size_dialog(self, QSize(680, 440), QSize(800, 620))

    def _connect(self) -> None:
        self.list.currentItemChanged.connect(self._show_item)
        self.form.name.textEdited.connect(self._name_changed)
        self.form.default.clicked.connect(self._set_default)
