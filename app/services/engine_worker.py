"""The object that lives in the engine thread and owns the model, the context and every cache."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.errors import ModelError, UserError
from app.core.events import (
    Finished,
    LoadProgress,
    Looking,
    Peeked,
    PromptProgress,
    ReplyEvent,
    TextDelta,
    ToolCallDelta,
)
from app.core.picture_settings import PictureSettings
from app.core.requests import Tokens
from app.library.pairing import ProjectorPairs
from app.services.jobs import (
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
from app.services.joined_deltas import joined_deltas
from app.services.snapshot_keeper import SnapshotKeeper
from app.services.states import (
    CountUpdate,
    EncodeOutcome,
    EncodeUpdate,
    ModelFailed,
    ModelLoading,
    ModelReady,
    NoModel,
    PeekUpdate,
    ReplyFailed,
    ReplyUpdate,
    SnapshotsUpdate,
    TokenUpdate,
)
from app.storage.attachments import AttachmentStore

if TYPE_CHECKING:
    from app.engine.pictures import PictureStores
    from app.engine.preflight import Preflight
    from app.engine.projector_loader import Projector
    from app.engine.session import Session

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_NONE = UserError("No model is loaded. Choose one first.")
_BATCH_SECONDS = 0.016
"""At most about sixty signals a second reach the window, however fast the model writes."""


@dataclass(frozen=True, slots=True)
class PreflightPlan:
    """How unknown model files are tried: where results are kept, and the command that starts this program."""

    record: Path
    command: Sequence[str]


@dataclass(frozen=True, slots=True)
class PicturePlan:
    """Where pictures lie, what encoders made of them, and which projectors people chose."""

    attachments: Path
    embeddings: Path
    pairs: Path
    models: Path
    """The folder of the program's own models, where projectors may lie too."""

    @property
    def projectors(self) -> ProjectorPairs:
        return ProjectorPairs(self.pairs, self.models)


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
        self._preflight = preflight
        self._pictures = pictures
        self._session: Session | None = None
        self._stores: PictureStores | None = None
        self._why_none = _NONE
        """What whoever asks is told while no model is there."""
        # By a signal to itself, because the disk's own thread says it.
        self._written.connect(self._tell_snapshots)
        self._keeper = SnapshotKeeper(snapshots, self._written.emit)

    @Slot()
    def _tell_snapshots(self) -> None:
        self._say_snapshots(None)

    def _say_snapshots(self, job: Job | None) -> None:
        status = self._keeper.status(self._session)
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
                self._keeper.close(self._session)
                self._session = None
                if self._stores is not None:
                    self._stores.embeddings.close()
                QThread.currentThread().quit()
            case _:
                raise TypeError(f"no such job: {job!r}")

    def _unload(self) -> None:
        if self._session is not None:
            self._keeper.keep(self._session)
            self._session.close()
            self._session = None

    def _change_snapshots(self, job: KeepJob | BringBackJob | ForgetJob) -> None:
        try:
            match job:
                case ForgetJob(conversation=conversation):
                    self._keeper.forget(self._session, conversation, job.snapshots)
                case _ if job.cancelled or self._session is None:
                    pass
                case KeepJob():
                    self._keeper.disk(job.snapshots)
                    self._keeper.keep(self._session)
                case BringBackJob(conversation=conversation):
                    self._keeper.disk(job.snapshots)
                    self._session.slot.bring_back(conversation)
        except Exception:  # noqa: BLE001 - the thread must live on
            _log.exception("Kept conversations: job %d failed by a bug", job.number)
        self._say_snapshots(job)

    def _load(self, job: LoadJob) -> None:
        self._unload()
        self._why_none = _NONE
        try:
            state = self._loaded(job)
        except UserError as error:
            _log.warning("%s (%s)", error.sentence, error.detail)
            state = ModelFailed(job.path, error)
            self._why_none = error
        except Exception as error:  # noqa: BLE001 - the thread must live on
            _log.exception("Loading %s failed by a bug", job.path)
            state = ModelFailed(job.path, _as_user_error(job.path, error))
        self.said.emit(state)
        self._say_snapshots(None)

    def _loaded(self, job: LoadJob) -> ModelReady | NoModel | ModelFailed:
        # Imported here, in the engine thread: llama.cpp and NumPy would delay the window by 0.2 s.
        from app.engine.adapters import try_adapters
        from app.engine.drafting.opening import plan_drafts
        from app.engine.loader import open_session
        from app.engine.preflight import Preflight

        report = _LoadReport(self, job.path)
        preflight = Preflight(self._preflight.record, self._preflight.command)
        if not preflight.ensure(job.path, job.loading, cancel=self._switch.flag, report=report):
            return NoModel()
        projector = self._projector(job, preflight, report)
        adapters, problems = try_adapters(
            preflight, job.path, job.adapters, job.loading, cancel=self._switch.flag, report=report
        )
        opened = open_session(
            job.path,
            job.loading,
            cancel=self._switch.flag,
            report=report,
            checkpointing=job.checkpointing,
            projector=projector,
            snapshots=self._keeper.disk(job.snapshots),
            drafts=plan_drafts(
                preflight, job.path, job.speculation, job.loading, cancel=self._switch.flag, report=report
            ),
        )
        if opened is None:
            return NoModel()
        self._session, notes = opened
        if job.name:
            self._session.info = replace(self._session.info, name=job.name)
        chosen = job.mmproj or (job.paired if projector is not None and projector.path == job.paired else None)
        if self._pictures is not None and chosen is not None and self._session.info.sees:
            self._pictures.projectors.remember(job.path, chosen)
        problems += self._session.change_adapters(adapters)
        return ModelReady(self._session.info, (*notes, *problems))

    def _change_adapters(self, job: AdaptersJob) -> None:
        session, notes = self._session, tuple[str, ...]()
        if session is not None and not job.cancelled:
            try:
                notes = self._changed_adapters(session, job)
            except Exception as error:  # noqa: BLE001 - the thread must live on
                _log.exception("Changing the adapters failed by a bug")
                notes = (_as_user_error(session.info.path, error).sentence,)
        self.said.emit(NoModel() if session is None else ModelReady(session.info, notes))
        self._say_snapshots(None)

    def _changed_adapters(self, session: "Session", job: AdaptersJob) -> tuple[str, ...]:
        from app.engine.adapters import try_adapters
        from app.engine.preflight import Preflight

        path = session.info.path
        preflight = Preflight(self._preflight.record, self._preflight.command)
        report = _LoadReport(self, path)
        usable, problems = try_adapters(
            preflight, path, job.adapters, job.loading, cancel=self._switch.flag, report=report
        )
        if self._switch.flag.is_set():
            return ()
        self._keeper.disk(job.snapshots)
        return problems + session.change_adapters(usable)

    def _projector(self, job: LoadJob, preflight: "Preflight", report: "_LoadReport") -> "Projector | None":
        """The projector of the model, tried. One that fails the trial costs the pictures, not the model."""
        from app.engine.projector_loader import try_projector

        if self._pictures is None:
            return None
        path = job.mmproj or self._pictures.projectors.find(job.path) or job.paired
        if path is None:
            return None
        stores = self._picture_stores(self._pictures, job.pictures)
        return try_projector(
            preflight,
            job.path,
            path,
            job.loading,
            stores,
            job.pictures.image_max_tokens,
            cancel=self._switch.flag,
            report=report,
        )

    def _picture_stores(self, plan: PicturePlan, settings: PictureSettings) -> "PictureStores":
        """They outlive the models, so that a picture stays encoded when another one is loaded."""
        from app.engine.embeddings import EmbeddingCache
        from app.engine.pictures import PictureStores

        memory, disk = settings.cache_ram * _MIB, settings.cache_disk * _MIB
        if self._stores is None:
            cache = EmbeddingCache(memory, plan.embeddings, disk)
            self._stores = PictureStores(AttachmentStore(plan.attachments), cache)
        else:
            self._stores.embeddings.set_budgets(memory, disk)
        return self._stores

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
        batch = _Batch(self, job.number, self._session)
        self._session.slot.checkpoints.settings = job.checkpointing
        self._session.take_speculation(job.speculation)
        self._keeper.disk(job.snapshots)
        if self._stores is not None:
            self._stores.embeddings.set_budgets(job.pictures.cache_ram * _MIB, job.pictures.cache_disk * _MIB)
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

    def __init__(self, worker: EngineWorker, job: int, session: "Session") -> None:
        self._worker = worker
        self._job = job
        self._session = session
        self._waiting: TextDelta | ToolCallDelta | None = None
        self._told = 0.0

    def take(self, event: ReplyEvent) -> None:
        match event:
            case TextDelta() | ToolCallDelta():
                self._take_delta(event)
            case PromptProgress() | Looking():
                self._say(event)
            case Finished():
                self.flush()
                self._say(event)
            case _:
                assert_never(event)

    def _take_delta(self, delta: TextDelta | ToolCallDelta) -> None:
        if self._waiting is not None:
            joined = joined_deltas(self._waiting, delta)
            if joined is None:
                self.flush()
            delta = joined or delta
        self._waiting = delta
        if time.monotonic() - self._told >= _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            # Progress does not count: the first token, which people wait for, comes right after the last of it.
            self._told = time.monotonic()
            self._say(waiting)

    def _say(self, event: ReplyEvent) -> None:
        written = isinstance(event, TextDelta | ToolCallDelta)
        self._worker.said.emit(ReplyUpdate(self._job, event, self._session.drafted if written else None))


def _as_user_error(path: Path, error: Exception) -> UserError:
    return ModelError(
        f"{path.name} could not be loaded because of a fault in Hearth. The log tells more.", detail=repr(error)
    )
