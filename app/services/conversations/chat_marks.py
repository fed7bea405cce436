"""What stands at the names of conversations: an answer is being written, has come, or waits for a person."""

from collections.abc import Mapping
from enum import StrEnum

from PySide6.QtCore import QObject, Signal, Slot

from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.running_replies import RunningReplies
from app.services.engine.states import Activity, Calling
from app.storage.conversations import MessageState, StoredMessage


class ChatMark(StrEnum):
    WRITING = "writing"
    ASKING = "asking"
    """A tool waits for a person's word."""
    UNSEEN = "unseen"
    """An answer has ended, and nobody has opened the conversation since."""


class ChatMarks(QObject):
    """GUI thread. Nothing is kept for the next start."""

    changed = Signal(object)
    """Mapping[int, ChatMark], by conversations"""
    finished = Signal(object)
    """StoredMessage: an answer has ended by itself, on screen or not"""
    asked = Signal(int)
    """conversation: a tool waits for a person's word now, on screen or not"""

    def __init__(self, replies: RunningReplies, active: ActiveConversation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._replies = replies
        self._active = active
        self._unseen: set[int] = set()
        self._marks: Mapping[int, ChatMark] = {}
        replies.changed.connect(self._look)
        replies.ended.connect(self._hear_end)
        active.switched.connect(self._look)

    @property
    def all(self) -> Mapping[int, ChatMark]:
        return self._marks

    @Slot(object)
    def _hear_end(self, stored: StoredMessage) -> None:
        if stored.state in (MessageState.COMPLETE, MessageState.FAILED):
            self._unseen.add(stored.conversation_id)
            self._look()
            self.finished.emit(stored)

    @Slot()
    def _look(self) -> None:
        self._unseen.discard(self._active.conversation_id or 0)
        running = {number: _mark(activity) for number, activity in self._replies.conversations.items()}
        before, self._marks = self._marks, {**dict.fromkeys(self._unseen, ChatMark.UNSEEN), **running}
        if self._marks != before:
            self.changed.emit(self._marks)
        for number, mark in running.items():
            if mark is ChatMark.ASKING and before.get(number) is not mark:
                self.asked.emit(number)


def _mark(activity: Activity) -> ChatMark:
    return ChatMark.ASKING if isinstance(activity, Calling) and activity.asks else ChatMark.WRITING
