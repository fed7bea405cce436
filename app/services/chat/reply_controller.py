"""The answer that is being written, from the wait for the model to the last word on disk."""

import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import ContextFullError, UserError
from app.core.events import Finished, FinishReason, Looking, ModelInfo, PromptProgress, TextDelta, ToolCallDelta
from app.core.requests import ChatRequest
from app.core.sampling import summary
from app.core.sentence import as_json
from app.core.speculation import DraftFigures
from app.services.chat.streaming_message import StreamingMessage
from app.services.engine.futures import Reply
from app.services.engine.service import EngineService
from app.services.engine.states import (
    Activity,
    AnswerDelta,
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
    ToolCallGrew,
    Waiting,
)
from app.storage.conversations import MessageState, StoredMessage

_SAVE_MS = 500
"""An answer that is being written reaches the disk at least this often: a kill loses less than a second."""

MakeRequest = Callable[[StreamingMessage, ModelInfo], ChatRequest]


class ReplyController(QObject):
    """GUI thread; one answer at a time. Asks the engine as soon as a model is there, and keeps what comes."""

    grew = Signal(object)
    """AnswerDelta or ToolCallGrew"""
    ended = Signal(object)
    """StoredMessage, as it stays"""
    activity_changed = Signal(object)
    """Activity"""
    slot_told = Signal(object)
    """SlotStatus after an answer, or None where it told none"""
    failed = Signal(object)
    """UserError: what came could not be written to disk"""
    broke_off = Signal(object)
    """UserError: why there is no more of it; `ended` carried the same sentence"""
    noticed = Signal(object)
    """A sentence."""

    def __init__(self, engine: EngineService, make_request: MakeRequest, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._make_request = make_request
        self._answer: StreamingMessage | None = None
        self._reply: Reply | None = None
        """In the engine; None while the answer waits for the model."""
        self._activity: Activity = Idle()
        self._speed = Speed()
        self._sampler = ""
        """How the answer is sampled, in words."""
        self._saver = QTimer(self)
        self._saver.setInterval(_SAVE_MS)
        self._saver.timeout.connect(self.save)
        engine.state_changed.connect(self._engine_changed)

    @property
    def answer(self) -> StreamingMessage | None:
        """The one that is being written."""
        return self._answer

    @property
    def activity(self) -> Activity:
        return self._activity

    def is_writing_in(self, conversation_id: int) -> bool:
        return self._answer is not None and self._answer.conversation_id == conversation_id

    def start(self, answer: StreamingMessage) -> None:
        """Begin, when no other is open."""
        assert self._answer is None
        self._answer = answer
        self._saver.start()
        self._reply = None
        self._set_activity(Waiting())
        self._submit_if_ready()

    def stop(self) -> None:
        """Stop it, in whatever phase it is. What was written stays."""
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
            self.failed.emit(problem)

    def _submit_if_ready(self) -> None:
        state = self._engine.state
        if self._answer is None or self._reply is not None:
            return
        if isinstance(state, ModelResting):
            self._engine.wake()
        if not isinstance(state, ModelReady):
            return
        self._speed = Speed()
        try:
            request = self._make_request(self._answer, state.info)
        except UserError as error:
            self._fail(self._answer, error)
            return
        self._sampler = summary(request.sampling)
        self._reply = self._engine.generate(request, self._hear)

    def _hear(self, said: ReplyUpdate | ReplyFailed) -> None:
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
                self.grew.emit(AnswerDelta(answer.message_id, text, kind))
            case ToolCallDelta():
                answer.add_call(delta)
                self.grew.emit(ToolCallGrew(answer.message_id, answer.tool_calls))
        if not isinstance(self._activity, Stopping):
            self._set_activity(replace(self._speed.wrote(delta.predicted_n), drafting=drafting))

    def _end(self, answer: StreamingMessage, finished: Finished) -> None:
        if answer.continues and not (finished.text or finished.reasoning) and finished.reason is FinishReason.STOP:
            self.noticed.emit("The model has nothing to add.")
        self._close(*answer.finish(finished, self._model_name(), self._sampler))
        self.slot_told.emit(finished.slot)
        for note in finished.notes:
            self.noticed.emit(note)

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
        self.broke_off.emit(told)

    def _close(self, stored: StoredMessage, problem: UserError | None) -> None:
        self._answer, self._reply = None, None
        self._saver.stop()
        self.ended.emit(stored)
        self._set_activity(Idle())
        if problem is not None:
            self.failed.emit(problem)

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
