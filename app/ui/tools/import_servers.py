"""Servers of other programs, to be taken over after a look at what they are."""

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.tools.mcp_file import ServerEntry
from app.tools.mcp_import import OtherProgram
from app.ui.formatting.sentences import translated
from app.ui.tools.words import what_begins
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import FILL, Part, hbox, vbox
from app.ui.widgets.plain_text import plain_label

_BESIDE_BOX = 26


class ImportServers(QWidget):
    """Nothing is begun before it is shown in full, and wished."""

    added = Signal(object)
    """tuple[ServerEntry, ...]"""
    cancelled = Signal()

    def __init__(self, programs: Collection[OtherProgram], known: Collection[str], parent: QWidget) -> None:
        """`known` are the names of the servers that are there."""
        super().__init__(parent)
        self.setObjectName("form")
        self.boxes: list[tuple[ServerEntry, QCheckBox]] = []
        parts: list[Part] = []
        for program in programs:
            parts.append(plain_label("heading", self, program.name))
            if program.problem:
                parts.append(plain_label("danger", self, translated(program.problem), wraps=True))
            for entry in program.entries:
                box = self._box(program, entry, is_new=entry.name not in known)
                what = plain_label("small", self, what_begins(entry), wraps=True)
                parts += [box, hbox(_BESIDE_BOX, what)]
        self.add = push_button(self.tr("Add"), self, self._add, tone="primary")
        cancel = push_button(self.tr("Cancel"), self, self.cancelled)
        note = plain_label("small", self, self.tr("Secrets go to this computer's keyring. What other programs allow "
                                                  "without asking is not taken over."), wraps=True)  # fmt: skip
        vbox(*parts, note, hbox(self.add, cancel, FILL, gap=8), on=self, gap=6)
        self._refresh()

    def _box(self, program: OtherProgram, entry: ServerEntry, *, is_new: bool) -> QCheckBox:
        text = entry.name if is_new else self.tr("{name} (there is one of this name)").format(name=entry.name)
        box = QCheckBox(text, self)
        box.setAccessibleName(self.tr("{name} of {program}").format(name=text, program=program.name))
        box.setEnabled(is_new)
        box.setChecked(is_new and entry.enabled)
        box.toggled.connect(self._refresh)
        self.boxes.append((entry, box))
        return box

    def _refresh(self) -> None:
        self.add.setEnabled(any(box.isChecked() for _, box in self.boxes))

    def _add(self) -> None:
        # Of two programs that have the same, the first counts.
        chosen = {entry.name: entry for entry, box in reversed(self.boxes) if box.isChecked()}
        self.added.emit(tuple(reversed(chosen.values())))
