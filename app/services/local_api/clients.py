"""Programs that use the model through the local API now, for the window to show and to stop."""

import threading
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Signal


class Client(Protocol):
    """One request that is being answered, or waits for its turn."""

    @property
    def number(self) -> int: ...

    @property
    def client(self) -> str:
        """What the program calls itself; empty where it says nothing."""

    @property
    def stop(self) -> Callable[[], None]:
        """Ends it. May be called in any thread, also when it has ended."""


class Clients(QObject):
    """The API tells it in the API's thread; `changed` comes in this object's own thread, which is the window's."""

    changed = Signal(object)
    """tuple[Visit, ...], oldest first"""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._here: dict[int, Client] = {}

    @property
    def here(self) -> tuple[Client, ...]:
        with self._lock:
            return tuple(self._here.values())

    def came(self, visit: Client) -> None:
        with self._lock:
            self._here[visit.number] = visit
        self.changed.emit(self.here)

    def got_its_turn(self, visit: Client) -> None:
        """It is no longer waiting."""

    def left(self, visit: Client) -> None:
        with self._lock:
            self._here.pop(visit.number, None)
        self.changed.emit(self.here)

    def stop_all(self) -> None:
        """End every request; their programs are told."""
        for visit in self.here:
            visit.stop()
