"""How words are chosen: for all conversations, for one model, for one conversation."""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QPushButton, QStackedWidget, QWidget

from app.core.sampling import Sampling
from app.core.settings import Settings
from app.ui.settings_form import SettingsForm
from app.ui.settings_pages import SettingsPage
from app.ui.theme import Look

if TYPE_CHECKING:
    from app.services.chat_controller import ChatController
    from app.services.settings_service import SettingsService


class Scope(Enum):
    ALL = 0
    MODEL = 1
    CONVERSATION = 2


class SamplingPage(SettingsPage):
    """Three drafts of the same section; what one does not set, it inherits from the one before."""

    def __init__(
        self, look: Look, settings: "SettingsService", controller: "ChatController", title: str, sentence: str,
        parent: QWidget,
    ) -> None:  # fmt: skip
        super().__init__(title, sentence, parent)
        self._settings = settings
        self._controller = controller
        self._model = ""
        self._forms = {
            scope: SettingsForm(look, Sampling, self, overrides=scope is not Scope.ALL) for scope in Scope
        }
        self.buttons = {scope: QPushButton(self) for scope in Scope}
        self._group = QButtonGroup(self)
        self._where = QLabel(self)
        self._stack = _OneAtATime(self)
        self._lay_out()
        self.show_settings(settings.settings)
        self.show_model("")
        for form in self._forms.values():
            form.changed.connect(self._form_changed)

    @property
    def scope(self) -> Scope:
        return Scope(self._group.checkedId())

    def form(self, scope: Scope) -> SettingsForm:
        return self._forms[scope]

    def forms(self) -> tuple[SettingsForm, ...]:
        return tuple(self._forms.values())

    def show_settings(self, settings: Settings) -> None:
        self._forms[Scope.ALL].show_section(settings.sampling)
        self._pass_on()

    def show_options(self) -> None:
        """Read what is set for the model and for the conversation."""
        self._show(Scope.MODEL, self._controller.sampling_of_model if self._model else {})
        self._show(Scope.CONVERSATION, self._controller.sampling_of_conversation)

    def show_model(self, name: str) -> None:
        """Whose settings "this model" are; empty while none is loaded."""
        self._model = name
        self.buttons[Scope.MODEL].setEnabled(bool(name))
        if not name and self.scope is Scope.MODEL:
            self.buttons[Scope.ALL].setChecked(True)
        self.show_options()
        self._say_where()

    def choose(self, scope: Scope) -> None:
        self.buttons[scope].setChecked(True)

    def is_changed(self) -> bool:
        everywhere, *special = self._forms.values()
        return bool(everywhere.problems() or everywhere.changes()) or any(form.overrides_changed() for form in special)

    def apply(self) -> None:
        model, conversation = self._forms[Scope.MODEL], self._forms[Scope.CONVERSATION]
        of_model, of_conversation = model.overrides(), conversation.overrides()
        model_changed, conversation_changed = model.overrides_changed(), conversation.overrides_changed()
        if changes := self._forms[Scope.ALL].changes():
            self._settings.update("sampling", **changes)
        if model_changed:
            self._controller.set_model_sampling(of_model)
        if conversation_changed:
            self._controller.set_conversation_sampling(of_conversation)
        self.show_options()

    def go_to_problem(self) -> None:
        for scope, form in self._forms.items():
            if form.problems():
                self.choose(scope)
                break
        super().go_to_problem()

    def _show(self, scope: Scope, values: Mapping[str, object]) -> None:
        self._forms[scope].show_overrides(values, self._inherited(scope))
        self._pass_on()

    def _inherited(self, scope: Scope) -> Sampling:
        base: Sampling = self._forms[Scope.ALL].draft()
        if scope is Scope.CONVERSATION and self._model:
            return replace(base, **self._forms[Scope.MODEL].overrides())
        return base

    def _form_changed(self) -> None:
        self._pass_on()
        self.changed.emit()

    def _pass_on(self) -> None:
        for scope in (Scope.MODEL, Scope.CONVERSATION):
            self._forms[scope].show_inherited(self._inherited(scope))

    def _switch(self) -> None:
        self._stack.setCurrentIndex(self.scope.value)
        self._say_where()

    def _say_where(self) -> None:
        match self.scope:
            case Scope.ALL:
                told = self.tr("These hold wherever nothing else is set for a model or a conversation.")
            case Scope.MODEL:
                told = self.tr("What is set here holds for {model}, in every conversation.").format(model=self._model)
            case Scope.CONVERSATION:
                told = self.tr("What is set here holds for the open conversation alone, and wins over all else.")
        self._where.setText(told)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(6)
        names = {
            Scope.ALL: self.tr("All conversations"),
            Scope.MODEL: self.tr("This model"),
            Scope.CONVERSATION: self.tr("This conversation"),
        }
        for scope, button in self.buttons.items():
            button.setText(names[scope])
            button.setAccessibleName(names[scope])
            button.setCheckable(True)
            button.setAutoDefault(False)
            button.setProperty("tone", "segment")
            self._group.addButton(button, scope.value)
            row.addWidget(button)
            self._stack.addWidget(self._forms[scope])
        row.addStretch(1)
        self.buttons[Scope.ALL].setChecked(True)
        self._group.idToggled.connect(self._switch)
        self._where.setTextFormat(Qt.TextFormat.PlainText)
        self._where.setProperty("tone", "small")
        self._where.setWordWrap(True)
        self.column.addLayout(row)
        self.column.addWidget(self._where)
        self.column.addWidget(self._stack)
        self.column.addStretch(1)


class _OneAtATime(QStackedWidget):
    """As high as the page that is shown, not as the highest."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.currentChanged.connect(self._resize)

    def _resize(self) -> None:
        for index in range(self.count()):
            page = self.widget(index)
            policy = page.sizePolicy()
            kind = policy.Policy.Preferred if index == self.currentIndex() else policy.Policy.Ignored
            policy.setVerticalPolicy(kind)
            page.setSizePolicy(policy)
        self.updateGeometry()
