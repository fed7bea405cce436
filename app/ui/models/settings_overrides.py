"""What is set for one model alone: the sections of the settings again, each field inherited or set here."""

from collections.abc import Mapping
from dataclasses import fields
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from app.core.loading import Loading
from app.core.model_options import MODEL_SECTIONS
from app.core.model_ref import ModelRef
from app.core.sampling import Sampling
from app.core.setting import declaration, with_values
from app.core.speculation import Speculation
from app.library.model_facts import ModelFacts
from app.services.models.options import OptionsOfModels
from app.services.runtime.debounce import Debounce
from app.ui.formatting.numbers import count
from app.ui.settings.field import words_of
from app.ui.settings.form import SettingsForm
from app.ui.settings.loading_rules import bounds_of, broken_rules, replaced_guesses, replaced_values
from app.ui.settings.model_file_edit import offers_of
from app.ui.settings.speculation_page import offer_drafts
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.fold import FoldButton
from app.ui.widgets.layouts import at_top, grow, hbox, lead, vbox
from app.ui.widgets.plain_text import plain_label, told

_CALM_MS = 400
"""After the last key, before what was typed is kept."""


class SettingsOverrides(QWidget):
    """What is edited is kept at once; what can't be taken says so, and is not kept."""

    def __init__(self, appearance: Appearance, options: OptionsOfModels, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._options = options
        self._model: ModelRef | None = None
        self._advice: Mapping[str, object] = {}
        """What its file says of the sampling."""
        self._bounds = bounds_of(None)
        self.told = plain_label("small", self, wraps=True)
        self._waits = plain_label("hint", self, wraps=True)
        clears = self.tr("Clear everything that is set for this model alone")
        self.reset_button = push_button(self.tr("As for all models"), self, self._reset, tip=clears, tone="reset")
        loads = self.tr("Load the model with these settings. The conversation stays.")
        self.reload_button = push_button(self.tr("Load again"), self, tip=loads)
        self.toggles = {section: FoldButton(appearance, self._title(section), self) for section in MODEL_SECTIONS}
        self.forms: dict[type, SettingsForm] = {}
        """By section; made when they are first looked at."""
        self._calm = Debounce(_CALM_MS, self._keep_edits, self)
        self._lay_out()

    @property
    def waits(self) -> str:
        """That the model has to be loaded again; empty where it hasn't."""
        return told(self._waits)

    def show_model(self, model: ModelRef | None, facts: ModelFacts | None) -> None:
        """`facts` are what its file says."""
        self.keep()
        self._model, self._advice = model, facts.sampling if facts is not None else {}
        self._bounds = bounds_of(facts)
        for section in self.forms:
            self._fill(section)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.keep()

    def keep(self) -> None:
        """Put in force what was edited, now."""
        self._calm.flush()

    def _keep_edits(self) -> None:
        if self._model is None:
            return
        for section in self.forms:
            self._options.set_section(self._model, section, self._taken(self._model, section))
        self.refresh()

    def _taken(self, model: ModelRef, section: type) -> dict[str, object]:
        """What is edited, and what stood where the edit can't be taken."""
        form, before = self.forms[section], self._options.of(model).of(section)
        problems = form.problems()
        taken = {name: value for name, value in form.overrides().items() if name not in problems}
        return taken | {name: before[name] for name in problems if name in before}

    def refresh(self) -> None:
        """Something is set otherwise, or the engine does something else now."""
        if self._model is None:
            return
        own = self._options.of(self._model)
        for section, form in self.forms.items():
            # What is being typed stays as it is, also while it can't be taken.
            is_edited = self._calm.isActive() or bool(form.problems())
            if not is_edited and dict(own.of(section)) != form.overrides():
                self._fill(section)
        self.reset_button.setEnabled(bool(own.n_set))
        names = ", ".join(_label(section, name) for section in own.overrides for name in own.of(section))
        sentence = (
            self.tr("Set for this model alone: {settings}.").format(settings=names)
            if names
            else self.tr("Nothing is set for this model alone: it is used as all others.")
        )
        self.told.setText(" ".join((sentence, *self._outcomes())))
        waits = self._options.waits_for_reload(self._model)
        self._waits.setVisible(waits)
        self.reload_button.setVisible(waits)
        for section, toggle in self.toggles.items():
            n = len(own.of(section))
            title = self._title(section)
            toggle.setText(self.tr("{title} ({count} set)").format(title=title, count=count(n)) if n else title)

    def _title(self, section: type) -> str:
        titles = {
            Loading: self.tr("Loading"),
            Sampling: self.tr("Sampling"),
            Speculation: self.tr("Speculative decoding"),
        }
        return titles[section]

    def _fill(self, section: type) -> None:
        if self._model is not None:
            if section is Speculation:
                offer_drafts(self.forms[section], offers_of(self._options.drafts_for(self._model)))
            inherited = self._options.inherited(section, self._advice)
            self.forms[section].show_overrides(self._options.of(self._model).of(section), inherited)
            self._tell_outcomes(self.forms[section])

    def _outcomes(self) -> list[str]:
        """What of the settings in force this model can't have, and what it gets; not of those for experts."""
        assert self._model is not None
        loading = with_values(self._options.inherited(Loading, {}), self._options.of(self._model).of(Loading))
        found = replaced_values(loading, self._bounds)
        expert = {each.name for each in fields(Loading) if declaration(each).advanced}
        return [f"{_label(Loading, name)}: {becomes}" for name, becomes in found.items() if name not in expert]

    def _tell_outcomes(self, form: SettingsForm) -> None:
        match form.draft():
            case Loading() as loading:
                form.show_outcomes(replaced_values(loading, self._bounds))
            case Speculation() as speculation:
                form.show_outcomes(replaced_guesses(speculation))

    def _unfold(self, section: type, unfolded: bool) -> None:
        if unfolded and section not in self.forms:
            form = SettingsForm(self._appearance, section, self, overrides=True)
            self.forms[section] = form
            self._column.insertWidget(self._column.indexOf(self.toggles[section]) + 1, form)
            self._fill(section)
            form.changed.connect(partial(self._edited, section))
        if section in self.forms:
            self.forms[section].setVisible(unfolded)

    def _edited(self, section: type) -> None:
        form = self.forms[section]
        self._tell_outcomes(form)
        if section is Loading:
            with QSignalBlocker(form):
                form.show_rules(broken_rules(form.draft()))
        if self._model is not None and form.overrides() != dict(self._options.of(self._model).of(section)):
            self._calm.start()

    def _reset(self) -> None:
        self._calm.stop()
        if self._model is not None:
            # The button can't be used any more; the keyboard stays here.
            next(iter(self.toggles.values())).setFocus(Qt.FocusReason.OtherFocusReason)
            self._options.clear_settings(self._model)
            for section in self.forms:
                self._fill(section)
            self.refresh()

    def _lay_out(self) -> None:
        self._waits.setText(self.tr("It was loaded otherwise than it would be now."))
        self._column = vbox(
            plain_label("section", self, self.tr("Settings of this model")),
            hbox(grow(self.told), at_top(self.reset_button), gap=8),
            hbox(grow(self._waits), at_top(self.reload_button), gap=8),
            *map(lead, self.toggles.values()),
            on=self,
            gap=8,
        )
        for section, toggle in self.toggles.items():
            toggle.setAccessibleName(self.tr("{title} of this model").format(title=self._title(section)))
            toggle.toggled.connect(partial(self._unfold, section))


def _label(section: type, name: str) -> str:
    return next(label for each, label, *_ in words_of(section) if each == name)
