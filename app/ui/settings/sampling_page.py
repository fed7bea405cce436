"""How words are chosen: for all conversations, for one model, for one conversation."""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QButtonGroup, QWidget

from app.core.events import ModelInfo
from app.core.model_options import key_of
from app.core.sampling import Sampling, advised
from app.core.settings import Settings
from app.ui.settings.form import SettingsForm
from app.ui.settings.pages import LoadedModel, SettingsPage
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.plain_text import plain_label

if TYPE_CHECKING:
    from app.services.chat.active_conversation import ActiveConversation
    from app.services.chat.conversation_options import ConversationOptions
    from app.services.runtime.settings_service import SettingsService


class Scope(Enum):
    ALL = 0
    MODEL = 1
    CONVERSATION = 2


class SamplingPage(SettingsPage):
    """Three drafts of the same section; what one does not set, it inherits from the one before."""

    def __init__(
        self, appearance: Appearance, settings: "SettingsService", options: "ConversationOptions",
        active: "ActiveConversation", title: str, parent: QWidget | None,
    ) -> None:  # fmt: skip
        super().__init__(title, parent)
        self._settings = settings
        self._options = options
        self._active = active
        self._info: ModelInfo | None = None
        self._model = ""
        self._appearance = appearance
        self._forms: dict[Scope, SettingsForm] = {}
        """Made when they are first looked at: most people never open the special ones."""
        self.buttons = {scope: push_button(name, self, tone="segment") for scope, name in self._names().items()}
        self._group = QButtonGroup(self)
        self._where = plain_label("small", self, wraps=True)
        self._lay_out()
        self.form(Scope.ALL)
        self._say_where()

    @property
    def scope(self) -> Scope:
        return Scope(self._group.checkedId())

    def form(self, scope: Scope) -> SettingsForm:
        if scope not in self._forms:
            made = SettingsForm(self._appearance, Sampling, self, overrides=scope is not Scope.ALL)
            made.setVisible(scope is self.scope)
            self._forms[scope] = made
            self.column.insertWidget(self.column.count() - 1, made)
            self._fill(scope)
            made.changed.connect(self._form_changed)
            self.fit_forms()
        return self._forms[scope]

    def forms(self) -> tuple[SettingsForm, ...]:
        return tuple(self._forms.values())

    def show_settings(self, settings: Settings) -> None:
        self._forms[Scope.ALL].show_section(settings.sampling)
        self._pass_on()

    def show_options(self) -> None:
        """Read what is set for the model and for the conversation."""
        for scope in self._special():
            self._fill(scope)

    def show_model(self, loaded: LoadedModel | None) -> None:
        """Whose settings "this model" are."""
        self._info = loaded.info if loaded is not None else None
        name = self._info.name if self._info is not None else ""
        if name == self._model:
            return
        self._model = name
        self.buttons[Scope.MODEL].setEnabled(bool(name))
        if not name and self.scope is Scope.MODEL:
            self.buttons[Scope.ALL].setChecked(True)
        self.show_options()
        self._say_where()

    def choose(self, scope: Scope) -> None:
        self.buttons[scope].setChecked(True)

    def is_changed(self) -> bool:
        everywhere = self._forms[Scope.ALL]
        return bool(everywhere.problems() or everywhere.changes()) or any(
            self._forms[scope].overrides_changed() for scope in self._special()
        )

    def apply(self) -> None:
        # Read before anything is told, for what is in force comes back into the fields at once.
        special = {
            scope: self._forms[scope].overrides() for scope in self._special() if self._forms[scope].overrides_changed()
        }
        if changes := self._forms[Scope.ALL].changes():
            self._settings.update(Sampling, **changes)
        if Scope.MODEL in special and self._info is not None:
            self._options.set_sampling_of_model(key_of(self._info.ref), special[Scope.MODEL])
        if Scope.CONVERSATION in special:
            self._options.set_sampling_of_conversation(self._active.conversation_id, special[Scope.CONVERSATION])
        self.show_options()

    def go_to_problem(self) -> None:
        for scope, form in self._forms.items():
            if form.problems():
                self.choose(scope)
                break
        super().go_to_problem()

    def show_setting(self, name: str) -> None:
        self.choose(Scope.ALL)
        super().show_setting(name)

    def _special(self) -> list[Scope]:
        return [scope for scope in self._forms if scope is not Scope.ALL]

    def _fill(self, scope: Scope) -> None:
        """Show what is in force."""
        match scope:
            case Scope.ALL:
                self._forms[scope].show_section(self._settings.settings.sampling)
            case Scope.MODEL:
                self._forms[scope].show_overrides(self._of_model(), self._inherited(scope))
            case Scope.CONVERSATION:
                values = self._options.sampling_of_conversation(self._active.conversation_id)
                self._forms[scope].show_overrides(values, self._inherited(scope))

    def _of_model(self) -> Mapping[str, object]:
        return self._options.sampling_of_model(key_of(self._info.ref)) if self._info is not None else {}

    def _inherited(self, scope: Scope) -> Sampling:
        base: Sampling = self._forms[Scope.ALL].draft()
        base = advised(base, self._info.sampling if self._info is not None else {})
        if scope is not Scope.CONVERSATION:
            return base
        form = self._forms.get(Scope.MODEL)
        return replace(base, **(form.overrides() if form else self._of_model()))

    def _form_changed(self) -> None:
        self._pass_on()
        self.changed.emit()

    def _pass_on(self) -> None:
        for scope in self._special():
            self._forms[scope].show_inherited(self._inherited(scope))

    def _switch(self) -> None:
        self.form(self.scope)
        for scope, form in self._forms.items():
            form.setVisible(scope is self.scope)
        self._say_where()

    def _say_where(self) -> None:
        sentences = {
            Scope.ALL: self.tr("These hold wherever nothing else is set for a model or a conversation."),
            Scope.MODEL: self.tr(
                "What is set here holds for {model}, in every conversation. Where you have set nothing, its file's "
                "own advice stands, if it has any."
            ),
            Scope.CONVERSATION: self.tr(
                "What is set here holds for the open conversation alone, and wins over all else."
            ),
        }
        self._where.setText(sentences[self.scope].format(model=self._model))

    def _names(self) -> dict[Scope, str]:
        return {
            Scope.ALL: self.tr("All conversations"),
            Scope.MODEL: self.tr("This model"),
            Scope.CONVERSATION: self.tr("This conversation"),
        }

    def _lay_out(self) -> None:
        for scope, button in self.buttons.items():
            button.setCheckable(True)
            self._group.addButton(button, scope.value)
        self.buttons[Scope.ALL].setChecked(True)
        self.buttons[Scope.MODEL].setEnabled(False)
        self._group.idToggled.connect(self._switch)
        self.column.addWidget(FlowRow(tuple(self.buttons.values()), self))
        self.column.addWidget(self._where)
        self.column.addStretch(1)
