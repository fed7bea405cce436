"""The façade of the engine thread: lives in the GUI thread, takes wishes, tells states."""

import asyncio
import logging
from pathlib import Path

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.events import LoadStage
from app.core.loading import Loading
from app.core.requests import ChatRequest
from app.services.engine_worker import EngineWorker, PreflightPlan
from app.services.jobs import CancelSwitch, CloseJob, Job, LoadJob, ReplyJob, UnloadJob
from app.services.settings_service import SettingsService
from app.services.states import (
    EngineState,
    ModelFailed,
    ModelLoading,
    ModelReady,
    NoModel,
    ReplyFailed,
    ReplyUpdate,
)

_log = logging.getLogger(__name__)

_LATE = 5.0
"""Seconds after which a shutdown that still waits says so in the log."""


class EngineService(QObject):
    """Widgets and use cases see this object, never the worker."""

    state_changed = Signal(object)
    """EngineState"""
    reply = Signal(object)
    """ReplyUpdate or ReplyFailed"""
    _submitted = Signal(object)

    def __init__(self, settings: SettingsService, preflight: PreflightPlan, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._switch = CancelSwitch()
        self._state: EngineState = NoModel()
        self._jobs: list[Job] = []
        """Jobs that were submitted and have not ended, oldest first; the first one is running."""
        self._thread = QThread(self)
        self._thread.setObjectName("engine")
        self._worker = EngineWorker(self._switch, preflight)
        self._worker.moveToThread(self._thread)
        self._submitted.connect(self._worker.run)
        self._worker.said.connect(self._hear)
        self._thread.start()

    @property
    def state(self) -> EngineState:
        return self._state

    def load(self, path: Path) -> None:
        """Load a model with the current settings. Whatever is running is cancelled first."""
        self._cancel_jobs(Job)
        self._submit(LoadJob(path, self._loading()))
        self._set_state(ModelLoading(path, LoadStage.LOADING, 0.0))

    def _loading(self) -> Loading:
        return self._settings.settings.loading

    def cancel_load(self) -> None:
        self._cancel_jobs(LoadJob)

    def unload(self) -> None:
        self._cancel_jobs(Job)
        self._submit(UnloadJob())

    def generate(self, request: ChatRequest) -> int:
        """Ask for a reply; its events come by `reply` under the number that is returned."""
        job = ReplyJob(request)
        self._submit(job)
        return job.number

    def cancel_reply(self, number: int) -> None:
        """Stop a reply, running or waiting. It still ends with a Finished event."""
        self._cancel_where([job for job in self._jobs if job.number == number])

    async def shutdown(self) -> None:
        """Cancel everything, free the model and end the thread. Returns when the thread is gone."""
        ended = asyncio.get_running_loop().create_future()
        self._thread.finished.connect(_Resolver(ended, self).resolve)
        self._cancel_jobs(Job)
        self._submit(CloseJob())
        try:
            await asyncio.wait_for(asyncio.shield(ended), _LATE)
        except TimeoutError:
            _log.warning("The engine is late: still busy %.0f s after it was told to stop.", _LATE)
            await ended
        self._thread.wait()

    def _submit(self, job: Job) -> None:
        self._jobs.append(job)
        self._submitted.emit(job)

    def _cancel_jobs(self, kind: type[Job]) -> None:
        self._cancel_where([job for job in self._jobs if isinstance(job, kind) and not isinstance(job, CloseJob)])

    def _cancel_where(self, jobs: list[Job]) -> None:
        for job in jobs:
            self._switch.cancel(job)

    @Slot(object)
    def _hear(self, said: object) -> None:
        match said:
            case ModelLoading():
                # What a cancelled load still says must not cover the state of the one that follows.
                if not (isinstance(self._jobs[0], LoadJob) and self._jobs[0].cancelled):
                    self._set_state(said)
            case ModelReady() | ModelFailed() | NoModel():
                self._jobs.pop(0)
                if not any(isinstance(job, LoadJob) for job in self._jobs):
                    self._set_state(said)
            case ReplyUpdate():
                if said.is_last:
                    self._jobs.pop(0)
                self.reply.emit(said)
            case ReplyFailed():
                self._jobs.pop(0)
                self.reply.emit(said)

    def _set_state(self, state: EngineState) -> None:
        self._state = state
        self.state_changed.emit(state)


class _Resolver(QObject):
    """Resolves a future in the GUI thread when the engine thread has ended."""

    def __init__(self, future: "asyncio.Future[None]", parent: QObject) -> None:
        super().__init__(parent)
        self._future = future

    @Slot()
    def resolve(self) -> None:
        if not self._future.done():
            self._future.set_result(None)
