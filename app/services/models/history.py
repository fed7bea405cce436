"""Remembers which models were used, and brings the last one back at the start."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.settings import Interface
from app.library.recent import RecentModels
from app.services.engine.service import EngineService
from app.services.engine.states import EngineState, ModelFailed, ready_model
from app.services.runtime.settings_service import SettingsService


class ModelHistory(QObject):
    """GUI thread."""

    def __init__(self, recent: RecentModels, engine: EngineService, settings: SettingsService) -> None:
        super().__init__()
        self._recent = recent
        self._engine = engine
        self._settings = settings
        engine.state_changed.connect(self._remember)

    def recent(self) -> Sequence[ModelRef]:
        """Most recent first; files that are gone are left out."""
        return self._recent.all()

    @property
    def last(self) -> ModelRef | None:
        """The model of the last run; None for the built-in one."""
        last = self._settings.settings.interface.last_model
        return ModelRef.from_stored(last) if last else None

    @Slot()
    def load_last(self) -> None:
        """Choose the model of the last run if it is still there, otherwise the built-in one."""
        if self.last is not None and self.last.is_there:
            self._engine.load(self.last)
            if not isinstance(self._engine.state, ModelFailed):
                return
            # Its server was removed.
        if GUIDE_REF.is_there:
            self._engine.load(GUIDE_REF)

    @Slot(object)
    def _remember(self, state: EngineState) -> None:
        if (info := ready_model(state)) is not None:
            # The built-in one moves with the program, and is offered in any case.
            model = info.ref
            if not model.is_guide:
                self._recent.add(model)
            self._settings.update(Interface, last_model="" if model.is_guide else model.stored)
