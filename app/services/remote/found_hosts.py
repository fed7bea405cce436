"""Hearths of the network that show a code, while somebody looks for one."""

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.remote.pairing.discovery import Discovery, FoundHost
from app.services.runtime.guarded_signal import GuardedSignal

Look = Callable[[Callable[[tuple[FoundHost, ...]], None], threading.Event], None]
"""Tells what is found until the event is set. In a thread."""


class FoundHosts(QObject):
    """GUI thread. Nothing is sent before `begin`, nor after `end`."""

    changed = Signal(object)
    """tuple[FoundHost, ...]"""

    def __init__(self, parent: QObject | None = None, look: "Look | None" = None) -> None:
        super().__init__(parent)
        self._look = look or _look
        self._told = GuardedSignal(self.changed.emit)
        self._stopped: threading.Event | None = None

    def begin(self) -> None:
        """Nothing where it has begun."""
        if self._stopped is None:
            self._stopped, self._told = threading.Event(), GuardedSignal(self.changed.emit)
            # Nobody waits for its end: to take leave of a network takes a moment.
            threading.Thread(
                target=self._look, args=(self._told.tell, self._stopped), name="discovery", daemon=True
            ).start()

    def end(self) -> None:
        if self._stopped is not None:
            self._told.shut()
            self._stopped.set()
            self._stopped = None


def _look(heard: Callable[[tuple[FoundHost, ...]], None], stopped: threading.Event) -> None:
    looking = Discovery(heard)
    stopped.wait()
    looking.close()
