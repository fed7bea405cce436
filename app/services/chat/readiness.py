"""Whether something can be asked now; where it can't, it is said why."""

from collections.abc import Iterable, Sequence

from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.messages import Attachment, DocumentPart, MediaPart
from app.core.overflow import reckoned
from app.core.sentence import Sentence
from app.services.chat.notices import ChatNotices
from app.services.chat.running_replies import RunningReplies
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, NoModel, known_model

_INSTEAD = "Remove what it can't take, or choose another model."


class Readiness:
    """GUI thread. Every answer of "no" comes with a notice."""

    def __init__(self, engine: EngineService, replies: RunningReplies, notices: ChatNotices) -> None:
        self._engine = engine
        self._replies = replies
        self._notices = notices

    def is_quiet(self, conversation_id: int) -> bool:
        """Whether no answer is being written in a conversation."""
        writing = self._replies.is_writing_in(conversation_id)
        if writing:
            self._notices.noticed.emit("An answer is being written here. Stop it first, or wait until it ends.")
        return not writing

    def is_free(self) -> bool:
        """Whether no answer is being written anywhere."""
        busy = self._replies.is_busy
        if busy:
            self._notices.noticed.emit("Another answer is being written. Stop it first, or wait until it ends.")
        return not busy

    def has_model(self) -> bool:
        """Whether a model is there or will be."""
        match self._engine.state:
            case NoModel():
                self._notices.failed.emit(UserError("No model is loaded. Choose one at the top of the window first."))
                return False
            case ModelFailed(_, error):
                self._notices.failed.emit(error)
                return False
        return True

    def can_begin(self, conversation_id: int) -> bool:
        """Whether an answer can be begun in a conversation, as soon as the model is there."""
        return self.is_quiet(conversation_id) and self.has_model()

    def can_continue(self) -> bool:
        """Whether the model goes on from the middle of an answer."""
        info = known_model(self._engine.state)
        if info is None or info.continues:
            return True
        told = "The server of {name} can't go on from the middle of an answer. Have it written again."
        self._notices.failed.emit(UserError(told, name=info.name))
        return False

    def takes(self, text: str, attachments: Sequence[Attachment]) -> bool:
        """Whether the model reads so much, and sees where there are pictures; one that is still being loaded may."""
        info = known_model(self._engine.state)
        if info is not None and is_too_much(info, text, attachments):
            self._notices.failed.emit(UserError("This is too much for the guide; a larger model can read it."))
            return False
        media = [each for each in attachments if isinstance(each, MediaPart)]
        if info is not None and (why := info.refusal(media)):
            self._notices.failed.emit(UserError(Sentence.joined(why, _INSTEAD)))
            return False
        return True


def is_too_much(info: ModelInfo, text: str, attachments: Iterable[Attachment]) -> bool:
    """Whether a model can make nothing of a message, though its context may hold it: as far as can be reckoned."""
    if not info.longest_message:
        return False
    return reckoned(text) > info.longest_message or any(isinstance(each, DocumentPart) for each in attachments)
