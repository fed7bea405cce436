"""An answer's calls: each is allowed or not, run, and answered; then the model goes on."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.core.messages import ImagePart, Message, Role, TextPart, ToolCall
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.notices import ChatNotices
from app.services.chat.readiness import Readiness
from app.services.chat.reply_controller import ReplyController
from app.services.chat.request_builder import not_allowed
from app.services.chat.streaming_message import StreamingMessage
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.tools.call_states import Allowed, Asked, CallState, Filling, Running
from app.services.tools.servers import RunningCall
from app.storage.conversations import ConversationStore, MessageState, StoredMessage
from app.tools.forms import Form, FormAction, FormAnswer
from app.tools.permissions import Circumstances
from app.tools.results import cut
from app.tools.schema import arguments_for
from app.tools.tool import Decision, OfferedTool, Tool, ToolResult, to_model
from app.tools.tool_search import SEARCH, searched

_log = logging.getLogger(__name__)

_CHARS_OF_TOKEN = 3
"""Fewer than there are in most texts."""
_INTERRUPTED = to_model("Hearth was closed while this ran. What it did is not known.")
_STOPPED = to_model("The user stopped this call while it ran. What it did is not known.")


@dataclass(slots=True, eq=False)
class _Open:
    """A call of the answer that is being seen to."""

    call: ToolCall
    tool: Tool | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)
    edited: str = ""
    """The arguments as a person changed them."""
    state: CallState | None = None
    """None for one that is answered already."""
    result: Message | None = None
    figures: dict[str, object] = field(default_factory=dict)
    stored: StoredMessage | None = None
    running: RunningCall | None = None
    filled: Callable[[FormAnswer], None] | None = None
    """Takes what a person filled in, where the server asked for it."""


class ToolLoop(QObject):
    """GUI thread; the calls of one answer at a time."""

    changed = Signal(int)
    """The id of a message: the states of its calls are others now."""

    def __init__(
        self,
        store: ConversationStore,
        tools: ConversationTools,
        replies: ReplyController,
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
        self._path: list[StoredMessage] = []
        """The answer is its last, until results follow."""
        self._open: list[_Open] = []
        self._message_id = 0
        self._granted = 0
        """Rounds are counted from this message on."""
        replies.calls_asked.connect(self._begin)
        replies.calls_stopped.connect(self._stop)

    @property
    def message_id(self) -> int:
        """Of the answer whose calls are being seen to; 0 for none."""
        return self._message_id

    def states(self, message_id: int) -> dict[str, CallState]:
        """Of an answer's calls that are not answered yet, by their ids."""
        if message_id != self._message_id:
            return {}
        return {each.call.id: each.state for each in self._open if each.state is not None}

    def decide(self, call_id: str, decision: Decision, *, reason: str = "", arguments: str | None = None) -> None:
        """What a person says to a call that waits. `arguments` are JSON, where they were changed."""
        one = next((each for each in self._open if each.call.id == call_id), None)
        if one is None or not isinstance(one.state, Asked):
            return
        if decision is Decision.NO:
            self._answer(one, not_allowed(one.call, reason), denied=True)
        else:
            self._allow(one, decision, arguments)
        self._go_on()

    def fill(self, call_id: str, answer: FormAnswer) -> None:
        """What a person says to the form of a call."""
        one = next((each for each in self._open if each.call.id == call_id), None)
        if one is None or not isinstance(one.state, Filling) or one.filled is None:
            return
        one.state, filled = Running(one.state.since), one.filled
        one.filled = None
        filled(answer)
        self._tell_filling()

    def can_ask_again(self, message_id: int) -> bool:
        """Whether an answer on screen has calls that nobody decided."""
        head = self._active.head
        return (
            head is not None and head.id == message_id and bool(head.message.tool_calls) and not self._replies.is_busy
        )

    def ask_again(self, message_id: int) -> None:
        """See to the calls of the last answer, which were left alone when it was stopped or Hearth was closed."""
        if self.can_ask_again(message_id) and self._ready.can_begin():
            path = tuple(self._active.path)
            self._replies.hold(path[-1])
            self._granted = path[-1].id
            self._begin(path)

    @Slot(object)
    def _begin(self, path: tuple[StoredMessage, ...]) -> None:
        self._path = list(path)
        self._message_id = path[-1].id
        asked = [each for each in _since_question(path) if each.message.tool_calls and each.id >= self._granted]
        if len(asked) > self.tools.limits.rounds:
            self._notices.noticed.emit("The model has called tools very often. “Ask again” lets it go on.")
            self._end(stopped=True)
            return
        self._open = [self._opened(call) for call in path[-1].message.tool_calls]
        self._go_on()

    def _opened(self, call: ToolCall) -> _Open:
        """What is to be done about a call: it is answered with what is wrong, asked about, or allowed."""
        one = _Open(call)
        conversation_id = self._path[-1].conversation_id
        offered = self.tools.offered(conversation_id)
        known = next((each for each in offered if each.name == call.name), None)
        if known is not None and known.server == SEARCH:
            return self._answer(one, _said(call, searched(call.arguments, offered)))
        if wrong := self._wrong(conversation_id, call, known, offered):
            return self._answer(one, _said(call, wrong), error=True)
        assert known is not None
        one.tool = self.tools.tool(known)
        if one.tool is None:
            return self._answer(
                one, _said(call, to_model("The tool {name} is not there any more.", name=call.name)), error=True
            )
        arguments = arguments_for(one.tool.schema, call.arguments)
        if isinstance(arguments, str):
            return self._answer(one, _said(call, arguments), error=True)
        one.arguments = arguments
        why = self.tools.permissions.why_ask(one.tool, self._circumstances(call))
        able = self.tools.permissions.capabilities(one.tool)
        one.state = Allowed() if why is None else Asked(one.tool, why, able)
        return one

    def _wrong(
        self, conversation_id: int, call: ToolCall, known: OfferedTool | None, offered: Sequence[OfferedTool]
    ) -> str:
        if known is None:
            names = ", ".join(each.name for each in offered if not each.waits)
            return to_model("There is no tool {name}. There are: {names}.", name=call.name, names=names or "none")
        return "" if self.tools.is_on(conversation_id, known) else to_model("The user has switched this tool off.")

    def _circumstances(self, call: ToolCall) -> Circumstances:
        since = _since_question(self._path)
        same = [
            each
            for stored in since[:-1]
            for each in stored.message.tool_calls
            if (each.name, each.arguments) == (call.name, call.arguments)
        ]
        # What was imported, or cut off, counts as from outside.
        outside = any(each.message.role is Role.TOOL and not (each.figures or {}).get("inside") for each in self._path)
        asked = self._path[-len(since) - 1].id if len(since) < len(self._path) else 0
        return Circumstances(self._path[-1].conversation_id, asked, outside, len(same))

    def _allow(self, one: _Open, decision: Decision, arguments: str | None) -> None:
        assert one.tool is not None
        if arguments is not None:
            told = arguments_for(one.tool.schema, arguments)
            if isinstance(told, str):
                return
            if told != one.arguments:
                one.arguments, one.edited = told, arguments
        try:
            self.tools.permissions.decide(one.tool, self._circumstances(one.call), decision)
        except UserError as error:
            # It is allowed this once, and asked for again.
            self._notices.failed.emit(error)
        one.state = Allowed()

    def _answer(self, one: _Open, result: Message, **figures: object) -> _Open:
        one.result, one.state = result, None
        one.figures |= {"inside": True, **figures}
        return one

    def _go_on(self) -> None:
        """Run the calls when all are decided: their results stand in the order of the calls."""
        if any(isinstance(each.state, Asked) for each in self._open):
            self._replies.wait_for_calls(asks=True)
            self.changed.emit(self._message_id)
            return
        self._replies.wait_for_calls(asks=False)
        if not self._active.guard(self._run):
            self._stop()

    def _run(self) -> None:
        for one in self._open:
            waiting = one.result or _said(one.call, _INTERRUPTED)
            one.stored = self._append(waiting, MessageState.COMPLETE if one.result else MessageState.WRITING)
            if one.result is not None:
                self._keep(one, one.result, MessageState.COMPLETE)
        for one in self._open:
            if one.result is None and one.tool is not None:
                one.state = Running(time.monotonic())
                hear, progressed, ask = (partial(act, one) for act in (self._hear, self._progressed, self._ask))
                one.running = self.tools.call(one.tool, one.arguments, hear, progressed, ask)
        self.changed.emit(self._message_id)
        self._go_on_if_answered()

    def _progressed(self, one: _Open, text: str) -> None:
        if isinstance(one.state, Running):
            one.state = replace(one.state, progress=text)
            self.changed.emit(self._message_id)

    def _ask(self, one: _Open, form: Form, filled: Callable[[FormAnswer], None]) -> None:
        if one not in self._open or not isinstance(one.state, Running):
            filled(FormAnswer(FormAction.CANCEL))
            return
        one.state, one.filled = Filling(form, one.state.since), filled
        self._tell_filling()

    def _tell_filling(self) -> None:
        self._replies.wait_for_calls(asks=any(isinstance(each.state, Filling) for each in self._open))
        self.changed.emit(self._message_id)

    def _hear(self, one: _Open, result: ToolResult | Exception) -> None:
        if one not in self._open or not isinstance(one.state, Running | Filling) or one.tool is None:
            return
        one.figures["ms"] = round((time.monotonic() - one.state.since) * 1000)
        if isinstance(result, Exception):
            problem = result if isinstance(result, UserError) else _bug(result)
            result = ToolResult(problem.sentence, is_error=True)
        if result.is_error:
            one.figures["error"] = True
        if not self.tools.permissions.from_outside(one.tool):
            one.figures["inside"] = True
        text = cut(result.text, self._most_chars())
        if one.edited:
            text = to_model("The user changed the arguments to {it}.\n{result}", it=one.edited, result=text)
        told = one.result = _said(one.call, text, *result.pictures)
        one.state = None
        self._active.guard(lambda: self._keep(one, told, MessageState.COMPLETE))
        self.changed.emit(self._message_id)
        self._go_on_if_answered()

    def _most_chars(self) -> int:
        state, limit = self._engine.state, self.tools.limits.result_chars
        return min(limit, state.info.n_ctx // 4 * _CHARS_OF_TOKEN) if isinstance(state, ModelReady) else limit

    def _go_on_if_answered(self) -> None:
        if not self._open or any(each.result is None for each in self._open):
            return
        self._open, self._message_id = [], 0
        if not self._active.guard(self._next):
            self._replies.end_calls(stopped=True)

    def _next(self) -> None:
        path = tuple(self._path)
        empty = self._append(Message(Role.ASSISTANT), MessageState.WRITING)
        self._replies.go_on(StreamingMessage(self._store, empty), path)

    @Slot()
    def _stop(self) -> None:
        """What runs is stopped, and answered so; what waits is left as it is, and can be asked for again."""
        for one in self._open:
            if one.running is not None:
                one.running.cancel()
            if isinstance(one.state, Running | Filling):
                stopped = partial(self._keep, one, _said(one.call, _STOPPED), MessageState.CANCELLED)
                self._active.guard(stopped)
        self._end(stopped=True)

    def _end(self, *, stopped: bool) -> None:
        message_id, self._open, self._message_id = self._message_id, [], 0
        self._replies.end_calls(stopped=stopped)
        self.changed.emit(message_id)

    def _append(self, message: Message, state: MessageState) -> StoredMessage:
        """Below the last of the path, on screen or not."""
        last = self._path[-1]
        stored = self._store.append(last.conversation_id, last.id, message, state)
        self._path.append(stored)
        if self._active.head is not None and self._active.head.id == last.id:
            self._active.add(stored)
        return stored

    def _keep(self, one: _Open, result: Message, state: MessageState) -> None:
        assert one.stored is not None
        self._store.save_answer(one.stored.id, result, state, one.figures)
        kept = replace(one.stored, message=result, state=state, figures=dict(one.figures))
        self._path = [kept if each.id == kept.id else each for each in self._path]
        self._active.change(kept)


def _since_question(path: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    """What follows the last question."""
    places = [index for index, each in enumerate(path) if each.message.role is Role.USER]
    return path[places[-1] + 1 :] if places else path


def _said(call: ToolCall, text: str, *pictures: ImagePart) -> Message:
    return Message(Role.TOOL, (TextPart(text), *pictures), tool_call_id=call.id, name=call.name)


def _bug(error: Exception) -> UserError:
    _log.error("A tool could not be called", exc_info=error)
    return UserError("The call failed because of a fault in Hearth. The log tells more.")
