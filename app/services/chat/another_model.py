"""An answer of another model than the one in memory: it is loaded first, and then asked."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.events import ModelInfo
from app.core.messages import Attachment, Role
from app.services.chat.chat_screen import ChatScreen
from app.services.chat.readiness import Readiness
from app.services.engine.engine_service import EngineService
from app.services.engine.states import ModelFailed, ModelLoading, ModelReady, known_model
from app.storage.conversations import StoredMessage


@dataclass(frozen=True, slots=True)
class Replaced:
    """One model has answered in another's place."""

    before: ModelInfo
    now: ModelInfo


@dataclass(frozen=True, slots=True)
class _Wish:
    message_id: int
    path: Path
    before: ModelInfo | None
    """The model that was in memory."""


class AnotherModel(QObject):
    """GUI thread. Nothing of the conversation changes before the model is there: a file that can't be loaded leaves
    everything as it was, and the model from before comes back."""

    answered = Signal(object)
    """Replaced, when the answer has ended"""

    def __init__(
        self,
        engine: EngineService,
        screen: ChatScreen,
        ready: Readiness,
        answer_again: Callable[[list[StoredMessage]], None],
        parent: QObject | None = None,
    ) -> None:
        """`answer_again` begins an answer below messages."""
        super().__init__(parent)
        self._engine = engine
        self._screen = screen
        self._ready = ready
        self._answer_again = answer_again
        self._wish: _Wish | None = None
        self._writing: tuple[int, Replaced] | None = None
        """Which answer is being written, and by whom in whose place."""
        engine.state_changed.connect(self._hear)

    def answer(self, message_id: int, path: Path) -> None:
        """Let the model at `path` answer where this answer stands, which stays as another version."""
        stored = self._screen.find(message_id)
        if stored is None or not self._ready.is_quiet(stored.conversation_id) or not self._ready.is_free():
            return
        before = known_model(self._engine.state)
        if isinstance(self._engine.state, ModelReady) and before is not None and before.path == path:
            self._answer_again(self._screen.before(stored))
            return
        self._engine.load(path)
        self._wish = _Wish(message_id, path, before)

    def back(self, replaced: Replaced) -> None:
        """Load the model from before."""
        self._engine.load(replaced.before.path, replaced.before.mmproj)

    @Slot(object)
    def hear_end(self, stored: StoredMessage) -> None:
        """An answer has ended."""
        if self._writing is not None and self._writing[0] == stored.id:
            replaced, self._writing = self._writing[1], None
            self.answered.emit(replaced)

    @Slot(object)
    def _hear(self, state: object) -> None:
        wish = self._wish
        if wish is None or (isinstance(state, ModelLoading) and state.path == wish.path):
            return
        self._wish = None
        match state:
            case ModelReady(info) if info.path == wish.path:
                self._begin(wish, info)
            case ModelFailed(path) if path == wish.path and wish.before is not None:
                # Not at once: others are still being told of this state.
                QTimer.singleShot(0, self, lambda: self._bring_back(wish))

    def _begin(self, wish: _Wish, info: ModelInfo) -> None:
        stored = self._screen.find(wish.message_id)
        path = self._screen.before(stored) if stored is not None else []
        asked = next((each for each in reversed(path) if each.message.role is Role.USER), None)
        if asked is None:
            return
        attachments: list[Attachment] = [*asked.message.pictures, *asked.message.documents]
        if not self._ready.takes(asked.message.text, attachments):
            return
        before = self._screen.head
        self._answer_again(path)
        head = self._screen.head
        if wish.before is not None and head is not None and head is not before:
            self._writing = (head.id, Replaced(wish.before, info))

    def _bring_back(self, wish: _Wish) -> None:
        state = self._engine.state
        if isinstance(state, ModelFailed) and state.path == wish.path and wish.before is not None:
            self._engine.load(wish.before.path, wish.before.mmproj)
