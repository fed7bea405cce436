"""Connections that are talked with at once, so that no stranger holds up another one, and not too many."""

import socket
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

_MOST = 16
_MOST_OF_ONE = 4
"""From one address."""
_END_WITHIN = 1.0
"""Seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class _Visitor:
    address: str
    handle: socket.socket
    """Another one of its connection, to cut it by: TLS takes the first one over."""
    thread: threading.Thread


class Visitors:
    """Used by one thread. Who comes last is heard: of too many the oldest has to go."""

    def __init__(self, visit: Callable[[socket.socket], None]) -> None:
        """`visit` closes its connection, in a thread of that one's."""
        self._visit = visit
        self._open: list[_Visitor] = []

    def add(self, connection: socket.socket, address: str) -> None:
        for over in [each for each in self._open if not each.thread.is_alive()]:
            self._remove(over)
        handle = connection.dup()
        thread = threading.Thread(target=self._run, args=(connection, handle), name="pairing-visitor", daemon=True)
        self._open.append(_Visitor(address, handle, thread))
        thread.start()
        counts = Counter(each.address for each in self._open)
        (busiest, n), *_ = counts.most_common(1)
        if n > _MOST_OF_ONE or len(self._open) > _MOST:
            self._remove(next(each for each in self._open if each.address == busiest))

    def leave(self) -> None:
        """Cut all of them, and see them end."""
        for each in self._open:
            _cut(each.handle)
        for each in self._open:
            each.thread.join(_END_WITHIN)

    def _remove(self, visitor: _Visitor) -> None:
        self._open.remove(visitor)
        _cut(visitor.handle)

    def _run(self, connection: socket.socket, handle: socket.socket) -> None:
        try:
            self._visit(connection)
        finally:
            _cut(handle)


def _cut(handle: socket.socket) -> None:
    with handle, suppress(OSError):  # it is over already
        handle.shutdown(socket.SHUT_RDWR)
