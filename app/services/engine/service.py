"""The façade of the engine thread: lives in the GUI thread, takes wishes, tells states."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.events import Finished, LoadStage, Looking, ModelInfo, PromptProgress, SlotStatus
from app.core.likelihood import Likelihood, LikelihoodRequest
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.core.settings import Settings
from app.services.engine.aside import Aside
from app.services.engine.catalog import ModelCatalog, NoCatalog
from app.services.engine.elsewhere import Elsewhere, NoServers, chosen
from app.services.engine.futures import Future, Hear, Reply
from app.services.engine.job_queue import Asked, JobQueue
from app.services.engine.jobs import (
    AdaptersJob,
    Answer,
    CancelSwitch,
    CloseJob,
    Job,
    JobEnded,
    JobProgress,
    LikelihoodJob,
    LoadJob,
    Question,
    QuestionJob,
    ReplyJob,
    UnloadJob,
    state_after,
)
from app.services.engine.kept_conversations import KeptConversations
from app.services.engine.model_settings import ModelSettings
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
        self._models = ModelSettings(settings, catalog or NoCatalog())
        self._elsewhere = elsewhere or NoServers()
        self._chosen: ModelOnServer | ModelFailed | None = None
        """A server's model, in front of what is in memory here."""
        self.state_trial = StateTrial(preflight)
        switch = CancelSwitch()
        self._state: EngineState = NoModel()
        self._slot: SlotStatus | None = None
        self._jobs = JobQueue(switch)
        self.snapshots = KeptConversations(settings, self._submit, self)
        self._thread = QThread(self)
        self._thread.setObjectName("engine")
        self._worker = EngineWorker(switch, preflight, media, snapshots)
        self._worker.moveToThread(self._thread)
        self._worker.progressed.connect(self._hear_progress)
        self._worker.ended.connect(self._hear_end)
        self._worker.snapshots_told.connect(self.snapshots.hear)
        self._thread.finished.connect(self._thread_ended)
        self._late = Debounce(_LATE_MS, self._tell_late, self)
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
        self._jobs.cancel_kind(Job)
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
        rested = self._state.info if isinstance(self._state, ModelResting) and wakes is None else None
        self._submit(self._models.load_job(model, mmproj, wakes, rested, activates))
        self._set_state(ModelLoading(model, LoadStage.LOADING, 0.0, wakes))

    def options_of(self, model: ModelRef) -> ModelOptions:
        """What is set for a model alone."""
        return self._models.options_of(model)

    def settings_for(self, model: ModelRef) -> Settings:
        """Those in force, with what is set for a model alone; its sampling is put together with each request."""
        return self._models.settings_for(model)

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
            job = self._models.adapters_job(self._state.info)
            if job.changes(self._state.info) or self._jobs.has(AdaptersJob):
                self._submit(job)

    @property
    def is_busy(self) -> bool:
        """Whether the model is being used, or will be at once."""
        return self._jobs.is_used

    def cancel_load(self) -> None:
        self._jobs.cancel_kind(LoadJob)

    def unload(self) -> None:
        self._jobs.cancel_kind(Job)
        self._submit(UnloadJob())

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
        kept = self._models.of_replies(self._state)
        job = ReplyJob(request, *kept, idle, not (idle or visits), hear if direct else None)
        reply = Reply(hear, partial(self._jobs.cancel_one, job.number))
        self._submit(job, reply)
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
        self._submit(job, future)
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
        self._submit(job, future)
        return future

    def look_at_slot(self) -> None:
        """Something else than a reply changed what the context holds: `slot_changed` tells it."""
        self.ask(lambda session, _: session.slot.status(), self._hear_slot, waits=True)

    def _hear_slot(self, said: SlotStatus | Exception) -> None:
        if isinstance(said, SlotStatus) and isinstance(self._state, ModelReady):
            self._set_slot(said)

    def close(self) -> None:
        """Cancel everything, free the model and end the thread; `closed` tells when it is gone."""
        self.snapshots.close()
        self._jobs.cancel_kind(Job)
        self._submit(CloseJob())
        self._late.start()

    @Slot()
    def _tell_late(self) -> None:
        _log.warning("The engine is late: still busy %d s after it was told to end.", _LATE_MS // 1000)

    @Slot()
    def _thread_ended(self) -> None:
        self._late.stop()
        # Already at its end; a QThread that is deleted a moment too early would abort the program.
        self._thread.wait()
        self.closed.emit()

    def _submit(self, job: Job, asked: Asked | None = None) -> None:
        self.snapshots.wait()
        self._jobs.add(job, asked)
        self._worker.submit(job)
        if job.is_use:
            self.used.emit()

    @Slot(object)
    def _hear_progress(self, told: JobProgress) -> None:
        match told.said, self._jobs.get(told.number), self._jobs.asked(told.number):
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
        job, asked = self._jobs.end(ended.number)
        # Where one of them follows, it says what there is.
        if isinstance(job, LoadJob | UnloadJob | AdaptersJob) and not self._jobs.has(LoadJob, UnloadJob):
            state = state_after(job, ended.result)
            if not (isinstance(state, ModelResting) and state == self._state):
                self._set_state(state)
        self.snapshots.note_end(job)
        if asked is not None:
            asked.end(ended.result)
        if was_busy and not self.is_busy:
            self.used.emit()
        if not self._jobs and isinstance(self._state, ModelReady):
            self.snapshots.keep_soon()

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
