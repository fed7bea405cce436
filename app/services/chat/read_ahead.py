"""After an answer that called tools: what the next question will be read behind, read while nobody waits."""

import logging
from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from app.core.errors import UserError
from app.core.events import Finished, FinishReason
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.services.chat.request_builder import RequestBuilder
from app.services.chat.running_replies import RunningReplies
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, ReplyFailed, ReplyUpdate
from app.services.runtime.debounce import Debounce
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore, MessageState, StoredMessage

_log = logging.getLogger(__name__)

_CALM_MS = 500
_QUESTION = Message.of(Role.USER, "?")
"""Stands where the next one will: a text, so that its place is one that memories come back to."""


class ReadAhead(QObject):
    """GUI thread. Templates drop what was thought in past turns, so that a whole loop of calls would be read again with
    the next question. Whatever else is asked of the engine cancels it; what it has read by then stays read.
    """

    def __init__(
        self,
        store: ConversationStore,
        engine: EngineService,
        replies: RunningReplies,
        requests: RequestBuilder,
        settings: SettingsService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._replies = replies
        self._requests = requests
        self._settings = settings
        self._answer: StoredMessage | None = None
        """The next question is to be read ahead behind this one, when there is time."""
        self.calm = Debounce(_CALM_MS, self.read, self)
        """A moment's rest, to read then."""
        replies.ended.connect(self._hear_answer)
        replies.changed.connect(self._hear_replies)
        engine.used.connect(self._hear_use)

    @Slot(object)
    def _hear_answer(self, answer: StoredMessage) -> None:
        self._answer = answer if answer.state is MessageState.COMPLETE else None

    def _request_behind(self, answer: StoredMessage) -> ChatRequest | None:
        """As things are by now: the conversation may be gone, and the model another one."""
        state = self._engine.state
        if not isinstance(state, ModelReady) or self._store.get(answer.conversation_id) is None:
            return None
        path = self._store.path(answer.conversation_id)
        if len(path) < 2 or path[-1].id != answer.id or path[-2].message.role is not Role.TOOL:
            return None
        return replace(self._requests.build(path, answer.conversation_id, state.info, _QUESTION), only_read=True)

    @Slot()
    def _hear_replies(self) -> None:
        if self._replies.is_busy:
            self.close()

    @Slot()
    def _hear_use(self) -> None:
        """Also when something short, such as counting what is typed, has cancelled it and is done."""
        if self._answer is not None and not self._engine.is_busy:
            self.calm.start()

    def close(self) -> None:
        """Read nothing more of what was to be read."""
        self._answer = None
        self.calm.stop()

    @Slot()
    def read(self) -> None:
        """Now, where there is anything to read and the engine rests."""
        engine = self._engine
        rests = engine.is_running and isinstance(engine.state, ModelReady) and not engine.is_busy
        if self._answer is None or not rests or not self._settings.settings.tools.read_ahead:
            return
        try:
            request = self._request_behind(self._answer)
        except UserError as error:
            _log.warning("%s", error.sentence)
            request = None
        if request is None:
            self.close()
        else:
            engine.generate(request, self._hear, idle=True)

    def _hear(self, said: ReplyUpdate | ReplyFailed) -> None:
        match said:
            case ReplyUpdate(Finished(reason=FinishReason.CANCELLED)):
                pass
            case ReplyUpdate(Finished()) | ReplyFailed():
                self._answer = None
