"""What a prompt of a server needs before it can be put into the field."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.tools.forms import FormField
from app.tools.tool import Prompt
from app.ui.tools.form_fields import FormFields
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog


class PromptDialog(SmallDialog):
    """Of a prompt that has arguments."""

    filled = Signal(object)
    """dict[str, str]"""

    def __init__(self, prompt: Prompt, parent: QWidget) -> None:
        super().__init__(prompt.title or prompt.name, parent)
        if prompt.description:
            self.say(prompt.description)
        self._needed = [each.name for each in prompt.arguments if each.required]
        fields = [
            FormField(each.name, each.name, each.description, required=each.required) for each in prompt.arguments
        ]
        self.fields = FormFields(fields, self)
        self.body.addWidget(self.fields)
        self.insert = push_button(self.tr("Insert"), self, self._insert, tip=self.tr("Puts it into the field"))
        self.finish_layout(push_button(self.tr("Cancel"), self, self.reject), self.insert)
        self.fields.editors[prompt.arguments[0].name].setFocus()
        self.fields.changed.connect(self._refresh)
        self.fields.entered.connect(self.insert.click)
        self._refresh()

    def _refresh(self) -> None:
        self.insert.setEnabled(all(name in self.fields.values for name in self._needed))

    def _insert(self) -> None:
        self.accept()
        self.filled.emit(self.fields.values)
