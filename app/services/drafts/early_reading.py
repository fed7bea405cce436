"""Documents that a new conversation will begin with are read while its question is still being written."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from app.core.errors import UserError
from app.core.events import Finished, FinishReason
from app.core.messages import Attachment, DocumentPart
from app.core.requests import ChatRequest
from app.services.chat.chat_controller import ChatController
from app.services.drafts.pending import PendingAttachment
from app.services.engine.futures import Reply
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, ReplyFailed, ReplyUpdate
from app.services.runtime.debounce import Debounce
from app.services.runtime.settings_service import SettingsService

_log = logging.getLogger(__name__)

_CALM_MS = 700


class EarlyReading(QObject):
    """GUI thread. Up to the documents' end and no further, so that every question finds that as its beginning. Whatever
    else is asked of the engine cancels it, and it goes on when that is done; what has been read stays read.
    """

    def __init__(
        self,
        controller: ChatController,
        engine: EngineService,
        settings: SettingsService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._engine = engine
        self._settings = settings
        self._wanted: tuple[Attachment, ...] = ()
        self._running: Reply | None = None
        self._read: ChatRequest | None = None
        """The last that is read to its end."""
        self.calm = Debounce(_CALM_MS, self.read, self)
        """A moment's rest, to read then."""
        engine.used.connect(self._hear_use)
        engine.state_changed.connect(self._hear_engine)

    @property
    def is_running(self) -> bool:
        return self._running is not None

    @Slot(object)
    def show(self, pending: Sequence[PendingAttachment]) -> None:
        """What is attached now. What was taken away is not read on."""
        parts = tuple(each.part for each in pending if each.part is not None)
        is_ready = len(parts) == len(pending) and any(_is_whole(each) for each in parts)
        wanted = parts if is_ready and self._controller.active.conversation_id is None else ()
        if wanted != self._wanted:
            self._wanted = wanted
            self.close()
            if wanted:
                self.calm.start()

    @Slot()
    def read(self) -> None:
        """Now, where there is anything to read and the engine rests."""
        state = self._engine.state
        rests = self._engine.is_running and isinstance(state, ModelReady) and not self._engine.is_busy
        if not (self._wanted and rests and self._settings.settings.tools.read_ahead) or self._running is not None:
            return
        assert isinstance(state, ModelReady)
        try:
            question = self._controller.question("?", self._wanted, ())
            request = self._controller.requests.build((), None, state.info, question)
        except UserError as error:
            _log.warning("%s", error.sentence)
            return
        if state.info.longest_message or request == self._read:
            return
        asked = replace(request, only_read=True, only_documents=True)
        self._running = self._engine.generate(asked, lambda said: self._hear(request, said), idle=True)

    def close(self) -> None:
        """Read nothing more of what was to be read."""
        self.calm.stop()
        if self._running is not None:
            self._running.cancel()

    def _hear(self, request: ChatRequest, said: ReplyUpdate | ReplyFailed) -> None:
        match said:
            case ReplyUpdate(Finished(reason=FinishReason.CANCELLED)):
                self._running = None
            case ReplyUpdate(Finished()) | ReplyFailed():
                self._running, self._read = None, request

    @Slot()
    def _hear_use(self) -> None:
        """Also when something short, such as counting what is typed, has cancelled it and is done."""
        if self._wanted and not self._engine.is_busy:
            self.calm.start()

    @Slot(object)
    def _hear_engine(self, state: object) -> None:
        if not isinstance(state, ModelReady):
            self._read = None
        elif self._wanted:
            self.calm.start()


def _is_whole(part: Attachment) -> bool:
    return isinstance(part, DocumentPart) and not part.by_passages
