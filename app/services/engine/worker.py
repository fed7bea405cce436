"""The object that lives in the engine thread and owns the model, the context and every cache."""

import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.errors import ModelError, UserError
from app.core.events import Finished, FinishReason, ModelInfo, Queued, QueuedFor, Timings
from app.core.likelihood import Likelihood
from app.core.messages import Generation
from app.core.model_ref import ModelRef
from app.core.sentence import Sentence
from app.services.engine.aside import Aside
from app.services.engine.embedding_store import EmbeddingStore
from app.services.engine.jobs import (
    AdaptersJob,
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
    QuestionJob,
    ReplyJob,
    UnloadJob,
)
from app.services.engine.model_opener import ModelOpener
from app.services.engine.plans import MediaPlan, PreflightPlan
from app.services.engine.reply_batch import SECONDS
from app.services.engine.snapshot_store import SnapshotStore
from app.services.engine.states import ModelFailed, ModelLoading, ModelReady, ModelResting, NoModel, ReplyUpdate
from app.services.runtime.frames import without_locals

if TYPE_CHECKING:
    from app.engine.loading.weights import Weights
    from app.engine.reply.session import Session
    from app.services.engine.replies import Replies
    from app.services.engine.snapshot_store import Kept

_log = logging.getLogger(__name__)

_NOTHING = Finished(FinishReason.CANCELLED, "", Generation("", ()), Timings(), None, None)
"""The end of a reply that was not begun."""
_NONE = UserError("No model is loaded. Choose one first.")


class EngineWorker(QObject):
    """Runs one job at a time, but for replies, of which several are written at once. Whatever becomes of a job, `ended`
    is the last that is said of it.
    """

    progressed = Signal(object)
    """JobProgress"""
    ended = Signal(object)
    """JobEnded"""
    snapshots_told = Signal(object)
    """SnapshotStatus"""
    _written = Signal()
    _submitted = Signal()

    def __init__(
        self,
        switch: CancelSwitch,
        preflight: PreflightPlan,
        media: MediaPlan | None = None,
        snapshots: Path | None = None,
    ) -> None:
        """Without a plan for media no model sees any; without a folder for snapshots none are kept on disk."""
        super().__init__()
        self._switch = switch
        self.aside = Aside()
        """Asked in any thread."""
        self._open_session: Session | None = None
        self._weights: Weights | None = None
        """Of a model in memory that has no context; there is no session then."""
        self._opened: LoadJob | None = None
        """What the session was opened by."""
        self._why_none = _NONE
        """What whoever asks is told while no model is there."""
        self._jobs: deque[Job] = deque()
        """Those that have not begun, the oldest first."""
        self._number = 0
        """Of the job that runs."""
        # By a signal to itself, because the disk's own thread says it.
        self._written.connect(self._tell_snapshots)
        self._submitted.connect(self._work)
        self._snapshots_kept = SnapshotStore(snapshots, self._written.emit)
        self._media = EmbeddingStore(media) if media is not None else None
        self._opener = ModelOpener(preflight, self._media, self._snapshots_kept, switch.flag, self._tell)

    @property
    def _session(self) -> "Session | None":
        return self._open_session

    @_session.setter
    def _session(self, session: "Session | None") -> None:
        # Before one is closed: who asks it aside ends first.
        self.aside.take(session)
        self._open_session = session

    @Slot()
    def _tell_snapshots(self) -> None:
        self.snapshots_told.emit(self._snapshots_kept.status(self._kept_warm))

    @property
    def _kept_warm(self) -> "Kept | None":
        if self._session is not None:
            return self._session.slot
        return self._weights.aside if self._weights is not None else None

    def _tell(self, said: ModelLoading | ReplyUpdate) -> None:
        self.progressed.emit(JobProgress(self._number, said))

    def submit(self, job: Job) -> None:
        """Let it run when its turn has come; in any thread."""
        self._jobs.append(job)
        self._submitted.emit()

    @Slot()
    def _work(self) -> None:
        # Replies have taken those that were submitted meanwhile.
        if self._jobs:
            job = self._jobs.popleft()
            if isinstance(job, ReplyJob) and self._session is not None:
                self._write(job, self._session)
            else:
                self._run(job)

    def _run(self, job: Job) -> None:
        self._number = job.number
        self._switch.aim(job)
        result: object
        try:
            result = self._do(job)
        except Exception as error:  # noqa: BLE001 - the thread must live on
            result = error
        finally:
            self._switch.aim(None)
        self._end(job, result)

    def _end(self, job: Job, result: object) -> None:
        if isinstance(result, Exception):
            without_locals(result)
        match result:
            case UserError():
                _log.info("%s", result.logged)
            case Exception():
                _log.error("%s %d failed by a bug", type(job).__name__, job.number, exc_info=result)
        self.ended.emit(JobEnded(job.number, result))
        if not isinstance(job, QuestionJob | CloseJob):
            self._tell_snapshots()

    def _do(self, job: Job) -> object:
        """The job's result. Raises the UserError or the bug that there is instead."""
        match job:
            case LoadJob():
                return self._load(job)
            case AdaptersJob():
                return self._change_adapters(job)
            case UnloadJob(keeps_weights=True):
                return self._deactivate()
            case UnloadJob():
                self._unload()
                return NoModel()
            case QuestionJob():
                return job.ask(self._loaded(), lambda: job.cancelled)
            case LikelihoodJob():
                return self._likelihood(job)
            case ReplyJob():
                self._loaded()
            case KeepJob() | BringBackJob() | ForgetJob():
                self._change_snapshots(job)
            case CloseJob():
                self._close()
            case _:
                raise TypeError(f"no such job: {job!r}")
        return None

    def _loaded(self) -> "Session":
        if self._session is None:
            raise self._why_none.with_traceback(None)
        return self._session

    def _close(self) -> None:
        QThread.currentThread().quit()  # when this job has ended
        session, self._session = self._session, None
        self._snapshots_kept.close(session)
        self._free_weights()
        if self._media is not None:
            self._media.close()

    def _unload(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            self._snapshots_kept.keep(session)
            session.close()
        self._free_weights()

    def _free_weights(self) -> None:
        weights, self._weights = self._weights, None
        if weights is not None:
            weights.close()

    def _deactivate(self) -> ModelResting | NoModel:
        from app.engine.loading.weights import deactivate

        session, self._session = self._session, None
        if session is not None:
            self._weights = deactivate(session, self._switch.flag)
        weights = self._weights
        return ModelResting(weights.info, in_memory=True) if weights is not None else NoModel()

    def _change_snapshots(self, job: KeepJob | BringBackJob | ForgetJob) -> None:
        match job:
            case ForgetJob(conversation=conversation):
                self._snapshots_kept.forget(self._kept_warm, conversation, job.snapshots)
            case _ if job.cancelled:
                pass
            case KeepJob():
                self._snapshots_kept.disk(job.snapshots)
                self._snapshots_kept.keep(self._session)
            case BringBackJob() if self._session is None:
                pass
            case BringBackJob(conversation=conversation):
                self._snapshots_kept.disk(job.snapshots)
                self._session.slot.bring_back(conversation)

    def _load(self, job: LoadJob) -> ModelReady | ModelResting | NoModel | ModelFailed:
        """A file that can't be loaded costs nothing: the model that was there stays, or comes back."""
        before = self._opened if self._session is not None else None
        if before is not None and self._session is not None:
            before = replace(before, adapters=self._session.info.adapters)
        state = self._opened_by(job, self._open)
        if isinstance(state, ModelFailed):
            self._why_none = state.error
            if self._session is not None:
                state = self._kept(_staying(state.error, self._session.info))
            elif before is not None:
                back = self._opened_by(before, self._reopen)
                if isinstance(back, ModelReady):
                    back = replace(back, error=_coming_back(state.error, back.info))
                state = state if isinstance(back, ModelFailed) else back
        elif isinstance(state, ModelReady) and not (job.activates or job.cancelled):
            return self._deactivate()
        return state

    def _opened_by(
        self, job: LoadJob, act: Callable[[LoadJob], ModelReady | NoModel]
    ) -> ModelReady | NoModel | ModelFailed:
        try:
            return act(job)
        except UserError as error:
            _log.info("%s", error.logged)
            return ModelFailed(job.model, without_locals(error))
        except Exception as error:  # noqa: BLE001 - the thread must live on
            _log.exception("Loading %s failed by a bug", job.model.id)
            return ModelFailed(job.model, _as_user_error(job.model, error))

    def _open(self, job: LoadJob) -> ModelReady | NoModel:
        if self._session is not None and not self._opener.try_beside(job):
            return self._kept(None)
        weights = self._weights_of(job.model)
        self._unload()
        try:
            return self._reopen(job, weights)
        finally:
            if weights is not None:
                weights.close()

    def _weights_of(self, model: ModelRef) -> "Weights | None":
        """Those in memory, if they are its own; they are the caller's then."""
        if self._weights is None or self._weights.info.ref != model:
            return None
        weights, self._weights = self._weights, None
        return weights

    def _reopen(self, job: LoadJob, weights: "Weights | None" = None) -> ModelReady | NoModel:
        self._why_none = _NONE
        opened = self._opener.open(job, weights)
        if opened is None:
            return NoModel()
        self._session, notes = opened
        self._opened = job
        slot = self._session.slot
        return ModelReady(self._session.info, notes, slot=slot.status() if len(slot) else None)

    def _kept(self, error: UserError | None) -> ModelReady:
        assert self._session is not None
        return ModelReady(self._session.info, error=error, slot=self._session.slot.status())

    def _change_adapters(self, job: AdaptersJob) -> ModelReady | NoModel:
        session, notes = self._session, tuple[str, ...]()
        if session is not None and not job.cancelled:
            try:
                notes = self._opener.change_adapters(session, job)
            except Exception as error:  # noqa: BLE001 - the model is there all the same
                _log.exception("Changing the adapters failed by a bug")
                notes = (_as_user_error(session.info.ref, error).sentence,)
        return NoModel() if session is None else ModelReady(session.info, notes)

    def _likelihood(self, job: LikelihoodJob) -> Likelihood | None:
        """None where it was cancelled."""
        told = 0.0
        for event in self._loaded().likelihood(job.request):
            if isinstance(event, Likelihood):
                return event
            if time.monotonic() - told >= SECONDS:
                told = time.monotonic()
                self.progressed.emit(JobProgress(self._number, event))
        return None

    def _write(self, job: ReplyJob, session: "Session") -> None:
        """This reply, and those that join it, until all have ended."""
        from app.services.engine.replies import Replies

        replies = Replies(session, self._switch, self._tell_reply, self._end)
        self._begin(job, replies)
        while replies.go_on():
            self._let_join(replies)

    def _tell_reply(self, job: ReplyJob, update: ReplyUpdate) -> None:
        if job.direct is not None:
            job.direct(update)
            job.count_heard(update)
        if job.direct is None or update.is_last:
            self.progressed.emit(JobProgress(job.number, update))

    def _begin(self, job: ReplyJob, replies: "Replies") -> None:
        try:
            self._snapshots_kept.disk(job.snapshots)
            if self._media is not None:
                self._media.set_budgets(job.pictures)
            replies.begin(job)
        except Exception as error:  # noqa: BLE001 - those that are being written go on
            self._end(job, error)

    def _let_join(self, replies: "Replies") -> None:
        """Begin what can be done beside those there. What can't, waits for their end, and so does all behind it."""
        for dropped in [each for each in list(self._jobs) if isinstance(each, ReplyJob) and each.cancelled]:
            # It need not wait for its turn to say that it is over.
            self._jobs.remove(dropped)
            self._tell_reply(dropped, ReplyUpdate(_NOTHING))
            self._end(dropped, None)
        while self._jobs:
            match self._jobs[0]:
                case ReplyJob() as job if replies.make_room():
                    self._jobs.popleft()
                    self._begin(job, replies)
                case (
                    QuestionJob(beside=True) | QuestionJob(waits=True, cancelled=True) | KeepJob(cancelled=True) as job
                ):
                    self._jobs.popleft()
                    self._run(job)
                case ForgetJob(conversation=str(conversation)) as job if conversation not in replies.conversations:
                    self._jobs.popleft()
                    self._run(job)
                case BringBackJob() as job:
                    # Somebody has asked before that.
                    self._jobs.popleft()
                    self._end(job, None)
                case _:
                    self._tell_to_wait()
                    return

    def _tell_to_wait(self) -> None:
        for job in list(self._jobs):
            if isinstance(job, ReplyJob) and job.note_wait():
                self._tell_reply(job, ReplyUpdate(Queued(QueuedFor.TURN)))


def _staying(error: UserError, info: ModelInfo) -> UserError:
    stays = Sentence("{name} stays loaded.", name=info.name)
    return UserError(Sentence.joined(error.sentence, stays), detail=error.detail)


def _coming_back(error: UserError, info: ModelInfo) -> UserError:
    again = Sentence("{name} was loaded again.", name=info.name)
    return UserError(Sentence.joined(error.sentence, again), detail=error.detail)


def _as_user_error(model: ModelRef, error: Exception) -> UserError:
    return ModelError(
        "{name} could not be loaded because of a fault in Hearth. The log tells more.",
        name=model.name,
        detail=repr(error),
    )
