"""An answer of another model than the one in memory: it is loaded first, and then asked."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.events import ModelInfo
from app.core.messages import Role
from app.core.model_ref import ModelRef
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.readiness import Readiness
from app.services.chat.running_replies import RunningReplies
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelLoading, ModelOnServer, ModelReady, known_model, ready_model
from app.storage.conversations import StoredMessage


@dataclass(frozen=True, slots=True)
class Replaced:
    """One model has answered in another's place."""

    before: ModelInfo
    now: ModelInfo


@dataclass(frozen=True, slots=True)
class _Request:
    message_id: int
    model: ModelRef
    before: ModelInfo | None
    """The model that was in memory."""


class AnswerWithModel(QObject):
    """GUI thread. Nothing of the conversation changes before the model is there: a file that can't be loaded leaves
    everything as it was, and the model from before comes back."""

    answered = Signal(object)
    """Replaced, when the answer has ended"""

    def __init__(
        self,
        engine: EngineService,
        replies: RunningReplies,
        active: ActiveConversation,
        ready: Readiness,
        answer_again: Callable[[list[StoredMessage]], None],
        parent: QObject | None = None,
    ) -> None:
        """`answer_again` begins an answer below messages."""
        super().__init__(parent)
        self._engine = engine
        self._replies = replies
        self._active = active
        self._ready = ready
        self._answer_again = answer_again
        self._request: _Request | None = None
        self._writing: tuple[int, Replaced] | None = None
        """Which answer is being written, and by whom in whose place."""
        engine.state_changed.connect(self._hear)
        replies.ended.connect(self._hear_end)

    def answer(self, message_id: int, model: ModelRef) -> None:
        """Let another model answer where this answer stands, which stays as another version."""
        stored = self._active.find(message_id)
        if stored is None or not self._ready.is_free():
            return
        before = known_model(self._engine.state)
        now = ready_model(self._engine.state)
        if now is not None and now.ref == model:
            self._answer_again(self._active.before(stored))
            return
        # A server's model is there before `load` returns.
        self._request = _Request(message_id, model, before)
        self._engine.load(model)

    def back(self, replaced: Replaced) -> None:
        """Load the model from before."""
        self._engine.load(replaced.before.ref, replaced.before.mmproj)

    @Slot(object)
    def _hear_end(self, stored: StoredMessage) -> None:
        if self._writing is not None and self._writing[0] == stored.id:
            replaced, self._writing = self._writing[1], None
            self.answered.emit(replaced)

    @Slot(object)
    def _hear(self, state: object) -> None:
        request = self._request
        if request is None or (isinstance(state, ModelLoading) and state.model == request.model):
            return
        self._request = None
        match state:
            case ModelReady(info) | ModelOnServer(info) if info.ref == request.model:
                self._begin(request, info)
            case ModelFailed(model) if model == request.model and request.before is not None:
                # Not at once: others are still being told of this state.
                QTimer.singleShot(0, self, lambda: self._bring_back(request))

    def _begin(self, request: _Request, info: ModelInfo) -> None:
        stored = self._active.find(request.message_id)
        path = self._active.before(stored) if stored is not None else []
        asked = next((each for each in reversed(path) if each.message.role is Role.USER), None)
        if asked is None:
            return
        if not self._ready.takes(asked.message.text, asked.message.attachments):
            return
        before = self._active.head
        self._answer_again(path)
        head = self._active.head
        if request.before is None or head is None or head is before:
            return
        replaced = Replaced(request.before, info)
        if self._replies.is_writing_in(head.conversation_id):
            self._writing = (head.id, replaced)
        else:
            # It could not be asked for, and has ended already.
            self.answered.emit(replaced)

    def _bring_back(self, request: _Request) -> None:
        state = self._engine.state
        if isinstance(state, ModelFailed) and state.model == request.model and request.before is not None:
            self._engine.load(request.before.ref, request.before.mmproj)
