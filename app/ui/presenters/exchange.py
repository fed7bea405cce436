"""Export, import, print, backup and restore, from the menu to the exchange.

The dialogs are imported when they are opened: the window's start need not wait for them.
"""

from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.services.exchange.exchange import Exchange, Exported
from app.storage.exchange.backup import ENDING, backup_name
from app.ui.commands.actions import Actions
from app.ui.formatting.numbers import count
from app.ui.widgets.file_dialogs import ask_for_file, ask_for_files, ask_where_to_save, documents_folder
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.storage.conversations import Conversation
    from app.ui.exporting.backup_dialogs import BackupDialog, RestoreDialog
    from app.ui.exporting.export_dialog import ExportDialog
    from app.ui.exporting.import_dialog import ImportDialog


class ExchangePresenter(QObject):
    """GUI thread. `window` owns it."""

    def __init__(
        self, exchange: Exchange, controller: "ChatController", actions: Actions, notices: Notices, window: QWidget
    ) -> None:
        super().__init__(window)
        self._exchange = exchange
        self._window = window
        self._notices = notices
        self._actions = actions
        self._controller = controller
        self._active = controller.active
        self._titles: dict[int, str] = {}
        actions.export.triggered.connect(lambda: self.export(self._active.conversation_id))
        actions.import_files.triggered.connect(self.ask_import)
        actions.print_chat.triggered.connect(lambda: self.print(self._active.conversation_id))
        actions.back_up.triggered.connect(self.ask_backup)
        actions.restore.triggered.connect(self.ask_restore)
        controller.active.listed.connect(self._show_conversations)
        controller.active.switched.connect(self._enable)
        exchange.imported.connect(controller.refresh)
        self._enable()

    def export(self, conversation_id: int | None) -> "ExportDialog":
        """Ask what and how; `conversation_id` is what is offered first."""
        from app.ui.exporting.export_dialog import ExportDialog

        title = self._titles.get(conversation_id, "") if conversation_id is not None else ""
        dialog = ExportDialog(self._exchange, conversation_id, title, len(self._titles), self._window)
        dialog.exported.connect(self._tell_exported)
        dialog.open()
        return dialog

    def print(self, conversation_id: int | None) -> None:
        if conversation_id is not None:
            from app.ui.exporting.printing import ask_printer

            ask_printer(self._exchange, conversation_id, self._titles.get(conversation_id, ""), self._window)

    def ask_import(self) -> None:
        kinds = (self.tr("Hearth, ChatGPT, LM Studio (*.json *.zip)"), self.tr("All files (*)"))
        title, folder = self.tr("Import conversations"), documents_folder()
        ask_for_files(self._window, title, self.import_files, folder=folder, filters=kinds)

    def import_files(self, files: Sequence[Path]) -> "ImportDialog":
        from app.ui.exporting.import_dialog import ImportDialog

        dialog = ImportDialog(self._exchange, files, self._window)
        dialog.imported.connect(self._tell_imported)
        dialog.open()
        return dialog

    def ask_backup(self) -> None:
        title, name = self.tr("Back up everything"), backup_name(time())
        ask_where_to_save(self._window, title, self.back_up, name, folder=documents_folder(), ending=ENDING)

    def back_up(self, path: Path) -> "BackupDialog":
        from app.ui.exporting.backup_dialogs import BackupDialog

        dialog = BackupDialog(self._exchange, path, self._window)
        dialog.backed_up.connect(lambda path, told: self._offer_folder(told, path))
        dialog.open()
        return dialog

    def ask_restore(self) -> None:
        kinds = (self.tr("Backups (*{ending})").format(ending=ENDING), self.tr("All files (*)"))
        title, folder = self.tr("Restore a backup"), documents_folder()
        ask_for_file(self._window, title, self.restore, folder=folder, filters=kinds)

    def restore(self, path: Path) -> "RestoreDialog":
        from app.ui.exporting.backup_dialogs import RestoreDialog

        dialog = RestoreDialog(self._exchange, path, self._window)
        # A backup is restored at the next start.
        dialog.restart_wanted.connect(self._window.close)
        dialog.open()
        return dialog

    def _show_conversations(self, conversations: tuple["Conversation", ...]) -> None:
        self._titles = {each.id: each.title for each in conversations}
        self._enable()

    def _enable(self) -> None:
        self._actions.print_chat.setEnabled(self._active.conversation_id is not None)
        self._actions.export.setEnabled(bool(self._titles))

    def _tell_imported(self, sentence: str, conversations: tuple[int, ...]) -> None:
        if len(conversations) == 1:
            (one,) = conversations
            self._notices.offer(sentence, self.tr("Open it"), lambda: self._controller.open_conversation(one))
        else:
            self._notices.show_notice(sentence)

    def _tell_exported(self, exported: Exported) -> None:
        one = self.tr("The conversation is in {name}.")
        many = self.tr("{count} conversations are in {name}.")
        told = (one if exported.n_conversations == 1 else many).format(
            count=count(exported.n_conversations), name=exported.path.name
        )
        self._offer_folder(told, exported.path)

    def _offer_folder(self, sentence: str, path: Path) -> None:
        folder = path.absolute().parent
        from app.ui.widgets.open_outside import open_folder

        self._notices.offer(sentence, self.tr("Show the folder"), lambda: open_folder(folder, self._notices.window()))
