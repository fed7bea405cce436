"""The object that lives in the engine thread and owns the model, the context and every cache."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.errors import ModelError, UserError
from app.core.events import ModelInfo, Peeked
from app.core.requests import Tokens
from app.core.sentence import Sentence
from app.services.engine.embedding_store import EmbeddingStore
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
from app.services.engine.model_opener import ModelOpener
from app.services.engine.plans import PicturePlan, PreflightPlan
from app.services.engine.reply_batch import ReplyBatch
from app.services.engine.snapshot_store import SnapshotStore
from app.services.engine.states import (
    CountUpdate,
    EncodeOutcome,
    EncodeUpdate,
    ModelFailed,
    ModelReady,
    NoModel,
    PeekUpdate,
    ReplyFailed,
    ReplyUpdate,
    SnapshotsUpdate,
    TokenUpdate,
)

if TYPE_CHECKING:
    from app.engine.reply.session import Session

_log = logging.getLogger(__name__)

_NONE = UserError("No model is loaded. Choose one first.")


class EngineWorker(QObject):
    """Runs one job at a time. Everything it says goes out through `said`, one payload each:
    an EngineState, a ReplyUpdate, a ReplyFailed, a PeekUpdate, a TokenUpdate, a CountUpdate, an EncodeUpdate or a
    SnapshotsUpdate.
    """

    said = Signal(object)
    _written = Signal()

    def __init__(
        self,
        switch: CancelSwitch,
        preflight: PreflightPlan,
        pictures: PicturePlan | None = None,
        snapshots: Path | None = None,
    ) -> None:
        """Without a plan for pictures no model sees any; without a folder for snapshots none are kept on disk."""
        super().__init__()
        self._switch = switch
        self._session: Session | None = None
        self._opened: LoadJob | None = None
        """What the session was opened by."""
        self._why_none = _NONE
        """What whoever asks is told while no model is there."""
        self._n_told, self.n_heard = 0, 0
        """Pieces of an answer: this thread counts the first, whoever hears them the second."""
        # By a signal to itself, because the disk's own thread says it.
        self._written.connect(self._tell_snapshots)
        self._snapshots_kept = SnapshotStore(snapshots, self._written.emit)
        self._pictures = EmbeddingStore(pictures) if pictures is not None else None
        self._opener = ModelOpener(preflight, self._pictures, self._snapshots_kept, switch.flag, self.said.emit)

    @Slot()
    def _tell_snapshots(self) -> None:
        self._say_snapshots(None)

    def _say_snapshots(self, job: Job | None) -> None:
        status = self._snapshots_kept.status(self._session)
        self.said.emit(SnapshotsUpdate(job.number if job is not None else None, status))

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
            case TokenJob():
                self._tell_tokens(job)
            case CountJob():
                self._count(job)
            case EncodeJob():
                self._encode(job)
            case KeepJob() | BringBackJob() | ForgetJob():
                self._change_snapshots(job)
            case AdaptersJob():
                self._change_adapters(job)
            case UnloadJob():
                self._unload()
                self.said.emit(NoModel())
                self._say_snapshots(None)
            case CloseJob():
                self._snapshots_kept.close(self._session)
                self._session = None
                if self._pictures is not None:
                    self._pictures.close()
                QThread.currentThread().quit()
            case _:
                raise TypeError(f"no such job: {job!r}")

    def _unload(self) -> None:
        if self._session is not None:
            self._snapshots_kept.keep(self._session)
            self._session.close()
            self._session = None

    def _change_snapshots(self, job: KeepJob | BringBackJob | ForgetJob) -> None:
        try:
            match job:
                case ForgetJob(conversation=conversation):
                    self._snapshots_kept.forget(self._session, conversation, job.snapshots)
                case _ if job.cancelled or self._session is None:
                    pass
                case KeepJob():
                    self._snapshots_kept.disk(job.snapshots)
                    self._snapshots_kept.keep(self._session)
                case BringBackJob(conversation=conversation):
                    self._snapshots_kept.disk(job.snapshots)
                    self._session.slot.bring_back(conversation)
        except Exception:  # noqa: BLE001 - the thread must live on
            _log.exception("Kept conversations: job %d failed by a bug", job.number)
        self._say_snapshots(job)

    def _load(self, job: LoadJob) -> None:
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
        self.said.emit(state)
        self._say_snapshots(None)

    def _opened_by(
        self, job: LoadJob, act: Callable[[LoadJob], ModelReady | NoModel]
    ) -> ModelReady | NoModel | ModelFailed:
        try:
            return act(job)
        except UserError as error:
            _log.info("%s", error.logged)
            return ModelFailed(job.path, error)
        except Exception as error:  # noqa: BLE001 - the thread must live on
            _log.exception("Loading %s failed by a bug", job.path)
            return ModelFailed(job.path, _as_user_error(job.path, error))

    def _open(self, job: LoadJob) -> ModelReady | NoModel:
        if self._session is not None and not self._opener.try_beside(job):
            return self._kept(None)
        self._unload()
        return self._reopen(job)

    def _reopen(self, job: LoadJob) -> ModelReady | NoModel:
        self._why_none = _NONE
        opened = self._opener.open(job)
        if opened is None:
            return NoModel()
        self._session, notes = opened
        self._opened = job
        return ModelReady(self._session.info, notes)

    def _kept(self, error: UserError | None) -> ModelReady:
        assert self._session is not None
        return ModelReady(self._session.info, error=error, slot=self._session.slot.status())

    def _change_adapters(self, job: AdaptersJob) -> None:
        session, notes = self._session, tuple[str, ...]()
        if session is not None and not job.cancelled:
            try:
                notes = self._opener.change_adapters(session, job)
            except Exception as error:  # noqa: BLE001 - the thread must live on
                _log.exception("Changing the adapters failed by a bug")
                notes = (_as_user_error(session.info.path, error).sentence,)
        self.said.emit(NoModel() if session is None else ModelReady(session.info, notes))
        self._say_snapshots(None)

    def _encode(self, job: EncodeJob) -> None:
        began = time.monotonic()
        outcome = EncodeOutcome.FAILED
        try:
            if self._session is not None and self._session.encode(job.part):
                outcome = EncodeOutcome.DONE
            elif job.cancelled:
                outcome = EncodeOutcome.CANCELLED
        except UserError as error:
            _log.warning("%s", error.sentence)
        except Exception:  # noqa: BLE001 - the thread must live on
            _log.exception("Encoding a picture failed by a bug")
        self.said.emit(EncodeUpdate(job.number, outcome, time.monotonic() - began))

    def _reply(self, job: ReplyJob) -> None:
        if self._session is None:
            self.said.emit(ReplyFailed(job.number, self._why_none))
            return
        self._n_told = self.n_heard
        batch = ReplyBatch(self._tell_reply, lambda: self.n_heard >= self._n_told, job.number, self._session)
        self._session.slot.checkpoints.settings = job.checkpointing
        self._session.take_speculation(job.speculation)
        self._snapshots_kept.disk(job.snapshots)
        if self._pictures is not None:
            self._pictures.set_budgets(job.pictures)
        try:
            for event in self._session.reply(job.request):
                batch.take(event)
        except UserError as error:
            self.said.emit(ReplyFailed(job.number, error))
        except Exception as error:  # noqa: BLE001 - the thread must live on
            _log.exception("Reply %d failed by a bug", job.number)
            batch.flush()
            self.said.emit(ReplyFailed(job.number, error))
        self._say_snapshots(None)

    def _tell_reply(self, update: ReplyUpdate) -> None:
        self._n_told += update.is_written
        self.said.emit(update)

    def _tell_tokens(self, job: TokenJob) -> None:
        answer: Tokens | Exception = self._why_none
        try:
            if self._session is not None:
                answer = self._session.tokens(job.request)
        except Exception as error:  # noqa: BLE001 - the thread must live on
            _log.exception("Question %d about tokens failed by a bug", job.number)
            answer = error
        self.said.emit(TokenUpdate(job.number, answer))

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

    def _count(self, job: CountJob) -> None:
        counts: list[int] = []
        try:
            if self._session is not None:
                for part in job.parts:
                    if job.cancelled or (size := self._session.size_of(part, lambda: job.cancelled)) is None:
                        break
                    counts.append(size)
        except UserError as error:
            _log.warning("%s", error.sentence)
        except Exception:  # noqa: BLE001 - the thread must live on
            _log.exception("Count %d failed by a bug", job.number)
        self.said.emit(CountUpdate(job.number, tuple(counts) if len(counts) == len(job.parts) else ()))


def _staying(error: UserError, info: ModelInfo) -> UserError:
    stays = Sentence("{name} stays loaded.", name=info.name)
    return UserError(Sentence.joined(error.sentence, stays), detail=error.detail)


def _coming_back(error: UserError, info: ModelInfo) -> UserError:
    again = Sentence("{name} was loaded again.", name=info.name)
    return UserError(Sentence.joined(error.sentence, again), detail=error.detail)


def _as_user_error(path: Path, error: Exception) -> UserError:
    return ModelError(
        "{name} could not be loaded because of a fault in Hearth. The log tells more.",
        name=path.name,
        detail=repr(error),
    )
