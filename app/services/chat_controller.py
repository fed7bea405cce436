"""The conversation on screen: what is sent, how the answer comes, and where both are kept."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.core.events import ModelInfo, SlotStatus
from app.core.messages import Attachment, DocumentPart, ImagePart, Message, Part, Role, TextPart
from app.core.model_options import key_of
from app.core.overflow import Overflow
from app.core.requests import ChatRequest
from app.services.answering import Answering
from app.services.conversation_options import ConversationOptions
from app.services.engine_service import EngineService
from app.services.open_answer import OpenAnswer
from app.services.presets import Presets
from app.services.request_builder import RequestBuilder
from app.services.settings_service import SettingsService
from app.services.states import (
    Activity,
    AnswerDelta,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelResting,
    NoModel,
    OpenConversation,
    PeekUpdate,
    ToolCallGrew,
    known_model,
)
from app.services.versions import Versions
from app.storage.conversations import Conversation, ConversationStore, MessageState, StoredMessage
from app.storage.options import OptionsStore

_log = logging.getLogger(__name__)

_TITLE_CHARS = 60


class ChatController(QObject):
    """GUI thread. Widgets call its methods and show what its signals carry; it decides."""

    conversations_changed = Signal(object)
    """tuple[Conversation, ...], newest first"""
    opened = Signal(object)
    """OpenConversation, or None for a new, empty conversation"""
    message_added = Signal(object)
    """StoredMessage"""
    message_changed = Signal(object)
    """StoredMessage, whole"""
    path_changed = Signal(object)
    """OpenConversation: the one on screen, which goes another way from some message on"""
    answer_grew = Signal(object)
    """AnswerDelta or ToolCallGrew"""
    activity_changed = Signal(object)
    """Activity"""
    answer_ended = Signal(object)
    """StoredMessage: an answer as it stays, in whatever conversation; the engine is not free yet"""
    failed = Signal(object)
    """UserError"""
    noticed = Signal(str)
    slot_changed = Signal(object)
    """SlotStatus, or None without a model"""
    peeked = Signal(object)
    """Peeked"""
    options_changed = Signal()
    """The overflow policy or the sampling of this conversation or model"""

    def __init__(
        self,
        store: ConversationStore,
        engine: EngineService,
        settings: SettingsService,
        options: OptionsStore,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._options = ConversationOptions(options)
        self._requests = RequestBuilder(settings, self._options)
        self._versions = Versions(store, self._options)
        self._slot: SlotStatus | None = None
        self._engine = engine
        self._conversation: Conversation | None = None
        self._path: list[StoredMessage] = []
        self._peek_job = 0
        self._answering = Answering(engine, self._request_for, self)
        self._answering.grew.connect(self._grew)
        self._answering.ended.connect(self._ended)
        self._answering.ended.connect(self.answer_ended)
        self._answering.activity_changed.connect(self.activity_changed)
        self._answering.failed.connect(self.failed)
        self._answering.noticed.connect(self.noticed)
        self._answering.slot_told.connect(self._set_slot)
        engine.peeked.connect(self._hear_peek)
        engine.state_changed.connect(self._engine_changed)

    @property
    def activity(self) -> Activity:
        return self._answering.activity

    @property
    def conversation(self) -> Conversation | None:
        """The one on screen; None for a new one."""
        return self._conversation

    @property
    def slot(self) -> SlotStatus | None:
        """What the context holds; None without a model."""
        return self._slot

    # -- options -------------------------------------------------------------------------------------------------

    @property
    def overflow(self) -> Overflow:
        """What happens to the conversation on screen when the context is full."""
        return self._options.overflow(self._conversation_id)

    def set_overflow(self, policy: Overflow) -> None:
        self._guard(lambda: self._options.set_overflow(self._conversation_id, policy))
        self.options_changed.emit()

    @property
    def advice_of_model(self) -> Mapping[str, object]:
        """How the loaded model's file says that it is best sampled, by the names of `Sampling`'s fields."""
        info = known_model(self._engine.state)
        return info.sampling if info is not None else {}

    @property
    def sampling_of_model(self) -> Mapping[str, object]:
        """What is set for the loaded model alone, by the names of `Sampling`'s fields."""
        return self._options.sampling_of_model(self._model_name())

    def set_model_sampling(self, values: Mapping[str, object]) -> None:
        self._guard(lambda: self._options.set_sampling_of_model(self._model_name(), values))
        self.options_changed.emit()

    @property
    def sampling_of_conversation(self) -> Mapping[str, object]:
        return self._options.sampling_of_conversation(self._conversation_id)

    def refresh(self) -> None:
        """Somebody else has written conversations: tell which there are now."""

        def tell() -> None:
            self._tell_conversations()

        self._guard(tell)

    @property
    def presets(self) -> Presets:
        return self._options.presets

    @property
    def preset_id(self) -> str:
        """Of the preset of the conversation on screen; empty for none."""
        return self._options.preset_id(self._conversation_id)

    def set_preset(self, preset_id: str) -> None:
        """It holds from the next question on; empty for none."""
        self._guard(lambda: self._options.set_preset(self._conversation_id, preset_id))
        self.options_changed.emit()

    def set_conversation_sampling(self, values: Mapping[str, object]) -> None:
        self._guard(lambda: self._options.set_sampling_of_conversation(self._conversation_id, values))
        self.options_changed.emit()

    def keeps_on_disk(self, conversation_id: int) -> bool:
        """Whether what the model has read of a conversation may be kept for the next start."""
        return self._options.keeps_on_disk(conversation_id)

    def set_keeps_on_disk(self, conversation_id: int, keeps: bool) -> None:
        """Switching it off removes what is kept, at once."""

        def act() -> None:
            self._options.set_keeps_on_disk(conversation_id, keeps)
            if not keeps:
                self._engine.forget_conversation(str(conversation_id))

        self._guard(act)

    @property
    def _conversation_id(self) -> int | None:
        return None if self._conversation is None else self._conversation.id

    def peek(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Ask what sending this would read; `peeked` answers, unless the engine is busy or has no model."""
        state = self._engine.state
        if self._answering.answer is None and isinstance(state, ModelReady):
            question = _question(text or " ", attachments)
            request = self._requests.build(self._path, self._conversation_id, state.info, question)
            self._peek_job = self._engine.peek(request)

    @Slot(object)
    def _hear_peek(self, said: PeekUpdate) -> None:
        if said.job == self._peek_job and said.peeked is not None:
            self.peeked.emit(said.peeked)

    def start(self) -> None:
        """Show what was there at the end of the last run."""
        cut_off = self._store.mark_interrupted()
        if cut_off:
            self.noticed.emit(self.tr("The last run ended while an answer was being written. What had come is kept."))
        conversations = self._tell_conversations()
        self._show(next((each for each in conversations if each.archived_at is None), None))

    # -- conversations -------------------------------------------------------------------------------------------

    def new_conversation(self) -> None:
        self._guard(lambda: self._show(None))

    def open_conversation(self, conversation_id: int) -> None:
        self._guard(lambda: self._show(self._store.get(conversation_id)))

    def open_message(self, conversation_id: int, message_id: int) -> None:
        """Show the conversation in the version that has this message."""

        def act() -> None:
            on_path = any(each.id == message_id for each in self._store.path(conversation_id))
            if not on_path and not self._answering.is_writing_in(conversation_id):
                self._store.tree.show(message_id)
            self._show(self._store.get(conversation_id))

        self._guard(act)

    def rename(self, conversation_id: int, title: str) -> None:
        def act() -> None:
            self._store.rename(conversation_id, title)
            self._tell_conversations()

        self._guard(act)

    def delete(self, conversation_id: int) -> None:
        """Put a conversation away; `undo_delete` brings it back."""

        def act() -> None:
            if self._answering.is_writing_in(conversation_id):
                self.stop()
            self._store.delete(conversation_id)
            # What the model had read of it goes at once; should the deletion be undone, it is read again.
            self._engine.forget_conversation(str(conversation_id))
            self._tell_conversations()
            if self._conversation is not None and self._conversation.id == conversation_id:
                self._show(None)

        self._guard(act)

    def undo_delete(self, conversation_id: int) -> None:
        def act() -> None:
            self._store.restore(conversation_id)
            self._tell_conversations()
            self._show(self._store.get(conversation_id))

        self._guard(act)

    # -- messages ------------------------------------------------------------------------------------------------

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> bool:
        """Ask; False when nothing was taken, and text and attachments should stay where they are."""
        if not self._can_ask(text, attachments):
            return False
        if not self._guard(lambda: self._ask(text, attachments)):
            return False
        # The question is kept; should the answer's place be refused, it can be asked for again.
        self._guard(self._begin)
        return True

    def send_to(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...] = ()) -> int | None:
        """Ask in a conversation, on screen or not (None: in a new one). Where it went; None when nothing was taken."""
        if conversation_id == self._conversation_id:
            return self._conversation_id if self.send(text, attachments) else None
        if not self._can_ask(text, attachments):
            return None
        asked: list[int] = []
        self._guard(lambda: asked.append(self._ask_unseen(conversation_id, text, attachments)))
        return asked[0] if asked else None

    def regenerate(self) -> None:
        """Answer the last question again; the answer that is there stays as another version."""
        questions = [index for index, each in enumerate(self._path) if each.message.role is Role.USER]
        if questions:
            self._answer_again(self._path[: questions[-1] + 1])

    def regenerate_answer(self, message_id: int) -> None:
        """Answer again where this answer stands; it stays as another version, with all below it."""
        if (stored := self._free_message(message_id)) is not None:
            self._answer_again(self._path[: self._path.index(stored)])

    def continue_answer(self) -> None:
        """Let the last answer go on from where it ends."""
        last = self._path[-1] if self._path else None
        if last is None or last.message.role is not Role.ASSISTANT or not last.message.text:
            return
        if self._free_message(last.id) is not None and self._is_free() and self._can_answer():
            self._guard(lambda: self._continue(last))

    def stop(self) -> None:
        """Stop the answer, in whatever phase it is. What was written stays."""
        self._answering.stop()

    # -- versions ------------------------------------------------------------------------------------------------

    def edit(self, message_id: int, text: str) -> bool:
        """Put a version with this text beside a message on screen; a question is answered again.

        False when nothing was taken, and the text should stay where it is.
        """
        stored = self._free_message(message_id)
        if stored is None or not (text.strip() or stored.message.pictures or stored.message.documents):
            return False
        if text == stored.message.text:
            return True
        asks = stored.message.role is Role.USER
        if asks and not (self._is_free() and self._can_answer()):
            return False
        if asks and stored.message.pictures and not self._can_see():
            return False
        if not self._guard(lambda: self._edit(stored, text)):
            return False
        if asks:
            self._guard(self._begin)
        return True

    def walk(self, message_id: int, step: int) -> None:
        """Show the version of a message on screen that is `step` places further, if there is one."""
        if (stored := self._free_message(message_id)) is not None:
            self._guard(lambda: self._walk(stored, step))

    def branch(self, message_id: int) -> None:
        """Begin a new conversation with a copy of this one, down to the message."""
        if (stored := self._free_message(message_id)) is not None:
            self._guard(lambda: self._branch(stored))

    def delete_message(self, message_id: int) -> bool:
        """Put a message on screen away, with all below it; `undo_delete_message` brings it back. False: it was not."""
        stored = self._free_message(message_id)
        return stored is not None and self._guard(lambda: self._delete_message(stored))

    def undo_delete_message(self, message_id: int) -> None:
        self._guard(lambda: self._undo_delete_message(message_id))

    def _free_message(self, message_id: int) -> StoredMessage | None:
        """A message on screen that may be changed now; None after saying why not."""
        stored = next((each for each in self._path if each.id == message_id), None)
        if stored is not None and self._is_writing(stored.conversation_id):
            return None
        return stored

    def _is_writing(self, conversation_id: int) -> bool:
        """Whether an answer is being written there; then it is said that nothing else can happen."""
        writing = self._answering.is_writing_in(conversation_id)
        if writing:
            self.noticed.emit(self.tr("An answer is being written here. Stop it first, or wait until it ends."))
        return writing

    def _is_free(self) -> bool:
        """Whether an answer can be begun; otherwise it is said why not."""
        busy = self._answering.answer is not None
        if busy:
            self.noticed.emit(self.tr("Another answer is being written. Stop it first, or wait until it ends."))
        return not busy

    def _edit(self, stored: StoredMessage, text: str) -> None:
        self._versions.edit(stored, text)
        self._show_path()
        self._tell_conversations()

    def _walk(self, stored: StoredMessage, step: int) -> None:
        self._versions.walk(stored, step)
        self._show_path()

    def _branch(self, stored: StoredMessage) -> None:
        assert self._conversation is not None
        named = self._store.get(stored.conversation_id) or self._conversation
        title = self.tr("{title} (branch)").format(title=named.title) if named.title else ""
        made = self._versions.branch(stored, title)
        self._tell_conversations()
        self._show(self._store.get(made))

    def _delete_message(self, stored: StoredMessage) -> None:
        self._versions.delete(stored)
        self._show_path()

    def _undo_delete_message(self, message_id: int) -> None:
        conversation_id = self._versions.conversation_of(message_id)
        if self._is_writing(conversation_id):
            return
        self._versions.restore(message_id)
        if self._conversation_id == conversation_id:
            self._show_path()
        else:
            self._show(self._store.get(conversation_id))

    # -- the end -------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """The engine is gone: an answer that is still open is kept as far as it came. Call last."""
        self._answering.finish()

    def _can_answer(self) -> bool:
        match self._engine.state:
            case NoModel():
                self.failed.emit(UserError(self.tr("No model is loaded. Choose one at the top of the window first.")))
                return False
            case ModelFailed(_, error):
                self.failed.emit(error)
                return False
        return True

    def _can_see(self) -> bool:
        """A model that is still being loaded may."""
        info = known_model(self._engine.state)
        if info is not None and not info.sees:
            self.failed.emit(UserError(_blind(info)))
            return False
        return True

    def _can_ask(self, text: str, attachments: tuple[Attachment, ...]) -> bool:
        if not (text.strip() or attachments) or self._answering.answer is not None or not self._can_answer():
            return False
        return self._can_see() if any(isinstance(each, ImagePart) for each in attachments) else True

    def _title_of(self, text: str, attachments: tuple[Attachment, ...]) -> str:
        return _title(text if text.strip() else attachments[0].name or self.tr("A picture"))

    def _ask(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        if self._conversation is None:
            self._conversation = self._store.create(self._title_of(text, attachments))
            self._options.stored(self._conversation.id)
        message = _question(text, attachments)
        self._add(self._store.append(self._conversation.id, self._head(), message))

    def _ask_unseen(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...]) -> int:
        """In a conversation that is not on screen: it is shown when somebody goes there."""
        if conversation_id is None:
            conversation_id = self._store.create(self._title_of(text, attachments)).id
        elif self._store.get(conversation_id) is None:
            raise LookupError(f"conversation {conversation_id} was deleted")
        path = self._store.path(conversation_id)
        head = path[-1].id if path else None
        question = self._store.append(conversation_id, head, _question(text, attachments))
        empty = self._store.append(conversation_id, question.id, Message(Role.ASSISTANT), MessageState.WRITING)
        self._tell_conversations()
        self._answering.start(OpenAnswer(self._store, empty))
        return conversation_id

    def _answer_again(self, path: list[StoredMessage]) -> None:
        """A new answer below `path`."""
        if path and self._is_free() and self._can_answer():
            self._guard(lambda: self._regenerate(path))

    def _regenerate(self, path: list[StoredMessage]) -> None:
        assert self._conversation is not None
        self._store.set_head(self._conversation.id, path[-1].id)
        self._show_path()
        self._begin()

    def _continue(self, last: StoredMessage) -> None:
        self._store.save_answer(last.id, last.message, MessageState.WRITING, last.figures)
        writing = replace(last, state=MessageState.WRITING)
        self._path[-1] = writing
        self.message_changed.emit(writing)
        self._answering.start(OpenAnswer(self._store, writing, before=last))

    def _begin(self) -> None:
        assert self._conversation is not None
        empty = Message(Role.ASSISTANT)
        stored = self._store.append(self._conversation.id, self._head(), empty, MessageState.WRITING)
        self._add(stored)
        self._tell_conversations()
        self._answering.start(OpenAnswer(self._store, stored))

    def _add(self, stored: StoredMessage) -> None:
        self._path.append(stored)
        self.message_added.emit(stored)

    def _head(self) -> int | None:
        return self._path[-1].id if self._path else None

    def _request_for(self, answer: OpenAnswer, model: ModelInfo) -> ChatRequest:
        path = self._prompt_path(answer)
        return self._requests.build(path, answer.conversation_id, model, continues=answer.continues)

    def _prompt_path(self, answer: OpenAnswer) -> list[StoredMessage]:
        """The messages before the answer, and itself where it goes on, whatever conversation is on screen by now."""
        if self._conversation is not None and self._conversation.id == answer.conversation_id:
            path = self._path
        else:
            path = list(self._store.path(answer.conversation_id))
        return [each for each in path if each.id < answer.message_id + answer.continues]

    # -- the answer as it comes ----------------------------------------------------------------------------------

    @Slot(object)
    def _grew(self, delta: AnswerDelta | ToolCallGrew) -> None:
        answer = self._answering.answer
        if answer is not None and self._on_screen(answer.conversation_id):
            self.answer_grew.emit(delta)

    @Slot(object)
    def _ended(self, stored: StoredMessage) -> None:
        if self._on_screen(stored.conversation_id):
            self._path = [stored if each.id == stored.id else each for each in self._path]
            self.message_changed.emit(stored)

    @Slot(object)
    def _engine_changed(self, state: object) -> None:
        match state:
            case ModelReady(info, notes):
                self._set_slot(SlotStatus(0, info.n_ctx))
                for note in notes:
                    self.noticed.emit(note)
                if self._answering.answer is None and self._conversation is not None:
                    self._engine.bring_back(str(self._conversation.id))
            case ModelLoading() | NoModel() | ModelResting():
                self._set_slot(None)
            case ModelFailed(_, error):
                self._set_slot(None)
                self.failed.emit(error)

    def _model_name(self) -> str:
        info = known_model(self._engine.state)
        return key_of(info.path) if info is not None else ""

    # -- showing -------------------------------------------------------------------------------------------------

    def _show(self, conversation: Conversation | None) -> None:
        self._conversation = conversation
        if conversation is None:
            self._path = []
            self.opened.emit(None)
            return
        self._path = list(self._store.path(conversation.id))
        answer = self._answering.answer
        if answer is not None and answer.conversation_id == conversation.id:
            # The text in memory is ahead of the disk.
            self._path = [answer.stored if each.id == answer.message_id else each for each in self._path]
        self.opened.emit(OpenConversation(conversation, tuple(self._path)))

    def _show_path(self) -> None:
        """The conversation on screen was led another way."""
        assert self._conversation is not None
        self._path = list(self._store.path(self._conversation.id))
        self.path_changed.emit(OpenConversation(self._conversation, tuple(self._path)))

    def _on_screen(self, conversation_id: int) -> bool:
        return self._conversation is not None and self._conversation.id == conversation_id

    def _tell_conversations(self) -> tuple[Conversation, ...]:
        conversations = self._store.all()
        self.conversations_changed.emit(conversations)
        return conversations

    @Slot(object)
    def _set_slot(self, slot: SlotStatus | None) -> None:
        if slot != self._slot:
            self._slot = slot
            self.slot_changed.emit(slot)

    def _guard(self, act: Callable[[], None]) -> bool:
        """Run `act`; what the disk refuses is told, and False returned."""
        try:
            act()
        except UserError as error:
            _log.warning("%s", error.sentence)
            self.failed.emit(error)
            return False
        except LookupError:
            self._tell_conversations()
            return False
        return True


def _question(text: str, attachments: tuple[Attachment, ...]) -> Message:
    """Pictures come first: models are trained that way. Then documents; what is written about both stays at the end."""
    pictures = tuple(each for each in attachments if isinstance(each, ImagePart))
    documents = tuple(each for each in attachments if isinstance(each, DocumentPart))
    words: tuple[Part, ...] = (TextPart(text),) if text.strip() or not attachments else ()
    return Message(Role.USER, (*pictures, *documents, *words))


def _blind(info: ModelInfo) -> str:
    told = info.vision_problem or f"{info.name} can't see pictures: there is no mmproj file with it."
    return f"{told} Remove the pictures, or choose a model that sees."


def _title(text: str) -> str:
    """The first line of the first question, until the model finds a better one."""
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARS else line[: _TITLE_CHARS - 1].rstrip() + "…"
