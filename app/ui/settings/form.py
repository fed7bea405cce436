"""The fields of one section of the settings, with those for experts folded away."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.ui.settings.field import SettingField
from app.ui.theme.appearance import Appearance
from app.ui.widgets.fold import FoldButton
from app.ui.widgets.layouts import FILL, lead, vbox


class SettingsForm(QWidget):
    """Holds a draft of one section: nothing is in force before somebody takes it from here."""

    changed = Signal()

    def __init__(self, appearance: Appearance, section: type, parent: QWidget, *, overrides: bool = False) -> None:
        super().__init__(parent)
        self._section = section
        self._shown: dict[str, Any] = {}
        """What stood in the fields before anybody edited them; with `overrides`, only what was set."""
        self._inherited: Any = section()
        self.fields = {
            each.name: SettingField(section, each.name, self, overrides=overrides) for each in fields(section)
        }
        n_hidden = sum(field.told.advanced for field in self.fields.values())
        title = self.tr("Advanced ({count})").format(count=n_hidden)
        self.advanced_toggle = FoldButton(appearance, title, self)
        self.advanced_toggle.setAccessibleName(self.tr("Advanced settings"))
        self.advanced_toggle.setVisible(bool(n_hidden))
        self._advanced = QWidget(self)
        self._lay_out()
        for field in self.fields.values():
            field.edited.connect(self._edited)

    def show_section(self, section: Any) -> None:
        """Show what is in force. A field that was edited meanwhile keeps its edit."""
        for name, field in self.fields.items():
            value = getattr(section, name)
            if name not in self._shown or self._value(name) == self._shown[name]:
                field.show_value(value)
            self._shown[name] = value
        self.changed.emit()

    def show_overrides(self, values: Mapping[str, object], inherited: Any) -> None:
        """Show what is set here, and for the others what is inherited."""
        self._shown = dict(values)
        self._inherited = inherited
        for name, field in self.fields.items():
            field.show_value(values.get(name, getattr(inherited, name)), set_here=name in values)
            field.show_base(getattr(inherited, name))
        self.changed.emit()

    def show_inherited(self, inherited: Any) -> None:
        self._inherited = inherited
        for name, field in self.fields.items():
            field.show_base(getattr(inherited, name))

    def draft(self) -> Any:
        """The section as it would be; what cannot be taken stays as it was."""
        values = {name: self._value(name) for name in self.fields}
        kept = {name: self._shown[name] for name, value in values.items() if value is None and name in self._shown}
        return replace(self._inherited, **{k: v for k, v in values.items() if v is not None}, **kept)

    def edit(self, values: Mapping[str, object]) -> None:
        """As if people had written them."""
        for name, value in values.items():
            self.fields[name].show_value(value, set_here=True)
        self._edited()

    def changes(self) -> dict[str, Any]:
        """What was edited, without what cannot be taken."""
        values = {name: self._value(name) for name in self.fields}
        return {name: value for name, value in values.items() if value is not None and value != self._shown.get(name)}

    def overrides(self) -> dict[str, Any]:
        """What is set here."""
        values = {name: self._value(name) for name, field in self.fields.items() if field.is_set}
        return {name: value for name, value in values.items() if value is not None}

    def overrides_changed(self) -> bool:
        return self.overrides() != self._shown or bool(self.problems())

    def _value(self, name: str) -> Any:
        try:
            return self.fields[name].value()
        except ValueError:
            return None

    def problems(self) -> dict[str, str]:
        """A sentence for each field whose value cannot be taken."""
        return {name: field.problem for name, field in self.fields.items() if field.problem}

    def show_rules(self, broken: Mapping[str, str]) -> None:
        for name, field in self.fields.items():
            field.show_rule(broken.get(name, ""))
        self._unfold_problems()

    def show_outcomes(self, sentences: Mapping[str, str]) -> None:
        """What values become that can't be had, by field."""
        for name, field in self.fields.items():
            field.show_outcome(sentences.get(name, ""))

    def show_reload(self, loaded: Any) -> None:
        """Mark what differs from the section that the model was loaded with."""
        for name, field in self.fields.items():
            field.show_reload(field.told.reload and self._value(name) != getattr(loaded, name))

    def go_to(self, name: str) -> None:
        """Bring a field into view, and the keyboard into it."""
        field = self.fields[name]
        if field.told.advanced:
            self.advanced_toggle.setChecked(True)
        field.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edited(self) -> None:
        self._unfold_problems()
        self.changed.emit()

    def _unfold_problems(self) -> None:
        if any(self.fields[name].told.advanced for name in self.problems()):
            self.advanced_toggle.setChecked(True)

    def set_narrow(self, narrow: bool) -> None:
        for field in self.fields.values():
            field.set_narrow(narrow)

    def _lay_out(self) -> None:
        simple = [each for each in self.fields.values() if not each.told.advanced]
        hidden = [each for each in self.fields.values() if each.told.advanced]
        vbox(*simple, lead(self.advanced_toggle), self._advanced, FILL, on=self, gap=20)
        vbox(*hidden, on=self._advanced, gap=20)
        self.advanced_toggle.toggled.connect(self._advanced.setVisible)
        self._advanced.hide()
