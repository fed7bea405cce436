"""Everything about models as files: those of this machine, the hub, what is being fetched, and what fits."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.capabilities import Capabilities
from app.core.events import ModelInfo
from app.core.fit import Fit, LargerContext, Proposal, larger_context
from app.core.library_settings import LibrarySettings
from app.core.loading import Loading
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.core.resources import RESOURCES
from app.core.settings import Settings
from app.library.catalogue import LibraryModel
from app.library.hub_token import HubToken
from app.library.model_sources import HostFolders, hub_cache
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelLoading, ModelReady, ModelResting, NoModel, known_model
from app.services.models.disk_space import DiskSpace
from app.services.models.download_states import DownloadStage
from app.services.models.downloads import Downloads
from app.services.models.embedder_download import EmbedderDownload
from app.services.models.fit import FreeNow, ModelFit
from app.services.models.hub_search import HubSearch
from app.services.models.hub_shapes import HubShapes
from app.services.models.library import ModelLibrary
from app.services.models.recommended_models import RecommendedModels
from app.services.runtime.settings_service import SettingsService

if TYPE_CHECKING:
    from app.services.models.options import OptionsOfModels
    from app.services.remote.model_servers import ModelServers

_NAMELESS = re.compile(r"model|sha256-[0-9a-f]{64}")
"""File names that say nothing."""


class Models(QObject):
    """GUI thread. Its parts do nothing before `start`."""

    changed = Signal()
    """Settings, or the model in memory: what fits may be different."""

    chosen_changed = Signal()
    """Which model the window asks."""

    def __init__(
        self,
        paths: Paths,
        settings: SettingsService,
        engine: EngineService,
        library: ModelLibrary,
        free_now: FreeNow,
        machine: HostFolders | None = None,
        options: "OptionsOfModels | None" = None,
        servers: "ModelServers | None" = None,
    ) -> None:
        """Library and servers are from now on this object's to start and to close."""
        super().__init__()
        self._settings = settings
        self._engine = engine
        self.options = options
        """What is set for one model alone; None where that is not kept."""
        self._told: tuple[ModelRef | None, tuple[int, int]] = (None, (0, 0))
        """Which model is in memory and how much of it on cards, as it was told last."""
        self._leaving: LibraryModel | None = None
        """What is removed as soon as it is out of memory."""
        self.servers = servers
        """Models on other computers; None where none can be added."""
        self.library = library
        library.setParent(self)
        token = HubToken()
        self.hub = HubSearch(token, self)
        self.shapes = HubShapes(token, self)
        self.good = RecommendedModels(
            RESOURCES / "models.json", paths.short_list, lambda: settings.settings.library.good_models, self
        )
        self.downloads = Downloads(paths.downloads, hub_cache(machine or HostFolders.this()), token.get, parent=self)
        self.embedder = EmbedderDownload(self.downloads, token, self)
        self.disks = DiskSpace(self.downloads, self)
        self.fit = ModelFit(settings, engine, free_now, library.find, self)
        if options is not None:
            options.changed.connect(self._forget)
        settings.changed.connect(self._take_settings)
        engine.local_changed.connect(self._hear_engine)
        engine.state_changed.connect(self.chosen_changed)
        self.downloads.finished.connect(self.library.scan)
        self.library.removed.connect(self._forget_download)

    @Slot()
    def start(self) -> None:
        """After the first paint."""
        self.library.start()
        self.downloads.start()

    def close(self) -> None:
        """Downloads stop where they are, and go on with the next start."""
        self._settings.changed.disconnect(self._take_settings)
        self.hub.close()
        self.shapes.close()
        self.good.close()
        self.embedder.close()
        self.disks.close()
        self.downloads.close()
        self.library.close()
        if self.servers is not None:
            self.servers.close()

    def usable(self) -> Sequence[ModelRef]:
        """What can be chatted with, by name; servers' models last."""
        there = self.servers.models() if self.servers is not None else ()
        return [*(model.ref for model in self.library.usable()), *(listed.ref for listed in there)]

    def name_of(self, model: ModelRef) -> str:
        """What people know it by."""
        if not model.is_file:
            return (self.servers.called(model) if self.servers is not None else "") or model.title
        return self.library.called(model)

    @property
    def chosen(self) -> ModelRef | None:
        """The model that the window asks, wherever it is."""
        info = known_model(self._engine.state)
        return info.ref if info is not None else None

    def when_named(self, model: ModelRef | None, act: Callable[[], None]) -> None:
        """Call `act`: at once where the file's name says what it is, otherwise when the first scan has found out."""
        is_named = model is None or not _NAMELESS.fullmatch(model.title) or self.library.find(model) is not None
        if is_named or not self.library.is_scanning:
            act()
        else:
            self.library.scanning.connect(act, Qt.ConnectionType.SingleShotConnection)

    def drafts_for(self, model: ModelRef) -> tuple[LibraryModel, ...]:
        """Those that could draft for a model, the best first."""
        return self.library.drafts_for(model)

    def fit_with(self, info: ModelInfo, settings: Settings) -> tuple[Fit, tuple[Proposal, ...]] | None:
        """Whether the model in memory would fit if it were loaded with `settings`, and what would if not."""
        return self.fit.with_settings(info, settings)

    @property
    def loaded(self) -> ModelRef | None:
        """The model in memory, or on its way there."""
        match self._engine.local_state:
            case ModelReady(info) | ModelResting(info=info, in_memory=True):
                return info.ref
            case ModelLoading(model):
                return model
        return None

    @property
    def capabilities(self) -> Capabilities | None:
        """What the model in memory can do; None without one."""
        state = self._engine.local_state
        return state.info.capabilities if isinstance(state, ModelReady) else None

    @property
    def offloaded(self) -> tuple[int, int]:
        """Of the model in memory: layers on graphics cards, and how many could lie there; 0 of 0 without a card."""
        state = self._engine.local_state
        return (state.info.n_offloaded, state.info.n_offloadable) if isinstance(state, ModelReady) else (0, 0)

    def loads(self, model: LibraryModel) -> bool:
        return self.loaded in model.refs

    @property
    def folders(self) -> tuple[Path, ...]:
        """Those that people named."""
        return tuple(Path(each) for each in self._settings.settings.library.folders)

    def larger_context(self, entries: int) -> LargerContext | None:
        """For the model in memory: what would hold so much, and its price; None where there is no such context."""
        state, free = self._engine.state, self.fit.free()
        if not isinstance(state, ModelReady) or not free.ram:
            return None
        info = state.info
        shape = self.fit.shape_of(info.ref)
        if shape is None:
            return None
        return larger_context(shape, replace(info.loading, ctx_size=info.n_ctx), entries, free)

    def load_with_context(self, n_ctx: int) -> None:
        """Load the model in memory again with a context of so many entries, from now on."""
        state = self._engine.state
        if not isinstance(state, ModelReady):
            return
        self._change_loading(state.info.ref, {"ctx_size": n_ctx})
        self._engine.reload()

    def set_loading(self, model: LibraryModel, loading: Loading) -> None:
        """Let a model be loaded so: it alone where that can be kept, otherwise all of them."""
        now = self.fit.loading_of(model.ref)
        values = {
            each.name: getattr(loading, each.name)
            for each in fields(Loading)
            if getattr(loading, each.name) != getattr(now, each.name)
        }
        self._change_loading(model.ref, values)

    def _change_loading(self, model: ModelRef, values: Mapping[str, object]) -> None:
        if self.options is not None:
            self.options.set_section(model, Loading, {**self.options.of(model).of(Loading), **values})
        else:
            self._settings.update(Loading, **values)

    def remove(self, model: LibraryModel) -> None:
        """Put it into the trash; what is loaded is unloaded first, for some systems keep open files."""
        if self.loads(model):
            self._leaving = model
            self._engine.unload()
        else:
            self.library.remove(model)

    @Slot(object)
    def _hear_engine(self, state: object) -> None:
        if (now := (self.loaded, self.offloaded)) != self._told:
            self._told = now
            self.changed.emit()
        if self._leaving is not None and isinstance(state, NoModel | ModelReady | ModelResting | ModelFailed):
            # Whatever is in memory now: it must not go at some time later, when nobody thinks of it any more.
            leaving, self._leaving = self._leaving, None
            if not self.loads(leaving):
                self.library.remove(leaving)

    def add_folder(self, folder: Path) -> None:
        """Look there too, from now on."""
        known = self._settings.settings.library.folders
        if str(folder) not in known:
            self._settings.update(LibrarySettings, folders=(*known, str(folder)))

    def remove_folder(self, folder: Path) -> None:
        """No file is touched."""
        kept = tuple(each for each in self._settings.settings.library.folders if Path(each) != folder)
        self._settings.update(LibrarySettings, folders=kept)

    @property
    def download_folder(self) -> Path | None:
        """Where what is fetched goes; None is the cache that all programs share."""
        told = self._settings.settings.library.download_folder
        return Path(told) if told and Path(told).is_absolute() else None

    def download_to(self, folder: Path | None) -> None:
        """From now on; what is being fetched stays where it is."""
        self._settings.update(LibrarySettings, download_folder=str(folder) if folder is not None else "")

    @Slot(object)
    def _forget_download(self, model: LibraryModel) -> None:
        """What came and was removed again is not here; it can be fetched once more."""
        gone = {model.path, *model.parts, *model.also}
        for each in self.downloads.downloads:
            if each.stage is DownloadStage.DONE and each.path in gone:
                self.downloads.remove(each.id)

    @Slot()
    def _forget(self) -> None:
        self.fit.forget()
        self.changed.emit()

    @Slot(object)
    def _take_settings(self, settings: Settings) -> None:
        self.library.set_folders(_folders(settings))
        self.changed.emit()


def library_of(paths: Paths, settings: Settings, machine: HostFolders | None = None) -> ModelLibrary:
    """The program's own; it looks for nothing yet."""
    return ModelLibrary(paths.catalogue, paths.models, _folders(settings), machine)


def _folders(settings: Settings) -> list[Path]:
    wanted = (*settings.library.folders, settings.library.download_folder)
    return [Path(each) for each in dict.fromkeys(wanted) if each and Path(each).is_absolute()]
