"""The conversations in their order: folders, pins, archive and trash."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.services.chat.chat_controller import ChatController
from app.services.conversations.states import DAYS_IN_TRASH, Library
from app.services.engine.service import EngineService
from app.services.runtime.debounce import Ticker
from app.services.runtime.worker_thread import WorkerThread
from app.storage.chat_folders import ChatFolders, DeletedFolder
from app.storage.conversations import Conversation, ConversationStore
from app.storage.passages.unused_documents import remove_unused_documents
from app.storage.unused_attachments import remove_unused

_log = logging.getLogger(__name__)

_DAY = 86_400

Result = TypeVar("Result")


class ChatLibrary(QObject):
    """GUI thread. Widgets call its methods and show what `changed` carries."""

    changed = Signal(object)
    """Library"""
    failed = Signal(object)
    """UserError"""
    gone = Signal(object)
    """frozenset[int]: conversations that were removed for good"""

    def __init__(
        self,
        store: ConversationStore,
        folders: ChatFolders,
        controller: ChatController,
        engine: EngineService,
        *,
        attachments: Path,
        database: Path,
        documents: Path,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._folders = folders
        self._controller = controller
        self._engine = engine
        self._attachments = attachments
        self._database = database
        self._documents = documents
        self._sweeper = WorkerThread(self, name="sweeper")
        self._daily = Ticker(_DAY * 1000, self._clean, self)
        controller.active.listed.connect(self._tell)

    def start(self) -> None:
        """After the window is there: purge what has been in the trash for long enough, now and every day."""
        self.purge()
        self._daily.start()

    def close(self) -> None:
        self._daily.stop()
        self._sweeper.close()

    def create_folder(self, name: str, conversation_id: int | None = None) -> int | None:
        """The new folder's id, with a conversation in it if one is named; None when the disk refused."""
        made: list[int] = []

        def act() -> None:
            made.append(self._folders.create(name).id)
            if conversation_id is not None:
                self._folders.move(conversation_id, made[0])

        self._change(act)
        return made[0] if made else None

    def rename_folder(self, folder_id: int, name: str) -> None:
        self._change(lambda: self._folders.rename(folder_id, name))

    def collapse(self, folder_id: int, collapsed: bool) -> None:
        self._change(lambda: self._folders.collapse(folder_id, collapsed))

    def order_folders(self, folder_ids: Sequence[int]) -> None:
        self._change(lambda: self._folders.order(folder_ids))

    def delete_folder(self, folder_id: int) -> DeletedFolder | None:
        """Its conversations stay, in no folder; `undo_delete_folder` brings it back. None: nothing was deleted."""
        deleted: list[DeletedFolder] = []
        self._change(lambda: deleted.append(self._folders.delete(folder_id)))
        return deleted[0] if deleted else None

    def undo_delete_folder(self, deleted: DeletedFolder) -> None:
        self._change(lambda: self._folders.restore(deleted))

    def move(self, conversation_id: int, folder_id: int | None) -> None:
        """Into a folder; None: out of it."""
        self._change(lambda: self._folders.move(conversation_id, folder_id))

    def pin(self, conversation_id: int, pinned: bool) -> None:
        self._change(lambda: self._folders.pin(conversation_id, pinned))

    def archive(self, conversation_id: int, archived: bool) -> None:
        self._change(lambda: self._folders.archive(conversation_id, archived))

    def arrange(self, conversation_ids: Sequence[int]) -> None:
        """Keep these, all that a folder holds or all that are pinned, in this order."""
        self._change(lambda: self._folders.arrange(conversation_ids))

    def put(self, conversation_id: int, folder_id: int | None, conversation_ids: Sequence[int]) -> None:
        """Into a folder (None: among the pinned ones), which is in this order from now on."""

        def act() -> None:
            if folder_id is None:
                self._folders.pin(conversation_id, True)
            else:
                self._folders.move(conversation_id, folder_id)
            self._folders.arrange(conversation_ids)

        self._change(act)

    def sort_by_time(self, conversation_ids: Sequence[int]) -> None:
        self._change(lambda: self._folders.sort_by_time(conversation_ids))

    def restore(self, conversation_id: int) -> None:
        """Out of the trash, to where it was."""
        self._change(lambda: self._store.restore(conversation_id))

    def delete_for_good(self, conversation_ids: Sequence[int]) -> None:
        """What is in the trash. Its attachments and what was read of its documents go too, where nothing else refers to
        them.
        """
        gone: list[int] = []

        def act() -> None:
            for each in conversation_ids:
                with suppress(LookupError):  # somebody took it out of the trash, or was faster
                    self._store.remove(each)
                    gone.append(each)
                    self._engine.snapshots.forget(str(each))

        self._change(act)
        if gone:
            self.gone.emit(frozenset(gone))
            self._sweep()

    @Slot()
    def purge(self) -> None:
        """Remove for good what has been in the trash for thirty days."""
        before = [each.id for each in self._guarded(self._store.deleted) or ()]
        if not self._guarded(lambda: self._store.purge_deleted(DAYS_IN_TRASH * _DAY) or True):
            return
        gone = frozenset(before) - {each.id for each in self._guarded(self._store.deleted) or ()}
        for each in gone:
            # Forgotten when it was deleted; once more, for those that were being written then.
            self._engine.snapshots.forget(str(each))
        if gone:
            self._controller.refresh()
            self.gone.emit(gone)
            self._sweep()

    @Slot()
    def _clean(self) -> None:
        self.purge()
        self._sweep()

    def _sweep(self) -> None:
        """Remove what nothing refers to any more, behind the user's back."""
        self._sweeper.submit(lambda: remove_unused(self._attachments, self._database), _tell_swept)
        self._sweeper.submit(lambda: remove_unused_documents(self._documents, self._database), _tell_swept)

    @Slot(object)
    def _tell(self, conversations: tuple[Conversation, ...]) -> None:
        library = self._guarded(lambda: Library(conversations, self._folders.all(), self._store.deleted()))
        if library is not None:
            self.changed.emit(library)

    def _change(self, act: Callable[[], None]) -> None:
        self._guarded(act)
        self._controller.refresh()

    def _guarded(self, act: Callable[[], Result]) -> Result | None:
        """What `act` returns; None after telling what the disk refused, or where somebody else was faster."""
        try:
            return act()
        except UserError as error:
            _log.warning("%s", error.sentence)
            self.failed.emit(error)
        except LookupError:
            _log.info("What was to be changed is gone")
        return None


def _tell_swept(result: int | Exception) -> None:
    if isinstance(result, Exception):
        _log.warning("What nothing refers to was not removed: %r", result)
    elif result:
        _log.info("Removed %d attachments or documents that nothing refers to any more", result)
