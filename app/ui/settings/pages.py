"""The pages of the settings dialog: each shows one section, and puts it in force when told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.core.events import ModelInfo
from app.core.fit import Proposal
from app.core.loading import Loading, differs
from app.core.model_options import ModelOptions
from app.core.settings import SECTIONS, Settings
from app.services.engine.states import SnapshotStatus
from app.services.runtime.debounce import Ticker
from app.ui.formatting.numbers import size_text
from app.ui.settings.form import SettingsForm
from app.ui.settings.loading_rules import bounds_of, broken_rules, replaced_values
from app.ui.settings.model_file_edit import ModelOffer
from app.ui.settings.services import ModelLibrary
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.tools.servers_panel import ServersPanel
from app.ui.widgets.buttons import push_button
from app.ui.widgets.fit_panel import FitPanel
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label, tell

if TYPE_CHECKING:
    from app.services.chat.conversation_tools import ConversationTools
    from app.services.runtime.settings_service import SettingsService

_ASK_MS = 2000
_NARROW = 430
"""Pixels, at the usual size of text, below which editors stand under their words."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """The model in memory, as far as an estimate needs to know it."""

    info: ModelInfo
    options: ModelOptions = field(default_factory=ModelOptions)
    """What is set for this model alone, and holds whatever the pages say."""
    drafts: Sequence[ModelOffer] = ()
    """Models that could draft for it."""

    @property
    def own(self) -> Mapping[str, Any]:
        """Of `Loading`."""
        return self.options.of(Loading)


class SettingsPage(QWidget):
    """What is shown of a section; see `PageScroll` for what stands around it."""

    changed = Signal()
    field_wanted = Signal(object)
    """QWidget: it is to be brought into view"""

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.title = title
        self.setAccessibleName(title)
        self._width = 0
        self.column = vbox(on=self, gap=18)

    def fit_forms(self, width: int | None = None) -> None:
        """For a width in pixels, or the one from before: for forms that were made late, too."""
        self._width = self._width if width is None else width
        for form in self.forms():
            form.set_narrow(self._width < scaled(_NARROW))

    def show_settings(self, settings: Settings) -> None:
        """Those in force."""

    def show_model(self, loaded: LoadedModel | None) -> None:
        """The one in memory."""

    def needs_reload(self) -> bool:
        """Whether the model in memory was loaded otherwise than the fields say."""
        return False

    def problem(self) -> tuple[str, str]:
        """Label and sentence of the first value that cannot be taken; both empty for none."""
        for form in self.forms():
            for name, sentence in form.problems().items():
                return form.fields[name].label, sentence
        return "", ""

    def go_to_problem(self) -> None:
        for form in self.forms():
            if names := list(form.problems()):
                self.go_to(form, names[0])
                return

    def go_to(self, form: SettingsForm, name: str) -> None:
        """Bring a field into view, and the keyboard into it."""
        self.field_wanted.emit(form.fields[name])
        form.go_to(name)

    def show_setting(self, name: str) -> None:
        """One of the first form, marked for a moment."""
        form = self.forms()[0]
        self.go_to(form, name)
        form.fields[name].mark()

    def forms(self) -> tuple[SettingsForm, ...]:
        raise NotImplementedError

    def is_changed(self) -> bool:
        raise NotImplementedError

    def apply(self) -> None:
        """Put in force what was edited. Nothing may have a problem."""
        raise NotImplementedError


class SectionPage(SettingsPage):
    """One section of the settings, as it is declared."""

    def __init__(
        self, appearance: Appearance, section: type, settings: "SettingsService", title: str, parent: QWidget
    ) -> None:
        super().__init__(title, parent)
        self._section = section
        self._settings = settings
        self.form = SettingsForm(appearance, section, self)
        self.column.addWidget(self.form)
        self.column.addStretch(1)
        self.show_settings(settings.settings)
        self.form.changed.connect(self._form_changed)

    def show_settings(self, settings: Settings) -> None:
        self.form.show_section(getattr(settings, SECTIONS[self._section]))

    def forms(self) -> tuple[SettingsForm, ...]:
        return (self.form,)

    def is_changed(self) -> bool:
        return bool(self.form.problems() or self.form.changes())

    def apply(self) -> None:
        if changes := self.form.changes():
            self._settings.update(self._section, **changes)

    def _form_changed(self) -> None:
        self.changed.emit()


class PicturesPage(SectionPage):
    """How pictures are shown to a model that sees."""

    _info: ModelInfo | None = None

    def show_model(self, loaded: LoadedModel | None) -> None:
        self._info = loaded.info if loaded is not None else None

    def needs_reload(self) -> bool:
        info = self._info
        return info is not None and info.sees and bool(self.form.draft().image_max_tokens != info.image_max_tokens)

    def _form_changed(self) -> None:
        self.form.show_reload(self._settings.settings.pictures)
        super()._form_changed()


class SnapshotsPage(SectionPage):
    """What is kept of conversations, how much of it there is, and a button that empties it."""

    def __init__(
        self, appearance: Appearance, section: type, settings: "SettingsService", title: str, parent: QWidget
    ) -> None:
        super().__init__(appearance, section, settings, title, parent)
        self.held = plain_label("", self, wraps=True)
        name = self.tr("Remove what is kept of all conversations")
        self.empty_button = push_button(self.tr("Empty"), self, name=name)
        self.column.insertLayout(self.column.count() - 1, hbox(grow(self.held), self.empty_button))
        self.show_status(SnapshotStatus())

    def show_status(self, status: SnapshotStatus) -> None:
        sizes = {"memory": size_text(status.memory_bytes), "disk": size_text(status.disk_bytes)}
        self.held.setText(self.tr("Held now: {memory} in memory, {disk} on disk.").format(**sizes))
        self.empty_button.setEnabled(bool(status.memory_bytes or status.disk_bytes))


class ToolsPage(SectionPage):
    """What is built in, and then the servers and what is always allowed."""

    servers: ServersPanel | None = None
    """None where the window has no tools."""

    def __init__(
        self, appearance: Appearance, section: type, settings: "SettingsService", title: str, parent: QWidget
    ) -> None:
        super().__init__(appearance, section, settings, title, parent)
        self._appearance = appearance

    def show_tools(self, tools: "ConversationTools") -> None:
        self.servers = ServersPanel(self._appearance, tools, self)
        self.column.insertWidget(1, self.servers)


class ModelPage(SectionPage):
    """How a model is loaded, what goes together, and how much memory it would take."""

    def __init__(
        self, appearance: Appearance, settings: "SettingsService", models: ModelLibrary, title: str, parent: QWidget
    ) -> None:
        self._loaded: LoadedModel | None = None
        self.hint = plain_label("small", None, wraps=True)
        """Below the memory: what is set for the model alone, or that none is loaded."""
        super().__init__(appearance, Loading, settings, title, parent)
        self._models = models
        self._others = settings.settings
        self.memory = FitPanel(appearance, self.tr("Sets this below"), self)
        self.memory.proposal_clicked.connect(self._take)
        self.column.insertWidget(0, self.memory)
        self.column.insertWidget(1, self.hint)
        self._timer = Ticker(_ASK_MS, self._reckon, self)
        self._weigh()

    def show_model(self, loaded: LoadedModel | None) -> None:
        self._loaded = loaded
        self._weigh()

    def show_others(self, others: Settings) -> None:
        """What the other pages say at the moment, and what is set of that for the model alone."""
        self._others = others
        self._reckon()

    def needs_reload(self) -> bool:
        return self._loaded is not None and differs(self._effective(), self._loaded.info.loading)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._reckon()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _form_changed(self) -> None:
        self._weigh()
        super()._form_changed()

    def _weigh(self) -> None:
        draft = self.form.draft()
        self.form.show_rules(broken_rules(draft))
        bounds = bounds_of(self._loaded.info if self._loaded is not None else None)
        self.form.show_outcomes(replaced_values(draft, bounds))
        if self._loaded is None:
            self.form.show_reload(self._settings.settings.loading)
        else:
            # What the model has of its own is no reason to load it again.
            same = {name: getattr(draft, name) for name in self._loaded.own}
            self.form.show_reload(replace(self._loaded.info.loading, **same))
        self._say_own()
        self._reckon()

    def _effective(self) -> Loading:
        draft: Loading = self.form.draft()
        return replace(draft, **self._loaded.own) if self._loaded is not None else draft

    def _say_own(self) -> None:
        if self._loaded is None:
            hint = self.tr("Load a model to see here how much memory it would take with these settings.")
        else:
            names = ", ".join(self.form.fields[name].label for name in self._loaded.own)
            told = self.tr("Set for {model} alone, under Models: {settings}.")
            hint = told.format(model=self._loaded.info.name, settings=names) if names else ""
        tell(self.hint, hint)

    def _reckon(self) -> None:
        if self._loaded is None:
            self.memory.show_fit(None, ())
            return
        wanted = replace(self._others, loading=self._effective())
        found, ways = self._models.fit_with(self._loaded.info, wanted) or (None, ())
        # What holds for the model alone can't be set here.
        self.memory.show_fit(found, [way for way in ways if not self._changes(way).keys() & self._loaded.own.keys()])

    def _changes(self, way: Proposal) -> dict[str, object]:
        now = self._effective()
        found = {each.name: getattr(way.loading, each.name) for each in fields(Loading)}
        return {name: value for name, value in found.items() if value != getattr(now, name)}

    @Slot(object)
    def _take(self, way: Proposal) -> None:
        self.form.edit(self._changes(way))
