"""The object that lives in the engine thread and owns the model, the context and every cache."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.errors import ModelError, UserError
from app.core.events import Finished, LoadProgress, Peeked, PromptProgress, TextDelta
from app.services.jobs import CancelSwitch, CloseJob, Job, LoadJob, PeekJob, ReplyJob, UnloadJob
from app.services.states import ModelFailed, ModelLoading, ModelReady, NoModel, PeekUpdate, ReplyFailed, ReplyUpdate

if TYPE_CHECKING:
    from app.engine.session import Session

_log = logging.getLogger(__name__)

_BATCH_SECONDS = 0.016
"""At most about sixty signals a second reach the window, however fast the model writes."""


@dataclass(frozen=True, slots=True)
class PreflightPlan:
    """How unknown model files are tried: where results are kept, and the command that starts this program."""

    record: Path
    command: Sequence[str]


class EngineWorker(QObject):
    """Runs one job at a time. Everything it says goes out through `said`, one payload each:
    an EngineState, a ReplyUpdate or a ReplyFailed.
    """

    said = Signal(object)

    def __init__(self, switch: CancelSwitch, preflight: PreflightPlan) -> None:
        super().__init__()
        self._switch = switch
        self._preflight = preflight
        self._session: Session | None = None

    @Slot(object)
    def run(self, job: Job) -> None:
        self._switch.begin(job)
        try:
            self._do(job)
        finally:
            self._switch.end()

    def _do(self, job: Job) -> None:
        match job:
            case LoadJob():
                self._load(job)
            case ReplyJob():
                self._reply(job)
            case PeekJob():
                self._peek(job)
            case UnloadJob():
                self._unload()
                self.said.emit(NoModel())
            case CloseJob():
                self._unload()
                QThread.currentThread().quit()
            case _:
                raise TypeError(f"no such job: {job!r}")

    def _unload(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _load(self, job: LoadJob) -> None:
        self._unload()
        try:
            state = self._loaded(job)
        except UserError as error:
            _log.warning("%s (%s)", error.sentence, error.detail)
            state = ModelFailed(job.path, error)
        except Exception as error:  # noqa: BLE001 - the thread must live on
            _log.exception("Loading %s failed by a bug", job.path)
            state = ModelFailed(job.path, _as_user_error(job.path, error))
        self.said.emit(state)

    def _loaded(self, job: LoadJob) -> ModelReady | NoModel | ModelFailed:
        # Imported here, in the engine thread: llama.cpp and NumPy would delay the window by 0.2 s.
        from app.engine.loader import open_session
        from app.engine.preflight import Preflight

        report = _LoadReport(self, job.path)
        preflight = Preflight(self._preflight.record, self._preflight.command)
        if not preflight.ensure(job.path, job.loading, cancel=self._switch.flag, report=report):
            return NoModel()
        opened = open_session(
            job.path, job.loading, cancel=self._switch.flag, report=report, checkpointing=job.checkpointing
        )
        if opened is None:
            return NoModel()
        self._session, notes = opened
        return ModelReady(self._session.info, notes)

    def _reply(self, job: ReplyJob) -> None:
        if self._session is None:
            self.said.emit(ReplyFailed(job.number, UserError("No model is loaded. Choose one first.")))
            return
        batch = _Batch(self, job.number)
        self._session.slot.checkpoints.settings = job.checkpointing
        try:
            for event in self._session.reply(job.request):
                batch.take(event)
        except UserError as error:
            self.said.emit(ReplyFailed(job.number, error))
        except Exception as error:  # noqa: BLE001 - the thread must live on
            _log.exception("Reply %d failed by a bug", job.number)
            batch.flush()
            self.said.emit(ReplyFailed(job.number, error))

    def _peek(self, job: PeekJob) -> None:
        peeked: Peeked | None = None
        try:
            if self._session is not None:
                peeked = self._session.peek(job.request)
        except UserError as error:
            peeked = Peeked(0, 0, error.sentence)
        except Exception:  # noqa: BLE001 - the thread must live on
            _log.exception("Peek %d failed by a bug", job.number)
        self.said.emit(PeekUpdate(job.number, peeked))


class _LoadReport:
    """Tells progress at most sixty times a second."""

    def __init__(self, worker: EngineWorker, path: Path) -> None:
        self._worker = worker
        self._path = path
        self._told = 0.0

    def __call__(self, progress: LoadProgress) -> None:
        now = time.monotonic()
        if now - self._told >= _BATCH_SECONDS or progress.fraction in (0.0, 1.0):
            self._told = now
            self._worker.said.emit(ModelLoading(self._path, progress.stage, progress.fraction))


class _Batch:
    """Joins the text of many tokens into one signal."""

    def __init__(self, worker: EngineWorker, job: int) -> None:
        self._worker = worker
        self._job = job
        self._text: list[str] = []
        self._predicted = 0
        self._told = 0.0

    def take(self, event: PromptProgress | TextDelta | Finished) -> None:
        match event:
            case TextDelta(text, predicted):
                self._text.append(text)
                self._predicted = predicted
                if time.monotonic() - self._told >= _BATCH_SECONDS:
                    self.flush()
            case PromptProgress():
                self._say(event)
            case Finished():
                self.flush()
                self._say(event)
            case _:
                assert_never(event)

    def flush(self) -> None:
        if self._text:
            text, self._text = "".join(self._text), []
            # Progress does not count: the first token, which people wait for, comes right after the last of it.
            self._told = time.monotonic()
            self._say(TextDelta(text, self._predicted))

    def _say(self, event: PromptProgress | TextDelta | Finished) -> None:
        self._worker.said.emit(ReplyUpdate(self._job, event))


def _as_user_error(path: Path, error: Exception) -> UserError:
    return ModelError(
        f"{path.name} could not be loaded because of a fault in Hearth. The log tells more.", detail=repr(error)
    )
