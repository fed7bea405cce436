"""From the menu to states by name: a conversation with what the model holds of it, into a file and back."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.errors import UserError
from app.storage.exchange.outfile import safe_name
from app.ui.commands.actions import Actions
from app.ui.widgets.file_dialogs import ask_for_file, ask_where_to_save, documents_folder
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.conversations.state_files import StateFiles

ENDING = ".hearthstate"


class StateFilesPresenter(QObject):
    """`window` owns it."""

    def __init__(
        self,
        states: "StateFiles",
        controller: "ChatController",
        actions: Actions,
        notices: Notices,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._states = states
        self._controller = controller
        self._save_action = actions.save_state
        self._notices = notices
        self._window = window
        actions.save_state.triggered.connect(self._ask_save)
        actions.open_state.triggered.connect(self._ask_open)
        states.saved.connect(self._tell_saved)
        states.opened.connect(self._show)
        states.told.connect(notices.show_notice)
        states.failed.connect(self._tell_failed)
        controller.active.switched.connect(self._enable)
        self._enable()

    def open(self, path: Path) -> None:
        self._states.open(path)

    @Slot()
    def _enable(self) -> None:
        self._save_action.setEnabled(self._controller.active.conversation_id is not None)

    @Slot()
    def _ask_save(self) -> None:
        opened = self._controller.active.conversation
        if opened is None:
            return
        title, save = self.tr("Save the state"), partial(self._states.save, opened.id)
        name, folder = safe_name(opened.title, "Conversation") + ENDING, documents_folder()
        ask_where_to_save(self._window, title, save, name, folder=folder, ending=ENDING, kind=self._kind())

    @Slot()
    def _ask_open(self) -> None:
        title, folder = self.tr("Open a saved state"), documents_folder()
        ask_for_file(self._window, title, self.open, folder=folder, filters=[self._kind()])

    def _kind(self) -> str:
        return self.tr("States of conversations (*{ending})").format(ending=ENDING)

    @Slot(object)
    def _tell_saved(self, path: Path) -> None:
        told = self.tr("The conversation is in {name}, with what the model has read of it.")
        self._notices.show_notice(told.format(name=path.name))

    @Slot(int)
    def _show(self, conversation_id: int) -> None:
        self._controller.refresh()
        self._controller.open_conversation(conversation_id)

    @Slot(object)
    def _tell_failed(self, error: Exception) -> None:
        if isinstance(error, UserError):
            self._notices.show_error(error)
        else:
            self._notices.show_notice(self.tr("That failed because of a fault in Hearth. The log tells more."))
