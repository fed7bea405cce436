"""The fields of one preset."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QPushButton, QScrollArea, QWidget

from app.core.preset import Preset, Thinking, plain_name
from app.core.reasoning import Effort
from app.core.sampling import Sampling
from app.ui.composer.reasoning_button import effort_name, effort_title
from app.ui.settings.form import SettingsForm
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.edge_fade import EdgeFade
from app.ui.widgets.layouts import FILL, hbox, scroll, vbox
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.setting_editors import SwitchEdit, TextEdit, switch_row


class PresetForm(QScrollArea):
    """Shows a preset, and tells what it would be by now."""

    changed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: Preset | None = None
        self._base = Sampling()
        page = QWidget(self)
        self.name = QLineEdit(page)
        self.prompt = TextEdit(page)
        self.thinking = {
            Thinking.AUTO: self._choice(self.tr("As the model does"), None, page),
            Thinking.ON: self._choice(effort_name(Effort.ON), Effort.ON, page),
            Thinking.OFF: self._choice(effort_name(Effort.OFF), Effort.OFF, page),
        }
        self._group = QButtonGroup(self)
        self.default = SwitchEdit(page)
        self.sampling = SettingsForm(appearance, Sampling, page, overrides=True)
        self._lay_out(page)
        self.name.textEdited.connect(self.changed)
        self.prompt.value_changed.connect(self.changed)
        self._group.idClicked.connect(self.changed)
        self.sampling.changed.connect(self.changed)

    def show_preset(self, preset: Preset, base: Sampling, *, is_default: bool) -> None:
        """`base` is what the preset's sampling stands over."""
        self._shown, self._base = preset, base
        with QSignalBlocker(self), QSignalBlocker(self.prompt), QSignalBlocker(self.default):
            self.name.setText(preset.name)
            self.prompt.write(preset.system_prompt)
            self.thinking[preset.thinking].setChecked(True)
            self.default.setChecked(is_default)
            self.sampling.show_overrides(preset.sampling, base)
        self.verticalScrollBar().setValue(0)

    def preset(self) -> Preset:
        """What stands there; a value that cannot be taken is left out."""
        name = plain_name(self.name.text()) or (self._shown.name if self._shown is not None else "")
        thinking = list(self.thinking)[self._group.checkedId()]
        return Preset(name, self.prompt.read(), self.sampling.overrides(), thinking)

    def is_changed(self) -> bool:
        return self._shown is not None and self.preset() != self._shown

    def _choice(self, label: str, effort: Effort | None, page: QWidget) -> QPushButton:
        tip = self.tr("For models that can reason before they answer")
        return push_button(label, page, name=effort_title(effort), tip=tip, tone="segment")

    def _lay_out(self, page: QWidget) -> None:
        page.setObjectName("settings")
        self.prompt.setPlaceholderText(self.tr("What the model is told first. Left empty, the general one holds."))
        for number, button in enumerate(self.thinking.values()):
            button.setCheckable(True)
            self._group.addButton(button, number)
        begins = plain_label("", page, self.tr("New conversations begin with it"))
        vbox(
            *_named(self.name, self.tr("Name"), page), 10,
            *_named(self.prompt, self.tr("System prompt"), page), 10,
            plain_label("", page, self.tr("Reasoning")), hbox(*self.thinking.values(), FILL, gap=6), 10,
            switch_row(self.default, begins), 14,
            plain_label("section", page, self.tr("Sampling")), 6, self.sampling, FILL,
            on=page, gap=6, margins=(2, 0, 14, 8),
        )  # fmt: skip
        scroll(self, page)
        for is_upper in (True, False):
            EdgeFade(self, upper=is_upper)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


def _named(editor: QWidget, name: str, page: QWidget) -> tuple[QWidget, QWidget]:
    """The editor below its name."""
    label = plain_label("", page, name)
    label.setBuddy(editor)
    editor.setAccessibleName(name)
    editor.setToolTip(name)
    return label, editor
