"""The fields of a form: what servers ask during calls, and what their prompts need."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from app.tools.forms import FieldKind, FormField
from app.ui.widgets.chevron_box import ChevronBox
from app.ui.widgets.layouts import lead, vbox
from app.ui.widgets.plain_text import plain_label


class FormFields(QWidget):
    """One below the other, each with its name and what is said of it."""

    changed = Signal()
    entered = Signal()
    """Enter was pressed in a line."""

    def __init__(self, fields: Sequence[FormField], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("form")
        self._fields = fields
        self.editors: dict[str, QWidget] = {}
        """By the fields' names; a row of boxes for one of several choices."""
        parts = []
        for field in fields:
            editor = self.editors[field.name] = self._editor(field)
            editor.setAccessibleName(field.title)
            editor.setAccessibleDescription(field.description)
            editor.setToolTip(field.description)
            # As in the settings: what it is, what is said of it, and the field.
            said = [plain_label("small", self, field.description, wraps=True)] if field.description else []
            if field.kind is FieldKind.SWITCH:
                parts.append(vbox(lead(editor), *said, gap=3))
                continue
            told = self.tr("{field} (may be empty)").format(field=field.title)
            label = plain_label("", self, field.title if field.required else told, wraps=True)
            parts.append(vbox(label, *said, editor, gap=3))
        vbox(*parts, on=self, gap=14)

    @property
    def values(self) -> dict[str, object]:
        """Of what was filled in; numbers as such, where they are any."""
        found = {field.name: self._value(field) for field in self._fields}
        return {name: value for name, value in found.items() if value is not None}

    def _editor(self, field: FormField) -> QWidget:
        match field.kind:
            case FieldKind.SWITCH:
                return self._box(field.title, field.default is True)
            case FieldKind.CHOICE:
                return self._choice(field)
            case FieldKind.CHOICES:
                chosen = field.default if isinstance(field.default, list) else []
                row = QWidget(self)
                vbox(*(self._box(name, value in chosen) for value, name in field.choices), on=row, gap=2)
                return row
        edit = QLineEdit("" if field.default is None else str(field.default), self)
        edit.textChanged.connect(self.changed)
        edit.returnPressed.connect(self.entered)
        return edit

    def _box(self, text: str, checked: bool) -> QCheckBox:
        box = QCheckBox(text, self)
        box.setChecked(checked)
        box.toggled.connect(self.changed)
        return box

    def _choice(self, field: FormField) -> QComboBox:
        box = ChevronBox(self)
        if field.default is None:
            box.addItem("", None)
        for value, name in field.choices:
            box.addItem(name, value)
        box.setCurrentIndex(max(0, box.findData(field.default)))
        box.currentIndexChanged.connect(self.changed)
        return box

    def _value(self, field: FormField) -> object:
        match self.editors[field.name]:
            case QCheckBox() as box:
                return box.isChecked()
            case QComboBox() as choice:
                return choice.currentData()
            case QLineEdit() as edit:
                text = edit.text()
                return _number(text) if field.kind is FieldKind.NUMBER else text or None
            case row:
                boxes = row.findChildren(QCheckBox)
                chosen = [value for (value, _), box in zip(field.choices, boxes, strict=True) if box.isChecked()]
                return chosen or None


def _number(text: str) -> object:
    """Text that is none stays as it is, and is told to be none."""
    for kind in (int, float):
        try:
            return kind(text.replace(",", "."))
        except ValueError:
            continue
    return text or None
