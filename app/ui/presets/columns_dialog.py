"""By which preset each of several answers to one question is written."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QGridLayout, QWidget

from app.core.preset import Preset
from app.services.chat.presets import KeptPreset
from app.ui.widgets.buttons import push_button
from app.ui.widgets.chevron_box import PickBox
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.plain_text import plain_label

_MOST = 3
Presets = tuple[Preset | None, ...]


class ColumnsDialog(SmallDialog):
    chosen = Signal(object)
    """Presets, one for each answer; None is what is set for the chat"""

    def __init__(self, presets: Sequence[KeptPreset], parent: QWidget) -> None:
        super().__init__(self.tr("Answers side by side"), parent)
        self.say(self.tr("The last question is answered once by each of these, at the same time."))
        choices: list[tuple[str, Presets]] = [(self.tr("As this chat is set"), (None,))]
        choices += [(each.preset.name, (each.preset,)) for each in presets]
        nothing: list[tuple[str, Presets]] = [(self.tr("No third answer"), ())]
        self.boxes: list[PickBox[Presets]] = []
        # One below the other, whatever the widths of their numbers.
        rows = QGridLayout()
        rows.setHorizontalSpacing(12)
        rows.setVerticalSpacing(10)
        rows.setColumnStretch(1, 1)
        self.body.addLayout(rows)
        for place in range(1, _MOST + 1):
            name = self.tr("Answer {n}").format(n=place)
            box = PickBox(name, [*(nothing if place == _MOST else ()), *choices], self)
            self.boxes.append(box)
            rows.addWidget(plain_label("", self, name), place, 0)
            rows.addWidget(box, place, 1)
        # What is compared most: one preset with what is set.
        self.boxes[1].setCurrentIndex(min(1, len(presets)))
        self.finish_layout(
            push_button(self.tr("Cancel"), self, self.reject), push_button(self.tr("Answer"), self, self._choose)
        )

    @Slot()
    def _choose(self) -> None:
        self.chosen.emit(tuple(each for box in self.boxes for each in box.value))
        self.accept()
