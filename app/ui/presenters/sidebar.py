"""What people do to conversations in the sidebar, from the window to the services."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.services.engine.states import SnapshotStatus
from app.storage.conversations import Conversation
from app.ui.sidebar.actions import (
    Archive,
    Arrange,
    ChatAction,
    Collapse,
    DeleteFolder,
    Destroy,
    KeepOnDisk,
    Move,
    NewFolder,
    OpenMessage,
    OrderFolders,
    Pin,
    Put,
    RenameFolder,
    Restore,
    Search,
    SortByTime,
)
from app.ui.sidebar.rows import untitled
from app.ui.sidebar.sidebar import Sidebar
from app.ui.sidebar.trash_bar import ask_to_destroy
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.conversations.chat_library import ChatLibrary
    from app.services.conversations.search import ChatSearch
    from app.services.engine.service import EngineService


class SidebarPresenter(QObject):
    """Joins the sidebar to the services. `window` owns it."""

    def __init__(
        self,
        sidebar: Sidebar,
        transcript: Transcript,
        notices: Notices,
        controller: "ChatController",
        engine: "EngineService",
        library: "ChatLibrary",
        search: "ChatSearch",
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._sidebar = sidebar
        self._transcript = transcript
        self._notices = notices
        self._controller = controller
        self._library = library
        self._search = search
        sidebar.chats.wished.connect(self._do)
        library.changed.connect(sidebar.show_library)
        library.failed.connect(notices.show_error)
        search.found.connect(sidebar.chats.show_found)
        controller.active.listed.connect(search.hear_change)
        engine.snapshots.changed.connect(self._show_warmth)
        self._show_warmth(engine.snapshots.status)

    @Slot(object)
    def _show_warmth(self, status: SnapshotStatus) -> None:
        self._sidebar.chats.show_warmth(status.conversations)

    @Slot(object)
    def _do(self, wish: ChatAction) -> None:
        library = self._library
        match wish:
            case Pin(number, pinned):
                library.pin(number, pinned)
            case Archive(number, archived):
                self._archive(number, archived)
            case Move(number, folder_id):
                library.move(number, folder_id)
            case Put(number, folder_id, numbers):
                library.put(number, folder_id, numbers)
            case Arrange(numbers):
                library.arrange(numbers)
            case SortByTime(numbers):
                library.sort_by_time(numbers)
            case KeepOnDisk(number, keeps):
                self._controller.set_keeps_on_disk(number, keeps)
            case OpenMessage(number, message_id):
                self._open_message(number, message_id)
            case Search(wanted, whole):
                self._search.search(wanted, whole)
            case Restore(conversation):
                self._restore(conversation)
            case Destroy(conversations):
                self._ask_to_destroy([each.id for each in conversations], conversations[0].title)
            case _:
                self._do_to_folder(wish)

    def _do_to_folder(self, wish: NewFolder | RenameFolder | DeleteFolder | Collapse | OrderFolders) -> None:
        library = self._library
        match wish:
            case NewFolder(number):
                made = library.create_folder(self.tr("New folder"), number)
                if made is not None:
                    self._sidebar.chats.edit_folder(made)
            case RenameFolder(folder_id, name):
                library.rename_folder(folder_id, name)
            case DeleteFolder(folder_id):
                self._delete_folder(folder_id)
            case Collapse(folder_id, collapsed):
                library.collapse(folder_id, collapsed)
            case OrderFolders(folder_ids):
                library.order_folders(folder_ids)

    def _archive(self, number: int, archived: bool) -> None:
        self._library.archive(number, archived)
        if archived:
            self._notices.offer_undo(self.tr("The chat was archived."), lambda: self._library.archive(number, False))

    def _delete_folder(self, folder_id: int) -> None:
        deleted = self._library.delete_folder(folder_id)
        if deleted is not None:
            self._notices.offer_undo(
                self.tr("The folder “{name}” was deleted; its chats are kept.").format(name=deleted.name),
                lambda: self._library.undo_delete_folder(deleted),
            )

    def _open_message(self, number: int, message_id: int) -> None:
        self._controller.open_message(number, message_id)
        self._transcript.show_message(message_id)

    def _restore(self, conversation: Conversation) -> None:
        self._library.restore(conversation.id)
        self._notices.show_notice(self.tr("“{title}” was restored.").format(title=conversation.title or untitled()))

    def _ask_to_destroy(self, numbers: list[int], title: str) -> None:
        if len(numbers) == 1:
            question = self.tr("Delete “{title}” for good?").format(title=title or untitled())
        else:
            question = self.tr("Delete everything in the trash for good, %n in all?", None, len(numbers))
        ask_to_destroy(self._window, question, lambda: self._library.delete_for_good(numbers))
