"""Bytes from the thread that reads a connection to the one that understands them."""

import threading
from collections import deque

_MOST = 1 << 20
"""Bytes that wait at most: then the connection is not read any further, and the server is held back."""


class ClosedPipeError(Exception):
    """Nobody reads any more."""


class Pipe:
    """One thread puts, another takes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._error: Exception | None = None
        self._closed = False

    def put(self, data: bytes) -> None:
        """Waits while too much is there. Raises ClosedPipeError."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._size < _MOST)
            if self._closed:
                raise ClosedPipeError
            self._waiting.append(data)
            self._size += len(data)
            self._changed.notify_all()

    def end(self, error: Exception | None = None) -> None:
        """Nothing comes after this; the error is raised where what came has been taken."""
        with self._changed:
            self._ended, self._error = True, error
            self._changed.notify_all()

    def close(self) -> None:
        """Wake both sides: what waits is of no interest any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def take(self, seconds: float | None) -> bytes | None:
        """All that waits, as soon as there is any; empty at the end, None after so many seconds without any.

        Raises what the other side ended with, and ClosedPipeError.
        """
        with self._changed:
            there = self._changed.wait_for(lambda: self._closed or self._waiting or self._ended, seconds)
            if self._closed:
                raise ClosedPipeError
            if self._waiting:
                data = b"".join(self._waiting)
                self._waiting.clear()
                self._size = 0
                self._changed.notify_all()
                return data
            if not there:
                return None
            if self._error is not None:
                raise self._error
            return b""
