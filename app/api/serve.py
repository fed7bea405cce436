"""`hearth serve`: the local API without a window."""

import asyncio
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import qasync
from PySide6.QtCore import QCoreApplication, QTimer

from app.api.hosts import hosts_of, refuse_open_access
from app.core.adapters import Adapter
from app.core.api_settings import LoadModels
from app.core.checkpointing import Checkpointing
from app.core.events import ModelInfo
from app.core.loading import Loading
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.core.picture_settings import PictureSettings
from app.core.sampling import Sampling
from app.core.snapshot_settings import SnapshotSettings
from app.core.speculation import Speculation
from app.services.engine.catalog import NoCatalog
from app.services.engine.idle_unload import IdleUnload
from app.services.engine.plans import MediaPlan, PreflightPlan
from app.services.engine.reply_stream import ReplyStream
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelReady
from app.services.local_api.named_models import VectorFile
from app.services.local_api.other_models import OtherModels
from app.services.local_api.thread import ApiThread
from app.services.local_api.vector_models import VectorModels
from app.services.runtime import qt_log
from app.services.runtime.garbage_collector import GarbageCollector
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.shutdown import emitted, ends_in_time, leave

if TYPE_CHECKING:
    from aiohttp import web

    from app.api.auth import Access
    from app.api.paired_serving import PairedServing
    from app.library.catalogue import LibraryModel
    from app.services.models.library import ModelLibrary


Say = Callable[[str], None]
_WAKE_MS = 200


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line and the settings say together."""

    model: ModelRef | None
    """None serves vectors alone."""
    mmproj: Path | None
    """None takes the projector that belongs to the model, if there is one."""
    loading: Loading
    checkpoints: Checkpointing
    pictures: PictureSettings
    sampling: Callable[[ModelInfo], Sampling]
    """What requests leave out."""
    host: str
    """Several are separated by commas."""
    port: int
    """0 takes a free one."""
    api_key: str = field(default="", repr=False)
    peers_port: int | None = None
    """Where computers that are paired are served, over TLS; 0 takes a free one, None serves none."""
    pairs: bool = False
    """A code is told, by which one more computer may be paired."""
    announces: bool = True
    """The network is told where, while the code holds."""
    origins: tuple[str, ...] = ()
    """Whose pages may use it, as `Access.origins`, besides the one in the settings."""
    sleep_seconds: int = 0
    """Idle ones after which the model's memory is freed; 0 leaves it to the minutes of `loading`."""
    tells_slots: bool = True
    """Programs are told what is being answered."""
    tells_metrics: bool = True
    """And how much was."""
    tells_prompts: bool = False
    """Whole answers tell their prompts."""
    continues_answers: bool = False
    """An answer that a chat completion ends with is gone on with."""
    states: Path | None = None
    """The folder where clients may save what the context holds; None lets them not."""
    strict_model: bool = False
    """Requests have to name the model that is loaded, or none."""
    strip_images: bool = False
    """Pictures that the model can't see are left out, instead of the request being refused."""
    thinks: bool | None = None
    """Whether a model thinks where a request does not say it; None leaves it to its template."""
    kept_on_disk: int = 0
    """MiB that what the model has read of conversations may take on disk; 0 keeps nothing."""
    moves_changes: bool = False
    """Lines of system prompts that change go behind what stays, so that it stays warm."""
    speculation: Speculation = field(default_factory=Speculation)
    adapters: tuple[Adapter, ...] = ()
    vectors: tuple[VectorFile, ...] = ()
    """Models that make vectors of texts, or rank documents."""
    load_models: LoadModels = LoadModels.NEVER
    """Whether a request that names another model of this computer has it loaded; there is nobody to ask."""
    options_of: Callable[[ModelRef], ModelOptions] = lambda _: ModelOptions()
    """What is set for such a model."""
    remarks: Callable[[ModelInfo], tuple[str, ...]] = lambda _: ()
    """Sentences about what the loaded model does not do as the command line asked."""


def run(options: ServeOptions, paths: Paths, command: list[str], *, tell: Say, warn: Say) -> int:
    """Serve until SIGINT or SIGTERM; returns the exit code. `tell` gets the one line that says where, `warn`
    sentences about what is not as it was asked for.

    Raises UserError: for a port that is in use, a model that can't be loaded, an open door without a key.
    """
    refuse_open_access(options.host, options.api_key)
    qt_log.install()
    application = QCoreApplication([sys.argv[0]])
    with qasync.QEventLoop(application) as loop:
        if not loop.run_until_complete(_Serving(options, paths, command).run(tell, warn)):
            leave()
    return 0


def _library_of(paths: Paths, settings: SettingsService) -> "ModelLibrary":
    # Imported where it is wanted, for it brings the hub along.
    from app.services.models.models import library_of

    return library_of(paths, settings.settings)


def _paired_serving(
    options: ServeOptions, paths: Paths, make_application: "Callable[[Access], web.Application]"
) -> "PairedServing | None":
    if options.peers_port is None:
        return None
    from app.api.paired_serving import PairedServing

    return PairedServing(paths, options.peers_port, make_application)


class _Catalog:
    """What the library knows of models, and what is set for each."""

    def __init__(self, library: "ModelLibrary", options: ServeOptions, own: ModelOptions) -> None:
        """`own` is set for the model that the command line names, below what that says."""
        self._options = options
        self._own = own
        self.projector_of, self.called = library.projector_of, library.called

    def options_of(self, model: ModelRef) -> ModelOptions:
        return self._own if model == self._options.model else self._options.options_of(model)


class _Serving:
    """Everything that lives as long as the server, on the main thread's loop."""

    def __init__(self, options: ServeOptions, paths: Paths, command: list[str]) -> None:
        self._options = options
        self._collector = GarbageCollector()
        self._collector.start()
        settings = SettingsService(paths.settings)
        settings.override(
            options.loading,
            options.checkpoints,
            options.pictures,
            options.speculation,
            SnapshotSettings(disk=0),
            replace(settings.settings.local_api, keep_on_disk=options.kept_on_disk),
        )
        preflight = PreflightPlan(paths.trusted_models, command)
        media = MediaPlan(paths.attachments, paths.embeddings, paths.projectors, paths.models)
        # What else is set for the model is in the options already, below what the command line says.
        own = ModelOptions(adapters=options.adapters)
        self._library = _library_of(paths, settings) if options.load_models is LoadModels.ALWAYS else None
        catalog = _Catalog(self._library, options, own) if self._library is not None else NoCatalog(own)
        snapshots = paths.program_snapshots if options.kept_on_disk else None
        self._engine = EngineService(settings, preflight, media, catalog=catalog, snapshots=snapshots)
        self._idle = IdleUnload(self._engine, settings, parent=self._engine, unload_ms=options.sleep_seconds * 1000)
        self._replies = ReplyStream(self._engine, self._engine, expects_model=options.model is not None)
        start = () if options.model is None else (options.model,)
        self._others = OtherModels(self._found, lambda: options.load_models, start, self._engine)
        self._vectors = VectorModels(
            command, options.loading, options.vectors, self._others.vectors, self._others.may_load
        )
        origin = settings.settings.local_api.allowed_origin
        self._origins = (*options.origins, *([origin] if origin else []))
        self._api = ApiThread(self._own_application, options.host, options.port)
        self._paired = _paired_serving(options, paths, self._application)

    def _own_application(self) -> "web.Application":
        # Imported here, in the API's thread: meanwhile the engine's reads the model.
        from app.api.auth import Access

        return self._application(Access(self._options.host, self._options.api_key, self._origins))

    def _application(self, access: "Access") -> "web.Application":
        from app.api.server import make_application

        options = self._options
        return make_application(
            self._replies,
            access,
            options.sampling,
            strict_model=options.strict_model,
            states=options.states,
            strip_images=options.strip_images,
            vectors=self._vectors,
            others=self._others,
            moves_changes=options.moves_changes,
            keeps_sessions=options.kept_on_disk > 0,
            thinks=options.thinks,
            tells_slots=options.tells_slots,
            tells_metrics=options.tells_metrics,
            tells_prompts=options.tells_prompts,
            continues_answers=options.continues_answers,
        )

    def _found(self) -> "tuple[LibraryModel, ...]":
        return self._library.models if self._library is not None else ()

    async def run(self, tell: Say, warn: Say) -> bool:
        """Until it is told to stop. Returns whether all of it has ended; where not, the process has to `leave`."""
        stopped = _when_told_to_stop()
        try:
            loading = self._load(stopped)
            # A port in use is told at once, however large the model is. Requests wait for it.
            port = await self._api.start()
            if self._paired is not None:
                await self._paired.start()
            await asyncio.to_thread(self._vectors.open)
            if self._library is not None:
                self._library.start()
            ready = await loading
            if ready is not None:
                for note in (*ready.notes, *self._options.remarks(ready.info)):
                    warn(note)
            if not stopped.done():
                names = [*([ready.info.name] if ready else []), *(each.name for each in self._options.vectors)]
                told = f"model {', '.join(names)}"
                tell(f"Listening on http://{_bracketed(hosts_of(self._options.host)[0])}:{port}/v1 ({told})")
                if self._paired is not None:
                    self._paired.tell(tell, warn, pairs=self._options.pairs, announces=self._options.announces)
                await stopped
        finally:
            ended = await ends_in_time(self._end())
        return ended

    def _load(self, stopped: "asyncio.Future[None]") -> "asyncio.Future[ModelReady | None]":
        """Begin it. None when it was told to stop before the model was there, and where there shall be none. Raises
        UserError.
        """
        loaded: asyncio.Future[ModelReady | None] = asyncio.get_running_loop().create_future()

        def hear(state: object) -> None:
            match state:
                case _ if loaded.done():
                    pass
                case ModelReady():
                    loaded.set_result(state)
                case ModelFailed(_, error):
                    loaded.set_exception(error)

        stopped.add_done_callback(lambda _: None if loaded.done() else loaded.set_result(None))
        if self._options.model is None:
            loaded.set_result(None)
            return loaded
        self._engine.state_changed.connect(hear)
        self._engine.load(self._options.model, self._options.mmproj)
        return loaded

    async def _end(self) -> None:
        if self._paired is not None:
            await self._paired.stop()
        await self._api.stop()
        if self._library is not None:
            self._library.close()
        await emitted(self._engine.closed, self._engine.close)
        self._collector.stop()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _when_told_to_stop() -> "asyncio.Future[None]":
    """Resolved by the first SIGINT or SIGTERM."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[None] = loop.create_future()

    def stop(*_: object) -> None:
        if not stopped.done():
            stopped.set_result(None)

    if sys.platform == "win32":
        signal.signal(signal.SIGINT, stop)
        # Python runs its handlers between two instructions of its own, and Qt's loop has none to offer.
        heartbeat = QTimer(QCoreApplication.instance())
        heartbeat.timeout.connect(lambda: None)
        heartbeat.start(_WAKE_MS)
    else:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
    return stopped
