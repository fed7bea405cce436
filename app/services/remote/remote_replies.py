"""Answers that servers write: a daemon thread for each, and what comes told in the GUI thread."""

import itertools
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.events import (
    Finished,
    FinishReason,
    ReplyEvent,
    TextDelta,
    Timings,
    ToolCallDelta,
    joined_deltas,
)
from app.core.messages import Generation
from app.core.requests import ChatRequest
from app.remote.stop_signal import StopSignal
from app.services.engine.futures import Hear, Reply
from app.services.engine.states import ReplyUpdate
from app.services.runtime.frames import without_locals
from app.services.runtime.guarded_signal import GuardedSignal

_NOTHING = Finished(FinishReason.CANCELLED, "", Generation("", ()), Timings(None, None), None, None)


class Answers(Protocol):
    """`RemoteEngine`, or `WorkerEngine`."""

    def reply(self, request: ChatRequest, stop: StopSignal) -> Generator[ReplyEvent, None, None]: ...


class RemoteReplies(QObject):
    """Lives in the GUI thread. Each answer has a thread and a connection of its own: none waits for another."""

    _came = Signal(object)
    """_Answer: there is something in it to be taken"""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._open: dict[int, _Answer] = {}
        self._results = GuardedSignal(self._came.emit)
        # Queued also where the GUI thread itself tells it: nobody hears of an end before the call that stopped it
        # has returned.
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def begin(self, make: Callable[[], Answers], request: ChatRequest, hear: Hear) -> Reply:
        """`make` is called in the thread: it may read the keyring, and raises UserError."""
        stop = StopSignal()
        answer = _Answer(next(self._numbers), Reply(hear, stop.set), stop, self._results)
        self._open[answer.number] = answer
        threading.Thread(target=answer.run, args=(make, request), name="server-answer", daemon=True).start()
        return answer.reply

    def close(self) -> None:
        """Stop them all and hear nothing more. May be called twice."""
        for answer in self._open.values():
            answer.stop.set()
        self._open.clear()
        self._results.shut()

    @Slot(object)
    def _take(self, answer: "_Answer") -> None:
        if answer.number not in self._open:
            return
        events, ended, error = answer.take()
        for event in events:
            answer.reply.tell(ReplyUpdate(event))
        if ended:
            self._open.pop(answer.number, None)
            answer.reply.end(error)


class _Answer:
    """Between the two threads. One signal at a time is on its way: a slow window gets more with each."""

    def __init__(self, number: int, reply: Reply, stop: StopSignal, results: GuardedSignal) -> None:
        self.number = number
        self.reply = reply
        self.stop = stop
        self._results = results
        self._lock = threading.Lock()
        self._events: list[ReplyEvent] = []
        self._ended = False
        self._error: Exception | None = None
        self._told = False

    def run(self, make: Callable[[], Answers], request: ChatRequest) -> None:
        """In its own thread."""
        try:
            with self.stop.calls(self._give_up):
                engine = make()
            with closing(engine.reply(request, self.stop)) as events:
                for event in events:
                    self._put(event)
        except Exception as error:  # noqa: BLE001 - errors cross threads as objects
            self._error = without_locals(error)
        self._put(None)

    def _give_up(self) -> None:
        """Before anything was asked: a keyring may wait for a password for ever. What its thread says then is too late
        for everybody.
        """
        self._put(_NOTHING)
        self._put(None)

    def _put(self, event: ReplyEvent | None) -> None:
        """None ends it."""
        with self._lock:
            if event is None:
                self._ended = True
            else:
                self._events.append(event)
            was_told, self._told = self._told, True
        if not was_told:
            self._results.tell(self)

    def take(self) -> tuple[list[ReplyEvent], bool, Exception | None]:
        """What came since the last time, pieces of the answer joined; whether that is all; and why."""
        with self._lock:
            events, self._events, self._told = self._events, [], False
            ended = self._ended
        return _joined(events), ended, self._error


def _joined(events: list[ReplyEvent]) -> list[ReplyEvent]:
    found: list[ReplyEvent] = []
    for is_delta, run in itertools.groupby(events, lambda each: isinstance(each, TextDelta | ToolCallDelta)):
        if is_delta:
            found += joined_deltas(each for each in run if isinstance(each, TextDelta | ToolCallDelta))
        else:
            found += run
    return found
