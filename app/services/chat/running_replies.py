"""The answers that are being written, in whatever conversations, and which of them is on screen."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.chat_passages import ChatPassages
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.notices import ChatNotices
from app.services.chat.reply_controller import AnswerUpdate, ReplyController, Variant
from app.services.chat.request_builder import RequestBuilder
from app.services.chat.streaming_message import StreamingMessage
from app.services.engine.service import EngineService
from app.services.engine.states import Activity, Calling, EngineState, Idle
from app.services.runtime.debounce import Ticker
from app.storage.conversations import StoredMessage

_SAVE_MS = 500
"""Answers that are being written reach the disk at least this often: a kill loses less than a second."""


@dataclass(frozen=True, slots=True)
class AskedCalls:
    """An answer that asks for tools."""

    reply: ReplyController
    """`go_on` or `end_calls` of it follow by and by."""
    path: tuple[StoredMessage, ...]
    """The answer, after all that it answers."""


class RunningReplies(QObject):
    """GUI thread. What is on screen goes by the conversation that is open; the others go on all the same."""

    said = Signal(object)
    """AnswerUpdate of an answer in the conversation on screen"""
    activity_changed = Signal(object)
    """Activity in the conversation on screen, also when another one is on screen now"""
    ended = Signal(object)
    """StoredMessage: an answer as it stays, in whatever conversation; the engine is not free yet"""
    changed = Signal()
    """In which conversations answers are being written, or what one of those waits for"""
    calls_asked = Signal(object)
    """AskedCalls"""
    calls_stopped = Signal(object)
    """ReplyController whose calls nobody wants any more: its `end_calls` is called before this returns"""

    def __init__(
        self,
        engine: EngineService,
        requests: RequestBuilder,
        active: ActiveConversation,
        notices: ChatNotices,
        tools: ConversationTools | None = None,
        passages: ChatPassages | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._parts = engine, requests, active, notices, tools, passages
        self._active = active
        self._running: list[ReplyController] = []
        """In the order in which they began."""
        self._told: Activity = Idle()
        self._saver = Ticker(_SAVE_MS, self.save, self)
        engine.state_changed.connect(self._hear_engine)
        # Before anybody else: who shows a conversation finds its own activity.
        active.opened.connect(self._hear_opened)

    @property
    def activity(self) -> Activity:
        """In the conversation on screen."""
        return self.activity_in(self._active.conversation_id)

    @property
    def is_busy(self) -> bool:
        """Whether any answer is being written, or waits for tools."""
        return bool(self._running)

    @property
    def conversations(self) -> dict[int, Activity]:
        """Those in which answers are being written, and what is being done there."""
        return {each.conversation_id: self.activity_in(each.conversation_id) for each in self._running}

    def activity_in(self, conversation_id: int | None) -> Activity:
        return next((each.activity for each in self._running if each.conversation_id == conversation_id), Idle())

    def is_writing_in(self, conversation_id: int | None) -> bool:
        return any(each.conversation_id == conversation_id for each in self._running)

    def answers_in(self, conversation_id: int | None) -> list[StreamingMessage]:
        """Those that are being written there."""
        return [each.answer for each in self._running if each.answer and each.conversation_id == conversation_id]

    def activity_of(self, message_id: int) -> Activity:
        """What is being done about one answer."""
        return next((each.activity for each in self._running if each.message_id == message_id), Idle())

    def start(self, answer: StreamingMessage, path: Sequence[StoredMessage], variant: Variant | None = None) -> None:
        """Begin, where no other answer is being written but variants of this one. `path` is what is answered; where an
        answer goes on, that is its last.
        """
        assert variant is not None or not self.is_writing_in(answer.conversation_id)
        reply = self._add(variant)
        reply.start(answer, path)
        self.changed.emit()

    def hold(self, stored: StoredMessage) -> ReplyController:
        """An answer that was there asks for tools again, as if it had just been written."""
        reply = self._add()
        reply.hold(stored)
        self.changed.emit()
        return reply

    @Slot()
    def stop(self) -> None:
        """Stop what is being written in the conversation on screen, in whatever phase it is. What was written stays."""
        self.stop_in(self._active.conversation_id)

    def stop_in(self, conversation_id: int | None) -> None:
        for each in [each for each in self._running if each.conversation_id == conversation_id]:
            each.stop()

    def stop_one(self, message_id: int) -> None:
        """Stop one of several answers to a question."""
        for each in [each for each in self._running if each.message_id == message_id]:
            each.stop()

    def stop_all(self) -> None:
        for each in [*self._running]:
            each.stop()

    def finish(self) -> None:
        """The engine is gone: answers that are still open are kept as far as they came. Call last."""
        for each in [*self._running]:
            each.finish()

    @Slot()
    def save(self) -> None:
        """Write what has come so far to disk."""
        for each in self._running:
            each.save()

    def _add(self, variant: Variant | None = None) -> ReplyController:
        reply = ReplyController(*self._parts, listener=self, variant=variant)
        self._running.append(reply)
        self._saver.start()
        return reply

    def hear(self, update: AnswerUpdate) -> None:
        """As `ReplyListener` says, like the next ones."""
        if update.answer.conversation_id == self._active.conversation_id:
            self.said.emit(update)

    def hear_activity(self, reply: ReplyController, before: Activity) -> None:
        if reply.conversation_id == self._active.conversation_id:
            self._tell(self.activity)
        if type(reply.activity) is not type(before) or isinstance(before, Calling):
            self.changed.emit()

    def hear_end(self, reply: ReplyController, stored: StoredMessage) -> None:
        self._running.remove(reply)
        if not self._running:
            self._saver.stop()
        self.ended.emit(stored)
        if stored.conversation_id == self._active.conversation_id:
            self._tell(self.activity)
        self.changed.emit()

    def hear_calls(self, reply: ReplyController, path: tuple[StoredMessage, ...]) -> None:
        self.calls_asked.emit(AskedCalls(reply, path))

    def hear_no_calls(self, reply: ReplyController) -> None:
        self.calls_stopped.emit(reply)

    def _tell(self, activity: Activity) -> None:
        self._told = activity
        self.activity_changed.emit(activity)

    @Slot()
    def _hear_opened(self) -> None:
        if self.activity != self._told:
            self._tell(self.activity)

    @Slot(object)
    def _hear_engine(self, state: EngineState) -> None:
        for each in [*self._running]:
            each.hear_engine(state)
