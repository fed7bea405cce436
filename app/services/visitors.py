"""Programs that use the model through the local API now, for the window to show and to stop."""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True, slots=True)
class Visitor:
    """One request that is being answered, or waits for its turn."""

    number: int
    name: str
    """What the program calls itself, shortened; empty where it says nothing."""


class Visitors(QObject):
    """Any thread may call any method; `changed` comes in this object's own thread, which is the window's."""

    changed = Signal(object)
    """tuple[Visitor, ...], oldest first"""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._here: dict[int, tuple[Visitor, Callable[[], None]]] = {}

    @property
    def here(self) -> tuple[Visitor, ...]:
        with self._lock:
            return tuple(visitor for visitor, _ in self._here.values())

    def came(self, name: str, stop: Callable[[], None]) -> int:
        """A request begins; `stop` ends it, and may be called in any thread, also afterwards. Returns its number."""
        with self._lock:
            visitor = Visitor(next(self._numbers), name)
            self._here[visitor.number] = visitor, stop
        self.changed.emit(self.here)
        return visitor.number

    def went(self, number: int) -> None:
        """It has ended, whatever the way."""
        with self._lock:
            self._here.pop(number, None)
        self.changed.emit(self.here)

    def stop_all(self) -> None:
        """End every request; their programs are told."""
        with self._lock:
            stops = [stop for _, stop in self._here.values()]
        for stop in stops:
            stop()
