"""Replies for coroutines on another thread's event loop, such as the local API's."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import Finished, HeldState, ModelInfo, ReplyEvent, SavedState
from app.core.likelihood import Likelihood, LikelihoodRequest
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest, PromptText, TokenRequest, Tokens
from app.services.engine.futures import Future, Reply
from app.services.engine.jobs import Answer, Question
from app.services.engine.mailbox import Mailbox
from app.services.engine.service import EngineService
from app.services.engine.states import (
    EngineState,
    ModelFailed,
    ModelLoading,
    ModelPlace,
    ModelReady,
    ModelResting,
    ReplyFailed,
    ReplyUpdate,
    known_model,
    place_of,
)

Start = Callable[[EngineService, Callable[[Answer | Exception], None]], Future[Any]]
"""Asks the engine, in the thread of its façade, and lets the answer be told."""


class ReplyStream(QObject):
    """Lives in the thread of the engine's façade. `model` and its coroutines may be used in any thread, as long as
    neither this object nor the engine has been closed.
    """

    _asked = Signal(object)
    _dropped = Signal(object)

    def __init__(self, engine: EngineService, parent: QObject | None = None, *, expects_model: bool = False) -> None:
        """`expects_model`: one will be loaded soon, which who asks before may wait for."""
        super().__init__(parent)
        self._engine = engine
        self._state: EngineState = engine.local_state
        self._expects_model = expects_model
        self._waiting: list[_Loaded] = []
        self._mailbox: Mailbox | None = None
        """Of the loop that asked last."""
        self._asked.connect(self._begin, Qt.ConnectionType.QueuedConnection)
        self._dropped.connect(self._end, Qt.ConnectionType.QueuedConnection)
        engine.local_changed.connect(self._engine_changed)

    @property
    def model(self) -> ModelInfo | None:
        """The model that would answer now, which may have to come back from its rest first; None while there is none
        or another one is being loaded.
        """
        return known_model(self._state)

    @property
    def place(self) -> ModelPlace | None:
        """Where `model` is; None while it is on its way, and without one."""
        return place_of(self._state)

    @property
    def kept_bytes(self) -> int:
        """In memory, of conversations that were left."""
        return self._engine.snapshots.status.memory_bytes

    @property
    def progress(self) -> tuple[ModelRef, float] | None:
        """The model that is being loaded, and how far that is, from 0 to 1."""
        state = self._state
        return (state.model, state.fraction) if isinstance(state, ModelLoading) else None

    @property
    def is_loading(self) -> bool:
        """Whether there is no model, and will be one."""
        return self.model is None and (self._expects_model or isinstance(self._state, ModelLoading))

    async def loaded(self) -> ModelInfo | None:
        """The model, as soon as it is loaded; None where none is being loaded, and where that failed."""
        while self.is_loading:
            one = _Loaded()
            self._waiting.append(one)
            try:
                # Looked at again behind that: it may have changed in between, in the other thread.
                if self.is_loading:
                    await one.changed.wait()
            finally:
                with suppress(ValueError):
                    self._waiting.remove(one)
        return self.model

    async def reply(self, request: ChatRequest) -> AsyncGenerator[ReplyEvent, None]:
        """The events of one reply, Finished last.

        Closing the generator, or cancelling the task that waits for it, cancels the reply in the engine: iterate
        inside `contextlib.aclosing`. Raises the UserError or the bug that the reply ended by.
        """
        loop = asyncio.get_running_loop()
        if self._mailbox is None or not self._mailbox.is_of(loop):
            self._mailbox = Mailbox(loop)
        listener = _Listener(request, self._mailbox)
        self._asked.emit(listener)
        try:
            while True:
                said = await listener.heard.get()
                if isinstance(said, Exception):
                    raise said
                yield said
                if isinstance(said, Finished):
                    return
        finally:
            self._dropped.emit(listener)

    async def tokens(self, request: TokenRequest) -> Tokens:
        """Tokens of a text, or the texts of tokens. Raises the UserError or the bug that there is instead."""
        if (told := await asyncio.to_thread(self._engine.aside.tokens, request)) is not None:
            return told
        return await self._ask(_asking(lambda session, _: session.tokens(request), beside=True))

    async def prompt(self, request: ChatRequest) -> PromptText:
        """What the model would read. Raises the UserError or the bug that there is instead."""
        if (told := await asyncio.to_thread(self._engine.aside.written, request)) is not None:
            return told
        return await self._ask(_asking(lambda session, _: session.written(request), beside=True))

    async def likelihood(self, request: LikelihoodRequest) -> Likelihood | None:
        """How likely a text or an answer is; None where something else in the engine cancelled it. Cancelling the task
        that waits stops it. Raises the UserError or the bug that there is instead.
        """
        return await self._ask(lambda engine, tell: engine.likelihood(request, tell))

    async def held_state(self, conversation: str) -> HeldState:
        """What the model holds of a conversation. Raises as `likelihood` does."""
        held = await self._ask(_asking(lambda session, _: session.held_state(conversation)))
        return replace(held, trying=self._engine.state_trial.seconds)

    async def save_state(self, path: Path, conversation: str = "") -> SavedState | None:
        """Write what the context holds, or is held of a conversation; None when cancelled. Raises as `likelihood`."""
        return await self._ask(_asking(lambda session, _: session.save_state(path, {}, conversation)))

    async def try_state(self, path: Path) -> None:
        """Whether the context may hold what a file from outside says; others go on meanwhile. Raises UserError."""
        if (info := self.model) is not None:
            cancel = CancelFlag()
            try:
                await asyncio.to_thread(self._engine.state_trial.ensure, info, path, cancel)
            finally:
                cancel.set()

    async def restore_state(self, path: Path, conversation: str = "", *, foreign: bool = False) -> SavedState:
        """Let the context hold what a file says; a `foreign` one was tried. Raises as `likelihood` does."""
        return await self._ask(_asking(lambda session, _: session.restore_state(path, conversation, foreign=foreign)))

    async def erase_slot(self) -> int:
        """Forget what the context holds; how many entries that were."""
        return await self._ask(_asking(lambda session, _: session.slot.erase()))

    async def move(self, wanted: ModelPlace) -> ModelPlace | None:
        """Bring the model there; where it is then, which is elsewhere while it is used. Raises as `likelihood`."""
        return await self._ask(partial(_moving, wanted))

    async def load(self, model: ModelRef) -> None:
        """Load another model, after whatever is running. Raises the UserError that there is instead."""
        await self._ask(partial(_loading, model))

    async def _ask(self, start: Start[Answer]) -> Answer:
        question = _Question(start)
        self._asked.emit(question)
        try:
            return await question.answer
        finally:
            self._dropped.emit(question)

    @Slot(object)
    def _begin(self, waiting: "_Waiting") -> None:
        waiting.begin(self._engine)

    @Slot(object)
    def _end(self, waiting: "_Waiting") -> None:
        waiting.end()

    @Slot(object)
    def _engine_changed(self, state: EngineState) -> None:
        self._state, self._expects_model = state, False
        if not self.is_loading:
            for one in tuple(self._waiting):
                one.tell()


def _asking(question: Question[Answer], *, beside: bool = False) -> Start[Answer]:
    def start(engine: EngineService, tell: Callable[[Answer | Exception], None]) -> Future[Answer]:
        engine.wake()
        return engine.ask(question, tell, beside=beside)

    return start


def _moving(
    wanted: ModelPlace, engine: EngineService, tell: Callable[[ModelPlace | Exception | None], None]
) -> Future[Any]:
    match wanted:
        case ModelPlace.ACTIVE:
            engine.wake()
        case ModelPlace.IN_MEMORY:
            engine.deactivate()
            engine.load_ahead()
        case ModelPlace.ON_DISK:
            engine.rest()
    # Behind that, whatever is said to it: without a context nothing can be asked.
    return engine.ask(_nothing, lambda _said: tell(_place_now(engine.local_state)))


def _loading(model: ModelRef, engine: EngineService, tell: Callable[[Exception | None], None]) -> Future[Any]:
    def begin(_said: object) -> None:
        engine.load_next(model)
        engine.ask(_nothing, lambda _said: tell(_why_not(engine.local_state, model)))

    # Not before a reply has ended: the window would take it for ended.
    return engine.ask(_nothing, begin)


def _nothing(_session: object, _cancelled: object) -> None:
    """To come behind what was asked for before."""


def _why_not(state: EngineState, model: ModelRef) -> UserError | None:
    match state:
        case ModelReady(info=ModelInfo(ref=ref)) | ModelResting(info=ModelInfo(ref=ref)) if ref == model:
            return None
        case ModelReady(error=UserError() as error) | ModelFailed(error=error):
            return error
    return UserError("Something else was loaded instead.")


def _place_now(state: EngineState) -> ModelPlace | UserError | None:
    return state.error if isinstance(state, ModelFailed) else place_of(state)


class _Loaded:
    """One coroutine that waits for a model. Made on the loop that it waits on."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def tell(self) -> None:
        with suppress(RuntimeError):  # the loop has been closed since
            self._loop.call_soon_threadsafe(self.changed.set)


class _Waiting(Protocol):
    """One coroutine that waits for something of the engine's."""

    def begin(self, engine: EngineService) -> None:
        """In the thread of the engine's façade, as what follows."""

    def end(self) -> None:
        """Nobody waits any more. Of what has ended nothing is left to cancel."""


class _Listener:
    """One coroutine that waits for the events of one reply. Made on the loop that it waits on."""

    def __init__(self, request: ChatRequest, mailbox: Mailbox) -> None:
        self._request = request
        self._mailbox = mailbox
        self._reply: Reply | None = None
        self.heard: asyncio.Queue[ReplyEvent | Exception] = asyncio.Queue()

    def begin(self, engine: EngineService) -> None:
        self._reply = engine.generate(self._request, self.tell, visits=True, direct=True)

    def end(self) -> None:
        if self._reply is not None:
            self._reply.cancel()

    def tell(self, said: ReplyUpdate | ReplyFailed) -> None:
        """In any thread."""
        self._mailbox.post(self.heard, said.error if isinstance(said, ReplyFailed) else said.event)


class _Question(Generic[Answer]):
    """One coroutine that waits for one answer. Made on the loop that it waits on."""

    def __init__(self, start: Start[Answer]) -> None:
        self._start = start
        self._future: Future[Answer] | None = None
        self._loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Answer] = self._loop.create_future()

    def begin(self, engine: EngineService) -> None:
        self._future = self._start(engine, self._tell)

    def end(self) -> None:
        if self._future is not None:
            self._future.cancel()

    def _tell(self, said: Answer | Exception) -> None:
        with suppress(RuntimeError):  # the loop has been closed since
            self._loop.call_soon_threadsafe(self._set, said)

    def _set(self, said: Answer | Exception) -> None:
        if self.answer.done():
            return
        if isinstance(said, Exception):
            self.answer.set_exception(said)
        else:
            self.answer.set_result(said)
