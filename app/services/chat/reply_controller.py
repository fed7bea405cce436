"""An answer that is being written, from the wait for the model to the last word on disk."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from app.core.errors import ContextFullError, UserError
from app.core.events import (
    Finished,
    FinishReason,
    Looking,
    ModelInfo,
    PromptProgress,
    Queued,
    Retrying,
    TextDelta,
    ToolCallDelta,
)
from app.core.preset import Preset
from app.core.requests import ChatRequest
from app.core.sampling import summary
from app.core.sentence import as_json
from app.core.speculation import DraftFigures
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.chat_passages import ChatPassages
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
    EngineState,
    Generating,
    Idle,
    ModelFailed,
    ModelOnServer,
    ModelReady,
    ModelResting,
    NoModel,
    Prefilling,
    ReplyFailed,
    ReplyUpdate,
    Stopping,
    Waiting,
    ready_model,
)
from app.storage.conversations import MessageState, StoredMessage

_UNTOLD = 8192
"""Tokens that a model is taken to hold whose server does not tell."""


@dataclass(frozen=True, slots=True)
class AnswerUpdate:
    """What the engine says of an answer."""

    answer: StreamingMessage
    """It holds already what is said."""
    said: ReplyUpdate | ReplyFailed


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several answers to one question."""

    number: int
    """From 0 on: a seed that is set counts up."""
    preset: Preset | None = None
    """What it is answered by; None takes what is set for the conversation."""


class ReplyListener(Protocol):
    """Hears what becomes of replies. By calls: with signals of their own a delta would cross one more."""

    def hear(self, update: AnswerUpdate) -> None: ...

    def hear_activity(self, reply: "ReplyController", before: Activity) -> None:
        """What is being done is something else than `before`, or the same about something else."""

    def hear_end(self, reply: "ReplyController", stored: StoredMessage) -> None:
        """Nothing follows; this is its answer as it stays."""

    def hear_calls(self, reply: "ReplyController", path: tuple[StoredMessage, ...]) -> None:
        """The last of the path is an answer that asks for tools; `go_on` or `end_calls` follow by and by."""

    def hear_no_calls(self, reply: "ReplyController") -> None:
        """Nobody wants them any more: `end_calls` is called before this returns."""


class ReplyController:
    """GUI thread. One answer, and what follows it by itself when its tools have answered. Asks the engine as soon as a
    model is there, and keeps what comes.
    """

    def __init__(
        self,
        engine: EngineService,
        requests: RequestBuilder,
        active: ActiveConversation,
        notices: ChatNotices,
        tools: ConversationTools | None,
        passages: ChatPassages | None,
        listener: ReplyListener,
        variant: Variant | None = None,
    ) -> None:
        """A `variant` ends where it calls tools: only one of them goes on, by and by."""
        self._tools = tools
        self._variant = variant
        self._passages = passages
        self._looks_up = False
        """Passages were asked for."""
        self._is_looked_up = False
        self._knows_tools = False
        """It is known which tools the answer is told of."""
        self._asking: StoredMessage | None = None
        """An answer whose calls are being seen to."""
        self._engine = engine
        self._requests = requests
        self._active = active
        self._notices = notices
        self._listener = listener
        self._answer: StreamingMessage | None = None
        self._path: Sequence[StoredMessage] = ()
        self._reply: Reply | None = None
        """In the engine; None while the answer waits for the model."""
        self._activity: Activity = Idle()
        self._speed = Speed()
        self._sampler, self._model = "", ""
        """How the answer is sampled, in words, and the name of what writes it."""
        self._server = ""
        """The id of the server that writes it; empty for this computer."""

    @property
    def answer(self) -> StreamingMessage | None:
        """The one that is being written."""
        return self._answer

    @property
    def activity(self) -> Activity:
        return self._activity

    @property
    def message_id(self) -> int:
        """Of the answer that is being written, or whose calls are being seen to; 0 for none."""
        if self._answer is not None:
            return self._answer.message_id
        return self._asking.id if self._asking is not None else 0

    @property
    def conversation_id(self) -> int:
        """0 where nothing is open."""
        open_one = self._answer or self._asking
        return open_one.conversation_id if open_one is not None else 0

    def start(self, answer: StreamingMessage, path: Sequence[StoredMessage]) -> None:
        """`path` is what is answered; where an answer goes on, that is its last."""
        assert not self.message_id
        self._answer, self._path = answer, path
        self._reply = None
        self._knows_tools = self._tools is None
        self._looks_up, self._is_looked_up = False, self._passages is None
        self._set_activity(Waiting())
        if self._tools is not None:
            self._tools.prepare(answer.conversation_id, partial(self._hear_tools, answer))
        self._submit_if_ready()

    def hold(self, stored: StoredMessage) -> None:
        """An answer that was there asks for tools again, as if it had just been written."""
        assert not self.message_id
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
        self._end_with(replace(stored, state=MessageState.CANCELLED) if stopped else stored)

    def stop(self) -> None:
        """Stop it, in whatever phase it is. What was written stays."""
        if self._asking is not None:
            self._listener.hear_no_calls(self)
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

    def save(self) -> None:
        """Write what has come so far to disk."""
        if self._answer is not None and (problem := self._answer.save()) is not None:
            self._notices.failed.emit(problem)

    def _submit_if_ready(self) -> None:
        info = ready_model(self._engine.state)
        if self._answer is None or self._reply is not None or not self._knows_tools:
            return
        if info is None:
            self._engine.wake()
            return
        if not self._is_looked_up:
            self._look_up(self._answer, info)
            return
        self._speed = Speed()
        # Another one may be chosen before it ends.
        self._model, self._server = info.name, info.ref.server
        try:
            if self._tools is not None:
                self._tools.freeze(self._answer.conversation_id, info.n_ctx)
            request = self._request(self._answer, info)
            self._sampler = summary(request.sampling)
            self._reply = self._engine.generate(request, partial(self._hear, self._answer), model=info.ref)
        except UserError as error:
            self._fail(self._answer, error)

    def _look_up(self, answer: StreamingMessage, model: ModelInfo) -> None:
        """Passages for the question, once; they stay with it."""
        if not self._looks_up and self._passages is not None:
            self._looks_up = True
            self._passages.bring(self._path, model.n_ctx or _UNTOLD, partial(self._hear_passages, answer))

    def _hear_passages(self, answer: StreamingMessage, path: Sequence[StoredMessage]) -> None:
        if self._answer is answer:
            self._path, self._is_looked_up = path, True
            self._submit_if_ready()

    def _hear_tools(self, answer: StreamingMessage) -> None:
        if self._answer is answer:
            self._knows_tools = True
            self._submit_if_ready()

    def _request(self, answer: StreamingMessage, model: ModelInfo) -> ChatRequest:
        variant = self._variant or Variant(0)
        request = self._requests.build(
            self._path, answer.conversation_id, model, continues=answer.continues, chosen=variant.preset
        )
        if request.sampling.seed >= 0:
            request = replace(request, sampling=replace(request.sampling, seed=request.sampling.seed + variant.number))
        # Whoever lets it go on wants the rest, however alike.
        return replace(request, stop_repetition=False) if answer.repeated else request

    def _hear(self, answer: StreamingMessage, said: ReplyUpdate | ReplyFailed) -> None:
        if self._answer is answer:
            # First: who shows what was said finds it in the answer.
            self._take(answer, said)
            self._listener.hear(AnswerUpdate(answer, said))

    def _take(self, answer: StreamingMessage, said: ReplyUpdate | ReplyFailed) -> None:
        match said:
            case ReplyFailed(error):
                self._fail(answer, error)
            case ReplyUpdate(PromptProgress() as progress):
                if not isinstance(self._activity, Stopping):
                    self._set_activity(Prefilling(progress))
                self._speed.read(progress.reused + progress.read)
            case ReplyUpdate(Queued(waits_for)):
                if not isinstance(self._activity, Stopping):
                    self._set_activity(Waiting(waits_for))
            case ReplyUpdate(Looking() as looking):
                if not isinstance(self._activity, Stopping):
                    self._set_activity(Encoding(looking))
            case ReplyUpdate(Retrying(why)):
                if not isinstance(self._activity, Stopping):
                    self._set_activity(Waiting(why=why))
            case ReplyUpdate(TextDelta() | ToolCallDelta() as delta, drafting):
                self._grow(answer, delta, drafting)
            case ReplyUpdate(Finished() as finished):
                self._end(answer, finished)

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
        ended = answer.finish(finished, self._model, self._sampler, self._server)
        calls = self._tools is not None and self._variant is None
        if calls and finished.reason is FinishReason.TOOL_CALLS:
            self._ask_for_calls(answer, *ended)
        else:
            self._close(*ended)
        # Why it broke off stands below it.
        for note in finished.notes if finished.reason is not FinishReason.BROKEN_OFF else ():
            self._notices.noticed.emit(note)

    def _fail(self, answer: StreamingMessage, error: Exception) -> None:
        told = error if isinstance(error, UserError) else _bug(error)
        why: dict[str, object] = {"server": self._server} if self._server else {}
        if isinstance(error, ContextFullError):
            why |= {
                "reason": FinishReason.CONTEXT_FULL.value,
                "n_prompt": error.n_tokens,
                "counted_by": self._model,
            }
        self._close(*answer.fail({"error": told.sentence, "told": as_json(told.sentence), **why}))
        head = self._active.head
        is_shown = head is not None and head.id == answer.message_id
        # What stands below the answer needs no notice, but for details; those of a server are its own words.
        tells = is_shown and (not told.detail or bool(self._server))
        (self._notices.answer_failed if tells else self._notices.failed).emit(told)

    def _close(self, stored: StoredMessage, problem: UserError | None) -> None:
        self._put_away(stored)
        self._end_with(stored)
        if problem is not None:
            self._notices.failed.emit(problem)

    def _ask_for_calls(self, answer: StreamingMessage, stored: StoredMessage, problem: UserError | None) -> None:
        before = self._path[:-1] if answer.continues else self._path
        stops = isinstance(self._activity, Stopping)
        self._put_away(stored)
        self._asking = stored
        if problem is not None:
            self._notices.failed.emit(problem)
        if stops:
            # It had ended before the engine was told to stop.
            self.end_calls(stopped=True)
        else:
            self._listener.hear_calls(self, (*before, stored))

    def _end_with(self, stored: StoredMessage) -> None:
        self._activity = Idle()
        self._listener.hear_end(self, stored)

    def _put_away(self, stored: StoredMessage) -> None:
        self._answer, self._path, self._reply = None, (), None
        self._active.change(stored)

    def hear_engine(self, state: EngineState) -> None:
        """The model is there, or will not come."""
        match state:
            case ModelReady() | ModelOnServer():
                self._submit_if_ready()
            case ModelResting() if not self._knows_tools or (self._looks_up and not self._is_looked_up):
                # Nothing was asked of it yet: it is woken then.
                pass
            case ModelFailed() | NoModel() | ModelResting() if self._answer is not None and self._reply is None:
                # The model that the question waits for will not come.
                self._close(*self._answer.give_up(MessageState.CANCELLED))

    def _set_activity(self, activity: Activity) -> None:
        before, self._activity = self._activity, activity
        self._listener.hear_activity(self, before)


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

    def wrote(self, predicted: int | None) -> Generating:
        if predicted is None:
            return Generating(0.0, None)
        now = time.monotonic()
        if not self._began:
            self._began, self._first = now, predicted
        elapsed = now - self._began
        return Generating((predicted - self._first) / elapsed if elapsed > 0 else 0.0, self._n_prompt + predicted)
