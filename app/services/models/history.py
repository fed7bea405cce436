"""Remembers which models were used, and brings the last one back at the start."""

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.resources import GUIDE
from app.core.settings import Interface
from app.library.recent import RecentModels
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.runtime.settings_service import SettingsService


class ModelHistory(QObject):
    """GUI thread."""

    def __init__(
        self,
        recent: RecentModels,
        engine: EngineService,
        settings: SettingsService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._recent = recent
        self._engine = engine
        self._settings = settings
        engine.state_changed.connect(self._remember)

    def recent(self) -> Sequence[Path]:
        """Most recent first; files that are gone are left out."""
        return self._recent.all()

    @property
    def last(self) -> Path | None:
        """The file of the last run; None for the built-in one."""
        last = self._settings.settings.interface.last_model
        return Path(last) if last else None

    @Slot()
    def load_last(self) -> None:
        """Load the model of the last run if its file is still there, otherwise the built-in one."""
        # Path.is_file raises where the folder can't be read, and the start must go on.
        if self.last is not None and os.path.isfile(self.last):  # noqa: PTH113
            self._engine.load(self.last)
        elif GUIDE.is_file():
            self._engine.load(GUIDE)

    @Slot(object)
    def _remember(self, state: object) -> None:
        if isinstance(state, ModelReady):
            # The built-in one moves with the program, and is offered in any case.
            is_guide = state.info.path == GUIDE
            if not is_guide:
                self._recent.add(state.info.path)
            self._settings.update(Interface, last_model="" if is_guide else str(state.info.path.absolute()))
