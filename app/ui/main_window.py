"""The window: puts the parts together and passes on what they say. It decides nothing."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QVBoxLayout, QWidget

from app.core.messages import Attachment
from app.core.settings import Settings
from app.services.states import Activity, EngineState, Idle, ModelLoading, ModelReady, known_model
from app.ui.actions import Actions
from app.ui.announcer import Announcer
from app.ui.answer_with_door import AnswerWithDoor
from app.ui.appearance_door import AppearanceDoor
from app.ui.chat_door import ChatDoor
from app.ui.composer import Composer
from app.ui.context_door import ContextDoor
from app.ui.context_gauge import ContextGauge
from app.ui.conversation_door import ConversationDoor
from app.ui.downloads_door import DownloadsDoor
from app.ui.drop_area import DropArea
from app.ui.exchange_door import ExchangeDoor
from app.ui.figures import model_name
from app.ui.file_door import FileDoor
from app.ui.fonts import half_scaled
from app.ui.header import Header
from app.ui.hover import HoverWatch
from app.ui.icons import app_icon
from app.ui.key_tips import tell_key
from app.ui.model_picker import ModelPicker, Paths
from app.ui.models_door import ModelsDoor
from app.ui.notices import Notices
from app.ui.overflow_door import OverflowDoor
from app.ui.palette_door import PaletteDoor
from app.ui.picture_door import PictureDoor
from app.ui.preset_door import PresetDoor
from app.ui.reasoning_door import ReasoningDoor
from app.ui.settings_services import FreeMemory, NoDrafts, SettingsServices
from app.ui.side_drawer import SideDrawer
from app.ui.sidebar import Sidebar
from app.ui.status import StatusLine
from app.ui.tab_stops import step
from app.ui.theme import Look
from app.ui.transcript import Transcript
from app.ui.welcome import Welcome
from app.ui.window_dialogs import WindowDialogs
from app.ui.window_place import bounded, place_usual
from app.ui.window_state import WindowState
from app.ui.writing_door import WritingDoor

if TYPE_CHECKING:
    from app.services.api_switch import ApiSwitch
    from app.services.chat_controller import ChatController
    from app.services.chats import Chats
    from app.services.engine_service import EngineService
    from app.services.exchange import Exchange
    from app.services.models import Models
    from app.services.picture_service import PictureService
    from app.services.settings_service import SettingsService
    from app.services.writing import Writing


def _not_known() -> int:
    return 0


class MainWindow(QMainWindow):
    """GUI thread. Closing it only hides it and says so by `closing`; the owner ends the program."""

    closing = Signal()

    def __init__(
        self,
        look: Look,
        controller: "ChatController",
        engine: "EngineService",
        settings: "SettingsService",
        *,
        recent_models: Paths,
        installed_models: Paths,
        state_folder: Path,
        pictures: "PictureService",
        writing: "Writing",
        free_memory: FreeMemory = _not_known,
        api: "ApiSwitch | None" = None,
        exchange: "Exchange | None" = None,
        chats: "Chats | None" = None,
        models: "Models | None" = None,
    ) -> None:
        super().__init__()
        self._api = api
        self._look = look
        self._controller = controller
        self._engine = engine
        self._settings = settings
        self._pictures = pictures
        self._state = WindowState(state_folder)
        self.sidebar = Sidebar(look, self)
        self.picker = ModelPicker(look, recent_models, installed_models, self)
        self.status = StatusLine(self)
        self.header = Header(look, self.picker, self.status, self)
        self.welcome = Welcome(look, recent_models, self)
        self.transcript = Transcript(look, self.welcome, self, shelf=pictures.shelf)
        self.notices = Notices(look, self)
        self.composer = Composer(look, self)
        self.gauge = ContextGauge(look, self)
        self.composer.add_tool(self.gauge)
        self.area = DropArea(look, self)
        self.area.leave_pictures(self.sidebar.search_field)
        self.files = FileDoor(engine, self.area, self.notices, self._state)
        self.menu_actions = Actions(self)
        self.header.set_menu(self.menu_actions.menu(self))
        self.palette_door = PaletteDoor(
            look, self.menu_actions, controller, engine, (recent_models, installed_models), self._state, self
        )
        self._preset_door = PresetDoor(look, controller, settings, self.menu_actions, self)
        self.composer.add_tool(self._preset_door.button)
        self.reasoning = ReasoningDoor(look, controller, engine, self)
        self.composer.add_tool(self.reasoning.button)
        self.palette_door.add_source(self.reasoning.entries)
        self._chats: ChatDoor | None = None
        if chats is not None:
            parts = (self.sidebar, self.transcript, self.notices)
            self._chats = ChatDoor(*parts, controller, engine, settings, chats.library, chats.search, self)
        self._exchange_door: ExchangeDoor | None = None
        if exchange is not None:
            self._exchange_door = ExchangeDoor(exchange, controller, self.menu_actions, self.notices, self)
            self._exchange_door.close_wanted.connect(self.close)
        self.menu_actions.models.setEnabled(models is not None)
        self.models_door = self._open_models(models) if models is not None else None
        self._conversation = ConversationDoor(controller, self.transcript, self.notices, self.menu_actions, self)
        self.answer_with = AnswerWithDoor(
            controller, engine, self.transcript, self.notices, self.menu_actions, self.picker.make_popover,
            self.picker.button, self,
        )  # fmt: skip
        self.answer_with.get_clicked.connect(self.picker.get_clicked)
        self._lay_out()
        self._writing = WritingDoor(
            look, writing, pictures, controller, engine, self.area, self.composer, self.gauge, self.notices
        )
        self._appearance = AppearanceDoor(look, settings, self._state, self.transcript, self.menu_actions, self)
        services = SettingsServices(settings, engine, controller, free_memory, api, models or NoDrafts())
        self.dialogs = WindowDialogs(look, services, self.menu_actions, self)
        self.context = ContextDoor(controller, engine, self.gauge, self.menu_actions, self._unsent, self)
        HoverWatch(self)
        self._overflow = OverflowDoor(controller, engine, models, self.composer, self.gauge, self._writing, self)
        self.closing.connect(self._writing.stop_counting)
        self._connect_pictures()
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

    def _open_models(self, models: "Models") -> ModelsDoor:
        door = ModelsDoor(self._look, models, self._engine, self.menu_actions, self.notices, self)
        door.open_file_wanted.connect(self.files.ask_for_model)
        door.chosen.connect(self.composer.focus_text)
        downloads = DownloadsDoor(models, self._engine, self.header.downloads, door, self.notices, self)
        self.welcome.get_clicked.connect(downloads.discover)
        self.picker.get_clicked.connect(downloads.discover)
        self.composer.get_model_clicked.connect(downloads.discover)
        self.composer.can_get_models = True
        self.palette_door.name_of = models.name_of
        self.picker.show_library(models)
        self.picker.models_clicked.connect(self.menu_actions.models.trigger)
        return door

    def _lay_out(self) -> None:
        page = QWidget(self)
        page.setObjectName("page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.transcript, 1)
        column.addWidget(self.notices)
        column.addWidget(self.composer)
        self.drawer = SideDrawer(self._look, self.area, self.sidebar, page, wanted=self._state.sidebar_shown)
        self.drawer.changed.connect(self._show_drawer)
        self._show_drawer()
        self.setCentralWidget(self.area)
        self.setWindowIcon(app_icon())
        self._look.changed.connect(self._fit_text)
        self._fit_text()

    def _fit_text(self) -> None:
        self.setMinimumSize(bounded(QSize(half_scaled(560), half_scaled(420)), self))

    def _connect_pictures(self) -> None:
        self.area.setAcceptDrops(True)
        door = PictureDoor(
            self._look, self._pictures, self._engine, self.area, self.composer, self.transcript, self.notices
        )
        self.menu_actions.add_picture.triggered.connect(door.ask)
        self.menu_actions.attach_file.triggered.connect(self._writing.ask)
        self.menu_actions.stop.triggered.connect(self._pictures.desk.cancel_sent)
        self.composer.stop_clicked.connect(self._pictures.desk.cancel_sent)

    def _connect_parts(self) -> None:
        controller, engine = self._controller, self._engine
        self.sidebar.new_clicked.connect(self._new_chat)
        self.sidebar.collapse_clicked.connect(self.drawer.toggle)
        self.sidebar.settings_clicked.connect(self.dialogs.open_settings)
        self.sidebar.open_requested.connect(controller.open_conversation)
        # Who opens a conversation wants to go on with it.
        self.sidebar.open_requested.connect(self.composer.focus_text)
        self.sidebar.rename_requested.connect(controller.rename)
        self.sidebar.delete_requested.connect(self._conversation.delete)
        self.header.show_sidebar.clicked.connect(self.drawer.toggle)
        self.header.new_chat.clicked.connect(self._new_chat)
        self.picker.model_chosen.connect(engine.load)
        self.picker.open_clicked.connect(self.files.ask_for_model)
        self.picker.unload_clicked.connect(engine.unload)
        self.picker.cancel_clicked.connect(engine.cancel_load)
        self.welcome.open_clicked.connect(self.files.ask_for_model)
        self.welcome.recent_clicked.connect(engine.load)
        self.welcome.cancel_clicked.connect(engine.cancel_load)
        self.welcome.question_clicked.connect(self._writing.send)
        # The button is gone with the welcome, and the keyboard would be nowhere.
        self.welcome.question_clicked.connect(self.composer.focus_text)
        self.transcript.link_clicked.connect(self.dialogs.ask_link)
        self.notices.details_wanted.connect(self.dialogs.show_details)
        self.composer.submitted.connect(self._writing.send)
        self.composer.stop_clicked.connect(controller.stop)

    def _connect_actions(self) -> None:
        actions = self.menu_actions
        actions.new_chat.triggered.connect(self._new_chat)
        actions.rename_chat.triggered.connect(self._rename)
        actions.delete_chat.triggered.connect(self.sidebar.chats.delete_current)
        actions.undo.triggered.connect(self.notices.undo_last)
        self.notices.undo_offered.connect(actions.undo.setEnabled)
        actions.open_model.triggered.connect(self.files.ask_for_model)
        actions.choose_model.triggered.connect(self.picker.open_menu)
        actions.unload_model.triggered.connect(self._engine.unload)
        actions.focus_composer.triggered.connect(self.composer.focus_text)
        actions.focus_search.triggered.connect(self._search)
        actions.jump_to_end.triggered.connect(self.transcript.jump_to_end)
        actions.find.triggered.connect(self.transcript.open_find)
        actions.find_next.triggered.connect(self.transcript.find_next)
        actions.find_previous.triggered.connect(self.transcript.find_previous)
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
        if self._chats is None:
            controller.conversations_changed.connect(self.sidebar.show_conversations)
        self._conversation.switched.connect(self.sidebar.chats.show_current)
        self._conversation.switched.connect(self._writing.show_conversation)
        if self._exchange_door is not None:
            self._conversation.switched.connect(self._exchange_door.show_conversation)
        self._conversation.figures_changed.connect(self.context.show_figures)
        self._conversation.messages_changed.connect(self.context.show_messages)
        self._conversation.messages_changed.connect(self._overflow.show_messages)
        controller.activity_changed.connect(self._show_activity)
        controller.failed.connect(self.notices.show_error)
        controller.load_failed.connect(self.notices.show_load_error)
        controller.noticed.connect(self.notices.show_notice)
        announcer = Announcer(self)
        controller.message_changed.connect(announcer.show_message)
        controller.activity_changed.connect(announcer.show_activity)
        controller.noticed.connect(announcer.show_notice)
        self.composer.refused.connect(announcer.show_notice)
        controller.failed.connect(announcer.show_error)
        controller.load_failed.connect(announcer.show_error)
        controller.answer_failed.connect(announcer.show_error)
        self._engine.state_changed.connect(self._show_engine)
        self._settings.changed.connect(self._show_settings)
        self._settings.failed.connect(self.notices.show_error)
        self._show_engine(self._engine.state)
        self._show_settings(self._settings.settings)
        self._conversation.show_nothing()
        if self._api is not None:
            self._api.visitors.changed.connect(self.header.visitors.show_visitors)
            self.header.visitors.stop_clicked.connect(self._api.visitors.stop_all)
            self._api.failed.connect(self.notices.show_error)

    def _restore(self) -> None:
        if not self.restoreGeometry(self._state.geometry):
            place_usual(self)
        self.composer.focus_text()

    def _show_engine(self, state: EngineState) -> None:
        self.picker.show_state(state)
        self.welcome.show_state(state)
        known = known_model(state) if not isinstance(state, ModelLoading) else None
        self.composer.set_model(model_name(known) if known is not None else "")
        self.gauge.show_engine(state)
        if isinstance(state, ModelReady) and state.error is None:
            self.notices.withdraw_load_errors()
        self.menu_actions.unload_model.setEnabled(known is not None)
        self.menu_actions.show_context.setEnabled(isinstance(state, ModelReady))

    def _show_settings(self, settings: Settings) -> None:
        self._appearance.show_settings(settings)
        self._writing.show_settings(settings)
        self.transcript.set_send_key(settings.interface.send_key)

    def _show_activity(self, activity: Activity) -> None:
        self.status.show_activity(activity)
        self.gauge.show_activity(activity)
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

    def _unsent(self) -> tuple[str, tuple[Attachment, ...]]:
        return self.composer.edit.toPlainText(), self._writing.attachments

    def _show_drawer(self) -> None:
        self.header.sidebar_shown(self.drawer.is_beside)
