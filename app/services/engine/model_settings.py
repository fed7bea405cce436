"""What is in force for a model: the settings, and what is set for it alone."""

from pathlib import Path

from app.core.checkpointing import Checkpointing
from app.core.events import ModelInfo
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.picture_settings import PictureSettings
from app.core.settings import Settings
from app.core.snapshot_settings import SnapshotRoom
from app.core.speculation import Speculation
from app.services.engine.catalog import ModelCatalog
from app.services.engine.jobs import AdaptersJob, LoadJob
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

    def of_replies(self, state: EngineState) -> tuple[Checkpointing, PictureSettings, SnapshotRoom, Speculation]:
        """What a reply goes by that the model of this state writes."""
        settings = self._settings.settings
        return settings.checkpoints, settings.pictures, settings.snapshot_room, self._speculation(state)

    def _speculation(self, state: EngineState) -> Speculation:
        match state:
            case ModelReady(info=ModelInfo(ref=model)) | ModelLoading(model=model):
                return self.settings_for(model).speculation
        return self._settings.settings.speculation
