"""The window: puts the parts together and passes on what they say. It decides nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from app.core.errors import UserError
from app.core.events import Peeked, SlotStatus
from app.core.settings import Settings
from app.services.states import Activity, EngineState, Idle, ModelLoading, ModelReady, OpenConversation, known_model
from app.storage.conversations import Conversation, StoredMessage
from app.ui.actions import Actions
from app.ui.announcer import Announcer
from app.ui.chat_door import ChatDoor
from app.ui.composer import Composer
from app.ui.context_gauge import ContextGauge
from app.ui.context_popover import ContextPopover
from app.ui.dialogs import DetailsDialog, LinkDialog, ShortcutsDialog
from app.ui.downloads_door import DownloadsDoor
from app.ui.drop_area import DropArea
from app.ui.exchange_door import ExchangeDoor
from app.ui.figures import model_name
from app.ui.file_door import FileDoor
from app.ui.fonts import half_scaled
from app.ui.header import Header
from app.ui.icons import app_icon
from app.ui.markdown_links import is_safe_link
from app.ui.message_door import MessageDoor
from app.ui.model_picker import ModelPicker, Paths
from app.ui.models_door import ModelsDoor
from app.ui.notices import Notices
from app.ui.palette_door import PaletteDoor
from app.ui.picture_door import PictureDoor
from app.ui.preset_door import PresetDoor
from app.ui.sidebar import Sidebar
from app.ui.status import StatusLine
from app.ui.tab_order import step
from app.ui.theme import Look
from app.ui.transcript import Transcript
from app.ui.welcome import Welcome
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
    from app.ui.settings_pages import FreeMemory


_STEP, _SMALLEST, _LARGEST = 10, 80, 200
"""Percent of the usual size of text."""


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
        free_memory: "FreeMemory" = _not_known,
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
        self._free_memory = free_memory
        self._pictures = pictures
        self._state = WindowState(state_folder)
        self._activity: Activity = Idle()
        self._conversation: int | None = None
        self._titles: dict[int, str] = {}
        self._figures: Mapping[str, object] | None = None
        """Of the last answer in the conversation on screen."""
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
        self.context = ContextPopover(self)
        self.menu_actions = Actions(self)
        # The key that opens it closes it too.
        self.context.addAction(self.menu_actions.show_context)
        self.header.set_menu(self.menu_actions.menu(self))
        self.palette_door = PaletteDoor(
            look, self.menu_actions, controller, engine, (recent_models, installed_models), self._state, self
        )
        self._models = models
        if models is not None:
            self.palette_door.name_of = models.name_of
        self._preset_door = PresetDoor(look, controller, settings, self.menu_actions, self)
        self.composer.add_tool(self._preset_door.button)
        self._chats: ChatDoor | None = None
        if chats is not None:
            parts = (self.sidebar, self.transcript, self.notices)
            self._chats = ChatDoor(*parts, controller, engine, settings, chats.library, chats.search, self)
        self._exchange_door: ExchangeDoor | None = None
        if exchange is not None:
            self._exchange_door = ExchangeDoor(exchange, controller, self.menu_actions, self.notices, self)
            self._exchange_door.close_wanted.connect(self.close)
        self.menu_actions.models.setEnabled(models is not None)
        self.models_door: ModelsDoor | None = None
        if models is not None:
            self.models_door = ModelsDoor(look, models, engine, self.menu_actions, self.notices, self)
            self.models_door.open_file_wanted.connect(self.ask_for_model)
            self.models_door.chosen.connect(self.composer.focus_text)
            self.picker.show_library(models)
            downloads = DownloadsDoor(models, engine, self.header.downloads, self.models_door, self.notices, self)
            self.welcome.get_clicked.connect(downloads.discover)
            self.picker.models_clicked.connect(self.menu_actions.models.trigger)
        self._messages = MessageDoor(controller, self.transcript, self.notices, self.menu_actions, self)
        self._lay_out()
        self._writing = WritingDoor(
            look, writing, pictures, controller, engine, self.area, self.composer, self.gauge, self.notices
        )
        self._connect_pictures()
        self.files = FileDoor(engine, self.area, self.notices)
        self._connect_parts()
        self._connect_actions()
        self._connect_services()
        self._restore()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._state.keep(self.window().saveGeometry(), sidebar_shown=not self.sidebar.isHidden())
        self.hide()
        event.ignore()
        self.closing.emit()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step(self.window().focusWidget(), self.transcript.scroll_area, forward=forward)

    def ask_for_model(self) -> None:
        """Let the user pick a model file, and load it."""
        dialog = QFileDialog(self, self.tr("Open a model file"), self._state.model_folder)
        dialog.setNameFilters([self.tr("Models (*.gguf)"), self.tr("All files (*)")])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._model_file_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # -- putting together ----------------------------------------------------------------------------------------

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
        row = QHBoxLayout(self.area)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addWidget(page, 1)
        self.setCentralWidget(self.area)
        self.setWindowIcon(app_icon())
        self._look.changed.connect(self._fit_text)
        self._fit_text()

    def _fit_text(self) -> None:
        self.setMinimumSize(half_scaled(560), half_scaled(420))

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
        self.sidebar.collapse_clicked.connect(self._toggle_sidebar)
        self.sidebar.settings_clicked.connect(self._open_settings)
        self.sidebar.open_requested.connect(controller.open_conversation)
        self.sidebar.rename_requested.connect(controller.rename)
        self.sidebar.delete_requested.connect(self._delete)
        self.header.show_sidebar.clicked.connect(self._toggle_sidebar)
        self.header.new_chat.clicked.connect(self._new_chat)
        self.picker.model_chosen.connect(engine.load)
        self.picker.open_clicked.connect(self.ask_for_model)
        self.picker.unload_clicked.connect(engine.unload)
        self.picker.cancel_clicked.connect(engine.cancel_load)
        self.welcome.open_clicked.connect(self.ask_for_model)
        self.welcome.recent_clicked.connect(engine.load)
        self.welcome.cancel_clicked.connect(engine.cancel_load)
        self.welcome.question_clicked.connect(self._send)
        self.transcript.link_clicked.connect(self._ask_link)
        self.notices.details_wanted.connect(self._show_details)
        self.composer.submitted.connect(self._send)
        self.composer.stop_clicked.connect(controller.stop)
        self.gauge.clicked.connect(self._open_context)
        self.context.policy_chosen.connect(controller.set_overflow)

    def _connect_actions(self) -> None:
        actions = self.menu_actions
        actions.new_chat.triggered.connect(self._new_chat)
        actions.rename_chat.triggered.connect(self._rename)
        actions.delete_chat.triggered.connect(self.sidebar.delete_current)
        actions.regenerate.triggered.connect(self._controller.regenerate)
        actions.copy_answer.triggered.connect(self._copy_answer)
        actions.stop.triggered.connect(self._controller.stop)
        actions.open_model.triggered.connect(self.ask_for_model)
        actions.choose_model.triggered.connect(self.picker.open_menu)
        actions.unload_model.triggered.connect(self._engine.unload)
        actions.focus_composer.triggered.connect(self.composer.focus_text)
        actions.focus_search.triggered.connect(self._search)
        actions.jump_to_end.triggered.connect(self.transcript.jump_to_end)
        actions.find.triggered.connect(self.transcript.open_find)
        actions.find_next.triggered.connect(self.transcript.find_next)
        actions.find_previous.triggered.connect(self.transcript.find_previous)
        actions.toggle_sidebar.triggered.connect(self._toggle_sidebar)
        actions.show_context.triggered.connect(self._open_context)
        actions.larger_text.triggered.connect(lambda: self._change_text_size(_STEP))
        actions.smaller_text.triggered.connect(lambda: self._change_text_size(-_STEP))
        actions.usual_text.triggered.connect(lambda: self._settings.update("interface", text_size=100))
        actions.settings.triggered.connect(self._open_settings)
        actions.show_menu.triggered.connect(self.header.open_menu)
        actions.shortcuts.triggered.connect(self._show_shortcuts)
        actions.about.triggered.connect(self._show_about)
        actions.quit.triggered.connect(self.close)
        for theme, action in actions.themes.items():
            action.triggered.connect(lambda _=False, chosen=theme: self._settings.update("interface", theme=chosen))

    def _connect_services(self) -> None:
        controller = self._controller
        controller.conversations_changed.connect(self._show_conversations)
        controller.opened.connect(self._show_opened)
        controller.path_changed.connect(self._show_path)
        controller.message_added.connect(self._add_message)
        controller.message_changed.connect(self._change_message)
        controller.answer_grew.connect(self.transcript.grow_answer)
        controller.activity_changed.connect(self._show_activity)
        controller.failed.connect(self.notices.show_error)
        controller.noticed.connect(self.notices.show_notice)
        controller.slot_changed.connect(self._show_slot)
        controller.peeked.connect(self._show_peeked)
        controller.options_changed.connect(self._show_options)
        announcer = Announcer(self)
        controller.message_changed.connect(announcer.show_message)
        controller.activity_changed.connect(announcer.show_activity)
        controller.noticed.connect(announcer.show_notice)
        controller.failed.connect(announcer.show_error)
        self._engine.state_changed.connect(self._show_engine)
        self._settings.changed.connect(self._show_settings)
        self._settings.failed.connect(self.notices.show_error)
        self._show_engine(self._engine.state)
        self._show_settings(self._settings.settings)
        self._show_opened(None)
        if self._api is not None:
            self._api.visitors.changed.connect(self.header.visitors.show_visitors)
            self.header.visitors.stop_clicked.connect(self._api.visitors.stop_all)
            self._api.failed.connect(self.notices.show_error)

    def _restore(self) -> None:
        if not self.restoreGeometry(self._state.geometry):
            self.resize(1180, 820)
        self._set_sidebar(self._state.sidebar_shown)
        self.composer.focus_text()

    # -- what the services say -----------------------------------------------------------------------------------

    def _show_engine(self, state: EngineState) -> None:
        self.picker.show_state(state)
        self.welcome.show_state(state)
        self.status.show_engine(state)
        known = known_model(state) if not isinstance(state, ModelLoading) else None
        self.composer.set_model(model_name(known) if known is not None else "")
        self.gauge.show_engine(state)
        self.menu_actions.unload_model.setEnabled(known is not None)
        self.menu_actions.show_context.setEnabled(isinstance(state, ModelReady))

    def _show_settings(self, settings: Settings) -> None:
        self._look.choose(settings.interface.theme)
        self._writing.show_settings(settings)
        self._state.keep_theme(settings.interface.theme)
        self._look.set_motion(settings.interface.motion)
        if settings.interface.text_size != self._look.text_size:
            self._look.set_text_size(settings.interface.text_size)
            self.transcript.renew()
        self.menu_actions.show_theme(settings.interface.theme)

    def _show_conversations(self, conversations: tuple[Conversation, ...]) -> None:
        self._titles = {each.id: each.title for each in conversations}
        if self._chats is None:
            self.sidebar.show_conversations(conversations)
        self._show_title()

    def _show_opened(self, opened: OpenConversation | None) -> None:
        self.transcript.show_conversation(opened)
        self._set_conversation(opened.conversation.id if opened else None)
        self._show_last(opened)

    def _show_path(self, opened: OpenConversation) -> None:
        self.transcript.lead(opened)
        self._show_last(opened)

    def _show_last(self, opened: OpenConversation | None) -> None:
        answered = [each.figures for each in opened.messages if each.figures] if opened else []
        self._show_figures(answered[-1] if answered else None)
        self._enable_actions()

    def _add_message(self, stored: StoredMessage) -> None:
        self._set_conversation(stored.conversation_id)
        self.transcript.add_message(stored)
        self._enable_actions()

    def _change_message(self, stored: StoredMessage) -> None:
        self.transcript.change_message(stored)
        if stored.figures:
            self._show_figures(stored.figures)
        self._enable_actions()

    def _show_activity(self, activity: Activity) -> None:
        self._activity = activity
        self.status.show_activity(activity)
        self.gauge.show_activity(activity)
        self.transcript.show_activity(activity)
        self.composer.set_busy(not isinstance(activity, Idle))
        self._enable_actions()

    def _show_figures(self, figures: Mapping[str, object] | None) -> None:
        self._figures = figures
        self.status.show_figures(figures)
        self.gauge.show_figures(figures)

    def _show_slot(self, slot: SlotStatus | None) -> None:
        if self.context.isVisible():
            self._fill_context(slot)

    def _show_peeked(self, peeked: Peeked) -> None:
        self.context.show_peeked(peeked)

    def _show_options(self) -> None:
        self.context.show_policy(self._controller.overflow)

    def _fill_context(self, slot: SlotStatus | None) -> None:
        state = self._engine.state
        self.context.show_used(self.gauge.sentence(), self.gauge.used, self.gauge.n_ctx)
        self.context.show_slot(slot, state.info if isinstance(state, ModelReady) else None)
        self.context.show_last(self._figures)
        self.context.show_policy(self._controller.overflow)

    def _enable_actions(self) -> None:
        idle = isinstance(self._activity, Idle)
        answer = self.transcript.last_answer()
        actions = self.menu_actions
        actions.stop.setEnabled(not idle)
        actions.regenerate.setEnabled(idle and answer is not None)
        actions.copy_answer.setEnabled(answer is not None)
        self._messages.enable_actions(self._activity)
        actions.rename_chat.setEnabled(self._conversation is not None)
        actions.delete_chat.setEnabled(self._conversation is not None)

    def _set_conversation(self, conversation: int | None) -> None:
        self._conversation = conversation
        if self._exchange_door is not None:
            self._exchange_door.show_conversation(conversation)
        self.sidebar.show_current(conversation)
        self._writing.show_conversation(conversation)
        self._show_title()

    def _show_title(self) -> None:
        title = self._titles.get(self._conversation, "") if self._conversation is not None else ""
        self.setWindowTitle(f"{title} – Hearth" if title else "Hearth")

    # -- what the user does --------------------------------------------------------------------------------------

    def _send(self, text: str) -> None:
        self._writing.send(text)

    def _new_chat(self) -> None:
        self._controller.new_conversation()
        self.composer.focus_text()

    def _delete(self, conversation: Conversation) -> None:
        self._controller.delete(conversation.id)
        self.notices.offer(
            self.tr("“{title}” was moved to the trash.").format(title=conversation.title or self.tr("New chat")),
            self.tr("Undo"),
            lambda: self._controller.undo_delete(conversation.id),
        )

    def _rename(self) -> None:
        self._set_sidebar(True)
        self.sidebar.rename_current()

    def _search(self) -> None:
        self._set_sidebar(True)
        self.sidebar.focus_search()

    def _copy_answer(self) -> None:
        if (answer := self.transcript.last_answer()) is not None:
            QGuiApplication.clipboard().setText(self.transcript.answer_text(answer.id))
            self.notices.show_notice(self.tr("The last answer was copied."))

    def _open_context(self) -> None:
        if self.context.isVisible():
            self.context.close()
            return
        self._fill_context(self._controller.slot)
        self.context.open_above(self.gauge)
        self._controller.peek(self.composer.edit.toPlainText(), self._writing.attachments)

    def _open_settings(self) -> None:
        # Imported here: the pages are half as much again to load as the window.
        from app.ui.settings_dialog import SettingsDialog

        SettingsDialog(
            self._look,
            self._settings,
            self._engine,
            self._controller,
            self._free_memory,
            self,
            self._api,
            self._models,
        ).open()

    def _change_text_size(self, by: int) -> None:
        size = self._settings.settings.interface.text_size
        self._settings.update("interface", text_size=max(_SMALLEST, min(_LARGEST, size + by)))

    def _toggle_sidebar(self) -> None:
        self._set_sidebar(self.sidebar.isHidden())

    def _set_sidebar(self, shown: bool) -> None:
        self.sidebar.setHidden(not shown)
        self.header.sidebar_shown(shown)

    def _model_file_chosen(self, name: str) -> None:
        path = Path(name)
        self._state.keep_model_folder(path.parent)
        self._engine.load(path)

    def _ask_link(self, address: str) -> None:
        if is_safe_link(address):
            LinkDialog(address, self).open()

    def _show_details(self, error: UserError) -> None:
        DetailsDialog(error, self).show()

    def _show_shortcuts(self) -> None:
        ShortcutsDialog(self.menu_actions, self).open()

    def _show_about(self) -> None:
        # Imported here: few ask, and what it needs takes time to load.
        from app.ui.licences_dialog import AboutWithLicences

        AboutWithLicences(self).open()
