"""How the local API samples what a request leaves open: as the window does for a new conversation without a preset."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot

from app.core.events import ModelInfo
from app.core.sampling import Sampling
from app.core.settings import Settings
from app.services.engine.service import EngineService
from app.services.engine.states import EngineState, known_model
from app.services.runtime.settings_service import SettingsService


class ApiSampling(QObject):
    """Lives in the thread of the engine's façade, and is kept up to date there; any thread may call it."""

    def __init__(self, engine: EngineService, settings: SettingsService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._general = settings.settings.sampling
        self._own: Mapping[str, object] = {}
        settings.changed.connect(self._take_settings)
        engine.local_changed.connect(self._take_state)
        self.look()

    def __call__(self, model: ModelInfo) -> Sampling:
        """The settings for all, the advice of the model's file where they are as they came, and what is set for the
        model alone.
        """
        return self._general.layered(model.sampling, self._own)

    @Slot()
    def look(self) -> None:
        """Something may have been set for the model."""
        self._take_state(self._engine.local_state)

    @Slot(object)
    def _take_settings(self, settings: Settings) -> None:
        self._general = settings.sampling

    @Slot(object)
    def _take_state(self, state: EngineState) -> None:
        info = known_model(state)
        self._own = self._engine.options_of(info.ref).of(Sampling) if info is not None else {}
