"""The page of speculative decoding: what is ready, what may be chosen, and what needs the model to be loaded again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.core.events import ModelInfo
from app.core.settings import Settings
from app.core.speculation import Speculation, redrafts
from app.ui.settings.drafters_panel import DraftersPanel
from app.ui.settings.form import SettingsForm
from app.ui.settings.loading_rules import replaced_guesses
from app.ui.settings.model_file_edit import ModelFileEdit, ModelOffer
from app.ui.settings.pages import LoadedModel, SectionPage
from app.ui.theme.appearance import Appearance
from app.ui.widgets.plain_text import plain_label, tell, told

if TYPE_CHECKING:
    from app.services.runtime.settings_service import SettingsService


def offer_drafts(form: SettingsForm, offers: Sequence[ModelOffer]) -> None:
    """Let the form of `Speculation` show models to choose the draft model from."""
    editor = form.fields["draft_model"].editor
    assert isinstance(editor, ModelFileEdit)
    editor.offer(offers)


class SpeculationPage(SectionPage):
    """Over all models; a model's own settings come before it."""

    def __init__(
        self, appearance: Appearance, section: type, settings: "SettingsService", title: str, parent: QWidget
    ) -> None:
        self._info: ModelInfo | None = None
        self._of_model: Mapping[str, Any] = {}
        super().__init__(appearance, section, settings, title, parent)
        self.drafters = DraftersPanel(self)
        self._own = plain_label("small", self, wraps=True)
        self._own.hide()
        self.column.insertWidget(0, self.drafters)
        self.column.insertWidget(1, self._own)

    @property
    def own(self) -> str:
        """Which of the settings the model has of its own, in a sentence."""
        return told(self._own)

    def show_model(self, loaded: LoadedModel | None) -> None:
        info = self._info = loaded.info if loaded is not None else None
        own = self._of_model = loaded.options.of(Speculation) if loaded is not None else {}
        offer_drafts(self.form, loaded.drafts if loaded is not None else ())
        names = ", ".join(self.form.fields[name].label for name in own)
        sentence = self.tr("Set for {model} alone, under Models: {settings}.")
        tell(self._own, sentence.format(model=info.name if info is not None else "", settings=names) if own else "")
        self._weigh()

    def show_settings(self, settings: Settings) -> None:
        super().show_settings(settings)
        if self._info is not None:
            self._weigh()

    def needs_reload(self) -> bool:
        return self._info is not None and redrafts(self.wanted(), self._info.drafting.asked)

    def _form_changed(self) -> None:
        self._weigh()
        super()._form_changed()

    def _weigh(self) -> None:
        draft: Speculation = self.form.draft()
        self.form.show_outcomes(replaced_guesses(draft))
        if self._info is None:
            self.form.show_reload(self._settings.settings.speculation)
        elif self.needs_reload():
            # What the model has of its own is no reason to load it again.
            same = {name: getattr(draft, name) for name in self._of_model}
            self.form.show_reload(replace(self._info.drafting.asked, **same))
        else:
            self.form.show_reload(draft)
        in_force = replace(self._settings.settings.speculation, **self._of_model)
        self.drafters.show_model(self._info, in_force)

    def wanted(self) -> Speculation:
        """What would hold for the model by what the fields say."""
        draft: Speculation = self.form.draft()
        return replace(draft, **self._of_model)
