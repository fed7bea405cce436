"""Python's collector of cyclic garbage, kept in the GUI thread."""

import gc
import threading

from PySide6.QtCore import QObject

from app.services.runtime.debounce import Ticker

_INTERVAL_MS = 1000


class GarbageCollector(QObject):
    """While it runs, cycles are collected here and nowhere else.

    Python would collect them in whatever thread happens to make the object too many. An object of Qt's in a cycle, such
    as a dialog that knows itself through a lambda, would then be destroyed in the engine's thread, under Qt's feet.
    """

    def __init__(self) -> None:
        super().__init__()
        self._timer = Ticker(_INTERVAL_MS, self.collect, self)

    def start(self) -> None:
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Python does it again, unless a thread was left to itself: there it would destroy what is Qt's, and wait for
        a lock that the end of the process holds for ever.
        """
        self._timer.stop()
        if threading.active_count() == 1:
            gc.enable()

    def collect(self) -> None:
        """The oldest generation that is due, as Python itself decides it."""
        due = [count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        for generation in (2, 1, 0):
            if due[generation]:
                gc.collect(generation)
                return
