"""What is in force for a model: the settings, and what is set for it alone."""

from pathlib import Path

from app.core.events import ModelInfo
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.core.settings import Settings
from app.core.speculation import Speculation
from app.services.engine.catalog import ModelCatalog
from app.services.engine.futures import Hear
from app.services.engine.jobs import AdaptersJob, LoadJob, ReplyJob
from app.services.engine.states import EngineState, ModelLoading, ModelReady
from app.services.runtime.settings_service import SettingsService


class ModelSettings:
    """GUI thread."""

    def __init__(self, settings: SettingsService, catalog: ModelCatalog) -> None:
        self._settings = settings
        self._catalog = catalog

    def options_of(self, model: ModelRef) -> ModelOptions:
        """What is set for a model alone."""
        return self._catalog.options_of(model)

    def settings_for(self, model: ModelRef) -> Settings:
        """Those in force, with what is set for a model alone; its sampling is put together with each request."""
        return self.options_of(model).applied(self._settings.settings)

    def load_job(
        self, model: ModelRef, mmproj: Path | None, wakes: ModelInfo | None, rested: ModelInfo | None, activates: bool
    ) -> LoadJob:
        settings = self.settings_for(model)
        return LoadJob(
            model,
            settings.loading,
            settings.checkpoints,
            settings.pictures,
            mmproj,
            settings.snapshot_room,
            self._catalog.projector_of(model),
            self._catalog.called(model),
            self.options_of(model).adapters,
            wakes,
            settings.speculation,
            rested,
            activates,
        )

    def adapters_job(self, loaded: ModelInfo) -> AdaptersJob:
        return AdaptersJob(self.options_of(loaded.ref).adapters, loaded.loading, self._settings.settings.snapshot_room)

    def reply_job(
        self, request: ChatRequest, state: EngineState, idle: bool, goes_first: bool, direct: Hear | None
    ) -> ReplyJob:
        """To be answered by the model of that state."""
        settings = self._settings.settings
        kept = settings.checkpoints, settings.pictures, settings.snapshot_room
        return ReplyJob(request, *kept, self._speculation(state), idle, goes_first, direct)

    def _speculation(self, state: EngineState) -> Speculation:
        match state:
            case ModelReady(info=ModelInfo(ref=model)) | ModelLoading(model=model):
                return self.settings_for(model).speculation
        return self._settings.settings.speculation
