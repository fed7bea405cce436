"""Everything about messages that are being written, beside their pictures: documents, drafts, queue, history."""

from PySide6.QtCore import QObject

from app.services.chat.chat_controller import ChatController
from app.services.drafts.draft_documents import DraftDocuments
from app.services.drafts.drafts import Drafts
from app.services.drafts.outbox import Outbox
from app.services.drafts.sent_history import SentHistory
from app.services.engine.service import EngineService
from app.services.engine.token_counts import TokenCounts
from app.services.runtime.worker_thread import WorkerThread
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.storage.drafts import DraftStore
from app.storage.questions import SentQuestions


class Composing(QObject):
    """GUI thread, which is the database's. `close` must be called before the last reference goes."""

    def __init__(
        self,
        database: Database,
        attachments: AttachmentStore,
        engine: EngineService,
        controller: ChatController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._thread = WorkerThread(self, name="documents")
        self.counts = TokenCounts(engine, self)
        self.documents = DraftDocuments(attachments, self._thread, self.counts, self)
        self.drafts = Drafts(DraftStore(database), self)
        self.outbox = Outbox(controller, self.drafts, self)
        self.history = SentHistory(SentQuestions(database))

    def close(self) -> None:
        """Write the drafts, and end the thread as soon as what is being read allows it."""
        self.drafts.flush()
        self.documents.close()
        self._thread.close()
