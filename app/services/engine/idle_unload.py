"""Frees the model's memory when nobody has used it for a while."""

from PySide6.QtCore import QObject, QTimer, Slot

from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.runtime.settings_service import SettingsService

_MINUTE = 60_000
"""Milliseconds."""


class IdleUnload(QObject):
    """GUI thread. Whatever is asked of the engine counts as use, whoever asks: the window or the local API."""

    def __init__(
        self, engine: EngineService, settings: SettingsService, minute: int = _MINUTE, parent: QObject | None = None
    ) -> None:
        """`minute` is the length of one, in milliseconds."""
        super().__init__(parent)
        self._minute = minute
        self._engine = engine
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setTimerType(self._calm.timerType().VeryCoarseTimer)
        self._calm.timeout.connect(engine.rest)
        engine.used.connect(self.look)
        engine.state_changed.connect(self.look)
        settings.changed.connect(self.look)

    @property
    def is_waiting(self) -> bool:
        """Whether the model will be freed, if nobody uses it."""
        return self._calm.isActive()

    @Slot()
    def look(self) -> None:
        """Begin to wait anew: something was asked, has ended, or is set otherwise."""
        self._calm.stop()
        state = self._engine.state
        if isinstance(state, ModelReady) and not self._engine.is_busy:
            minutes = self._engine.settings_for(state.info.ref).loading.idle_unload
            if minutes:
                self._calm.start(minutes * self._minute)
