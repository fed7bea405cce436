"""The conversations that are kept, and what is on screen: one of them, and the messages along one way through it."""

import logging
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.messages import Role
from app.services.chat.notices import ChatNotices
from app.services.engine.states import OpenConversation
from app.storage.conversations import Conversation, ConversationStore, StoredMessage

_log = logging.getLogger(__name__)


class ActiveConversation(QObject):
    """GUI thread. Reads the store and writes nothing; raises what the store raises, but for `guard`."""

    listed = Signal(object)
    """tuple[Conversation, ...]: all that are kept, newest first"""
    opened = Signal(object)
    """OpenConversation, or None for a new, empty conversation"""
    path_changed = Signal(object)
    """OpenConversation: the one on screen, which goes another way from some message on"""
    message_added = Signal(object)
    """StoredMessage"""
    message_changed = Signal(object)
    """StoredMessage, whole"""
    switched = Signal(object)
    """int | None: the conversation that is on screen; None for a new one"""
    changed = Signal()
    """After any of these but `listed`: `path` is another one, or says something else"""

    def __init__(self, store: ConversationStore, notices: ChatNotices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._notices = notices
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

    def guard(self, act: Callable[[], object]) -> bool:
        """Run `act`. False when the disk refused, which is told, or when what it is about is not there any more."""
        try:
            act()
        except UserError as error:
            _log.warning("%s", error.sentence)
            self._notices.failed.emit(error)
            return False
        except LookupError:
            self.list_all()
            return False
        return True

    def list_all(self) -> tuple[Conversation, ...]:
        """Say which conversations there are now."""
        conversations = self._store.all()
        self.listed.emit(conversations)
        return conversations

    def find(self, message_id: int) -> StoredMessage | None:
        return next((each for each in self._path if each.id == message_id), None)

    def before(self, stored: StoredMessage) -> list[StoredMessage]:
        """What comes before a message on screen."""
        return self._path[: self._path.index(stored)]

    def to_last_question(self) -> list[StoredMessage]:
        """All down to the last question; empty where there is none."""
        ends = [index for index, each in enumerate(self._path) if each.message.role is Role.USER]
        return self._path[: ends[-1] + 1] if ends else []

    def show(self, conversation: Conversation | None, writing: Sequence[StoredMessage] = ()) -> None:
        """Show a conversation (None: a new one). `writing` are answers in it whose text is ahead of the disk."""
        self._conversation = conversation
        self._path = list(self._store.path(conversation.id)) if conversation is not None else []
        for each in writing:
            self._put(each)
        opened = OpenConversation(conversation, tuple(self._path)) if conversation is not None else None
        self.opened.emit(opened)
        self.switched.emit(self.conversation_id)
        self.changed.emit()

    def follow_path(self, writing: Sequence[StoredMessage] = ()) -> None:
        """The store goes another way through the conversation now: follow it. See `show`."""
        assert self._conversation is not None
        self._path = list(self._store.path(self._conversation.id))
        for each in writing:
            self._put(each)
        self.path_changed.emit(OpenConversation(self._conversation, tuple(self._path)))
        self.changed.emit()

    def begin(self, conversation: Conversation) -> None:
        """The new conversation has been stored as this one."""
        self._conversation = conversation
        self.switched.emit(conversation.id)

    def add(self, stored: StoredMessage) -> None:
        self._path.append(stored)
        self.message_added.emit(stored)
        self.changed.emit()

    def change(self, stored: StoredMessage) -> None:
        """A message is another one now, wherever it stands; nothing where it is not on screen."""
        if stored.conversation_id == self.conversation_id:
            self._put(stored)
            self.message_changed.emit(stored)
            self.changed.emit()

    def _put(self, stored: StoredMessage) -> None:
        self._path = [stored if each.id == stored.id else each for each in self._path]
