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
from app.services.chat.chat_controller import ChatController
from app.services.chat.request_builder import RequestBuilder
from app.services.engine.futures import Reply
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, ReplyFailed, ReplyUpdate
from app.services.runtime.debounce import Debounce
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore, MessageState, StoredMessage, TitledBy

_log = logging.getLogger(__name__)

_CALM_MS = 2_000
_TOKENS = 16
_QUESTIONS = 3
"""A conversation that is longer and still has the program's title keeps it."""
_LONGEST = 60
_ASKING = (
    "Write a title for this conversation, in its language: at most six words, without quotation marks. "
    "Answer with the title alone."
)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
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
        self._conversation_id: int | None = None
        self._reply: Reply | None = None
        self.calm = Debounce(_CALM_MS, self.make, self)
        """A moment's rest, to ask then."""
        controller.replies.ended.connect(self._hear_answer)
        controller.replies.changed.connect(self._hear_replies)

    @Slot(object)
    def _hear_answer(self, answer: StoredMessage) -> None:
        self._conversation_id = answer.conversation_id if answer.state is MessageState.COMPLETE else None
        self.calm.start()

    @Slot()
    def _hear_replies(self) -> None:
        if self._controller.replies.is_busy:
            self.calm.stop()
            if self._reply is not None:
                self._reply.cancel()

    def close(self) -> None:
        """Ask for nothing more: the engine is about to end."""
        self.calm.stop()
        self._conversation_id = None

    @Slot()
    def make(self) -> None:
        """Ask for a title of the conversation that was answered last, if it wants one and nothing else is going on."""
        if self._conversation_id is None or self._reply is not None or self._controller.replies.is_busy:
            return
        try:
            request = self._request(self._conversation_id)
        except UserError as error:
            _log.warning("%s", error.sentence)
            return
        if request is not None:
            self._reply = self._engine.generate(request, self._hear, idle=True)

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
                # The first line of the question does as well.
                self._reply = None

    def _take(self, finished: Finished) -> None:
        conversation_id, self._conversation_id = self._conversation_id, None
        if conversation_id is None or finished.reason not in (FinishReason.STOP, FinishReason.LENGTH):
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
    lines = (line.strip(_FRAME) for line in _THOUGHT.sub("", text).splitlines())
    line = next((each for each in lines if re.search(r"\w", each)), "")
    line = " ".join(_LABEL.sub("", line).strip(_FRAME).replace("**", "").replace("`", "").split())
    if cut_off and " " in line:
        line = line.rsplit(" ", 1)[0].rstrip(_FRAME)
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rsplit(" ", 1)[0].rstrip(_FRAME) + "…"
    return line
