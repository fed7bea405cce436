"""The fields of one preset."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.preset import Preset, Thinking, plain_name
from app.core.sampling import Sampling
from app.ui.settings.form import SettingsForm
from app.ui.theme.appearance import Appearance
from app.ui.widgets.setting_editors import SwitchEdit, TextEdit


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
        self.thinking = {each: QPushButton(label, page) for each, label in self._thinking_labels().items()}
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
        blocked = [(each, each.blockSignals(True)) for each in (self, self.prompt, self.default)]
        self.name.setText(preset.name)
        self.prompt.write(preset.system_prompt)
        self.thinking[preset.thinking].setChecked(True)
        self.default.setChecked(is_default)
        self.sampling.show_overrides(preset.sampling, base)
        for each, before in blocked:
            each.blockSignals(before)
        self.verticalScrollBar().setValue(0)

    def preset(self) -> Preset:
        """What stands there; a value that cannot be taken is left out."""
        name = plain_name(self.name.text()) or (self._shown.name if self._shown is not None else "")
        thinking = list(self.thinking)[self._group.checkedId()]
        return Preset(name, self.prompt.read(), self.sampling.overrides(), thinking)

    def is_changed(self) -> bool:
        return self._shown is not None and self.preset() != self._shown

    def _thinking_labels(self) -> dict[Thinking, str]:
        return {
            Thinking.AUTO: self.tr("As the model does"),
            Thinking.ON: self.tr("Think"),
            Thinking.OFF: self.tr("Don't think"),
        }

    def _lay_out(self, page: QWidget) -> None:
        page.setObjectName("settings")
        column = QVBoxLayout(page)
        column.setContentsMargins(2, 0, 14, 8)
        column.setSpacing(6)
        self._add(column, self.tr("Name"), self.name)
        self._add(column, self.tr("System prompt"), self.prompt)
        self.prompt.setPlaceholderText(self.tr("What the model is told first. Left empty, the general one holds."))
        row = QHBoxLayout()
        row.setSpacing(6)
        for number, button in enumerate(self.thinking.values()):
            button.setCheckable(True)
            button.setAutoDefault(False)
            button.setProperty("tone", "segment")
            button.setAccessibleName(button.text())
            button.setToolTip(self.tr("For models that can think before they answer"))
            self._group.addButton(button, number)
            row.addWidget(button)
        row.addStretch(1)
        column.addWidget(_label(self.tr("Thinking"), page))
        column.addLayout(row)
        column.addSpacing(10)
        default_row = QHBoxLayout()
        told = _label(self.tr("New conversations begin with it"), page)
        self.default.setAccessibleName(told.text())
        self.default.setToolTip(told.text())
        default_row.addWidget(told, 1)
        default_row.addWidget(self.default)
        column.addLayout(default_row)
        column.addSpacing(14)
        column.addWidget(_label(self.tr("Sampling"), page, "section"))
        column.addSpacing(6)
        column.addWidget(self.sampling)
        column.addStretch(1)
        self.setWidget(page)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _add(self, column: QVBoxLayout, text: str, editor: QWidget) -> None:
        label = _label(text, editor.parentWidget())
        label.setBuddy(editor)
        editor.setAccessibleName(text)
        editor.setToolTip(text)
        column.addWidget(label)
        column.addWidget(editor)
        column.addSpacing(10)


def _label(text: str, parent: QWidget | None, tone: str = "") -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if tone:
        label.setProperty("tone", tone)
    return label
