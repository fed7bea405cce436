"""All settings, generated from their declarations: pages at the left, one of them at the right."""

from dataclasses import fields
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.events import ModelInfo
from app.core.settings import Settings
from app.core.speculation import DrafterKind
from app.services.states import EngineState, Idle, ModelFailed, ModelLoading, ModelReady, NoModel
from app.ui.api_page import ApiPage
from app.ui.chevron_box import ChevronBox
from app.ui.figures import model_name
from app.ui.fonts import scaled
from app.ui.model_edit import offers_of
from app.ui.sampling_page import SamplingPage
from app.ui.sentences import translated
from app.ui.settings_pages import (
    FreeMemory,
    LoadedModel,
    ModelPage,
    PicturesPage,
    SectionPage,
    SettingsPage,
    SnapshotsPage,
)
from app.ui.speculation_page import DraftLibrary, NoDrafts, SpeculationPage
from app.ui.theme import Look

if TYPE_CHECKING:
    from app.services.api_switch import ApiSwitch
    from app.services.chat_controller import ChatController
    from app.services.engine_service import EngineService
    from app.services.settings_service import SettingsService

_LIST_WIDTH = 150
_LEAST = 680
_PAGE = 430
"""Pixels of a page, at the usual size of text; where it would be less, a box takes the list's place."""
_BESIDE = 70
"""Pixels beside and between list and page, and for a scroll bar."""


class SettingsDialog(QDialog):
    """GUI thread; show it by `open()`. Nothing is in force before Apply or OK."""

    def __init__(
        self,
        look: Look,
        settings: "SettingsService",
        engine: "EngineService",
        controller: "ChatController",
        free_memory: FreeMemory,
        parent: QWidget,
        api: "ApiSwitch | None" = None,
        drafts: DraftLibrary | None = None,
    ) -> None:
        super().__init__(parent)
        self._api = api
        self._drafts = drafts or NoDrafts()
        self._settings = settings
        self._engine = engine
        self._controller = controller
        self._make_pages(look, free_memory)
        self._list = QListWidget(self)
        self._box = ChevronBox(self)
        self._stack = QStackedWidget(self)
        self._footer = QLabel(self)
        self.cancel_button = QPushButton(self.tr("Cancel"), self)
        self.apply_button = QPushButton(self.tr("Apply"), self)
        self.ok_button = QPushButton(self.tr("OK"), self)
        self._set_up()
        self._lay_out()
        self._connect()
        self._show_engine(engine.state)

    @property
    def pages(self) -> dict[str, SettingsPage]:
        """By the names of the sections of `Settings`."""
        return self._pages

    @property
    def model_page(self) -> ModelPage:
        return self._model_page

    @property
    def sampling_page(self) -> SamplingPage:
        return self._sampling_page

    @property
    def page_list(self) -> QListWidget:
        return self._list

    @property
    def page_box(self) -> QComboBox:
        """In the list's place where there is no room for it."""
        return self._box

    @property
    def footer(self) -> str:
        return self._footer.text()

    def show_page(self, name: str) -> None:
        self._list.setCurrentRow(list(self._pages).index(name))

    def apply(self) -> bool:
        """Put everything in force, and load the model again where that needs it; False while something is wrong."""
        for name, page in self._pages.items():
            if any(page.problem()):
                self.show_page(name)
                page.go_to_problem()
                return False
        needs_reload = self._needs_reload()
        for page in self._pages.values():
            page.apply()
        if needs_reload:
            self._engine.reload()
        self._refresh()
        return True

    # -- putting together ----------------------------------------------------------------------------------------

    def _make_pages(self, look: Look, free_memory: FreeMemory) -> None:
        """A section that has no words of its own here still gets its page."""
        made: dict[str, SettingsPage] = {}
        for name, title, sentence in self._titles():
            match name:
                case "loading":
                    made[name] = ModelPage(look, self._settings, free_memory, title, sentence, self)
                case "pictures":
                    made[name] = PicturesPage(look, name, self._settings, title, sentence, self)
                case "speculation":
                    made[name] = SpeculationPage(look, name, self._settings, title, sentence, self)
                case "snapshots":
                    made[name] = self._make_snapshots_page(look, title, sentence)
                case "local_api":
                    made[name] = self._make_api_page(look, title, sentence)
                case "sampling":
                    made[name] = SamplingPage(look, self._settings, self._controller.options, title, sentence, self)
                case _:
                    made[name] = SectionPage(look, name, self._settings, title, sentence, self)
        model, sampling, pictures, drafts = made["loading"], made["sampling"], made["pictures"], made["speculation"]
        assert isinstance(model, ModelPage)
        assert isinstance(sampling, SamplingPage)
        assert isinstance(pictures, PicturesPage)
        assert isinstance(drafts, SpeculationPage)
        self._speculation_page = drafts
        self._pages, self._model_page, self._sampling_page, self._pictures_page = made, model, sampling, pictures

    def _make_snapshots_page(self, look: Look, title: str, sentence: str) -> SnapshotsPage:
        page = SnapshotsPage(look, "snapshots", self._settings, title, sentence, self)
        page.show_status(self._engine.snapshot_status())
        page.empty_clicked.connect(self._engine.empty_snapshots)
        self._engine.snapshots_changed.connect(page.show_status)
        return page

    def _make_api_page(self, look: Look, title: str, sentence: str) -> ApiPage:
        page = ApiPage(look, "local_api", self._settings, title, sentence, self)
        if self._api is not None:
            page.show_state(self._api.state)
            self._api.changed.connect(page.show_state)
        return page

    def _titles(self) -> list[tuple[str, str, str]]:
        known = [
            ("interface", self.tr("General"), ""),
            ("loading", self.tr("Model"), self.tr("How a model is loaded, and what it may take.")),
            (
                "checkpoints",
                self.tr("Checkpoints"),
                self.tr(
                    "Some models cannot simply go back in a conversation (sliding windows, recurrent layers). "
                    "For these, places to return to are kept."
                ),
            ),
            (
                "snapshots",
                self.tr("Warm conversations"),
                self.tr("What a model has read of a conversation is kept, so that coming back to it costs nothing."),
            ),
            (
                "pictures",
                self.tr("Pictures"),
                self.tr("For models that see. A picture is looked at once, and what came of it is kept."),
            ),
            ("sampling", self.tr("Sampling"), self.tr("How the next word is chosen.")),
            (
                "speculation",
                self.tr("Speculative decoding"),
                self.tr(
                    "Several tokens are guessed cheaply (drafted) and checked at once. Each one is still the model's "
                    "own choice; where drafts would not make it faster, there are none."
                ),
            ),
            (
                "library",
                self.tr("Library"),
                self.tr("Where models are found, beside the folders of the programs that Hearth knows."),
            ),
            (
                "local_api",
                self.tr("Local API"),
                self.tr("Other programs can use the model that is loaded here, as they would use OpenAI's."),
            ),
        ]
        names = {name for name, _, _ in known}
        return known + [(each.name, each.name.capitalize(), "") for each in fields(Settings) if each.name not in names]

    def _set_up(self) -> None:
        self.setWindowTitle(self.tr("Settings"))
        self.setAccessibleName(self.tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._list.setObjectName("pages")
        # It always has a row to show where the keyboard is.
        self._list.setProperty("ring", "item")
        self._list.setAccessibleName(self.tr("Pages"))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._box.setAccessibleName(self.tr("Pages"))
        self._box.view().setAccessibleName(self.tr("Pages"))
        self._box.setToolTip(self.tr("Pages"))
        self._box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for page in self._pages.values():
            self._list.addItem(page.title)
            self._box.addItem(page.title)
            self._stack.addWidget(page)
        self._footer.setTextFormat(Qt.TextFormat.PlainText)
        self._footer.setWordWrap(True)
        for button in (self.cancel_button, self.apply_button, self.ok_button):
            button.setAutoDefault(False)
            button.setAccessibleName(button.text())
        self.ok_button.setDefault(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setFixedWidth(max(_LIST_WIDTH, self._list.sizeHintForColumn(0) + 12))
        self._list.setFixedHeight(len(self._pages) * self._list.sizeHintForRow(0) + 4)
        self._list.setCurrentRow(0)
        self._list.setFocus()

    def _lay_out(self) -> None:
        both = QHBoxLayout()
        both.setSpacing(20)
        both.addWidget(self._list, 0, Qt.AlignmentFlag.AlignTop)
        both.addWidget(self._stack, 1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._footer, 1)
        row.addSpacing(12)
        for button in (self.cancel_button, self.apply_button, self.ok_button):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 18, 18, 16)
        column.setSpacing(14)
        column.addWidget(self._box)
        column.addLayout(both, 1)
        column.addLayout(row)
        self._box.hide()
        self.setMinimumSize(480, 420)
        parent = self.parentWidget()
        # Wide enough for the widest page, in whatever language and size, as far as the screen goes.
        pages = max(page.inside.minimumSizeHint().width() for page in self._pages.values())
        wide = max(scaled(820), self._list.width() + pages + _BESIDE, _LEAST)
        wide = min(wide, self.screen().availableGeometry().width() - 40)
        self.resize(wide, max(420, min(scaled(680), parent.height() - 40)) if parent else scaled(680))

    def _connect(self) -> None:
        self._list.currentRowChanged.connect(self._stack.setCurrentIndex)
        self._list.currentRowChanged.connect(self._box.setCurrentIndex)
        self._box.currentIndexChanged.connect(self._list.setCurrentRow)
        for page in self._pages.values():
            page.changed.connect(self._page_changed)
        self.cancel_button.clicked.connect(self.reject)
        self.apply_button.clicked.connect(self.apply)
        self.ok_button.clicked.connect(self._apply_and_close)
        self._settings.changed.connect(self._show_settings)
        self._engine.state_changed.connect(self._show_engine)
        self._controller.activity_changed.connect(self._refresh)
        self._controller.slot_changed.connect(self._show_slot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self._list.width() + _BESIDE + scaled(_PAGE)
        if narrow == self._list.isVisibleTo(self):
            shown, hidden = (self._box, self._list) if narrow else (self._list, self._box)
            shown.show()
            if hidden.hasFocus():
                shown.setFocus()
            hidden.hide()
            for page in self._pages.values():
                page.show_title(not narrow)

    # -- what changes --------------------------------------------------------------------------------------------

    def _apply_and_close(self) -> None:
        if self.apply():
            self.accept()

    def _page_changed(self) -> None:
        checkpoints = self._pages["checkpoints"]
        if isinstance(checkpoints, SectionPage):
            self._model_page.show_checkpointing(checkpoints.form.draft())
        self._show_draft_size()
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
        state, slot = self._engine.state, self._controller.slot
        if isinstance(state, ModelReady):
            options = self._engine.options_of(state.info.path)
            self._speculation_page.show_model(
                state.info, options.of("speculation"), offers_of(self._drafts.drafts_for(state.info.path))
            )
            own = options.of("loading")
            self._model_page.show_model(
                LoadedModel(state.info, slot.checkpoint_bytes if slot else 0, own, self._held_drafts(state.info))
            )
            self._show_draft_size()

    def _held_drafts(self, info: ModelInfo) -> int:
        if set(info.drafting.ready) <= {DrafterKind.NGRAM}:
            return 0
        return self._drafts.draft_size(info.path, info.loading, info.drafting.asked)

    def _show_draft_size(self) -> None:
        state = self._engine.state
        if isinstance(state, ModelReady):
            size, path, asked = self._drafts.draft_size, state.info.path, self._speculation_page.wanted()
            self._model_page.show_draft_size(lambda loading: size(path, loading, asked))

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
