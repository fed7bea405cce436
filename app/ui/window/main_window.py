"""The window: puts the parts together and passes on what they say. It decides nothing."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.core.messages import Attachment
from app.core.settings import Settings
from app.services.engine.states import (
    Activity,
    EngineState,
    Idle,
    ModelLoading,
    ModelOnServer,
    ModelReady,
    known_model,
    ready_model,
)
from app.ui.commands.actions import Actions, tell_key
from app.ui.composer.composer import Composer
from app.ui.composer.context_gauge import ContextGauge
from app.ui.composer.drop_area import DropArea
from app.ui.models.picker import ModelPicker, Refs
from app.ui.passages.page_panel import PagePanel
from app.ui.passages.panel_split import PanelSplit
from app.ui.presenters.announcements import AnnouncementsPresenter
from app.ui.presenters.answer_with import AnswerWithPresenter
from app.ui.presenters.appearance import AppearancePresenter
from app.ui.presenters.attachments import AttachmentsPresenter
from app.ui.presenters.chat_collections import ChatCollections
from app.ui.presenters.composer import ComposerPresenter
from app.ui.presenters.context import ContextPresenter
from app.ui.presenters.documents import DocumentsPresenter
from app.ui.presenters.downloads import DownloadsPresenter
from app.ui.presenters.exchange import ExchangePresenter
from app.ui.presenters.files import FilesPresenter
from app.ui.presenters.finished_answers import FinishedAnswersPresenter
from app.ui.presenters.likelihood import LikelihoodPresenter
from app.ui.presenters.model_choice import ModelChoicePresenter
from app.ui.presenters.model_requests import ModelRequestsPresenter
from app.ui.presenters.models import ModelsPresenter
from app.ui.presenters.overflow import OverflowPresenter
from app.ui.presenters.palette import PalettePresenter
from app.ui.presenters.passages import PassagesPresenter
from app.ui.presenters.pictures import PicturesPresenter
from app.ui.presenters.presets import PresetsPresenter
from app.ui.presenters.reasoning import ReasoningPresenter
from app.ui.presenters.recordings import RecordingsPresenter
from app.ui.presenters.server_texts import ServerTexts
from app.ui.presenters.side_by_side import SideBySidePresenter
from app.ui.presenters.sidebar import SidebarPresenter
from app.ui.presenters.state_files import StateFilesPresenter
from app.ui.presenters.tools import ToolsPresenter
from app.ui.presenters.transcript import TranscriptPresenter
from app.ui.presenters.window_state import WindowState
from app.ui.settings.services import NoLibrary, SettingsServices
from app.ui.sidebar.drawer import SideDrawer
from app.ui.sidebar.sidebar import Sidebar
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.theme.icons import app_icon
from app.ui.transcript.answer_columns import AnswerColumns
from app.ui.transcript.transcript import Transcript
from app.ui.transcript.welcome import Welcome
from app.ui.widgets.hover_watch import HoverWatch
from app.ui.widgets.layouts import grow, vbox
from app.ui.widgets.notices import Notices
from app.ui.widgets.tab_order import step
from app.ui.widgets.window_geometry import bounded, place_usual
from app.ui.window.dialogs import WindowDialogs
from app.ui.window.header import Header
from app.ui.window.status_line import StatusLine

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.chat.tool_loops import ToolLoops
    from app.services.conversations.chats import Chats
    from app.services.documents.documents import Documents
    from app.services.documents.page_reader import PageReader
    from app.services.drafts.composing import Composing
    from app.services.engine.service import EngineService
    from app.services.exchange.exchange import Exchange
    from app.services.local_api.paired_sharing import PairedSharing
    from app.services.local_api.switch import ApiSwitch
    from app.services.models.models import Models
    from app.services.pictures.service import PictureService
    from app.services.recordings.service import RecordingService
    from app.services.runtime.settings_service import SettingsService


class MainWindow(QMainWindow):
    """GUI thread. Closing it only hides it and says so by `closing`; the owner ends the program."""

    closing = Signal()

    def __init__(
        self,
        appearance: Appearance,
        controller: "ChatController",
        engine: "EngineService",
        settings: "SettingsService",
        *,
        recent_models: Refs,
        installed_models: Refs,
        state_folder: Path,
        pictures: "PictureService",
        recordings: "RecordingService | None" = None,
        writing: "Composing",
        api: "ApiSwitch | None" = None,
        sharing: "PairedSharing | None" = None,
        exchange: "Exchange | None" = None,
        chats: "Chats | None" = None,
        models: "Models | None" = None,
        tools: "ToolLoops | None" = None,
        pages: "PageReader | None" = None,
        documents: "Documents | None" = None,
    ) -> None:
        super().__init__()
        self._api = api
        self._appearance = appearance
        self._controller = controller
        self._engine = engine
        self._settings = settings
        self._pictures = pictures
        self._recordings = recordings
        self._state = WindowState(state_folder)
        self.sidebar = Sidebar(appearance, self, keeps_on_disk=controller.keeps_on_disk)
        self.picker = ModelPicker(appearance, recent_models, installed_models, self, lambda: engine.is_busy)
        self.status = StatusLine(self)
        self.header = Header(appearance, self.picker, self.status, self)
        name_of = models.name_of if models is not None else (lambda model: model.title)
        self.welcome = Welcome(appearance, recent_models, self, name_of)
        self.transcript = Transcript(appearance, self.welcome, self, previews=pictures.previews, recordings=recordings)
        self.notices = Notices(appearance, self)
        self.model_requests = ModelRequestsPresenter(self.notices, self)
        self.composer = Composer(appearance, self, can_get_models=models is not None)
        self.gauge = ContextGauge(appearance, self)
        self.composer.add_tool(self.gauge)
        self.area = DropArea(appearance, self)
        self.area.leave_pictures(self.sidebar.search_field)
        self.files = FilesPresenter(engine, self.area, self.notices, self._state)
        self.menu_actions = Actions(self)
        self.header.set_menu(self.menu_actions.menu(self))
        ModelChoicePresenter(engine, self.picker, self.welcome, self.files, self.menu_actions)
        self.command_palette = PalettePresenter(
            appearance, self.menu_actions, controller, engine, (recent_models, installed_models),
            name_of, self._state, self,
        )  # fmt: skip
        self._presets = PresetsPresenter(appearance, controller, settings, self.menu_actions, self)
        self.composer.add_tool(self._presets.button)
        self.reasoning = ReasoningPresenter(appearance, controller, engine, self)
        self.composer.add_tool(self.reasoning.button)
        self.command_palette.add_source(self.reasoning.entries)
        self.command_palette.add_source(self.picker.states.entries)
        self.tools = self._open_tools(tools) if tools is not None else None
        for action in (self.menu_actions.save_state, self.menu_actions.open_state):
            action.setEnabled(chats is not None)
        if chats is not None:
            parts = (self.sidebar, self.transcript, self.notices)
            SidebarPresenter(*parts, controller, engine, chats.library, chats.search, self)
            chats.marks.changed.connect(self.sidebar.chats.show_marks)
            FinishedAnswersPresenter(chats.marks, controller, settings, self.notices, self)
            states = StateFilesPresenter(chats.states, controller, self.menu_actions, self.notices, self)
            self.files.state_wanted.connect(states.open)
        else:
            controller.active.listed.connect(self.sidebar.show_conversations)
        if exchange is not None:
            ExchangePresenter(exchange, controller, self.menu_actions, self.notices, self)
        self.menu_actions.models.setEnabled(models is not None)
        self.models = self._open_models(models) if models is not None else None
        found = DocumentsPresenter(
            appearance, documents, self.models, self.menu_actions, self.sidebar.documents_button, self.notices, self
        )
        if documents is not None:
            collections, manage = documents.collections, self.menu_actions.documents
            ChatCollections(appearance, collections, controller, self.composer, manage)
        self._conversation = TranscriptPresenter(controller, self.transcript, self.notices, self.menu_actions, self)
        self.answer_with = AnswerWithPresenter(
            controller, engine, self.transcript, self.notices, self.menu_actions, self.picker.make_popover,
            self.picker.button, self,
        )  # fmt: skip
        self.columns = AnswerColumns(appearance, self, previews=pictures.previews)
        SideBySidePresenter(controller, self.transcript, self.columns, self.menu_actions, self)
        LikelihoodPresenter(appearance, controller, self.transcript, self)
        self.page_panel = PagePanel(appearance)
        self._lay_out()
        if pages is not None:
            shown = PassagesPresenter(pages, self.transcript, self.page_panel, self.split, self._state)
            found.passage_wanted.connect(shown.show)
        self._attached = writing.attachments
        self._writing = ComposerPresenter(
            writing, controller, engine, self.composer, self.gauge, self.notices, self.area
        )
        self._appearance_presenter = AppearancePresenter(
            appearance, settings, self._state, self.transcript, self.menu_actions, self
        )
        found_tools = tools.tools if tools is not None else None
        services = SettingsServices(settings, engine, controller, api, models or NoLibrary(), found_tools, sharing)
        self.dialogs = WindowDialogs(appearance, services, self.menu_actions, self)
        self.context = ContextPresenter(controller, engine, self.gauge, self.menu_actions, self._unsent, self)
        if self.tools is not None:
            self.tools.popover.settings_clicked.connect(self.dialogs.open_tools)
        HoverWatch(self)
        AnnouncementsPresenter(controller, self.composer, self)
        OverflowPresenter(controller, engine, models, self.composer, self.gauge, self._writing, self)
        self.closing.connect(self._writing.stop_counting)
        self._connect_attachments(writing, tools)
        self._connect_parts()
        self._connect_actions()
        self._connect_services()
        self._restore()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._state.keep(self.window().saveGeometry(), sidebar_shown=self.drawer.is_wanted)
        self.hide()
        event.ignore()
        self.closing.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.composer.take_key(event):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step(QApplication.focusWidget(), self.transcript.scroll_area, forward=forward)

    def _open_models(self, models: "Models") -> ModelsPresenter:
        presenter = ModelsPresenter(
            self._appearance, models, self._engine, self.menu_actions, self.notices, self.files.ask_for_model, self
        )
        presenter.chosen.connect(self.composer.focus_text)
        downloads = DownloadsPresenter(models, self._engine, self.header.downloads, presenter, self.notices, self)
        self.welcome.get_button.clicked.connect(downloads.discover)
        self.picker.get_clicked.connect(downloads.discover)
        self.composer.get_model_clicked.connect(downloads.discover)
        self.picker.show_library(models)
        self.picker.models_clicked.connect(self.menu_actions.models.trigger)
        self.picker.states.servers_clicked.connect(presenter.show_servers)
        self.transcript.wished.connect(presenter.hear_wish)
        return presenter

    def _open_tools(self, tools: "ToolLoops") -> ToolsPresenter:
        presenter = ToolsPresenter(self._appearance, tools, self._controller, self._engine, self.transcript, self)
        self.composer.add_tool(presenter.button)
        return presenter

    def _lay_out(self) -> None:
        page = QWidget(self)
        page.setObjectName("page")
        vbox(self.header, grow(self.transcript), self.notices, self.composer, on=page, gap=0)
        self.split = PanelSplit(self._appearance, page, self.page_panel, self._state.panel_width, self)
        self.drawer = SideDrawer(
            self._appearance, self.area, self.sidebar, self.split, wanted=self._state.sidebar_shown
        )
        self.drawer.changed.connect(self._show_drawer)
        self._show_drawer()
        self.setCentralWidget(self.area)
        self.setWindowIcon(app_icon())
        self._appearance.changed.connect(self._fit_text)
        self._fit_text()

    def _fit_text(self) -> None:
        self.setMinimumSize(bounded(QSize(half_scaled(560), half_scaled(420)), self))

    def _connect_attachments(self, writing: "Composing", tools: "ToolLoops | None") -> None:
        self.area.setAcceptDrops(True)
        presenter = AttachmentsPresenter(
            self._appearance, writing, self._engine, self.area, self.composer, self.gauge, self.notices
        )
        PicturesPresenter(
            self._appearance, self._pictures, self._attached, self.area, self.composer.pictures,
            self.transcript, self.notices,
        )  # fmt: skip
        if self._recordings is not None:
            RecordingsPresenter(self._recordings, self._attached, self.composer.recordings, self.notices)
        if tools is not None:
            texts = ServerTexts(tools.tools.servers, self.composer.attach_button, self.notices, self)
            texts.taken.connect(presenter.take)
            self.command_palette.add_source(texts.entries)
        self.composer.find_clicked.connect(self.files.ask_for_projector)
        self.menu_actions.add_picture.triggered.connect(presenter.ask_for_pictures)
        self.menu_actions.add_recording.triggered.connect(presenter.ask_for_recordings)
        self.menu_actions.attach_file.triggered.connect(presenter.ask_for_files)
        self.menu_actions.stop.triggered.connect(self._attached.cancel_sent)

    def _connect_parts(self) -> None:
        controller = self._controller
        self.sidebar.new_button.clicked.connect(self._new_chat)
        self.sidebar.collapse_button.clicked.connect(self.drawer.toggle)
        self.sidebar.settings_button.clicked.connect(self.dialogs.open_settings)
        self.sidebar.chats.open_requested.connect(controller.open_conversation)
        # Who opens a conversation wants to go on with it.
        self.sidebar.chats.open_requested.connect(self.composer.focus_text)
        self.sidebar.chats.rename_requested.connect(controller.rename)
        self.sidebar.chats.delete_requested.connect(self._conversation.delete)
        self.header.show_sidebar.clicked.connect(self.drawer.toggle)
        self.header.new_chat.clicked.connect(self._new_chat)
        self.welcome.question_clicked.connect(self._writing.send)
        # The button is gone with the welcome, and the keyboard would be nowhere.
        self.welcome.question_clicked.connect(self.composer.focus_text)
        self.transcript.link_clicked.connect(self.dialogs.ask_link)
        self.notices.details_wanted.connect(self.dialogs.show_details)
        self.composer.stop_clicked.connect(controller.replies.stop)

    def _connect_actions(self) -> None:
        actions = self.menu_actions
        actions.new_chat.triggered.connect(self._new_chat)
        actions.rename_chat.triggered.connect(self._rename)
        actions.delete_chat.triggered.connect(self.sidebar.chats.delete_current)
        actions.undo.triggered.connect(self.notices.undo_last)
        self.notices.undo_offered.connect(actions.undo.setEnabled)
        actions.focus_composer.triggered.connect(self.composer.focus_text)
        actions.focus_search.triggered.connect(self._search)
        actions.show_trash.triggered.connect(self._show_trash)
        actions.jump_to_end.triggered.connect(self.transcript.scroll_area.jump_to_end)
        actions.find.triggered.connect(self.transcript.finding.open)
        actions.find_next.triggered.connect(self.transcript.finding.find_next)
        actions.find_previous.triggered.connect(self.transcript.finding.find_previous)
        actions.toggle_sidebar.triggered.connect(self.drawer.toggle)
        actions.show_menu.triggered.connect(self.header.open_menu)
        actions.quit.triggered.connect(self.close)
        tell_key(actions.new_chat, self.header.new_chat, self.sidebar.new_button)
        tell_key(actions.toggle_sidebar, self.header.show_sidebar, self.sidebar.collapse_button)
        tell_key(actions.settings, self.sidebar.settings_button)
        tell_key(actions.focus_search, self.sidebar.search_field)
        tell_key(actions.show_menu, self.header.menu_button)
        tell_key(actions.jump_to_end, self.transcript.jump_button)

    def _connect_services(self) -> None:
        controller = self._controller
        controller.active.switched.connect(self.sidebar.chats.show_current)
        controller.active.switched.connect(self._writing.show_conversation)
        told = controller.notices
        controller.replies.activity_changed.connect(self.status.show_activity)
        controller.replies.activity_changed.connect(self.gauge.show_activity)
        controller.replies.activity_changed.connect(self._show_activity)
        told.failed.connect(self.notices.show_error)
        told.load_failed.connect(self.notices.show_load_error)
        told.noticed.connect(self.notices.show_notice)
        self._engine.state_changed.connect(self._show_engine)
        self._settings.changed.connect(self._show_settings)
        self._settings.failed.connect(self.notices.show_error)
        self._show_engine(self._engine.state)
        self._show_settings(self._settings.settings)
        if self._api is not None:
            self._api.visitors.changed.connect(self.header.visitors.show_visitors)
            self.header.visitors.stop_action.triggered.connect(self._api.visitors.stop_all)
            self._api.failed.connect(self.notices.show_error)

    def _restore(self) -> None:
        if not self.restoreGeometry(self._state.geometry):
            place_usual(self)
        self.composer.focus_text()

    def _show_engine(self, state: EngineState) -> None:
        known = known_model(state) if not isinstance(state, ModelLoading) else None
        self.composer.set_model(known.name if known is not None else "")
        self.gauge.show_engine(state)
        if isinstance(state, ModelOnServer) or (isinstance(state, ModelReady) and state.error is None):
            self.notices.withdraw_load_errors()
        self.menu_actions.show_context.setEnabled(ready_model(state) is not None)

    def _show_settings(self, settings: Settings) -> None:
        self._appearance_presenter.show_settings(settings)
        self._writing.show_settings(settings)
        self.transcript.set_send_key(settings.interface.send_key)

    def _show_activity(self, activity: Activity) -> None:
        self.composer.set_busy(not isinstance(activity, Idle))

    def _new_chat(self) -> None:
        self._controller.new_conversation()
        self.composer.focus_text()

    def _rename(self) -> None:
        self.drawer.show_sidebar(True)
        self.sidebar.chats.rename_current()

    def _search(self) -> None:
        self.drawer.show_sidebar(True)
        self.sidebar.focus_search()

    def _show_trash(self) -> None:
        self.drawer.show_sidebar(True)
        self.sidebar.trash_button.click()
        self.sidebar.take_focus()

    def _unsent(self) -> tuple[str, tuple[Attachment, ...]]:
        return self.composer.edit.toPlainText(), self._attached.parts

    def _show_drawer(self) -> None:
        self.header.sidebar_shown(self.drawer.is_beside)
