"""`hearth serve`: the local API without a window."""

import asyncio
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import qasync
from PySide6.QtCore import QCoreApplication, QTimer

from app.api.hosts import refuse_open_access
from app.core.adapters import Adapter
from app.core.checkpointing import Checkpointing
from app.core.events import ModelInfo
from app.core.loading import Loading
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.core.picture_settings import PictureSettings
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.services.engine.catalog import NoCatalog
from app.services.engine.idle_unload import IdleUnload
from app.services.engine.plans import MediaPlan, PreflightPlan
from app.services.engine.reply_stream import ReplyStream
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelReady
from app.services.local_api.thread import ApiThread
from app.services.runtime import qt_log
from app.services.runtime.garbage_collector import GarbageCollector
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.shutdown import emitted, ends_in_time, leave

if TYPE_CHECKING:
    from aiohttp import web

Say = Callable[[str], None]
_WAKE_MS = 200


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line and the settings say together."""

    model: ModelRef
    mmproj: Path | None
    """None takes the projector that belongs to the model, if there is one."""
    loading: Loading
    checkpoints: Checkpointing
    pictures: PictureSettings
    sampling: Callable[[ModelInfo], Sampling]
    """What requests leave out."""
    host: str
    port: int
    """0 takes a free one."""
    api_key: str = field(default="", repr=False)
    states: Path | None = None
    """The folder where clients may save what the context holds; None lets them not."""
    strict_model: bool = False
    """Requests have to name the model that is loaded, or none."""
    strip_images: bool = False
    """Pictures that the model can't see are left out, instead of the request being refused."""
    thinks: bool | None = None
    """Whether a model thinks where a request does not say it; None leaves it to its template."""
    moves_changes: bool = False
    """Lines of system prompts that change go behind what stays, so that it stays warm."""
    speculation: Speculation = field(default_factory=Speculation)
    adapters: tuple[Adapter, ...] = ()
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


class _Serving:
    """Everything that lives as long as the server, on the main thread's loop."""

    def __init__(self, options: ServeOptions, paths: Paths, command: list[str]) -> None:
        self._options = options
        self._collector = GarbageCollector()
        self._collector.start()
        settings = SettingsService(paths.settings)
        settings.override(
            loading=options.loading,
            checkpoints=options.checkpoints,
            pictures=options.pictures,
            speculation=options.speculation,
        )
        preflight = PreflightPlan(paths.trusted_models, command)
        media = MediaPlan(paths.attachments, paths.embeddings, paths.projectors, paths.models)
        # What else is set for the model is in the options already, below what the command line says.
        catalog = NoCatalog(ModelOptions(adapters=options.adapters))
        self._engine = EngineService(settings, preflight, media, catalog=catalog)
        self._idle = IdleUnload(self._engine, settings, parent=self._engine)
        self._replies = ReplyStream(self._engine, self._engine, expects_model=True)
        self._origin = settings.settings.local_api.allowed_origin
        self._api = ApiThread(self._application, options.host, options.port)

    def _application(self) -> "web.Application":
        # Imported here, in the API's thread: meanwhile the engine's reads the model.
        from app.api.auth import Access
        from app.api.server import make_application

        options = self._options
        return make_application(
            self._replies,
            Access(options.host, options.api_key, (self._origin,) if self._origin else ()),
            options.sampling,
            strict_model=options.strict_model,
            states=options.states,
            strip_images=options.strip_images,
            moves_changes=options.moves_changes,
            thinks=options.thinks,
        )

    async def run(self, tell: Say, warn: Say) -> bool:
        """Until it is told to stop. Returns whether all of it has ended; where not, the process has to `leave`."""
        stopped = _when_told_to_stop()
        try:
            loading = self._load(stopped)
            # A port in use is told at once, however large the model is. Requests wait for it.
            port = await self._api.start()
            ready = await loading
            if ready is not None:
                for note in (*ready.notes, *self._options.remarks(ready.info)):
                    warn(note)
                tell(f"Listening on http://{_bracketed(self._options.host)}:{port}/v1 (model {ready.info.name})")
                await stopped
        finally:
            ended = await ends_in_time(self._end())
        return ended

    def _load(self, stopped: "asyncio.Future[None]") -> "asyncio.Future[ModelReady | None]":
        """Begin it. None when it was told to stop before the model was there. Raises UserError."""
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
        self._engine.state_changed.connect(hear)
        self._engine.load(self._options.model, self._options.mmproj)
        return loaded

    async def _end(self) -> None:
        await self._api.stop()
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
