"""Several answers to one question, written at once, until one of them is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.messages import Message, Role
from app.core.preset import Preset
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.readiness import Readiness
from app.services.chat.reply_controller import Variant
from app.services.chat.running_replies import RunningReplies
from app.services.chat.streaming_message import StreamingMessage
from app.storage.conversations import ConversationStore, MessageState, StoredMessage


@dataclass(frozen=True, slots=True)
class Column:
    """One of the answers."""

    answer: StoredMessage
    preset: Preset | None = None
    """What it is answered by; None where that is what is set for the conversation."""


Columns = tuple[Column, ...]


class SideBySide(QObject):
    """GUI thread. All are versions of one answer; the first is the one that is kept where nobody decides, also when the
    program ends. Their prompt is read once, as far as it is the same.
    """

    changed = Signal(object)
    """Columns in the conversation on screen, with what has been written so far; empty where there are none. Before the
    messages are shown."""

    def __init__(
        self,
        store: ConversationStore,
        replies: RunningReplies,
        active: ActiveConversation,
        ready: Readiness,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._replies = replies
        self._active = active
        self._ready = ready
        self._all: Mapping[int, Columns] = {}
        """By conversations."""
        self._told: Columns = ()
        # Before anybody else: the answers stand in their columns, and not among the messages.
        active.opened.connect(self._look)
        active.path_changed.connect(self._look)
        active.message_added.connect(self._look)
        replies.ended.connect(self._hear_end)

    @property
    def columns(self) -> Columns:
        """Those in the conversation on screen, with what has been written so far."""
        writing = {each.message_id: each.stored for each in self._replies.answers_in(self._active.conversation_id)}
        return tuple(Column(writing.get(each.answer.id, each.answer), each.preset) for each in self._told)

    def begin(self, message_id: int, presets: Sequence[Preset | None]) -> bool:
        """Write as many answers where this one stands, each by its preset. False when nothing was begun."""
        stored = self._active.find(message_id)
        return stored is not None and self._begin(self._active.before(stored), presets)

    def begin_last(self, presets: Sequence[Preset | None]) -> bool:
        """The same to the last question."""
        return self._begin(self._active.to_last_question(), presets)

    def keep(self, message_id: int) -> None:
        """That one is the answer now; the others are its other versions, as far as they have come."""
        number, columns = self._active.conversation_id, self._told
        if number is None or not any(each.answer.id == message_id for each in columns):
            return
        self._forget(number)
        self._active.guard(lambda: self._show(message_id))
        # Now they are known to be other versions.
        for each in columns:
            if each.answer.id != message_id:
                self._replies.stop_one(each.answer.id)

    def stop(self, message_id: int) -> None:
        self._replies.stop_one(message_id)

    @Slot(object)
    def forget(self, conversations: frozenset[int]) -> None:
        """These were removed for good."""
        self._all = {number: columns for number, columns in self._all.items() if number not in conversations}

    def _begin(self, path: Sequence[StoredMessage], presets: Sequence[Preset | None]) -> bool:
        if not path or not self._ready.can_begin(path[-1].conversation_id):
            return False
        return self._active.guard(lambda: self._start(path, presets))

    def _start(self, path: Sequence[StoredMessage], presets: Sequence[Preset | None]) -> None:
        question, number = path[-1], path[-1].conversation_id
        empty = Message(Role.ASSISTANT)
        answers = self._store.append_versions(number, question.id, empty, len(presets), MessageState.WRITING)
        columns = tuple(Column(answer, preset) for answer, preset in zip(answers, presets, strict=True))
        self._all = {**self._all, number: columns}
        self._active.follow_path()
        self._active.list_all()
        for place, each in enumerate(columns):
            self._replies.start(StreamingMessage(self._store, each.answer), path, Variant(place, each.preset))

    def _show(self, message_id: int) -> None:
        self._store.tree.show(message_id)
        writing = self._replies.answers_in(self._active.conversation_id)
        self._active.follow_path([each.stored for each in writing])

    def _forget(self, number: int) -> None:
        self._all = {each: columns for each, columns in self._all.items() if each != number}
        self._look()

    @Slot(object)
    def _hear_end(self, stored: StoredMessage) -> None:
        columns = self._all.get(stored.conversation_id, ())
        if any(each.answer.id == stored.id for each in columns):
            columns = tuple(replace(each, answer=stored) if each.answer.id == stored.id else each for each in columns)
            self._all = {**self._all, stored.conversation_id: columns}
            if stored.conversation_id == self._active.conversation_id:
                self._told = columns

    @Slot()
    def _look(self) -> None:
        """Whoever goes on with the first has kept it, and who goes to another version, that one."""
        number, head = self._active.conversation_id, self._active.head
        columns = self._all.get(number, ()) if number is not None else ()
        if columns and number is not None and (head is None or head.id != columns[0].answer.id):
            self._forget(number)
        elif columns != self._told:
            self._told = columns
            self.changed.emit(self.columns)
