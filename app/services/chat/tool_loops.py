"""The calls of all answers that are being written, and what people say to them."""

from PySide6.QtCore import QObject, Signal, Slot

from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.notices import ChatNotices
from app.services.chat.readiness import Readiness
from app.services.chat.reply_controller import ReplyController
from app.services.chat.running_replies import AskedCalls, RunningReplies
from app.services.chat.tool_loop import ToolLoop
from app.services.chat.written_files import WrittenFiles
from app.services.engine.service import EngineService
from app.services.tools.call_states import CallState
from app.storage.conversations import ConversationStore, StoredMessage
from app.tools.forms import FormAnswer
from app.tools.tool import Decision


class ToolLoops(QObject):
    """GUI thread; one loop for each reply whose answer has called."""

    changed = Signal(int)
    """The id of a message: the states of its calls are others now."""

    def __init__(
        self,
        store: ConversationStore,
        tools: ConversationTools,
        replies: RunningReplies,
        active: ActiveConversation,
        notices: ChatNotices,
        engine: EngineService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.tools = tools
        self._store = store
        self._replies = replies
        self._active = active
        self._notices = notices
        self._engine = engine
        self._ready = Readiness(engine, replies, notices)
        self.written = WrittenFiles(store, tools, replies, active, notices, self)
        self._loops: dict[ReplyController, ToolLoop] = {}
        replies.calls_asked.connect(self._begin)
        replies.calls_stopped.connect(self._stop)
        replies.ended.connect(self._forget_ended)

    def states(self, message_id: int) -> dict[str, CallState]:
        """Of an answer's calls that are not answered yet, by their ids."""
        loop = self._of(message_id)
        return loop.states if loop is not None else {}

    def decide(
        self, message_id: int, call_id: str, decision: Decision, *, reason: str = "", arguments: str | None = None
    ) -> None:
        """What a person says to a call of an answer that waits. `arguments` are JSON, where they were changed."""
        if (loop := self._of(message_id)) is not None:
            loop.decide(call_id, decision, reason=reason, arguments=arguments)

    def fill(self, message_id: int, call_id: str, answer: FormAnswer) -> None:
        """What a person says to the form of a call."""
        if (loop := self._of(message_id)) is not None:
            loop.fill(call_id, answer)

    def can_ask_again(self, message_id: int) -> bool:
        """Whether an answer on screen has calls that nobody decided."""
        head = self._active.head
        if head is None or head.id != message_id or not head.message.tool_calls:
            return False
        return not self._replies.is_writing_in(head.conversation_id)

    def ask_again(self, message_id: int) -> None:
        """See to the calls of the last answer, which were left alone when it was stopped or Hearth was closed."""
        if self.can_ask_again(message_id) and self._ready.has_model():
            path = tuple(self._active.path)
            self._loop_of(self._replies.hold(path[-1])).begin(path, granted=True)

    def _of(self, message_id: int) -> ToolLoop | None:
        return next((each for each in self._loops.values() if each.message_id == message_id), None)

    def _loop_of(self, reply: ReplyController) -> ToolLoop:
        if reply not in self._loops:
            self._loops[reply] = ToolLoop(
                self._store, self.tools, reply, self._active, self._notices, self._engine, self.changed.emit
            )
        return self._loops[reply]

    @Slot(object)
    def _begin(self, asked: AskedCalls) -> None:
        self._loop_of(asked.reply).begin(asked.path)

    @Slot(object)
    def _stop(self, reply: ReplyController) -> None:
        self._loops[reply].stop()

    @Slot(object)
    def _forget_ended(self, _: StoredMessage) -> None:
        self._loops = {reply: loop for reply, loop in self._loops.items() if reply.message_id}
