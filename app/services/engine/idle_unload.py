"""Frees the model's memory when nobody has used it for a while: its context first, and its weights later."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, ModelResting
from app.services.runtime.settings_service import SettingsService

_MINUTE = 60_000
"""Milliseconds."""


class IdleUnload(QObject):
    """GUI thread. Whatever is asked of the engine counts as use, whoever asks: the window or the local API."""

    def __init__(
        self,
        engine: EngineService,
        settings: SettingsService,
        minute: int = _MINUTE,
        parent: QObject | None = None,
        *,
        unload_ms: int = 0,
    ) -> None:
        """`minute` is the length of one, in milliseconds; `unload_ms` stands in for the minutes in the settings after
        which the weights go, where it is not 0.
        """
        super().__init__(parent)
        self._minute = minute
        self._unload_ms = unload_ms
        self._engine = engine
        self._used_at = time.monotonic()
        self._contexts, self._weights = self._timer(engine.deactivate), self._timer(engine.rest)
        engine.used.connect(self._use)
        engine.local_changed.connect(self.look)
        settings.changed.connect(self.look)

    def _timer(self, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setTimerType(timer.timerType().VeryCoarseTimer)
        timer.timeout.connect(act)
        return timer

    @property
    def is_waiting(self) -> bool:
        """Whether any of the model will be freed, if nobody uses it."""
        return self._contexts.isActive() or self._weights.isActive()

    @Slot()
    def _use(self) -> None:
        self._used_at = time.monotonic()
        self.look()

    @Slot()
    def look(self) -> None:
        """Wait anew for what is still to be freed: something was asked, has ended, or is set otherwise."""
        self._contexts.stop()
        self._weights.stop()
        match self._engine.local_state:
            case ModelReady(info) if not self._engine.is_busy:
                loading = self._engine.settings_for(info.ref).loading
                self._wait(self._contexts, loading.idle_deactivate * self._minute)
                self._wait(self._weights, self._unload_after(loading.idle_unload))
            case ModelResting(info=info, in_memory=True):
                self._wait(self._weights, self._unload_after(self._engine.settings_for(info.ref).loading.idle_unload))

    def _unload_after(self, minutes: int) -> int:
        """Milliseconds."""
        return self._unload_ms or minutes * self._minute

    def _wait(self, timer: QTimer, ms: int) -> None:
        """Since the last use; 0 is for ever."""
        if ms:
            since = (time.monotonic() - self._used_at) * 1000
            timer.start(max(0, round(ms - since)))
