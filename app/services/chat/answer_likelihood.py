"""How likely the loaded model finds an answer on screen, after all that was said before it."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from app.core.events import Looking, PromptProgress
from app.core.likelihood import AnswerToScore, Likelihood
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.notices import ChatNotices
from app.services.chat.readiness import Readiness
from app.services.chat.request_builder import RequestBuilder
from app.services.engine.futures import Future
from app.services.engine.service import EngineService
from app.services.engine.states import known_model


class AnswerLikelihood(QObject):
    """GUI thread."""

    def __init__(
        self,
        engine: EngineService,
        active: ActiveConversation,
        ready: Readiness,
        requests: RequestBuilder,
        notices: ChatNotices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._active = active
        self._ready = ready
        self._requests = requests
        self._notices = notices

    def ask(
        self,
        message_id: int,
        done: Callable[[Likelihood | Exception | None], None],
        progress: Callable[[PromptProgress | Looking], None],
    ) -> Future[Likelihood | None] | None:
        """Ask it of an answer; `done` hears None where something else stopped it. None, after saying why, where it
        can't be asked now.
        """
        stored = self._active.find(message_id)
        if stored is None or not (self._ready.is_free() and self._ready.has_model()):
            return None
        info = known_model(self._engine.state)
        if info is None:
            self._notices.noticed.emit("The model is still being loaded. Ask again when it is there.")
            return None
        path = [*self._active.before(stored), stored]
        chat = self._requests.build(path, stored.conversation_id, info, continues=True)
        return self._engine.likelihood(AnswerToScore(chat), partial(self._end, done), progress)

    def _end(self, done: Callable[[Likelihood | Exception | None], None], said: Likelihood | Exception | None) -> None:
        # An earlier answer's end is the end of what the context holds now, too.
        self._engine.look_at_slot()
        done(said)
