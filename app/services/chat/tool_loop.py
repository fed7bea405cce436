"""An answer's calls: each is allowed or not, run, and answered; then the model goes on."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from app.core.document_form import cited_parts
from app.core.errors import UserError
from app.core.messages import Message, Part, PassagePart, Role, TextPart, ToolCall
from app.core.overflow import reckoned
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.notices import ChatNotices
from app.services.chat.open_call import OpenCall
from app.services.chat.reply_controller import ReplyController
from app.services.chat.request_builder import not_allowed
from app.services.chat.streaming_message import StreamingMessage
from app.services.documents.brought import fitting, numbered, passage_room
from app.services.engine.service import EngineService
from app.services.engine.states import ready_model
from app.services.tools.call_states import Asked, CallState, Filling, Looking
from app.storage.conversations import ConversationStore, MessageState, StoredMessage
from app.tools.built_in.conversation import WholeResults
from app.tools.built_in.source import Here
from app.tools.examined import Examined, examined, times_made
from app.tools.forms import Form, FormAnswer
from app.tools.permissions import Circumstances, Why
from app.tools.results import cut, most_chars
from app.tools.schema import arguments_for
from app.tools.tool import Capability, Decision, ToolResult, to_model
from app.tools.tool_search import SEARCH, searched

_log = logging.getLogger(__name__)

_WRONG = 2
"""How often the same wrong call is answered with what is wrong."""
_ID = 12
"""Characters of a hash by which the model names a result."""
_INTERRUPTED = to_model("Hearth was closed while this ran. What it did is not known.")
_STOPPED = to_model("The user stopped this call while it ran. What it did is not known.")


class ToolLoop:
    """GUI thread; the calls of one reply's answers, one answer after the other."""

    def __init__(
        self,
        store: ConversationStore,
        tools: ConversationTools,
        reply: ReplyController,
        active: ActiveConversation,
        notices: ChatNotices,
        engine: EngineService,
        changed: Callable[[int], None],
    ) -> None:
        """`changed` hears the id of an answer: the states of its calls are others now."""
        self.tools = tools
        self._store = store
        self._reply = reply
        self._active = active
        self._notices = notices
        self._engine = engine
        self._changed = changed
        self._path: list[StoredMessage] = []
        """The answer is its last, until results follow."""
        self._open: list[OpenCall] = []
        self._message_id = 0
        self._granted = 0
        """Rounds are counted from this message on."""

    @property
    def message_id(self) -> int:
        """Of the answer whose calls are being seen to; 0 for none."""
        return self._message_id

    @property
    def states(self) -> dict[str, CallState]:
        """Of the calls that are not answered yet, by their ids."""
        return {each.call.id: each.state for each in self._open if each.state is not None}

    def decide(self, call_id: str, decision: Decision, *, reason: str = "", arguments: str | None = None) -> None:
        """What a person says to a call that waits. `arguments` are JSON, where they were changed."""
        one = next((each for each in self._open if each.call.id == call_id), None)
        if one is None or not isinstance(one.state, Asked):
            return
        if decision is Decision.NO:
            one.answer(not_allowed(one.call, reason), denied=True)
        else:
            self._allow(one, decision, arguments)
        self._go_on()

    def fill(self, call_id: str, answer: FormAnswer) -> None:
        """What a person says to the form of a call."""
        one = next((each for each in self._open if each.call.id == call_id), None)
        if one is not None and one.fill(answer):
            self._tell_filling()

    def begin(self, path: tuple[StoredMessage, ...], *, granted: bool = False) -> None:
        """See to the calls of the last of the path. What is `granted` a person wants, however often they were made."""
        if granted:
            self._granted = path[-1].id
        self._path = list(path)
        self._message_id = path[-1].id
        self._open = []
        for call in path[-1].message.tool_calls:
            self._open.append(self._opened(call))
        if told := self._why_stop():
            self._notices.noticed.emit(told)
            self.stop()
        else:
            self._go_on()

    def _why_stop(self) -> str:
        """A sentence where the model is not to go on by itself; empty otherwise."""
        asked = [each for each in _since_question(self._path) if each.message.tool_calls and each.id >= self._granted]
        if len(asked) > self.tools.limits.rounds:
            return "The model has called tools very often. “Ask again” lets it go on."
        if any(each.is_stuck for each in self._open) and self._granted != self._message_id:
            return "The model makes the same wrong call again. “Ask again” lets it go on."
        return ""

    def _opened(self, call: ToolCall) -> OpenCall:
        """What is to be done about a call: it is answered with what is wrong, asked about, or allowed."""
        number, tools = self._path[-1].conversation_id, self.tools
        offered, now = tools.offered(number), self._circumstances(call)
        if any(each.name == call.name and each.server == SEARCH for each in offered):
            one = OpenCall(call)
            one.answer(_said(call, searched(call.arguments, offered)))
            return one
        meant = examined(call, offered, partial(tools.find, number), tools.permissions, now)
        # What is allowed is known by its id, which some models write themselves.
        if any(each.call.id == call.id for each in self._open):
            meant = to_model("Another call of this answer has the same id.")
        if isinstance(meant, str):
            one = OpenCall(call, is_stuck=now.repeated >= _WRONG)
            one.answer(_said(call, meant), error=True)
            return one
        one = OpenCall(call, meant)
        if meant.why is None:
            one.allow()
        else:
            self._ask(one, meant, meant.why)
        return one

    def _ask(self, one: OpenCall, meant: Examined, why: Why) -> None:
        asked = Asked(meant.tool, why, self.tools.permissions.capabilities(meant.tool))
        if meant.source is None or Capability.WRITES not in asked.able:
            one.ask(asked)
        else:
            preview = partial(meant.source.preview, meant.tool.name, meant.arguments)
            one.look(self.tools.servers.ask(preview, partial(self._looked, one, asked)))

    def _looked(self, one: OpenCall, asked: Asked, preview: str | Exception) -> None:
        if isinstance(one.state, Looking):
            told = _bug(preview).sentence if isinstance(preview, Exception) else preview
            one.ask(replace(asked, preview=told))
            self._go_on()

    def _circumstances(self, call: ToolCall) -> Circumstances:
        since = _since_question(self._path)
        same = times_made(call, (each for stored in since[:-1] for each in stored.message.tool_calls))
        # What was imported, or cut off, counts as from outside.
        outside = any(each.message.role is Role.TOOL and not (each.figures or {}).get("inside") for each in self._path)
        asked = self._path[-len(since) - 1].id if len(since) < len(self._path) else 0
        return Circumstances(self._path[-1].conversation_id, asked, outside, same)

    def _allow(self, one: OpenCall, decision: Decision, arguments: str | None) -> None:
        assert one.meant is not None
        if arguments is not None:
            told = arguments_for(one.meant.tool.schema, arguments)
            if isinstance(told, str):
                return
            if told != one.meant.arguments:
                source, tool = one.meant.source, one.meant.tool
                tool = source.aimed(tool, told) if source is not None else tool
                one.change(replace(one.meant, tool=tool, arguments=told), arguments)
        try:
            self.tools.permissions.decide(one.meant.tool, self._circumstances(one.call), decision)
        except UserError as error:
            # It is allowed this once, and asked for again.
            self._notices.failed.emit(error)
        one.allow()

    def _go_on(self) -> None:
        """Run the calls when all are decided: their results stand in the order of the calls."""
        if any(isinstance(each.state, Asked | Looking) for each in self._open):
            self._reply.wait_for_calls(asks=any(isinstance(each.state, Asked) for each in self._open))
            self._changed(self._message_id)
            return
        self._reply.wait_for_calls(asks=False)
        if not self._active.guard(self._run):
            self.stop()

    def _run(self) -> None:
        for one in self._open:
            waiting = one.result or _said(one.call, _INTERRUPTED)
            one.store(self._append(waiting, MessageState.COMPLETE if one.result else MessageState.WRITING))
            if one.result is not None:
                self._keep(one, one.result, MessageState.COMPLETE)
        for one in self._open:
            if one.result is None:
                hear, progressed, fill = (
                    partial(act, one) for act in (self._hear, self._progressed, self._have_filled)
                )
                one.run(partial(self.tools.call, here=self._here(), then=hear, progress=progressed, ask=fill))
        self._changed(self._message_id)
        self._go_on_if_answered()

    def _progressed(self, one: OpenCall, text: str) -> None:
        if one.progress(text):
            self._changed(self._message_id)

    def _have_filled(self, one: OpenCall, form: Form, filled: Callable[[FormAnswer], None]) -> None:
        if one.have_filled(form, filled):
            self._tell_filling()

    def _tell_filling(self) -> None:
        self._reply.wait_for_calls(asks=any(isinstance(each.state, Filling) for each in self._open))
        self._changed(self._message_id)

    def _hear(self, one: OpenCall, result: ToolResult | Exception) -> None:
        if (seconds := one.seconds) is None or one.meant is None:
            return
        figures: dict[str, object] = {"ms": round(seconds * 1000)}
        if isinstance(result, Exception):
            problem = result if isinstance(result, UserError) else _bug(result)
            result = ToolResult(problem.sentence, is_error=True)
        if result.is_error:
            figures["error"] = True
        if not self.tools.permissions.from_outside(one.meant.tool):
            figures["inside"] = True
        figures |= result.figures
        text = cut(result.text, self._most_chars(), result.start, partial(self._read_on, figures))
        if one.edited:
            text = to_model("The user changed the arguments to {it}.\n{result}", it=one.edited, result=text)
        told = _said(one.call, text, *result.pictures, passages=self._numbered(one, result))
        one.end(told, figures)
        self._active.guard(lambda: self._keep(one, told, MessageState.COMPLETE))
        self._tell_filling()
        self._go_on_if_answered()

    def _numbered(self, one: OpenCall, result: ToolResult) -> tuple[PassagePart, ...]:
        """As many passages of a result as there is room for, by the numbers of the conversation."""
        if not result.passages or one.stored is None:
            return ()
        info = ready_model(self._engine.state)
        parts = fitting(result.passages, passage_room(info.n_ctx if info is not None else 0), reckoned)
        at = next(at for at, each in enumerate(self._path) if each.id == one.stored.id)
        above, below = (
            [part for each in path for part in cited_parts(each.message)] for path in (self._path[:at], self._path[at:])
        )
        return numbered(parts, above, below)

    def _most_chars(self) -> int:
        info, limit = ready_model(self._engine.state), self.tools.limits.result_chars
        return most_chars(limit, info.n_ctx) if info is not None and info.n_ctx else limit

    def _read_on(self, figures: dict[str, object], whole: str) -> str:
        """Keep a result that is cut; the id by which the model reads on, where it was told how."""
        store, number = self.tools.servers.attachments, self._path[-1].conversation_id
        if not any(each.server == WholeResults.name for each in self.tools.offered(number)):
            return ""
        try:
            kept = store.put(whole.encode())
        except UserError as error:
            self._notices.failed.emit(error)
            return ""
        # A file that no text in the database names goes.
        figures["whole"] = kept
        return kept[:_ID]

    def _here(self) -> Here:
        store = self.tools.servers.attachments
        documents = tuple(part for each in self._path for part in each.message.documents)
        kept = [str(each.figures["whole"]) for each in self._path if each.figures and "whole" in each.figures]

        def whole(wanted: str) -> str | None:
            names = (name for name in kept if len(wanted) >= _ID and name.startswith(wanted))
            data = store.get(next(names, ""))
            return data.decode("utf-8", "replace") if data is not None else None

        number = self._path[-1].conversation_id
        return Here(number, documents, self.tools.collections(number), whole)

    def _go_on_if_answered(self) -> None:
        if not self._open or any(each.result is None for each in self._open):
            return
        self._open, self._message_id = [], 0
        if not self._active.guard(self._next):
            self._reply.end_calls(stopped=True)

    def _next(self) -> None:
        path = tuple(self._path)
        empty = self._append(Message(Role.ASSISTANT), MessageState.WRITING)
        self._reply.go_on(StreamingMessage(self._store, empty), path)

    def stop(self) -> None:
        """What runs is stopped, and answered so; what waits is left as it is, and can be asked for again."""
        for one in self._open:
            if one.stop():
                stopped = partial(self._keep, one, _said(one.call, _STOPPED), MessageState.CANCELLED)
                self._active.guard(stopped)
        message_id, self._open, self._message_id = self._message_id, [], 0
        self._reply.end_calls(stopped=True)
        self._changed(message_id)

    def _append(self, message: Message, state: MessageState) -> StoredMessage:
        """Below the last of the path, on screen or not."""
        last = self._path[-1]
        stored = self._store.append(last.conversation_id, last.id, message, state)
        self._path.append(stored)
        if self._active.head is not None and self._active.head.id == last.id:
            self._active.add(stored)
        return stored

    def _keep(self, one: OpenCall, result: Message, state: MessageState) -> None:
        assert one.stored is not None
        self._store.save_answer(one.stored.id, result, state, one.figures)
        kept = replace(one.stored, message=result, state=state, figures=dict(one.figures))
        self._path = [kept if each.id == kept.id else each for each in self._path]
        self._active.change(kept)


def _since_question(path: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    """What follows the last question."""
    places = [index for index, each in enumerate(path) if each.message.role is Role.USER]
    return path[places[-1] + 1 :] if places else path


def _said(call: ToolCall, text: str, *more: Part, passages: Sequence[PassagePart] = ()) -> Message:
    return Message(Role.TOOL, (*passages, TextPart(text), *more), tool_call_id=call.id, name=call.name)


def _bug(error: Exception) -> UserError:
    _log.error("A tool could not be called", exc_info=error)
    return UserError("The call failed because of a fault in Hearth. The log tells more.")
