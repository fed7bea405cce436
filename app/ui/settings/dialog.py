"""All settings, generated from their declarations: pages at the left, one of them at the right."""

from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from app.core.api_settings import ApiSettings
from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.loading import Loading
from app.core.picture_settings import PictureSettings
from app.core.sampling import Sampling
from app.core.settings import Settings, ToolSettings
from app.core.snapshot_settings import SnapshotSettings
from app.core.speculation import Speculation
from app.services.engine.states import EngineState, ModelFailed, ModelLoading, ModelOnServer, ModelReady, NoModel
from app.ui.formatting.sentences import translated
from app.ui.settings.api_page import ApiPage
from app.ui.settings.field import words_of
from app.ui.settings.model_file_edit import offers_of
from app.ui.settings.page_scroll import PageScroll
from app.ui.settings.paged_view import PagedView
from app.ui.settings.pages import (
    LoadedModel,
    ModelPage,
    PicturesPage,
    SectionPage,
    SettingsPage,
    SnapshotsPage,
    ToolsPage,
)
from app.ui.settings.sampling_page import SamplingPage
from app.ui.settings.search import FoundSetting, SettingsSearch
from app.ui.settings.services import SettingsServices
from app.ui.settings.speculation_page import SpeculationPage
from app.ui.settings.titles import PageTitle, page_groups
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.tab_order import TabOrderDialog
from app.ui.widgets.window_geometry import bounded, size_dialog

_LEAST = 680
_SIDES = 16, 18
"""Pixels at the left and at the right."""
_PAGES: dict[type, type[SectionPage]] = {
    PictureSettings: PicturesPage,
    Speculation: SpeculationPage,
    SnapshotSettings: SnapshotsPage,
    ToolSettings: ToolsPage,
    ApiSettings: ApiPage,
}
"""Those that show more than their section's fields."""


class SettingsDialog(TabOrderDialog):
    """GUI thread; show it by `open()`. Nothing is in force before Apply or OK.

    Pages are made when they are first looked at: all together they are 700 widgets, and each is styled at every change
    of the theme or of the size of text.
    """

    def __init__(self, appearance: Appearance, services: SettingsServices, parent: QWidget) -> None:
        super().__init__(self.tr("Settings"), parent)
        self._appearance = appearance
        self._settings = services.settings
        self._engine = services.engine
        self._controller = services.controller
        self._api = services.api
        self._sharing = services.sharing
        self._models = services.models
        self._tools = services.tools
        self.search = SettingsSearch(self)
        self._view = PagedView(self.search.stack)
        self._pages: dict[type, SettingsPage] = {}
        """Those that were made."""
        self._groups = page_groups()
        self._entries = [PageScroll(appearance, each.title, each.sentence, self._view.stack) for each in self._groups]
        self._view.add_pages(self._entries)
        self.search.add_pages(self._view, self._searched())
        self.page_list, self.page_box = self._view.list, self._view.box
        self.footer = plain_label("", self, wraps=True)
        self.cancel_button = push_button(self.tr("Cancel"), self, self.reject)
        self.apply_button = push_button(self.tr("Apply"), self, self.apply)
        self.ok_button = push_button(self.tr("OK"), self, self._apply_and_close)
        self.ok_button.setDefault(True)
        self._lay_out()
        self._connect()
        self._fill(self._view.list.currentRow())
        self._view.list.setFocus()
        self._show_engine(self._engine.state)

    def page(self, section: type) -> SettingsPage:
        """Of a section of `Settings`."""
        if section not in self._pages:
            self._fill(self._index_of(section))
        return self._pages[section]

    def entry_of(self, section: type) -> PageScroll:
        """The entry of the list in which a section's page stands."""
        return self._entries[self._index_of(section)]

    def show_page(self, section: type) -> None:
        self._view.show_page(self._index_of(section))
        self.entry_of(section).show_page(self.page(section))

    def show_setting(self, section: type, name: str) -> None:
        """Bring one into view, mark it for a moment, and give it the keyboard."""
        self.show_page(section)
        self.page(section).show_setting(name)

    def apply(self) -> bool:
        """Put everything in force, and load the model again where that needs it; False while something is wrong."""
        for section, page in self._pages.items():
            if any(page.problem()):
                self.show_page(section)
                page.go_to_problem()
                return False
        needs_reload = self._needs_reload()
        for page in self._pages.values():
            page.apply()
        if needs_reload:
            self._engine.reload()
        self._refresh()
        return True

    def _index_of(self, section: type) -> int:
        return next(n for n, group in enumerate(self._groups) if any(section is each.section for each in group.pages))

    def _searched(self) -> list[FoundSetting]:
        return [
            FoundSetting(titled.section, name, label, explained, place, words)
            for group in self._groups
            for titled in group.pages
            for place in [", ".join(dict.fromkeys((group.title, titled.title)))]
            for name, label, explained, words in words_of(titled.section)
        ]

    def _fill(self, index: int) -> None:
        """Make the pages of an entry, once."""
        entry = self._entries[index]
        if entry.pages:
            return
        for titled in self._groups[index].pages:
            page = self._pages[titled.section] = self._make_page(titled, entry.inside)
            (entry.add_fold if titled.folded else entry.add_page)(page, titled.sentence)
            page.changed.connect(self._page_changed)
        entry.fit_pages()
        self._show_model()
        self._refresh()
        if self.isVisible():
            self._widen()
        # The first frame would have the page in the height that it had before it was this wide.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)

    def _make_page(self, titled: PageTitle, parent: QWidget) -> SettingsPage:
        section, title = titled.section, titled.title
        if section is Loading:
            return ModelPage(self._appearance, self._settings, self._models, title, parent)
        if section is Sampling:
            controller = self._controller
            return SamplingPage(self._appearance, self._settings, controller.options, controller.active, title, parent)
        kind = _PAGES.get(section, SectionPage)
        page = kind(self._appearance, section, self._settings, title, parent)
        if isinstance(page, SnapshotsPage):
            page.show_status(self._engine.snapshots.status)
            page.empty_button.clicked.connect(self._engine.snapshots.empty)
            self._engine.snapshots.changed.connect(page.show_status)
        if isinstance(page, ApiPage) and self._api is not None:
            page.show_state(self._api.state)
            self._api.changed.connect(page.show_state)
            if self._sharing is not None:
                page.show_sharing(self._sharing)
        if isinstance(page, ToolsPage) and self._tools is not None:
            page.show_tools(self._tools)
        return page

    def _lay_out(self) -> None:
        foot = hbox(grow(self.footer), 12, self.cancel_button, self.apply_button, self.ok_button, gap=8)
        left, right = _SIDES
        vbox(grow(self.search), foot, on=self, gap=14, margins=(left, 18, right, 16))
        parent = self.parentWidget()
        wide = min(max(scaled(820), _LEAST), self.screen().availableGeometry().width() - 40)
        high = min(scaled(680), parent.height() - 40) if parent else scaled(680)
        size_dialog(self, QSize(480, 420), QSize(wide, high))

    def _connect(self) -> None:
        self._view.list.currentRowChanged.connect(self._fill)
        self.search.chosen.connect(self._show_found)
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.activated.connect(self._find)
        self._settings.changed.connect(self._show_settings)
        self._engine.state_changed.connect(self._show_engine)
        self._controller.replies.changed.connect(self._refresh)
        self._engine.slot_changed.connect(self._show_model)

    def showEvent(self, event: QShowEvent) -> None:
        self._widen()
        super().showEvent(event)

    def _widen(self) -> None:
        """A page in large text or long words may want more than the usual width, as far as the screen has it."""
        wished = self._view.wished_width() + sum(_SIDES)
        self.resize(bounded(QSize(max(self.width(), wished), self.height()), self))

    def _find(self) -> None:
        self.search.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.field.selectAll()

    def _show_found(self, found: FoundSetting) -> None:
        self.show_setting(found.section, found.name)

    def _apply_and_close(self) -> None:
        if self.apply():
            self.accept()

    def _page_changed(self) -> None:
        self._show_others()
        self._refresh()

    def _show_settings(self, settings: Settings) -> None:
        for page in self._pages.values():
            page.show_settings(settings)

    def _show_engine(self, state: EngineState) -> None:
        # While one is loaded, what was known of the model before still holds for an estimate.
        if isinstance(state, ModelReady | NoModel | ModelOnServer):
            self._show_model()
        self._refresh()

    def _show_model(self) -> None:
        loaded, state = None, self._engine.state
        if isinstance(state, ModelReady):
            model = state.info.ref
            offers = offers_of(self._models.drafts_for(model))
            loaded = LoadedModel(state.info, self._engine.options_of(model), offers)
        for page in self._pages.values():
            page.show_model(loaded)
        self._show_others()

    def _show_others(self) -> None:
        """Tell the estimate of the memory what the other pages say; of those that nobody opened, what is in force."""
        model, others = self._pages.get(Loading), self._settings.settings
        if not isinstance(model, ModelPage):
            return
        if isinstance(state := self._engine.state, ModelReady):
            others = self._engine.options_of(state.info.ref).applied(others)
        if isinstance(checkpoints := self._pages.get(Checkpointing), SectionPage):
            others = replace(others, checkpoints=checkpoints.form.draft())
        if isinstance(drafts := self._pages.get(Speculation), SpeculationPage):
            others = replace(others, speculation=drafts.wanted())
        model.show_others(others)

    def _refresh(self) -> None:
        label, sentence = next((each for page in self._pages.values() if any(each := page.problem())), ("", ""))
        reload = self._needs_reload()
        changed = any(page.is_changed() for page in self._pages.values())
        self.apply_button.setEnabled(not sentence and (changed or reload))
        self.ok_button.setEnabled(not sentence)
        if sentence:
            self._say(f"{label}: {sentence}" if not sentence.startswith(label) else sentence, "danger")
        else:
            self._say(*self._news(reload))

    def _needs_reload(self) -> bool:
        match self._engine.state:
            case ModelReady():
                return any(page.needs_reload() for page in self._pages.values())
            case ModelFailed():
                model = self._pages.get(Loading)
                return isinstance(model, ModelPage) and bool(model.form.changes())
        return False

    def _news(self, reload: bool) -> tuple[str, str]:
        match self._engine.state:
            case ModelFailed(_, error) if not reload:
                return translated(error.sentence), "danger"
            case ModelReady(error=UserError() as error) if not any(page.is_changed() for page in self._pages.values()):
                return translated(error.sentence), "danger"
            case ModelLoading():
                return self.tr("The model is being loaded."), "hint"
            case ModelReady(_, notes) if not reload:
                return " ".join(map(translated, notes)), "hint"
        if not reload:
            return "", "hint"
        told = self.tr("Apply loads the model again. The conversation stays.")
        if self._controller.replies.is_busy:
            told += " " + self.tr("The answer that is being written stops.")
        return told, "hint"

    def _say(self, sentence: str, tone: str) -> None:
        self.footer.setText(sentence)
        set_property(self.footer, "tone", tone)
        self.setAccessibleDescription(sentence)
