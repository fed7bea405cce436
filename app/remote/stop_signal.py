"""Stops one exchange with a server, from any thread and at once."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class StopSignal:
    """Set once, and never taken back: one for each answer."""

    def __init__(self) -> None:
        self._set = threading.Event()
        self._lock = threading.Lock()
        self._heard: list[Callable[[], None]] = []

    def set(self) -> None:
        """Returns in a millisecond; who waits for the network is woken."""
        self._set.set()
        with self._lock:
            heard = list(self._heard)
        for each in heard:
            each()

    @property
    def is_set(self) -> bool:
        return self._set.is_set()

    def wait(self, seconds: float) -> bool:
        """Whether it was set within that time."""
        return self._set.wait(seconds)

    @contextmanager
    def calls(self, heard: Callable[[], None]) -> Iterator[None]:
        """`heard` is called when it is set, in the thread that sets it; at once where it was before."""
        with self._lock:
            self._heard.append(heard)
        if self._set.is_set():
            heard()
        try:
            yield
        finally:
            with self._lock:
                self._heard.remove(heard)
