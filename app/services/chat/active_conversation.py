"""What is on screen: a conversation, and the messages along one way through it."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.core.messages import Role
from app.services.engine.states import OpenConversation
from app.storage.conversations import Conversation, ConversationStore, StoredMessage


class ActiveConversation(QObject):
    """GUI thread. Reads the store and writes nothing; raises what the store raises."""

    opened = Signal(object)
    """OpenConversation, or None for a new, empty conversation"""
    led = Signal(object)
    """OpenConversation: the same one, which goes another way from some message on"""
    added = Signal(object)
    """StoredMessage"""
    changed = Signal(object)
    """StoredMessage, whole"""

    def __init__(self, store: ConversationStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._conversation: Conversation | None = None
        self._path: list[StoredMessage] = []

    @property
    def conversation(self) -> Conversation | None:
        """None for a new one."""
        return self._conversation

    @property
    def conversation_id(self) -> int | None:
        return None if self._conversation is None else self._conversation.id

    @property
    def path(self) -> Sequence[StoredMessage]:
        return self._path

    @property
    def head(self) -> StoredMessage | None:
        """The last message; None where there is none."""
        return self._path[-1] if self._path else None

    def find(self, message_id: int) -> StoredMessage | None:
        return next((each for each in self._path if each.id == message_id), None)

    def before(self, stored: StoredMessage) -> list[StoredMessage]:
        """What comes before a message on screen."""
        return self._path[: self._path.index(stored)]

    def to_last_question(self) -> list[StoredMessage]:
        """All down to the last question; empty where there is none."""
        ends = [index for index, each in enumerate(self._path) if each.message.role is Role.USER]
        return self._path[: ends[-1] + 1] if ends else []

    def show(self, conversation: Conversation | None, writing: StoredMessage | None = None) -> None:
        """Show a conversation (None: a new one). `writing` is an answer whose text is ahead of the disk."""
        self._conversation = conversation
        if conversation is None:
            self._path = []
            self.opened.emit(None)
            return
        self._path = list(self._store.path(conversation.id))
        if writing is not None and writing.conversation_id == conversation.id:
            self._put(writing)
        self.opened.emit(OpenConversation(conversation, tuple(self._path)))

    def lead(self) -> None:
        """The store goes another way through the conversation now: follow it."""
        assert self._conversation is not None
        self._path = list(self._store.path(self._conversation.id))
        self.led.emit(OpenConversation(self._conversation, tuple(self._path)))

    def begin(self, conversation: Conversation) -> None:
        """The new conversation has been stored as this one."""
        self._conversation = conversation

    def add(self, stored: StoredMessage) -> None:
        self._path.append(stored)
        self.added.emit(stored)

    def change(self, stored: StoredMessage) -> None:
        """A message is another one now, wherever it stands; nothing where it is not on screen."""
        if stored.conversation_id == self.conversation_id:
            self._put(stored)
            self.changed.emit(stored)

    def _put(self, stored: StoredMessage) -> None:
        self._path = [stored if each.id == stored.id else each for each in self._path]
