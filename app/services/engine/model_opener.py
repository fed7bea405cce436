"""From a wish to a model that answers: what is unknown is tried first, then everything is opened."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.core.cancel import CancelFlag
from app.core.events import LoadProgress
from app.core.model_ref import ModelRef
from app.services.engine.embedding_store import EmbeddingStore
from app.services.engine.jobs import AdaptersJob, LoadJob
from app.services.engine.plans import PreflightPlan
from app.services.engine.snapshot_store import SnapshotStore
from app.services.engine.states import ModelLoading

if TYPE_CHECKING:
    from app.engine.loading.weights import Weights
    from app.engine.media.projector_loader import Projector
    from app.engine.preflight.preflight import Preflight
    from app.engine.reply.session import Session

_TOLD_SECONDS = 0.016
"""Progress is told at most about sixty times a second."""


class ModelOpener:
    """Belongs to the engine thread. Cancelled by the flag, which the job that runs owns."""

    def __init__(
        self,
        plan: PreflightPlan,
        media: EmbeddingStore | None,
        snapshots: SnapshotStore,
        cancel: CancelFlag,
        tell: Callable[[ModelLoading], None],
    ) -> None:
        """Without a store for media no model sees any. `tell` hears of the progress, in this thread."""
        self._plan = plan
        self._media = media
        self._snapshots = snapshots
        self._cancel = cancel
        self._tell = tell

    def try_beside(self, job: LoadJob) -> bool:
        """Try the file while another model stays in memory, where that holds both. False when it was cancelled.

        Raises ModelError with a sentence.
        """
        from app.engine.loading.room import fits_beside

        path, report = job.model.file, _Report(self._tell, job.model)
        if fits_beside(path, job.loading):
            self._preflight().ensure(path, job.loading, cancel=self._cancel, report=report)
        return not self._cancel.is_set()

    def open(self, job: LoadJob, weights: "Weights | None" = None) -> "tuple[Session, tuple[str, ...]] | None":
        """The session and notes (sentences); None when it was cancelled. Raises ModelError with a sentence.

        `weights` are this model's, where they are in memory; what is not taken of them is the caller's still.
        """
        # Imported here, in the engine thread: llama.cpp and NumPy would delay the window by 0.2 s.
        from app.engine.drafting.opening import plan_drafts
        from app.engine.loading.loader import open_session
        from app.engine.reply.adapters import try_adapters

        path, report = job.model.file, _Report(self._tell, job.model)
        preflight, cancel = self._preflight(), self._cancel
        if not preflight.ensure(path, job.loading, cancel=cancel, report=report):
            return None
        projector = self._projector(job, preflight, report)
        adapters, problems = try_adapters(preflight, path, job.adapters, job.loading, cancel=cancel, report=report)
        drafts = plan_drafts(preflight, path, job.speculation, job.loading, cancel=cancel, report=report)
        began = time.perf_counter()
        opened = open_session(
            path,
            job.loading,
            cancel=cancel,
            report=report,
            checkpointing=job.checkpointing,
            projector=projector,
            snapshots=self._snapshots.disk(job.snapshots),
            drafts=drafts,
            name=job.name,
            weights=weights,
            trials=preflight.of_memories,
        )
        if opened is None:
            return None
        session, notes = opened
        try:
            self._remember_projector(job, session, projector)
            notes = (*notes, *problems, *session.change_adapters(adapters))
            if weights is not None:
                weights.warm(session)
            took, read = (time.perf_counter() - began) * 1000, session.info.load_ms
            if weights is not None:
                session.took(load_ms=weights.info.load_ms, activate_ms=took)
            else:
                session.took(load_ms=read, activate_ms=took - read)
            return session, notes
        except BaseException:
            session.close()
            raise

    def change_adapters(self, session: "Session", job: AdaptersJob) -> tuple[str, ...]:
        """Let the job's adapters work on a loaded model. Notes (sentences), also for those that can't."""
        from app.engine.reply.adapters import try_adapters

        model = session.info.ref
        report = _Report(self._tell, model)
        usable, problems = try_adapters(
            self._preflight(), model.file, job.adapters, job.loading, cancel=self._cancel, report=report
        )
        if self._cancel.is_set():
            return ()
        self._snapshots.disk(job.snapshots)
        return problems + session.change_adapters(usable)

    def _preflight(self) -> "Preflight":
        from app.engine.preflight.preflight import Preflight

        return Preflight(self._plan.record, self._plan.command)

    def _projector(self, job: LoadJob, preflight: "Preflight", report: "_Report") -> "Projector | None":
        """The projector of the model, tried. One that fails the trial costs the media, not the model."""
        from app.engine.media.projector_loader import try_projector

        if self._media is None:
            return None
        path = job.mmproj or self._media.projectors.find(job.model.file) or job.paired
        if path is None:
            return None
        return try_projector(
            preflight,
            job.model.file,
            path,
            job.loading,
            self._media.stores(job.pictures),
            job.pictures.image_max_tokens,
            cancel=self._cancel,
            report=report,
        )

    def _remember_projector(self, job: LoadJob, session: "Session", projector: "Projector | None") -> None:
        """What was chosen, by people or by the library, and works."""
        chosen = job.mmproj or (job.paired if projector is not None and projector.path == job.paired else None)
        if self._media is not None and chosen is not None and session.info.uses_projector:
            self._media.projectors.remember(job.model.file, chosen)


class _Report:
    def __init__(self, tell: Callable[[ModelLoading], None], model: ModelRef) -> None:
        self._tell = tell
        self._model = model
        self._told = 0.0

    def __call__(self, progress: LoadProgress) -> None:
        now = time.monotonic()
        if now - self._told >= _TOLD_SECONDS or progress.fraction in (0.0, 1.0):
            self._told = now
            self._tell(ModelLoading(self._model, progress.stage, progress.fraction))
