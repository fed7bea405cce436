"""All settings, generated from their declarations: pages at the left, one of them at the right."""

from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.core.api_settings import ApiSettings
from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.loading import Loading
from app.core.picture_settings import PictureSettings
from app.core.sampling import Sampling
from app.core.settings import Settings
from app.core.snapshot_settings import SnapshotSettings
from app.core.speculation import Speculation
from app.services.engine.states import EngineState, Idle, ModelFailed, ModelLoading, ModelReady, NoModel
from app.ui.formatting.numbers import model_name
from app.ui.formatting.sentences import translated
from app.ui.settings.api_page import ApiPage
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
)
from app.ui.settings.sampling_page import SamplingPage
from app.ui.settings.search import FoundSetting, SettingsSearch
from app.ui.settings.services import SettingsServices
from app.ui.settings.speculation_page import SpeculationPage
from app.ui.settings.titles import PageTitle, page_groups
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.window_geometry import size_dialog

_LEAST = 680
_SIDES = 16, 18
"""Pixels at the left and at the right."""


class SettingsDialog(QDialog):
    """GUI thread; show it by `open()`. Nothing is in force before Apply or OK."""

    def __init__(self, appearance: Appearance, services: SettingsServices, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = services.settings
        self._engine = services.engine
        self._controller = services.controller
        self._api = services.api
        self._models = services.models
        self.search = SettingsSearch(self)
        self._view = PagedView(self.search.stack)
        self._make_pages(appearance)
        self._view.add_pages(self._entries)
        self.search.add_pages(self._view, self._searched())
        self._footer = QLabel(self)
        self.cancel_button = QPushButton(self.tr("Cancel"), self)
        self.apply_button = QPushButton(self.tr("Apply"), self)
        self.ok_button = QPushButton(self.tr("OK"), self)
        self._set_up()
        self._lay_out()
        self._connect()
        self._view.list.setFocus()
        self._show_engine(self._engine.state)

    @property
    def pages(self) -> dict[type, SettingsPage]:
        """By the sections of `Settings`."""
        return self._pages

    @property
    def model_page(self) -> ModelPage:
        return self._model_page

    @property
    def page_list(self) -> QListWidget:
        return self._view.list

    @property
    def page_box(self) -> QComboBox:
        """In the list's place where there is no room for it."""
        return self._view.box

    @property
    def footer(self) -> str:
        return self._footer.text()

    def entry_of(self, section: type) -> PageScroll:
        """The entry of the list in which a section's page stands."""
        return next(each for each in self._entries if self._pages[section] in each.pages)

    def show_page(self, section: type) -> None:
        entry = self.entry_of(section)
        self._view.show_page(self._entries.index(entry))
        entry.show_page(self._pages[section])

    def show_setting(self, section: type, name: str) -> None:
        """Bring one into view, mark it for a moment, and give it the keyboard."""
        self.show_page(section)
        self._pages[section].show_setting(name)

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

    def _searched(self) -> list[FoundSetting]:
        return [
            FoundSetting(section, field.name, field.label, field.help, self._where(section))
            for section, page in self._pages.items()
            for field in page.forms()[0].fields.values()
        ]

    def _where(self, section: type) -> str:
        entry, page = self.entry_of(section).title, self._pages[section].title
        return entry if entry == page else f"{entry}, {page}"

    def _make_pages(self, appearance: Appearance) -> None:
        made: dict[type, SettingsPage] = {}
        self._entries: list[PageScroll] = []
        for group in page_groups():
            self._entries.append(PageScroll(appearance, group.title, group.sentence, self._view.stack))
            for titled in group.pages:
                page = made[titled.section] = self._make_page(appearance, titled, self._entries[-1].inside)
                if titled.folded:
                    self._entries[-1].add_fold(page, titled.sentence)
                else:
                    self._entries[-1].add_page(page, titled.sentence)
        model, sampling, pictures, drafts = made[Loading], made[Sampling], made[PictureSettings], made[Speculation]
        assert isinstance(model, ModelPage)
        assert isinstance(sampling, SamplingPage)
        assert isinstance(pictures, PicturesPage)
        assert isinstance(drafts, SpeculationPage)
        self._speculation_page = drafts
        self._pages, self._model_page, self._sampling_page, self._pictures_page = made, model, sampling, pictures

    def _make_page(self, appearance: Appearance, titled: PageTitle, parent: QWidget) -> SettingsPage:
        section, title = titled.section, titled.title
        if section is Loading:
            return ModelPage(appearance, self._settings, self._models, title, parent)
        if section is PictureSettings:
            return PicturesPage(appearance, section, self._settings, title, parent)
        if section is Speculation:
            return SpeculationPage(appearance, section, self._settings, title, parent)
        if section is SnapshotSettings:
            return self._make_snapshots_page(appearance, titled, parent)
        if section is ApiSettings:
            return self._make_api_page(appearance, titled, parent)
        if section is Sampling:
            return SamplingPage(appearance, self._settings, self._controller.options, title, parent)
        return SectionPage(appearance, section, self._settings, title, parent)

    def _make_snapshots_page(self, appearance: Appearance, titled: PageTitle, parent: QWidget) -> SnapshotsPage:
        page = SnapshotsPage(appearance, titled.section, self._settings, titled.title, parent)
        page.show_status(self._engine.snapshot_status())
        page.empty_clicked.connect(self._engine.empty_snapshots)
        self._engine.snapshots_changed.connect(page.show_status)
        return page

    def _make_api_page(self, appearance: Appearance, titled: PageTitle, parent: QWidget) -> ApiPage:
        page = ApiPage(appearance, titled.section, self._settings, titled.title, parent)
        if self._api is not None:
            page.show_state(self._api.state)
            self._api.changed.connect(page.show_state)
        return page

    def _set_up(self) -> None:
        self.setWindowTitle(self.tr("Settings"))
        self.setAccessibleName(self.tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._footer.setTextFormat(Qt.TextFormat.PlainText)
        self._footer.setWordWrap(True)
        for button in (self.cancel_button, self.apply_button, self.ok_button):
            button.setAutoDefault(False)
            button.setAccessibleName(button.text())
        self.ok_button.setDefault(True)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._footer, 1)
        row.addSpacing(12)
        for button in (self.cancel_button, self.apply_button, self.ok_button):
            row.addWidget(button)
        column = QVBoxLayout(self)
        left, right = _SIDES
        column.setContentsMargins(left, 18, right, 16)
        column.setSpacing(14)
        column.addWidget(self.search, 1)
        column.addLayout(row)
        parent = self.parentWidget()
        wide = max(scaled(820), self._view.wished_width() + left + right, _LEAST)
        wide = min(wide, self.screen().availableGeometry().width() - 40)
        high = min(scaled(680), parent.height() - 40) if parent else scaled(680)
        size_dialog(self, QSize(480, 420), QSize(wide, high))

    def _connect(self) -> None:
        for page in self._pages.values():
            page.changed.connect(self._page_changed)
        self.cancel_button.clicked.connect(self.reject)
        self.apply_button.clicked.connect(self.apply)
        self.ok_button.clicked.connect(self._apply_and_close)
        self.search.chosen.connect(self._show_found)
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.activated.connect(self._find)
        self._settings.changed.connect(self._show_settings)
        self._engine.state_changed.connect(self._show_engine)
        self._controller.activity_changed.connect(self._refresh)
        self._controller.slot_changed.connect(self._show_slot)

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
            if isinstance(page, SectionPage | SamplingPage):
                page.show_settings(settings)

    def _show_engine(self, state: EngineState) -> None:
        match state:
            case ModelReady(info):
                self._show_slot()
                self._sampling_page.show_model(model_name(info))
            case NoModel():
                self._model_page.show_model(None)
                self._speculation_page.show_model(None, {}, ())
                self._sampling_page.show_model("")
            case ModelLoading() | ModelFailed():
                # What was known of the model still holds for an estimate.
                pass
        self._refresh()

    def _show_slot(self) -> None:
        state = self._engine.state
        if isinstance(state, ModelReady):
            options = self._engine.options_of(state.info.path)
            offers = offers_of(self._models.drafts_for(state.info.path))
            self._speculation_page.show_model(state.info, options.of(Speculation), offers)
            self._model_page.show_model(LoadedModel(state.info, options.of(Loading)))
            self._show_others()

    def _show_others(self) -> None:
        checkpoints = self._pages[Checkpointing]
        assert isinstance(checkpoints, SectionPage)
        said = {"checkpoints": checkpoints.form.draft(), "speculation": self._speculation_page.wanted()}
        self._model_page.show_others(replace(self._settings.settings, **said))

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
            case ModelReady(info):
                return (
                    self._model_page.needs_reload()
                    or self._pictures_page.needs_reload(info)
                    or self._speculation_page.needs_reload()
                )
            case ModelFailed():
                return bool(self._model_page.form.changes())
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
        if not isinstance(self._controller.activity, Idle):
            told += " " + self.tr("The answer that is being written stops.")
        return told, "hint"

    def _say(self, sentence: str, tone: str) -> None:
        self._footer.setText(sentence)
        self._footer.setProperty("tone", tone)
        self._footer.style().unpolish(self._footer)
        self._footer.style().polish(self._footer)
        self.setAccessibleDescription(sentence)
