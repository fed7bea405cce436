"""The answer that is being written, from the wait for the model to the last word on disk."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import ContextFullError, UserError
from app.core.events import Finished, FinishReason, Looking, ModelInfo, PromptProgress, TextDelta, ToolCallDelta
from app.core.requests import ChatRequest
from app.core.sampling import summary
from app.core.sentence import as_json
from app.core.speculation import DraftFigures
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.notices import ChatNotices
from app.services.chat.request_builder import RequestBuilder
from app.services.chat.streaming_message import StreamingMessage
from app.services.engine.futures import Reply
from app.services.engine.service import EngineService
from app.services.engine.states import (
    Activity,
    Calling,
    Encoding,
    Generating,
    Idle,
    ModelFailed,
    ModelReady,
    ModelResting,
    NoModel,
    Prefilling,
    ReplyFailed,
    ReplyUpdate,
    Stopping,
    Waiting,
)
from app.services.runtime.debounce import Ticker
from app.storage.conversations import MessageState, StoredMessage

_SAVE_MS = 500
"""An answer that is being written reaches the disk at least this often: a kill loses less than a second."""


class ReplyController(QObject):
    """GUI thread; one answer at a time. Asks the engine as soon as a model is there, and keeps what comes."""

    said = Signal(object)
    """ReplyUpdate or ReplyFailed, from the engine; while it carries more of the answer, `answer` holds that already"""
    ended = Signal(object)
    """StoredMessage: an answer as it stays, in whatever conversation; the engine is not free yet"""
    activity_changed = Signal(object)
    """Activity"""
    calls_asked = Signal(object)
    """tuple[StoredMessage, ...]: an answer that asks for tools, after all that it answers; whoever hears it calls
    `go_on` or `end_calls` by and by"""
    calls_stopped = Signal()
    """Nobody wants them any more: `end_calls` is called before this returns"""

    def __init__(
        self,
        engine: EngineService,
        requests: RequestBuilder,
        active: ActiveConversation,
        notices: ChatNotices,
        tools: ConversationTools | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tools = tools
        self._knows_tools = False
        """It is known which tools the answer is told of."""
        self._asking: StoredMessage | None = None
        """An answer whose calls are being seen to."""
        self._engine = engine
        self._requests = requests
        self._active = active
        self._notices = notices
        self._answer: StreamingMessage | None = None
        self._path: Sequence[StoredMessage] = ()
        self._reply: Reply | None = None
        """In the engine; None while the answer waits for the model."""
        self._activity: Activity = Idle()
        self._speed = Speed()
        self._sampler = ""
        """How the answer is sampled, in words."""
        self._saver = Ticker(_SAVE_MS, self.save, self)
        # Before anybody else: who shows what was said finds it in the answer.
        self.said.connect(self._take)
        engine.state_changed.connect(self._engine_changed)

    @property
    def answer(self) -> StreamingMessage | None:
        """The one that is being written."""
        return self._answer

    @property
    def activity(self) -> Activity:
        return self._activity

    @property
    def is_busy(self) -> bool:
        """Whether an answer is being written, or waits for tools."""
        return self._answer is not None or self._asking is not None

    def is_writing_in(self, conversation_id: int) -> bool:
        open_one = self._answer or self._asking
        return open_one is not None and open_one.conversation_id == conversation_id

    def start(self, answer: StreamingMessage, path: Sequence[StoredMessage]) -> None:
        """Begin, when no other is open. `path` is what is answered; where an answer goes on, that is its last."""
        assert not self.is_busy
        self._answer, self._path = answer, path
        self._saver.start()
        self._reply = None
        self._knows_tools = self._tools is None
        self._set_activity(Waiting())
        if self._tools is not None:
            self._tools.prepare(answer.conversation_id, partial(self._hear_tools, answer))
        self._submit_if_ready()

    def hold(self, stored: StoredMessage) -> None:
        """An answer that was there asks for tools again, as if it had just been written."""
        assert not self.is_busy
        self._asking = stored

    def wait_for_calls(self, *, asks: bool) -> None:
        """What is being done about an answer's calls; see `Calling`."""
        self._set_activity(Calling(asks))

    def go_on(self, answer: StreamingMessage, path: Sequence[StoredMessage]) -> None:
        """The calls are answered: begin the next answer."""
        self._asking = None
        self.start(answer, path)
        if isinstance(self._engine.state, NoModel | ModelFailed):
            # It went while the tools ran.
            self._close(*answer.give_up(MessageState.CANCELLED))

    def end_calls(self, *, stopped: bool) -> None:
        """No answer follows."""
        assert self._asking is not None
        stored, self._asking = self._asking, None
        self.ended.emit(replace(stored, state=MessageState.CANCELLED) if stopped else stored)
        self._set_activity(Idle())

    def stop(self) -> None:
        """Stop it, in whatever phase it is. What was written stays."""
        if self._asking is not None:
            self.calls_stopped.emit()
        if self._answer is None or isinstance(self._activity, Stopping):
            return
        if self._reply is not None:
            self._set_activity(Stopping())
            self._reply.cancel()
        else:
            self._close(*self._answer.give_up(MessageState.CANCELLED))

    def finish(self) -> None:
        """The engine is gone: an answer that is still open is kept as far as it came. Call last."""
        if self._answer is not None:
            self._close(*self._answer.give_up(MessageState.CANCELLED))

    @Slot()
    def save(self) -> None:
        """Write what has come so far to disk."""
        if self._answer is not None and (problem := self._answer.save()) is not None:
            self._notices.failed.emit(problem)

    def _submit_if_ready(self) -> None:
        state = self._engine.state
        if self._answer is None or self._reply is not None or not self._knows_tools:
            return
        if not isinstance(state, ModelReady):
            self._engine.wake()
            return
        self._speed = Speed()
        try:
            if self._tools is not None:
                self._tools.freeze(self._answer.conversation_id, state.info.n_ctx)
            request = self._request(self._answer, state.info)
        except UserError as error:
            self._fail(self._answer, error)
            return
        self._sampler = summary(request.sampling)
        self._reply = self._engine.generate(request, self.said.emit)

    def _hear_tools(self, answer: StreamingMessage) -> None:
        if self._answer is answer:
            self._knows_tools = True
            self._submit_if_ready()

    def _request(self, answer: StreamingMessage, model: ModelInfo) -> ChatRequest:
        request = self._requests.build(self._path, answer.conversation_id, model, continues=answer.continues)
        # Whoever lets it go on wants the rest, however alike.
        return replace(request, stop_repetition=False) if answer.repeated else request

    @Slot(object)
    def _take(self, said: ReplyUpdate | ReplyFailed) -> None:
        if self._answer is None:
            return
        match said:
            case ReplyFailed(error):
                self._fail(self._answer, error)
            case ReplyUpdate(PromptProgress() as progress):
                if not isinstance(self._activity, Stopping):
                    self._set_activity(Prefilling(progress))
                self._speed.read(progress.reused + progress.read)
            case ReplyUpdate(Looking() as looking):
                if not isinstance(self._activity, Stopping):
                    self._set_activity(Encoding(looking))
            case ReplyUpdate(TextDelta() | ToolCallDelta() as delta, drafting):
                self._grow(self._answer, delta, drafting)
            case ReplyUpdate(Finished() as finished):
                self._end(self._answer, finished)

    def _grow(self, answer: StreamingMessage, delta: TextDelta | ToolCallDelta, drafting: DraftFigures | None) -> None:
        match delta:
            case TextDelta(text, _, kind):
                answer.add(text, kind)
            case ToolCallDelta():
                answer.add_call(delta)
        if not isinstance(self._activity, Stopping):
            self._set_activity(replace(self._speed.wrote(delta.predicted_n), drafting=drafting))

    def _end(self, answer: StreamingMessage, finished: Finished) -> None:
        if answer.continues and not (finished.text or finished.reasoning) and finished.reason is FinishReason.STOP:
            self._notices.noticed.emit("The model has nothing to add.")
        ended = answer.finish(finished, self._model_name(), self._sampler)
        if self._tools is not None and finished.reason is FinishReason.TOOL_CALLS:
            self._ask_for_calls(answer, *ended)
        else:
            self._close(*ended)
        for note in finished.notes:
            self._notices.noticed.emit(note)

    def _model_name(self) -> str:
        state = self._engine.state
        return state.info.name if isinstance(state, ModelReady) else ""

    def _fail(self, answer: StreamingMessage, error: Exception) -> None:
        told = error if isinstance(error, UserError) else _bug(error)
        why: dict[str, object] = {}
        if isinstance(error, ContextFullError):
            why = {
                "reason": FinishReason.CONTEXT_FULL.value,
                "n_prompt": error.n_tokens,
                "counted_by": self._model_name(),
            }
        self._close(*answer.fail({"error": told.sentence, "told": as_json(told.sentence), **why}))
        head = self._active.head
        is_shown = head is not None and head.id == answer.message_id
        (self._notices.answer_failed if is_shown and not told.detail else self._notices.failed).emit(told)

    def _close(self, stored: StoredMessage, problem: UserError | None) -> None:
        self._put_away(stored)
        self.ended.emit(stored)
        self._set_activity(Idle())
        if problem is not None:
            self._notices.failed.emit(problem)

    def _ask_for_calls(self, answer: StreamingMessage, stored: StoredMessage, problem: UserError | None) -> None:
        before = self._path[:-1] if answer.continues else self._path
        self._put_away(stored)
        self._asking = stored
        if problem is not None:
            self._notices.failed.emit(problem)
        self.calls_asked.emit((*before, stored))

    def _put_away(self, stored: StoredMessage) -> None:
        self._answer, self._path, self._reply = None, (), None
        self._saver.stop()
        self._active.change(stored)

    @Slot(object)
    def _engine_changed(self, state: object) -> None:
        match state:
            case ModelReady():
                self._submit_if_ready()
            case ModelFailed() | NoModel() | ModelResting() if self._answer is not None and self._reply is None:
                # The model that the question waits for will not come.
                self._close(*self._answer.give_up(MessageState.CANCELLED))

    def _set_activity(self, activity: Activity) -> None:
        self._activity = activity
        self.activity_changed.emit(activity)


def _bug(error: Exception) -> UserError:
    return UserError("The answer broke off because of a fault in Hearth. The log tells more.", detail=repr(error))


class Speed:
    """One reply's."""

    def __init__(self) -> None:
        self._began = 0.0
        self._first = 0
        self._n_prompt = 0

    def read(self, entries: int) -> None:
        self._n_prompt = entries

    def wrote(self, predicted: int) -> Generating:
        now = time.monotonic()
        if not self._began:
            self._began, self._first = now, predicted
        elapsed = now - self._began
        return Generating((predicted - self._first) / elapsed if elapsed > 0 else 0.0, self._n_prompt + predicted)
