"""The conversation on screen: what is sent, how the answer comes, and where both are kept."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.core.events import ModelInfo, Peeked, SlotStatus
from app.core.messages import Attachment, Message, Role
from app.core.requests import ChatRequest
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.active_options import ActiveOptions
from app.services.chat.answer_likelihood import AnswerLikelihood
from app.services.chat.answer_with_model import AnswerWithModel
from app.services.chat.conversation_changes import ConversationChanges
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.message_versions import MessageVersions
from app.services.chat.question import first_title, question_of
from app.services.chat.readiness import Readiness
from app.services.chat.reply_controller import ReplyController
from app.services.chat.request_builder import RequestBuilder
from app.services.chat.streaming_message import StreamingMessage
from app.services.engine.futures import Future
from app.services.engine.service import EngineService
from app.services.engine.states import (
    Activity,
    AnswerDelta,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelResting,
    NoModel,
    ToolCallGrew,
)
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import Conversation, ConversationStore, MessageState, StoredMessage
from app.storage.options import OptionsStore


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
    load_failed = Signal(object)
    """UserError: why a model is not there; of no interest once another one was loaded"""
    answer_failed = Signal(object)
    """UserError: why the answer on screen broke off, of which that answer tells all"""
    noticed = Signal(object)
    """A sentence."""
    slot_changed = Signal(object)
    """SlotStatus, or None without a model"""
    peeked = Signal(object)
    """Peeked"""

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
        self._engine = engine
        self._options = ConversationOptions(options)
        self._requests = RequestBuilder(settings, self._options)
        self._slot: SlotStatus | None = None
        self._peek: Future[Peeked] | None = None
        self._kept = ConversationChanges(store, self)
        self._kept.changed.connect(self.conversations_changed)
        self._kept.failed.connect(self.failed)
        self._screen = ActiveConversation(store, self)
        self._screen.opened.connect(self.opened)
        self._screen.led.connect(self.path_changed)
        self._screen.added.connect(self.message_added)
        self._screen.changed.connect(self.message_changed)
        self.options = ActiveOptions(self._options, self._screen, self._kept, engine, self)
        """Of the conversation on screen."""
        self._answering = ReplyController(engine, self._request_for, self)
        self._answering.grew.connect(self._grew)
        self._answering.ended.connect(self._screen.change)
        self._answering.ended.connect(self.answer_ended)
        self._answering.activity_changed.connect(self.activity_changed)
        self._answering.failed.connect(self.failed)
        self._answering.broke_off.connect(self._broke_off)
        self._answering.noticed.connect(self.noticed)
        self._answering.slot_told.connect(self._set_slot)
        self._ready = Readiness(engine, self._answering, self)
        self._ready.failed.connect(self.failed)
        self._ready.noticed.connect(self.noticed)
        self.versions = MessageVersions(
            store,
            self._options,
            self._screen,
            self._kept,
            self._ready,
            self._show,
            self._begin,
            self,
        )
        """Of the messages on screen."""
        self.answer_with = AnswerWithModel(engine, self._screen, self._ready, self._answer_again, self)
        self.answer_ended.connect(self.answer_with.hear_end)
        self.likelihood = AnswerLikelihood(engine, self._screen, self._ready, self._requests, self._set_slot, self)
        engine.state_changed.connect(self._engine_changed)

    @property
    def activity(self) -> Activity:
        return self._answering.activity

    @property
    def conversation(self) -> Conversation | None:
        """The one on screen; None for a new one."""
        return self._screen.conversation

    @property
    def messages(self) -> Sequence[StoredMessage]:
        """Those on screen, the first one first."""
        return self._screen.path

    @property
    def slot(self) -> SlotStatus | None:
        """What the context holds; None without a model."""
        return self._slot

    def refresh(self) -> None:
        """Somebody else has written conversations: tell which there are now."""
        self._kept.guard(self._kept.tell)

    def peek(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Ask what sending this would read; `peeked` answers, unless the engine is busy or has no model."""
        state = self._engine.state
        if self._answering.answer is None and isinstance(state, ModelReady):
            question = question_of(text or " ", attachments)
            request = self._requests.build(self._screen.path, self._screen.conversation_id, state.info, question)
            if self._peek is not None:
                self._peek.cancel()
            self._peek = self._engine.ask(lambda session, _: session.peek(request), self._hear_peek)

    def _hear_peek(self, said: Peeked | Exception) -> None:
        if isinstance(said, UserError):
            self.peeked.emit(Peeked(0, 0, said.sentence))
        elif isinstance(said, Peeked):
            self.peeked.emit(said)

    def start(self) -> None:
        """Show what was there at the end of the last run."""
        # A disk that is full still lets everything be read.
        self._kept.guard(self._store.mark_interrupted)
        self._kept.guard(self._show_last)

    def new_conversation(self) -> None:
        self._kept.guard(lambda: self._show(None))

    def open_conversation(self, conversation_id: int) -> None:
        self._kept.guard(lambda: self._show(self._store.get(conversation_id)))

    def open_message(self, conversation_id: int, message_id: int) -> None:
        """Show the conversation in the version that has this message."""

        def act() -> None:
            on_path = any(each.id == message_id for each in self._store.path(conversation_id))
            if not on_path and not self._answering.is_writing_in(conversation_id):
                self._store.tree.show(message_id)
            self._show(self._store.get(conversation_id))

        self._kept.guard(act)

    def rename(self, conversation_id: int, title: str) -> None:
        def act() -> None:
            self._store.rename(conversation_id, title)
            self._kept.tell()

        self._kept.guard(act)

    def delete(self, conversation_id: int) -> None:
        """Put a conversation away; `undo_delete` brings it back."""

        def act() -> None:
            if self._answering.is_writing_in(conversation_id):
                self.stop()
            self._store.delete(conversation_id)
            # What the model had read of it goes at once; should the deletion be undone, it is read again.
            self._engine.forget_conversation(str(conversation_id))
            self._kept.tell()
            if self._screen.conversation_id == conversation_id:
                self._show(None)

        self._kept.guard(act)

    def undo_delete(self, conversation_id: int) -> None:
        def act() -> None:
            self._store.restore(conversation_id)
            self._kept.tell()
            self._show(self._store.get(conversation_id))

        self._kept.guard(act)

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> bool:
        """Ask; False when nothing was taken, and text and attachments should stay where they are."""
        if not self._can_ask(text, attachments):
            return False
        if not self._kept.guard(lambda: self._ask(text, attachments)):
            return False
        # The question is kept; should the answer's place be refused, it can be asked for again.
        self._kept.guard(self._begin)
        return True

    def send_to(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...] = ()) -> int | None:
        """Ask in a conversation, on screen or not (None: in a new one). Where it went; None when nothing was taken."""
        if conversation_id == self._screen.conversation_id:
            return self._screen.conversation_id if self.send(text, attachments) else None
        if not self._can_ask(text, attachments):
            return None
        asked: list[int] = []
        self._kept.guard(lambda: asked.append(self._ask_unseen(conversation_id, text, attachments)))
        return asked[0] if asked else None

    def regenerate(self) -> None:
        """Answer the last question again; the answer that is there stays as another version."""
        self._answer_again(self._screen.to_last_question())

    def regenerate_answer(self, message_id: int) -> None:
        """Answer again where this answer stands; it stays as another version, with all below it."""
        stored = self._screen.find(message_id)
        if stored is not None and self._ready.is_quiet(stored.conversation_id):
            self._answer_again(self._screen.before(stored))

    def continue_answer(self) -> None:
        """Let the last answer go on from where it ends."""
        last = self._screen.head
        if last is None or last.message.role is not Role.ASSISTANT or not last.message.text:
            return
        if self._ready.is_quiet(last.conversation_id) and self._ready.can_begin():
            self._kept.guard(lambda: self._continue(last))

    def stop(self) -> None:
        """Stop the answer, in whatever phase it is. What was written stays."""
        self._answering.stop()

    def finish(self) -> None:
        """The engine is gone: an answer that is still open is kept as far as it came. Call last."""
        self._answering.finish()

    def _show_last(self) -> None:
        conversations = self._kept.tell()
        self._show(next((each for each in conversations if each.archived_at is None), None))

    def _can_ask(self, text: str, attachments: tuple[Attachment, ...]) -> bool:
        if not (text.strip() or attachments) or self._answering.answer is not None:
            return False
        return self._ready.has_model() and self._ready.takes(text, attachments)

    def _create(self, text: str, attachments: tuple[Attachment, ...]) -> Conversation:
        return self._store.create(first_title(text, attachments, self.tr("A picture")))

    def _ask(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        if self._screen.conversation is None:
            made = self._create(text, attachments)
            self._screen.begin(made)
            self._options.stored(made.id)
        self._append(question_of(text, attachments))

    def _ask_unseen(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...]) -> int:
        """In a conversation that is not on screen: it is shown when somebody goes there."""
        if conversation_id is None:
            conversation_id = self._create(text, attachments).id
        elif self._store.get(conversation_id) is None:
            raise LookupError(f"conversation {conversation_id} was deleted")
        path = self._store.path(conversation_id)
        head = path[-1].id if path else None
        question = self._store.append(conversation_id, head, question_of(text, attachments))
        empty = self._store.append(conversation_id, question.id, Message(Role.ASSISTANT), MessageState.WRITING)
        self._kept.tell()
        self._answering.start(StreamingMessage(self._store, empty))
        return conversation_id

    def _answer_again(self, path: list[StoredMessage]) -> None:
        """A new answer below `path`."""
        if path and self._ready.can_begin():
            self._kept.guard(lambda: self._regenerate(path))

    def _regenerate(self, path: list[StoredMessage]) -> None:
        self._store.set_head(path[-1].conversation_id, path[-1].id)
        self._screen.lead()
        self._begin()

    def _continue(self, last: StoredMessage) -> None:
        self._store.save_answer(last.id, last.message, MessageState.WRITING, last.figures)
        writing = replace(last, state=MessageState.WRITING)
        self._screen.change(writing)
        self._answering.start(StreamingMessage(self._store, writing, before=last))

    def _begin(self) -> None:
        stored = self._append(Message(Role.ASSISTANT), MessageState.WRITING)
        self._kept.tell()
        self._answering.start(StreamingMessage(self._store, stored))

    def _append(self, message: Message, state: MessageState = MessageState.COMPLETE) -> StoredMessage:
        """Below the last message on screen."""
        conversation_id, head = self._screen.conversation_id, self._screen.head
        assert conversation_id is not None
        stored = self._store.append(conversation_id, head.id if head is not None else None, message, state)
        self._screen.add(stored)
        return stored

    def _request_for(self, answer: StreamingMessage, model: ModelInfo) -> ChatRequest:
        path = self._prompt_path(answer)
        request = self._requests.build(path, answer.conversation_id, model, continues=answer.continues)
        # Whoever lets it go on wants the rest, however alike.
        return replace(request, stop_repetition=False) if answer.repeated else request

    def _prompt_path(self, answer: StreamingMessage) -> list[StoredMessage]:
        """The messages before the answer, and itself where it goes on, whatever conversation is on screen by now."""
        on_screen = self._screen.conversation_id == answer.conversation_id
        path = self._screen.path if on_screen else self._store.path(answer.conversation_id)
        return [each for each in path if each.id < answer.message_id + answer.continues]

    @Slot(object)
    def _grew(self, delta: AnswerDelta | ToolCallGrew) -> None:
        answer = self._answering.answer
        if answer is not None and self._screen.conversation_id == answer.conversation_id:
            self.answer_grew.emit(delta)

    @Slot(object)
    def _broke_off(self, error: UserError) -> None:
        head = self._screen.head
        is_told = head is not None and (head.figures or {}).get("error") == error.sentence
        (self.answer_failed if is_told and not error.detail else self.failed).emit(error)

    @Slot(object)
    def _engine_changed(self, state: object) -> None:
        match state:
            case ModelReady(info, notes, error, slot):
                self._set_slot(slot or SlotStatus(0, info.n_ctx))
                self._tell_load(error)
                for note in notes:
                    self.noticed.emit(note)
                if slot is None and self._answering.answer is None and self._screen.conversation is not None:
                    self._engine.bring_back(str(self._screen.conversation.id))
            case ModelLoading() | NoModel():
                self._set_slot(None)
            case ModelResting(_, error):
                self._set_slot(None)
                self._tell_load(error)
            case ModelFailed(_, error):
                self._set_slot(None)
                self._tell_load(error)

    def _tell_load(self, error: UserError | None) -> None:
        if error is not None:
            self.load_failed.emit(error)

    def _show(self, conversation: Conversation | None) -> None:
        answer = self._answering.answer
        self._screen.show(conversation, answer.stored if answer is not None else None)

    @Slot(object)
    def _set_slot(self, slot: SlotStatus | None) -> None:
        if slot != self._slot:
            self._slot = slot
            self.slot_changed.emit(slot)
