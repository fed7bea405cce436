"""The way out of a thread that may outlive those who listen to it."""

import threading
from collections.abc import Callable


class GuardedSignal:
    """From a thread to a signal, until it is shut: from then on the signal's object may be gone."""

    def __init__(self, emit: Callable[[object], object]) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._open = True

    def tell(self, what: object) -> None:
        with self._lock:
            if self._open:
                self._emit(what)

    def shut(self) -> None:
        with self._lock:
            self._open = False
