"""The conversation on screen: what is sent, and what is done with conversations as wholes."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.core.events import Peeked
from app.core.messages import Attachment, DocumentPart, MediaPart, Message, Part, Role, TextPart
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.answer_likelihood import AnswerLikelihood
from app.services.chat.answer_with_model import AnswerWithModel
from app.services.chat.chat_passages import ChatPassages, Lookup
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.document_order import DocumentOrder
from app.services.chat.message_versions import MessageVersions
from app.services.chat.notices import ChatNotices
from app.services.chat.read_ahead import ReadAhead
from app.services.chat.readiness import Readiness
from app.services.chat.request_builder import RequestBuilder
from app.services.chat.running_replies import RunningReplies
from app.services.chat.side_by_side import SideBySide
from app.services.chat.streaming_message import StreamingMessage
from app.services.chat.tool_loops import ToolLoops
from app.services.chat.tool_prices import ToolPrices
from app.services.documents.cited_documents import with_cited_documents
from app.services.engine.futures import Future
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelReady, ModelResting
from app.services.runtime.settings_service import SettingsService
from app.services.tools.servers import ToolServers
from app.storage.conversations import Conversation, ConversationStore, MessageState, StoredMessage
from app.storage.options import OptionsStore

_TITLE_CHARS = 60


class ChatController(QObject):
    """GUI thread. It decides what is done; who wants to know what came of it listens to the parts it is made of."""

    peeked = Signal(object)
    """Peeked"""

    def __init__(
        self,
        store: ConversationStore,
        engine: EngineService,
        settings: SettingsService,
        options: OptionsStore,
        servers: ToolServers | None = None,
        lookup: Lookup | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Without `servers` there are no tools, and without `lookup` no passages of documents."""
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._settings = settings
        self._peek: Future[Peeked] | None = None
        self.notices = ChatNotices(self)
        self.active = ActiveConversation(store, self.notices, self)
        self.options = ConversationOptions(options, self.notices, self)
        offered = (
            ConversationTools(servers, options, self.options, settings, self.notices, self)
            if servers is not None
            else None
        )
        self.requests = RequestBuilder(settings, self.options, offered)
        """What the engine is asked for a conversation."""
        self.document_order = DocumentOrder(options, self)
        self.passages: ChatPassages | None = None
        """Of documents, for questions."""
        if lookup is not None:
            self.passages = ChatPassages(store, self.active, self.options, self.notices, lookup, self)
        self.replies = RunningReplies(engine, self.requests, self.active, self.notices, offered, self.passages, self)
        self.tools: ToolLoops | None = None
        """What answers ask to be called; None where there are no tools, as the next two."""
        self.read_ahead: ReadAhead | None = None
        self.prices: ToolPrices | None = None
        if offered is not None:
            self.tools = ToolLoops(store, offered, self.replies, self.active, self.notices, engine, self)
            self.read_ahead = ReadAhead(store, engine, self.replies, self.requests, settings, self)
            self.prices = ToolPrices(offered, self.requests, self.active, engine, self)
        self._ready = Readiness(engine, self.replies, self.notices)
        self.versions = MessageVersions(store, self.options, self.active, self._ready, self._show, self._begin, self)
        """Of the messages on screen."""
        self.side_by_side = SideBySide(store, self.replies, self.active, self._ready, self)
        self.answer_with = AnswerWithModel(engine, self.replies, self.active, self._ready, self._answer_again, self)
        self.likelihood = AnswerLikelihood(engine, self.active, self._ready, self.requests, self.notices, self)
        engine.state_changed.connect(self._engine_changed)

    def refresh(self) -> None:
        """Somebody else has written conversations: tell which there are now."""
        self.active.guard(self.active.list_all)

    def peek(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Ask what sending this would read; `peeked` answers, unless the engine is busy or has no model."""
        state = self._engine.state
        if not self.replies.is_busy and isinstance(state, ModelReady):
            question = self.question(text or " ", attachments, self.active.path)
            request = self.requests.build(self.active.path, self.active.conversation_id, state.info, question)
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
        self.active.guard(self._store.mark_interrupted)
        self.active.guard(self._show_last)

    def new_conversation(self) -> None:
        self.active.guard(lambda: self._show(None))

    def open_conversation(self, conversation_id: int) -> None:
        self.active.guard(lambda: self._show(self._store.get(conversation_id)))

    def open_message(self, conversation_id: int, message_id: int) -> None:
        """Show the conversation in the version that has this message."""

        def act() -> None:
            on_path = any(each.id == message_id for each in self._store.path(conversation_id))
            if not on_path and not self.replies.is_writing_in(conversation_id):
                self._store.tree.show(message_id)
            self._show(self._store.get(conversation_id))

        self.active.guard(act)

    def rename(self, conversation_id: int, title: str) -> None:
        def act() -> None:
            self._store.rename(conversation_id, title)
            self.active.list_all()

        self.active.guard(act)

    def delete(self, conversation_id: int) -> None:
        """Put a conversation away; `undo_delete` brings it back."""

        def act() -> None:
            self._store.delete(conversation_id)
            self.replies.stop_in(conversation_id)
            # What the model had read of it goes at once; should the deletion be undone, it is read again.
            self._engine.snapshots.forget(str(conversation_id))
            self.active.list_all()
            if self.active.conversation_id == conversation_id:
                self._show(None)

        self.active.guard(act)

    def undo_delete(self, conversation_id: int) -> None:
        def act() -> None:
            self._store.restore(conversation_id)
            self.active.list_all()
            self._show(self._store.get(conversation_id))

        self.active.guard(act)

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> bool:
        """Ask; False when nothing was taken, and text and attachments should stay where they are."""
        if not self._can_ask(self.active.conversation_id, text, attachments):
            return False
        if not self.active.guard(lambda: self._ask(text, attachments)):
            return False
        # The question is kept; should the answer's place be refused, it can be asked for again.
        self.active.guard(self._begin)
        return True

    def send_to(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...] = ()) -> int | None:
        """Ask in a conversation, on screen or not (None: in a new one). Where it went; None when nothing was taken."""
        if conversation_id == self.active.conversation_id:
            return self.active.conversation_id if self.send(text, attachments) else None
        if not self._can_ask(conversation_id, text, attachments):
            return None
        asked: list[int] = []
        self.active.guard(lambda: asked.append(self._ask_unseen(conversation_id, text, attachments)))
        return asked[0] if asked else None

    def question(self, text: str, attachments: Sequence[Attachment], path: Sequence[StoredMessage]) -> Message:
        """What is sent behind `path`. Its whole documents can be cited; where they begin a conversation, they stand in
        one order, whichever they came in.
        """
        in_order = attachments if path else self.document_order.arranged(attachments)
        return with_cited_documents(question_of(text, in_order), (each.message for each in path))

    def regenerate(self) -> None:
        """Answer the last question again; the answer that is there stays as another version."""
        self._answer_again(self.active.to_last_question())

    def regenerate_answer(self, message_id: int) -> None:
        """Answer again where this answer stands; it stays as another version, with all below it."""
        stored = self.active.find(message_id)
        if stored is not None and self._ready.is_quiet(stored.conversation_id):
            self._answer_again(self.active.before(stored))

    def continue_answer(self) -> None:
        """Let the last answer go on from where it ends, or from what its tools gave."""
        last = self.active.head
        if last is not None and last.message.role is Role.TOOL:
            if self._ready.can_begin(last.conversation_id):
                self.active.guard(self._begin)
            return
        if last is not None and last.message.tool_calls and self.tools is not None:
            self.tools.ask_again(last.id)
            return
        if last is None or last.message.role is not Role.ASSISTANT or not last.message.text:
            return
        if self._ready.can_begin(last.conversation_id) and self._ready.can_continue():
            self.active.guard(lambda: self._continue(last))

    def keeps_on_disk(self, conversation_id: int) -> bool | None:
        """Whether what the model has read of a conversation is kept for the next start; None where it is of none."""
        if not self._settings.settings.snapshots.on_disk:
            return None
        return self.options.keeps_on_disk(conversation_id)

    def set_keeps_on_disk(self, conversation_id: int, keeps: bool) -> None:
        """Whether what the model has read of a conversation may be kept for the next start. What is kept goes at once
        where it may not.
        """
        self.options.set_keeps_on_disk(conversation_id, keeps)
        if not self.options.keeps_on_disk(conversation_id):
            self._engine.snapshots.forget(str(conversation_id))

    def _show_last(self) -> None:
        conversations = self.active.list_all()
        self._show(next((each for each in conversations if each.archived_at is None), None))

    def _can_ask(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...]) -> bool:
        if not (text.strip() or attachments) or self.replies.is_writing_in(conversation_id):
            return False
        return self._ready.has_model() and self._ready.takes(text, attachments)

    def _create(self, text: str, attachments: tuple[Attachment, ...]) -> Conversation:
        return self._store.create(first_title(text, attachments, self.tr("A picture")))

    def _ask(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        if self.active.conversation is None:
            made = self._create(text, attachments)
            # Those who hear that it is on screen ask for its options.
            self.options.stored(made.id)
            self.active.begin(made)
            if self.tools is not None:
                self.tools.tools.begin(made.id)
        path = tuple(self.active.path)
        self._append(self.question(text, attachments, path))
        if not path:
            self.document_order.note(attachments)

    def _ask_unseen(self, conversation_id: int | None, text: str, attachments: tuple[Attachment, ...]) -> int:
        """In a conversation that is not on screen: it is shown when somebody goes there."""
        if conversation_id is None:
            conversation_id = self._create(text, attachments).id
            if self.tools is not None:
                self.tools.tools.begin(conversation_id)
        elif self._store.get(conversation_id) is None:
            raise LookupError(f"conversation {conversation_id} was deleted")
        path = self._store.path(conversation_id)
        head = path[-1].id if path else None
        question = self._store.append(conversation_id, head, self.question(text, attachments, path))
        if not path:
            self.document_order.note(attachments)
        empty = self._store.append(conversation_id, question.id, Message(Role.ASSISTANT), MessageState.WRITING)
        self.active.list_all()
        self.replies.start(StreamingMessage(self._store, empty), (*path, question))
        return conversation_id

    def _answer_again(self, path: list[StoredMessage]) -> None:
        """A new answer below `path`."""
        if path and self._ready.can_begin(path[-1].conversation_id):
            self.active.guard(lambda: self._regenerate(path))

    def _regenerate(self, path: list[StoredMessage]) -> None:
        self._store.set_head(path[-1].conversation_id, path[-1].id)
        self.active.follow_path()
        self._begin()

    def _continue(self, last: StoredMessage) -> None:
        self._store.save_answer(last.id, last.message, MessageState.WRITING, last.figures)
        writing = replace(last, state=MessageState.WRITING)
        self.active.change(writing)
        self.replies.start(StreamingMessage(self._store, writing, before=last), tuple(self.active.path))

    def _begin(self) -> None:
        path = tuple(self.active.path)
        stored = self._append(Message(Role.ASSISTANT), MessageState.WRITING)
        self.active.list_all()
        self.replies.start(StreamingMessage(self._store, stored), path)

    def _append(self, message: Message, state: MessageState = MessageState.COMPLETE) -> StoredMessage:
        """Below the last message on screen."""
        conversation_id, head = self.active.conversation_id, self.active.head
        assert conversation_id is not None
        stored = self._store.append(conversation_id, head.id if head is not None else None, message, state)
        self.active.add(stored)
        return stored

    @Slot(object)
    def _engine_changed(self, state: object) -> None:
        match state:
            case ModelReady(_, notes, error, slot):
                self._tell_load(error)
                for note in notes:
                    self.notices.noticed.emit(note)
                if slot is None and not self.replies.is_busy and self.active.conversation is not None:
                    self._engine.snapshots.bring_back(str(self.active.conversation.id))
            case ModelResting(_, error) | ModelFailed(_, error):
                self._tell_load(error)

    def _tell_load(self, error: UserError | None) -> None:
        if error is not None:
            self.notices.load_failed.emit(error)

    def _show(self, conversation: Conversation | None) -> None:
        writing = self.replies.answers_in(conversation.id) if conversation is not None else ()
        self.active.show(conversation, [each.stored for each in writing])


def question_of(text: str, attachments: Sequence[Attachment]) -> Message:
    """Media come first: models are trained that way. Then documents; what is written about both stays at the end."""
    media = tuple(each for each in attachments if isinstance(each, MediaPart))
    documents = tuple(each for each in attachments if isinstance(each, DocumentPart))
    words: tuple[Part, ...] = (TextPart(text),) if text.strip() or not attachments else ()
    return Message(Role.USER, (*media, *documents, *words))


def first_title(text: str, attachments: Sequence[Attachment], nameless: str) -> str:
    """Of a conversation that begins with it, until the model finds a better one; `nameless` is for an attachment
    without a name.
    """
    said = text if text.strip() else attachments[0].name or nameless
    line = " ".join(said.split())
    return line if len(line) <= _TITLE_CHARS else line[: _TITLE_CHARS - 1].rstrip() + "…"
