"""A better title than the first line of the question: made by the model when nobody wants anything else of it."""

import logging
import re
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.core.events import Finished, FinishReason
from app.core.messages import Message, Role
from app.core.reasoning import at_once
from app.core.requests import ChatRequest
from app.core.speculation import DraftFigures
from app.services.chat.chat_controller import ChatController
from app.services.chat.request_builder import RequestBuilder
from app.services.engine.futures import Reply
from app.services.engine.service import EngineService
from app.services.engine.states import Generating, ModelReady, ReplyFailed, ReplyUpdate
from app.services.runtime.debounce import Debounce
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore, MessageState, StoredMessage, TitledBy

_log = logging.getLogger(__name__)

_CALM_MS = 2_000
_TOKENS = 16
_QUESTIONS = 3
"""A conversation that is longer and still has the program's title keeps it."""
_HELPED = 1.1
"""A lone answer that drafts make so many times as fast would lose more by a title beside it than the title gains."""
_LONGEST = 60
_ASKING = (
    "Write a title for this conversation, in its language: at most six words, without quotation marks. "
    "Answer with the title alone."
)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_CITED = re.compile(r" ?\[\d+(?:, ?\d+)*\]")
"""Of passages: nothing stands beside a title."""
_LABEL = re.compile(r"^(?:title|titel|titre|título|titolo)\s*[::]\s*", re.IGNORECASE)
_FRAME = " \t#*_`~>-–—\"'“”„‚‘’«»‹›「」『』.。,;:"


class TitleMaker(QObject):
    """GUI thread. The request goes on from the conversation itself: the model reads a line, and nothing is lost."""

    titled = Signal(int)
    """conversation"""

    def __init__(
        self,
        store: ConversationStore,
        engine: EngineService,
        settings: SettingsService,
        controller: ChatController,
        requests: RequestBuilder,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._settings = settings
        self._controller = controller
        self._requests = requests
        self._waiting: list[int] = []
        """Conversations that were answered, the last one first."""
        self._asked: int | None = None
        """The one for which `_reply` is a title."""
        self._reply: Reply | None = None
        self.calm = Debounce(_CALM_MS, self.make, self)
        """A moment's rest, to ask then."""
        controller.replies.ended.connect(self._hear_answer)
        controller.replies.changed.connect(self._hear_replies)

    @Slot(object)
    def _hear_answer(self, answer: StoredMessage) -> None:
        self._waiting = [each for each in self._waiting if each != answer.conversation_id]
        if answer.state is MessageState.COMPLETE:
            self._waiting.insert(0, answer.conversation_id)
        self.calm.start()

    @Slot()
    def _hear_replies(self) -> None:
        """No answer waits for a title."""
        is_free = self._is_free()
        if self._reply is not None and not (is_free and not self._controller.replies.is_writing_in(self._asked)):
            self._reply.cancel()
        if not is_free:
            self.calm.stop()
        elif self._waiting and not self.calm.isActive():
            self.calm.start()

    def _is_free(self) -> bool:
        """Whether nothing is being written, or so little that one more goes beside it, and ends no drafts that help."""
        state, written = self._engine.state, self._controller.replies.conversations
        match list(written.values()):
            case []:
                return True
            case [Generating(drafting=DraftFigures(gain=gain))] if gain > _HELPED:
                return False
        return isinstance(state, ModelReady) and len(written) < state.info.n_parallel

    def close(self) -> None:
        """Ask for nothing more: the engine is about to end."""
        self.calm.stop()
        self._waiting = []

    @Slot()
    def make(self) -> None:
        """Ask for a title of the conversation that was answered last, if it wants one and there is room for that."""
        replies = self._controller.replies
        number = next((each for each in self._waiting if not replies.is_writing_in(each)), None)
        if number is None or self._reply is not None or not self._is_free():
            return
        self._waiting.remove(number)
        try:
            request = self._request(number)
        except UserError as error:
            _log.warning("%s", error.sentence)
            request = None
        if request is not None:
            self._asked = number
            # Alone, it gives way to all that is asked; beside answers, it is read after them.
            self._reply = self._engine.generate(request, self._hear, idle=not replies.is_busy, visits=replies.is_busy)
        else:
            self._go_on()

    def _go_on(self) -> None:
        if self._waiting:
            self.calm.start()

    def _request(self, conversation_id: int) -> ChatRequest | None:
        state = self._engine.state
        if not isinstance(state, ModelReady) or state.info.ref.is_guide:
            return None
        if not self._settings.settings.interface.model_titles or not self._wants_title(conversation_id):
            return None
        path = self._store.path(conversation_id)
        questions = [each for each in path if each.message.role is Role.USER]
        if not path or not path[-1].message.text or len(questions) > _QUESTIONS:
            return None
        request = self._requests.build(path, conversation_id, state.info, Message.of(Role.USER, _ASKING))
        return replace(
            request,
            sampling=replace(request.sampling, temperature=0.0, max_tokens=_TOKENS),
            template_args={**request.template_args, **at_once(state.info.efforts)},
        )

    def _wants_title(self, conversation_id: int) -> bool:
        conversation = self._store.get(conversation_id)
        return conversation is not None and conversation.titled_by is TitledBy.PROGRAM

    def _hear(self, said: ReplyUpdate | ReplyFailed) -> None:
        match said:
            case ReplyUpdate(Finished() as finished):
                self._reply = None
                self._take(finished)
            case ReplyFailed():
                # The first line of the question does as well; the next one has its turn.
                self._reply = self._asked = None
                self._go_on()

    def _take(self, finished: Finished) -> None:
        conversation_id, self._asked = self._asked, None
        if conversation_id is None:
            return
        if finished.reason is FinishReason.CANCELLED and self._controller.replies.is_busy:
            # An answer began: it may be asked for beside that.
            self._waiting.insert(0, conversation_id)
        self._go_on()
        if finished.reason not in (FinishReason.STOP, FinishReason.LENGTH):
            return
        title = clean_title(finished.text, cut_off=finished.reason is FinishReason.LENGTH)
        try:
            # The user may have typed one meanwhile.
            if not title or not self._wants_title(conversation_id):
                return
            self._store.rename(conversation_id, title, TitledBy.MODEL)
        except UserError as error:
            _log.warning("%s", error.sentence)
            return
        self._controller.refresh()
        self.titled.emit(conversation_id)


def clean_title(text: str, *, cut_off: bool = False) -> str:
    """One line without reasoning, Markdown, quotation marks or a label; empty where that leaves nothing to read.

    With `cut_off` its last word may be half a word.
    """
    lines = (line.strip(_FRAME) for line in _CITED.sub("", _THOUGHT.sub("", text)).splitlines())
    line = next((each for each in lines if re.search(r"\w", each)), "")
    line = " ".join(_LABEL.sub("", line).strip(_FRAME).replace("**", "").replace("`", "").split())
    if cut_off and " " in line:
        line = line.rsplit(" ", 1)[0].rstrip(_FRAME)
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rsplit(" ", 1)[0].rstrip(_FRAME) + "…"
    return line
