"""Work that nothing can interrupt, such as asking a name server: it is done in a thread that can be left to itself."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class AbandonedError(Exception):
    """Nobody waits for it any more."""


class AbandonableCall(Generic[Result]):
    """Calls `act` in a daemon thread of its own, as soon as it is made."""

    def __init__(self, act: Callable[[], Result], dispose: Callable[[Result], None]) -> None:
        """`dispose` gets, in that thread, a result that comes when nobody waits any more; it must not raise."""
        self._act = act
        self._dispose = dispose
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._found: list[Result] = []
        self._error: Exception | None = None
        self._is_left = False
        threading.Thread(target=self._main, name="left alone", daemon=True).start()

    def leave(self) -> None:
        """Let `result` raise now. From any thread; nothing where it is done already."""
        with self._lock:
            if not self._over.is_set():
                self._is_left = True
                self._over.set()

    def result(self) -> Result:
        """Waits; to be asked once. Raises what `act` raised, and AbandonedError."""
        self._over.wait()
        if self._is_left:
            raise AbandonedError
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                # Its traceback leads back to here: what it holds, such as connections, must not wait for the collector.
                del error
        return self._found[0]

    def _main(self) -> None:
        try:
            found = [self._act()]
        except Exception as error:  # noqa: BLE001 - errors cross threads as objects
            found, self._error = [], error
        with self._lock:
            if not self._is_left:
                self._found = found
                self._over.set()
                return
        for late in found:
            self._dispose(late)
