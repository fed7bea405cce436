"""Everything about messages that are being written: attachments, drafts, queue, and what was sent."""

from collections.abc import Iterator

from PySide6.QtCore import QObject

from app.services.chat.chat_controller import ChatController
from app.services.drafts.document_choice import DocumentChoice
from app.services.drafts.draft_attachments import DraftAttachments
from app.services.drafts.drafts import Drafts
from app.services.drafts.early_reading import EarlyReading
from app.services.drafts.outbox import Outbox
from app.services.engine.service import EngineService
from app.services.engine.token_counts import TokenCounts
from app.services.pictures.reader import SvgPainter
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.storage.drafts import DraftStore
from app.storage.questions import SentQuestions


class Composing(QObject):
    """GUI thread, which is the database's. `close` must be called before the last reference goes."""

    def __init__(
        self,
        database: Database,
        store: AttachmentStore,
        engine: EngineService,
        settings: SettingsService,
        controller: ChatController,
        paint_svg: SvgPainter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.counts = TokenCounts(engine, self)
        passages = controller.passages
        choice = DocumentChoice(engine, controller.active, passages, self) if passages is not None else None
        self.attachments = DraftAttachments(store, engine, settings, self.counts, paint_svg, choice, self)
        self.early_reading = EarlyReading(controller, engine, settings, self)
        self.attachments.changed.connect(self.early_reading.show)
        self.drafts = Drafts(DraftStore(database), self)
        self.outbox = Outbox(controller, self.drafts, self)
        self.history = SentHistory(SentQuestions(database))

    def close(self) -> None:
        """Write the drafts, and end the thread as soon as what is being read allows it."""
        self.drafts.flush()
        self.early_reading.close()
        self.attachments.close()


class SentHistory:
    """GUI thread. Raises UserError."""

    def __init__(self, questions: SentQuestions) -> None:
        self._questions = questions
        self._texts: list[str] = []
        """What was being written, and then what was walked through, newest first."""
        self._more: Iterator[str] = iter(())
        self._place = 0

    @property
    def is_walking(self) -> bool:
        return self._place > 0

    def reset(self) -> None:
        """The field was changed, or is another conversation's."""
        self._texts, self._place, self._more = [], 0, iter(())

    def older(self, conversation: int | None, current: str) -> str | None:
        """The question before the one in the field, where `current` stands now; None where there is none."""
        if not self.is_walking:
            self._texts, self._more = [current], self._questions.texts(conversation)
        if self._place + 1 == len(self._texts):
            found = next((each for each in self._more if each != current), None)
            if found is None:
                return None
            self._texts.append(found)
        self._place += 1
        return self._texts[self._place]

    def newer(self) -> str | None:
        """The one after it, and at the end what was being written; None where nothing was walked."""
        if not self.is_walking:
            return None
        self._place -= 1
        return self._texts[self._place]
