"""Everything about the conversations as a whole: their order, the search, the titles."""

from PySide6.QtCore import QObject, Slot

from app.core.paths import Paths
from app.services.chat.chat_controller import ChatController
from app.services.conversations.chat_library import ChatLibrary
from app.services.conversations.chat_marks import ChatMarks
from app.services.conversations.copies import DatabaseCopies
from app.services.conversations.search import ChatSearch
from app.services.conversations.state_files import StateFiles
from app.services.conversations.titles import TitleMaker
from app.services.engine.service import EngineService
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.chat_folders import ChatFolders
from app.storage.conversations import ConversationStore
from app.storage.database import Database


class Chats(QObject):
    """GUI thread."""

    def __init__(
        self,
        paths: Paths,
        database: Database,
        engine: EngineService,
        settings: SettingsService,
        controller: ChatController,
    ) -> None:
        super().__init__()
        self._controller = controller
        store = ConversationStore(database)
        self.library = ChatLibrary(
            store,
            ChatFolders(database),
            controller,
            engine,
            attachments=paths.attachments,
            database=paths.database,
            documents=paths.documents,
            parent=self,
        )
        self.search = ChatSearch(paths.search, paths.database, self)
        self.copies = DatabaseCopies(paths.database, self)
        self.states = StateFiles(engine, settings, database, AttachmentStore(paths.attachments), self)
        self.library.gone.connect(self.copies.renew)
        self.library.gone.connect(controller.document_order.forget)
        self.library.gone.connect(controller.side_by_side.forget)
        self.copies.failed.connect(controller.notices.failed)
        controller.replies.changed.connect(self._hear_replies)
        self.marks = ChatMarks(controller.replies, controller.active, self)
        self.titles = TitleMaker(store, engine, settings, controller, controller.requests, self)

    @Slot()
    def _hear_replies(self) -> None:
        is_busy = self._controller.replies.is_busy
        self.search.rest(is_busy)
        self.copies.rest(is_busy)

    def start(self) -> None:
        """After the first paint, when the conversations are shown."""
        self.library.start()
        self.search.start()
        self.copies.start()

    def close(self) -> None:
        """Before the database is closed."""
        self.titles.close()
        self.states.close()
        self.copies.close()
        self.search.close()
        self.library.close()
