"""The thread in which servers of tools are spoken to, with an asyncio loop of its own: the SDK does not bear Qt's."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.services.runtime.frames import without_locals
from app.services.runtime.guarded_signal import GuardedSignal

Result = TypeVar("Result")

_END_WITHIN = 1.0
"""Seconds that the end of the program waits for servers; what is left then is the watcher's."""


class ToolThread(QObject):
    """Lives in the GUI thread. The thread itself begins with the first work, and does not keep the process."""

    _heard = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._out = GuardedSignal(self._heard.emit)
        # Always later: work that is done at once would be heard of before whoever asked knows that it was begun.
        self._heard.connect(self._call, Qt.ConnectionType.QueuedConnection)
        self._closed = False

    def submit(
        self, work: Callable[[], Coroutine[Any, Any, Result]], then: Callable[[Result | Exception], None]
    ) -> "concurrent.futures.Future[Result]":
        """Run a coroutine in the thread, then `then` in the GUI thread with what it returned or raised.

        `cancel` of what is returned cancels the coroutine; `then` is not called then, nor after `close`.
        """
        future = asyncio.run_coroutine_threadsafe(work(), self._begun())
        future.add_done_callback(partial(self._end, then))
        return future

    def tell(self, act: Callable[[], None]) -> None:
        """Call `act` in the GUI thread. From any thread."""
        self._out.tell(act)

    async def ask(self, show: Callable[[Callable[[Result], None]], None]) -> Result:
        """In the thread: call `show` in the GUI thread, and wait until what it is given is called there, once or more
        often.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Result] = loop.create_future()

        def take(told: Result) -> None:
            if not answer.done():
                answer.set_result(told)

        def answered(told: Result) -> None:
            # The loop may have come to its end.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(take, told)

        self.tell(partial(show, answered))
        return await answer

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `last`, and end the thread. May be called twice."""
        self._out.shut()
        if self._closed:
            return
        self._closed = True
        if self._loop is not None and self._thread is not None:
            done = asyncio.run_coroutine_threadsafe(last(), self._loop)
            concurrent.futures.wait([done], _END_WITHIN)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_END_WITHIN)

    def _begun(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_run, args=(self._loop,), name="tools", daemon=True)
            self._thread.start()
        return self._loop

    def _end(self, then: Callable[[Any], None], future: "concurrent.futures.Future[Any]") -> None:
        if not future.cancelled():
            error = future.exception()
            if error is None or isinstance(error, Exception):
                self._out.tell(partial(then, without_locals(error) if error else future.result()))

    @Slot(object)
    def _call(self, act: Callable[[], None]) -> None:
        if not self._closed:
            act()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        # asyncio hears of the end of what was killed in another thread, and complains to a loop that is closed.
        loop.run_until_complete(asyncio.sleep(0.05 if left else 0))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
