"""The façade of the engine thread: lives in the GUI thread, takes wishes, tells states."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from app.core.adapters import in_force
from app.core.events import Finished, LoadStage, Looking, ModelInfo, PromptProgress, SlotStatus
from app.core.likelihood import Likelihood, LikelihoodRequest
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.core.settings import Settings
from app.core.speculation import Speculation
from app.services.engine.aside import Aside
from app.services.engine.catalog import ModelCatalog, NoCatalog
from app.services.engine.elsewhere import Elsewhere, NoServers, chosen
from app.services.engine.futures import Future, Hear, Reply
from app.services.engine.job_queue import JobQueue
from app.services.engine.jobs import (
    AdaptersJob,
    Answer,
    BringBackJob,
    CancelSwitch,
    CloseJob,
    ForgetJob,
    Job,
    JobEnded,
    JobProgress,
    KeepJob,
    LikelihoodJob,
    LoadJob,
    Question,
    QuestionJob,
    ReplyJob,
    UnloadJob,
    state_after,
)
from app.services.engine.plans import MediaPlan, PreflightPlan
from app.services.engine.state_trial import StateTrial
from app.services.engine.states import (
    EngineState,
    ModelFailed,
    ModelLoading,
    ModelOnServer,
    ModelReady,
    ModelResting,
    NoModel,
    ReplyUpdate,
    SnapshotStatus,
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
    """EngineState: of the model that is chosen"""
    local_changed = Signal(object)
    """EngineState: of this computer's, whichever is chosen"""
    slot_changed = Signal(object)
    """SlotStatus, or None without a model"""
    snapshots_changed = Signal(object)
    """SnapshotStatus"""
    used = Signal()
    """Something was asked of the model, or what was asked has ended."""
    closed = Signal()
    """The thread has ended, and with it the service."""

    def __init__(
        self,
        settings: SettingsService,
        preflight: PreflightPlan,
        media: MediaPlan | None = None,
        snapshots: Path | None = None,
        catalog: ModelCatalog | None = None,
        elsewhere: Elsewhere | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`snapshots` is the folder where conversations are kept for the next start; None keeps none."""
        super().__init__(parent)
        self._settings = settings
        self._catalog = catalog or NoCatalog()
        self._elsewhere = elsewhere or NoServers()
        self._chosen: ModelOnServer | ModelFailed | None = None
        """A server's model, in front of what is in memory here."""
        self.state_trial = StateTrial(preflight)
        switch = CancelSwitch()
        self._state: EngineState = NoModel()
        self._slot: SlotStatus | None = None
        self._jobs = JobQueue(switch)
        self._asked: dict[int, Future[Any] | Reply] = {}
        """By their jobs."""
        self._thread = QThread(self)
        self._thread.setObjectName("engine")
        self._worker = EngineWorker(switch, preflight, media, snapshots)
        self._worker.moveToThread(self._thread)
        self._worker.progressed.connect(self._hear_progress)
        self._worker.ended.connect(self._hear_end)
        self._worker.snapshots_told.connect(self._take_snapshots)
        self._thread.finished.connect(self._thread_ended)
        self._late = Debounce(_LATE_MS, self._tell_late, self)
        self._snapshots = SnapshotStatus()
        self._keep_due = False
        """A reply has ended since the conversation was last kept."""
        self._kept_room = settings.settings.snapshot_room
        settings.changed.connect(self._take_settings)
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._keep)
        self._thread.start()

    @property
    def state(self) -> EngineState:
        """Of the model that is chosen: what the window asks."""
        return self._state if self._chosen is None else self._chosen

    @property
    def local_state(self) -> EngineState:
        """Of this computer's model, which may be in memory while a server's is chosen: what other programs ask."""
        return self._state

    @property
    def slot(self) -> SlotStatus | None:
        """What the context holds, as it was told last; None without a model in memory."""
        return self._slot

    @property
    def aside(self) -> Aside:
        """What needs no turn in the engine's thread. May be asked in any."""
        return self._worker.aside

    @property
    def is_running(self) -> bool:
        """Whether the engine thread is alive."""
        return self._thread.isRunning()

    def load(self, model: ModelRef, mmproj: Path | None = None) -> None:
        """Load a model with the settings in force. Whatever is running is cancelled first.

        `mmproj` is its projector; None takes the one that belongs to it, if there is one. A server's model is chosen
        at once, and what is running goes on.
        """
        if not model.is_file:
            self._choose(model)
            return
        left, self._chosen = self._chosen, None
        if isinstance(left, ModelOnServer) and mmproj is None and self._has(model):
            self.state_changed.emit(self._state)
            return
        self._cancel(Job)
        self._load(model, mmproj)

    def _has(self, model: ModelRef) -> bool:
        """Whether it is in memory, as it would be loaded now."""
        ready = self._state.info if isinstance(self._state, ModelReady) else None
        return ready is not None and ready.ref == model and ready.loading == self.settings_for(model).loading

    def _choose(self, model: ModelRef) -> None:
        self._chosen = chosen(model, self._elsewhere)
        if isinstance(self._chosen, ModelOnServer):
            self.cancel_load()
            # What is held here may be sent to a paired computer, or go on here soon: it rests when it is idle.
            if not self._chosen.info.takes_states:
                self.rest()
        self.state_changed.emit(self._chosen)

    @Slot()
    def look_elsewhere(self) -> None:
        """More may be known of the server's model that is chosen, or its server is gone."""
        if self._chosen is not None:
            before, now = self._chosen, chosen(self._chosen.model, self._elsewhere)
            still_gone = isinstance(before, ModelFailed) and isinstance(now, ModelFailed)
            if now != before and not still_gone:
                self._chosen = now
                self.state_changed.emit(now)

    def load_next(self, model: ModelRef) -> None:
        """Load a model after what was asked for before: nothing is cancelled."""
        self._load(model, None)

    def _load(
        self, model: ModelRef, mmproj: Path | None, wakes: ModelInfo | None = None, *, activates: bool = True
    ) -> None:
        settings = self.settings_for(model)
        self._submit(
            LoadJob(
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
                self._state.info if isinstance(self._state, ModelResting) and wakes is None else None,
                activates,
            )
        )
        self._set_state(ModelLoading(model, LoadStage.LOADING, 0.0, wakes))

    def options_of(self, model: ModelRef) -> ModelOptions:
        """What is set for a model alone."""
        return self._catalog.options_of(model)

    def settings_for(self, model: ModelRef) -> Settings:
        """Those in force, with what is set for a model alone; its sampling is put together with each request."""
        return self.options_of(model).applied(self._settings.settings)

    def reload(self) -> None:
        """Load the same model again with the settings in force, also after it failed; nothing without one."""
        match self.state:
            case ModelReady(info):
                self.load(info.ref, info.mmproj)
            case ModelFailed(model) | ModelLoading(model):
                self.load(model)
            case ModelOnServer():
                self.rest()
            case NoModel() | ModelResting():
                pass

    def deactivate(self) -> None:
        """Free the context and the graphics card's memory until somebody asks the model something. Its weights stay in
        memory, and conversations stay warm. Nothing while anything is running.
        """
        if isinstance(self._state, ModelReady) and not self.is_busy:
            info = self._state.info
            self._submit(UnloadJob(info, keeps_weights=True))
            self._set_state(ModelResting(info, in_memory=True))

    def rest(self) -> None:
        """Free all of the model's memory until somebody asks it something; what the context holds is kept on disk
        first, where that is allowed. Nothing while anything is running.
        """
        match self._state:
            case ModelReady(info) | ModelResting(info=info, in_memory=True) if not self.is_busy:
                self._submit(UnloadJob(info))
                self._set_state(ModelResting(info))

    def load_ahead(self) -> None:
        """Load the model that is on disk alone into memory, without a context; nothing where none is known."""
        match self._state:
            case ModelResting(info=info, in_memory=False):
                self._load(info.ref, info.mmproj, info, activates=False)

    def wake(self) -> None:
        """Activate the model that rests, with the settings in force by now; nothing where none does."""
        match self._state:
            case ModelResting(info):
                self._load(info.ref, info.mmproj, info)
            case ModelLoading(wakes=ModelInfo() as info) if not self._jobs.activates:
                self._load(info.ref, info.mmproj, info)  # it is only loaded ahead so far

    def refresh_adapters(self) -> None:
        """Let the adapters work that are chosen for the loaded model by now. What is running ends first."""
        if isinstance(self._state, ModelReady):
            info, settings = self._state.info, self._settings.settings
            wanted = self.options_of(info.ref).adapters
            if in_force(wanted) != in_force(info.adapters) or self._jobs.has(AdaptersJob):
                self._submit(AdaptersJob(wanted, info.loading, settings.snapshot_room))

    @property
    def is_busy(self) -> bool:
        """Whether the model is being used, or will be at once."""
        return self._jobs.is_used

    def cancel_load(self) -> None:
        self._cancel(LoadJob)

    def unload(self) -> None:
        self._cancel(Job)
        self._submit(UnloadJob())

    def _cancel(self, kind: type[Job]) -> None:
        self._jobs.cancel(lambda job: isinstance(job, kind))

    def generate(
        self,
        request: ChatRequest,
        hear: Hear,
        *,
        model: ModelRef | None = None,
        idle: bool = False,
        visits: bool = False,
        direct: bool = False,
    ) -> Reply:
        """Ask for a reply; `hear` is told all of it, in this thread. With `direct`, for one who `visits`, it is told in
        the engine's thread, but for a failure: what is bound for another thread need not come by here.

        A server's `model` has it written by that server; it raises UserError where the server is not known any more.
        An `idle` one is cancelled as soon as anything else is asked of the engine. Of several that are written at once
        those that somebody else asked for, who `visits`, are read last.
        """
        if model is not None and not model.is_file:
            return self._elsewhere.generate(model, request, hear, self)
        self.wake()
        if idle or visits:
            return self._reply(request, hear, idle, visits, direct)
        return self._elsewhere.bring(request, hear, self, partial(self._reply, request))

    def _reply(
        self, request: ChatRequest, hear: Hear, idle: bool = False, visits: bool = False, direct: bool = False
    ) -> Reply:
        settings = self._settings.settings
        kept = settings.checkpoints, settings.pictures, settings.snapshot_room
        job = ReplyJob(request, *kept, self._speculation(), idle, not (idle or visits), hear if direct else None)
        reply = self._asked[job.number] = Reply(hear, partial(self._jobs.cancel_one, job.number))
        self._submit(job)
        return reply

    def ask(
        self,
        question: Question[Answer],
        done: Callable[[Answer | Exception], None],
        *,
        waits: bool = False,
        beside: bool = False,
    ) -> Future[Answer]:
        """Ask something of the session, after what was asked for before; `done` hears the answer, in this thread.

        One that `waits` is cancelled by replies; what it answers then is its own to say. One that needs nothing of the
        context may be answered `beside` them.
        """
        job = QuestionJob(question, waits, beside)
        future: Future[Answer] = Future(done, partial(self._jobs.cancel_one, job.number))
        self._asked[job.number] = future
        self._submit(job)
        return future

    def likelihood(
        self,
        request: LikelihoodRequest,
        done: Callable[[Likelihood | Exception | None], None],
        progress: Callable[[PromptProgress | Looking], None] = lambda _: None,
    ) -> Future[Likelihood | None]:
        """Ask how likely a text or an answer is; `done` hears None where something else cancelled it."""
        self.wake()
        job = LikelihoodJob(request)
        future: Future[Likelihood | None] = Future(done, partial(self._jobs.cancel_one, job.number), progress)
        self._asked[job.number] = future
        self._submit(job)
        return future

    def look_at_slot(self) -> None:
        """Something else than a reply changed what the context holds: `slot_changed` tells it."""
        self.ask(lambda session, _: session.slot.status(), self._hear_slot, waits=True)

    def _hear_slot(self, said: SlotStatus | Exception) -> None:
        if isinstance(said, SlotStatus) and isinstance(self._state, ModelReady):
            self._set_slot(said)

    def _speculation(self) -> Speculation:
        match self._state:
            case ModelReady(info=ModelInfo(ref=model)) | ModelLoading(model=model):
                return self.settings_for(model).speculation
        return self._settings.settings.speculation

    def snapshot_status(self) -> SnapshotStatus:
        """What is kept of conversations, as it was told last; nothing before a model was loaded."""
        return self._snapshots

    def bring_back(self, conversation: str) -> None:
        """Fill the context with what was kept of a conversation, if it is empty: before anybody has asked."""
        self._submit(BringBackJob(conversation, self._settings.settings.snapshot_room))

    def forget_conversation(self, conversation: str) -> None:
        """Remove all that is kept of it, in memory and on disk, for good."""
        self._submit(ForgetJob(conversation, self._settings.settings.snapshot_room))

    def empty_snapshots(self) -> None:
        """Remove what is kept of all conversations, in memory and on disk."""
        self._submit(ForgetJob(None, self._settings.settings.snapshot_room))

    def close(self) -> None:
        """Cancel everything, free the model and end the thread; `closed` tells when it is gone."""
        self._keep_due = False
        self._cancel(Job)
        self._submit(CloseJob())
        self._late.start()

    @Slot(object)
    def _take_settings(self, settings: Settings) -> None:
        """What was kept goes as soon as that is switched off, and not with the next reply."""
        was, self._kept_room = self._kept_room, settings.snapshot_room
        if not self.is_running or self._kept_room == was:
            return
        if was.total and not self._kept_room.total:
            self.empty_snapshots()
        elif self._kept_room.programs < was.programs:
            self._submit(KeepJob(self._kept_room))

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
        self._submit(KeepJob(self._settings.settings.snapshot_room))

    def _submit(self, job: Job) -> None:
        self._idle.stop()
        self._jobs.add(job)
        self._worker.submit(job)
        if job.is_use:
            self.used.emit()

    @Slot(object)
    def _hear_progress(self, told: JobProgress) -> None:
        match told.said, self._jobs.get(told.number), self._asked.get(told.number):
            case ModelLoading() as state, LoadJob() as job, _:
                # What a cancelled load still says must not cover the state of the one that follows.
                if not job.cancelled:
                    self._set_state(replace(state, wakes=job.wakes))
            case ModelLoading() as state, _, _:
                self._set_state(state)
            case ReplyUpdate() as update, ReplyJob() as job, Reply() as reply:
                if isinstance(update.event, Finished):
                    self._set_slot(update.event.slot or self._slot)
                if job.direct is None:
                    reply.tell(update)
                    job.count_heard(update)
            case (PromptProgress() | Looking()) as progress, _, Future() as future:
                future.tell(progress)

    @Slot(object)
    def _hear_end(self, ended: JobEnded) -> None:
        """Every job ends here."""
        was_busy = self.is_busy
        job = self._jobs.end(ended.number)
        match job:
            # Where one of them follows, it says what there is.
            case LoadJob() | UnloadJob() | AdaptersJob() if not self._jobs.has(LoadJob, UnloadJob):
                self._take_state(state_after(job, ended.result))
            case ReplyJob() | LikelihoodJob():
                self._keep_due = True
            case KeepJob():
                # Who asked for something else did not wait for it.
                self._keep_due = job.cancelled
            case CloseJob():
                self._keep_due = False
        if (asked := self._asked.pop(job.number, None)) is not None:
            asked.end(ended.result)
        if was_busy and not self.is_busy:
            self.used.emit()
        if self._keep_due and not self._jobs and isinstance(self._state, ModelReady):
            self._idle.start(self._settings.settings.snapshots.idle * 1000)

    def _take_state(self, state: EngineState) -> None:
        if not (isinstance(state, ModelResting) and state == self._state):
            self._set_state(state)

    @Slot(object)
    def _take_snapshots(self, status: SnapshotStatus) -> None:
        if status != self._snapshots:
            self._snapshots = status
            self.snapshots_changed.emit(status)

    def _set_state(self, state: EngineState) -> None:
        self._state = state
        self._set_slot((state.slot or SlotStatus(0, state.info.n_ctx)) if isinstance(state, ModelReady) else None)
        self.local_changed.emit(state)
        if self._chosen is None:
            self.state_changed.emit(state)

    def _set_slot(self, slot: SlotStatus | None) -> None:
        if slot != self._slot:
            self._slot = slot
            self.slot_changed.emit(slot)
