"""The façade of the engine thread: lives in the GUI thread, takes wishes, tells states."""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from app.core.adapters import in_force
from app.core.events import Finished, LoadStage, ModelInfo, SlotStatus
from app.core.messages import ImagePart, Part
from app.core.model_options import ModelOptions
from app.core.requests import ChatRequest, TokenRequest
from app.core.settings import Settings
from app.core.speculation import Speculation
from app.services.engine.job_queue import JobQueue, is_use
from app.services.engine.jobs import (
    AdaptersJob,
    BringBackJob,
    CancelSwitch,
    CloseJob,
    CountJob,
    EncodeJob,
    ForgetJob,
    Job,
    KeepJob,
    LoadJob,
    PeekJob,
    ReplyJob,
    TokenJob,
    UnloadJob,
)
from app.services.engine.plans import PicturePlan, PreflightPlan
from app.services.engine.states import (
    CountUpdate,
    EncodeUpdate,
    EngineState,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelResting,
    NoModel,
    PeekUpdate,
    ReplyFailed,
    ReplyUpdate,
    SnapshotStatus,
    SnapshotsUpdate,
    TokenUpdate,
)
from app.services.engine.worker import EngineWorker
from app.services.runtime.debounce import Debounce
from app.services.runtime.settings_service import SettingsService

_log = logging.getLogger(__name__)

_LATE_MS = 5000
"""Milliseconds after which a shutdown that still waits says so in the log."""


class EngineService(QObject):
    """Widgets and use cases see this object, never the worker."""

    state_changed = Signal(object)
    """EngineState"""
    reply = Signal(object)
    """ReplyUpdate or ReplyFailed"""
    peeked = Signal(object)
    """PeekUpdate"""
    tokens_told = Signal(object)
    """TokenUpdate"""
    counted = Signal(object)
    """CountUpdate"""
    encoded = Signal(object)
    """EncodeUpdate"""
    snapshots_changed = Signal(object)
    """SnapshotStatus"""
    used = Signal()
    """Something was asked of the model, or what was asked has ended."""
    closed = Signal()
    """The thread has ended, and with it the service."""
    _submitted = Signal(object)

    def __init__(
        self,
        settings: SettingsService,
        preflight: PreflightPlan,
        pictures: PicturePlan | None = None,
        snapshots: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`snapshots` is the folder where conversations are kept for the next start; None keeps none."""
        super().__init__(parent)
        self._settings = settings
        self.paired: Callable[[Path], Path | None] = lambda _: None
        """Asked for a model's projector, where none lies beside it and nobody has chosen one."""
        self.named: Callable[[Path], str] = lambda _: ""
        """Asked what people know a model's file by; empty is its name."""
        self.options_of: Callable[[Path], ModelOptions] = lambda _: ModelOptions()
        """Asked what is set for a model alone, whenever it is loaded."""
        switch = CancelSwitch()
        self._state: EngineState = NoModel()
        self._slot: SlotStatus | None = None
        self._jobs = JobQueue(switch)
        self._thread = QThread(self)
        self._thread.setObjectName("engine")
        self._worker = EngineWorker(switch, preflight, pictures, snapshots)
        self._worker.moveToThread(self._thread)
        self._submitted.connect(self._worker.run)
        self._worker.said.connect(self._hear)
        self._thread.finished.connect(self._thread_ended)
        self._late = Debounce(_LATE_MS, self._tell_late, self)
        self._snapshots = SnapshotStatus()
        self._idle_reply = 0
        """The number of the reply that nobody waits for; 0 before there was one."""
        self._keep_due = False
        """A reply has ended since the conversation was last kept."""
        self._on_disk = settings.settings.snapshots.on_disk
        settings.changed.connect(self._take_settings)
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._keep)
        self._thread.start()

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def slot(self) -> SlotStatus | None:
        """What the context holds, as it was told last; None where none is in memory, or nothing is known."""
        return self._slot if isinstance(self._state, ModelReady) else None

    @property
    def is_running(self) -> bool:
        """Whether the engine thread is alive."""
        return self._thread.isRunning()

    def load(self, path: Path, mmproj: Path | None = None) -> None:
        """Load a model with the settings in force. Whatever is running is cancelled first.

        `mmproj` is its projector; None takes the one that belongs to it, if there is one.
        """
        self._jobs.cancel(Job)
        self._load(path, mmproj)

    def _load(self, path: Path, mmproj: Path | None, wakes: ModelInfo | None = None) -> None:
        settings = self.settings_for(path)
        self._submit(
            LoadJob(
                path,
                settings.loading,
                settings.checkpoints,
                settings.pictures,
                mmproj,
                settings.snapshots,
                self.paired(path),
                self.named(path),
                self.options_of(path).adapters,
                wakes,
                settings.speculation,
                self._state.info if isinstance(self._state, ModelResting) and wakes is None else None,
            )
        )
        self._set_state(ModelLoading(path, LoadStage.LOADING, 0.0, wakes))

    def settings_for(self, path: Path) -> Settings:
        """Those in force, with what is set for a model alone; its sampling is put together with each request."""
        return self.options_of(path).applied(self._settings.settings)

    def reload(self) -> None:
        """Load the same file again with the settings in force, also after it failed; nothing without a file."""
        match self._state:
            case ModelReady(info):
                self.load(info.path, info.mmproj)
            case ModelFailed(path) | ModelLoading(path):
                self.load(path)
            case NoModel() | ModelResting():
                pass

    def rest(self) -> None:
        """Free the model's memory until somebody asks it something; what the context holds is kept on disk first,
        where that is allowed. Nothing while anything is running.
        """
        if isinstance(self._state, ModelReady) and not self.is_busy:
            info = self._state.info
            self._submit(UnloadJob(info))
            self._set_state(ModelResting(info))

    def wake(self) -> None:
        """Load the model that rests, with the settings in force by now; nothing where none does."""
        if isinstance(self._state, ModelResting):
            info = self._state.info
            self._load(info.path, info.mmproj, info)

    def refresh_adapters(self) -> None:
        """Let the adapters work that are chosen for the loaded model by now. What is running ends first."""
        if isinstance(self._state, ModelReady):
            info, settings = self._state.info, self._settings.settings
            wanted = self.options_of(info.path).adapters
            if in_force(wanted) != in_force(info.adapters) or self._jobs.has(AdaptersJob):
                self._submit(AdaptersJob(wanted, info.loading, settings.snapshots))

    @property
    def is_busy(self) -> bool:
        """Whether the model is being used, or will be at once."""
        return self._jobs.is_used

    def cancel_load(self) -> None:
        self._jobs.cancel(LoadJob)

    def unload(self) -> None:
        self._jobs.cancel(Job)
        self._submit(UnloadJob())

    def generate(self, request: ChatRequest) -> int:
        """Ask for a reply; its events come by `reply` under the number that is returned."""
        # Nobody waits for a count so much as for an answer.
        self._jobs.cancel(CountJob)
        self.wake()
        settings = self._settings.settings
        job = ReplyJob(request, settings.checkpoints, settings.pictures, settings.snapshots, self._speculation())
        self._submit(job)
        return job.number

    def _speculation(self) -> Speculation:
        match self._state:
            case ModelReady(info=ModelInfo(path=path)) | ModelLoading(path=path):
                return self.settings_for(path).speculation
        return self._settings.settings.speculation

    def generate_idle(self, request: ChatRequest) -> int:
        """As `generate`, for what nobody waits for: it is cancelled as soon as anything else is asked of the engine."""
        number = self.generate(request)
        self._idle_reply = number
        return number

    def peek(self, request: ChatRequest) -> int:
        """Ask what `request` would read; the answer comes by `peeked` under the number that is returned."""
        job = PeekJob(request)
        self._submit(job)
        return job.number

    def count(self, parts: tuple[Part, ...]) -> int:
        """Ask how much of the context each part takes; the answer comes by `counted` under the number returned.

        A reply that is asked for meanwhile does not wait for it.
        """
        job = CountJob(parts)
        self._submit(job)
        return job.number

    def tell_tokens(self, request: TokenRequest) -> int:
        """Ask for tokens, or for their texts; the answer comes by `tokens_told` under the number that is returned."""
        self.wake()
        job = TokenJob(request)
        self._submit(job)
        return job.number

    def encode(self, part: ImagePart) -> int:
        """Look at a picture before it is asked about; how it ended comes by `encoded` under the number returned.

        It waits for what is running, and fails where the model sees nothing.
        """
        job = EncodeJob(part)
        self._submit(job)
        return job.number

    def snapshot_status(self) -> SnapshotStatus:
        """What is kept of conversations, as it was told last; nothing before a model was loaded."""
        return self._snapshots

    def bring_back(self, conversation: str) -> None:
        """Fill the context with what was kept of a conversation, if it is empty: before anybody has asked."""
        self._submit(BringBackJob(conversation, self._settings.settings.snapshots))

    def forget_conversation(self, conversation: str) -> None:
        """Remove all that is kept of it, in memory and on disk, for good."""
        self._submit(ForgetJob(conversation, self._settings.settings.snapshots))

    def empty_snapshots(self) -> None:
        """Remove what is kept of all conversations, in memory and on disk."""
        self._submit(ForgetJob(None, self._settings.settings.snapshots))

    def cancel_encode(self, number: int) -> None:
        """Stop looking at a picture, or forget that it should be. An `encoded` still comes."""
        self._jobs.cancel_one(number)

    def cancel_reply(self, number: int) -> None:
        """Stop a reply, running or waiting. It still ends with a Finished event."""
        self._jobs.cancel_one(number)

    def close(self) -> None:
        """Cancel everything, free the model and end the thread; `closed` tells when it is gone."""
        self._keep_due = False
        self._jobs.cancel(Job)
        self._submit(CloseJob())
        self._late.start()

    @Slot(object)
    def _take_settings(self, settings: Settings) -> None:
        """What was kept goes as soon as that is switched off, and not with the next reply."""
        was, self._on_disk = self._on_disk, settings.snapshots.on_disk
        if was and not self._on_disk and self.is_running:
            self.empty_snapshots()

    @Slot()
    def _tell_late(self) -> None:
        _log.warning("The engine is late: still busy %d s after it was told to end.", _LATE_MS // 1000)

    @Slot()
    def _thread_ended(self) -> None:
        self._late.stop()
        # Already at its end; a QThread that is deleted a moment too early would abort the program.
        self._thread.wait()
        self.closed.emit()

    @Slot()
    def _keep(self) -> None:
        self._keep_due = False
        self._submit(KeepJob(self._settings.settings.snapshots))

    def _submit(self, job: Job) -> None:
        self._idle.stop()
        if not isinstance(job, KeepJob):
            self._jobs.cancel_one(self._idle_reply)
        if self._jobs.has(KeepJob):
            # It is not idle any more; who waits must not wait for this.
            self._jobs.cancel(KeepJob)
            self._keep_due = not isinstance(job, CloseJob)
        self._jobs.add(job)
        self._submitted.emit(job)
        if is_use(job):
            self.used.emit()

    @Slot(object)
    def _hear(self, said: object) -> None:
        was_busy = self.is_busy
        match said:
            case ModelLoading():
                # What a cancelled load still says must not cover the state of the one that follows.
                running = self._jobs.running
                if not (isinstance(running, LoadJob) and running.cancelled):
                    self._set_state(replace(said, wakes=running.wakes) if isinstance(running, LoadJob) else said)
            case ModelReady() | ModelFailed() | NoModel():
                ended = self._jobs.end()
                if not self._jobs.has(LoadJob):
                    self._take_state(_state_after(ended, said))
            case ReplyUpdate():
                if isinstance(said.event, Finished):
                    self._slot = said.event.slot or self._slot
                    self._jobs.end()
                    self._keep_due = True
                self.reply.emit(said)
                self._worker.n_heard += said.is_written
            case ReplyFailed():
                self._jobs.end()
                self._keep_due = True
                self.reply.emit(said)
            case PeekUpdate():
                self._jobs.end()
                self.peeked.emit(said)
            case CountUpdate():
                self._jobs.end()
                self.counted.emit(said)
            case TokenUpdate():
                self._jobs.end()
                self.tokens_told.emit(said)
            case EncodeUpdate():
                self._jobs.end()
                self.encoded.emit(said)
            case SnapshotsUpdate():
                self._take_snapshots(said)
        if was_busy and not self.is_busy:
            self.used.emit()
        if self._keep_due and not self._jobs and isinstance(self._state, ModelReady):
            self._idle.start(self._settings.settings.snapshots.idle * 1000)

    def _take_state(self, state: EngineState) -> None:
        if not (isinstance(state, ModelResting) and state == self._state):
            self._set_state(state)

    def _take_snapshots(self, said: SnapshotsUpdate) -> None:
        if said.job is not None:
            self._jobs.end()
        if said.status != self._snapshots:
            self._snapshots = said.status
            self.snapshots_changed.emit(said.status)

    def _set_state(self, state: EngineState) -> None:
        self._state = state
        if isinstance(state, ModelReady):
            self._slot = state.slot
        self.state_changed.emit(state)


def _state_after(ended: Job, said: ModelReady | ModelFailed | NoModel) -> EngineState:
    """A model that rests stays known, also when its way back was cancelled, or another can't be had."""
    match ended:
        case LoadJob(rested=ModelInfo() as info) if not isinstance(said, ModelReady):
            return ModelResting(info, said.error if isinstance(said, ModelFailed) else None)
        case UnloadJob(rests=ModelInfo() as info) | LoadJob(wakes=ModelInfo() as info) if isinstance(said, NoModel):
            return ModelResting(info)
    return said
