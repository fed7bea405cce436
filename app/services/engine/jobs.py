"""Work for the engine thread, in the order it was asked for."""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from app.core.adapters import Adapter, in_force
from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.events import Looking, ModelInfo, PromptProgress
from app.core.likelihood import LikelihoodRequest
from app.core.loading import Loading
from app.core.model_ref import ModelRef
from app.core.picture_settings import PictureSettings
from app.core.requests import ChatRequest
from app.core.snapshot_settings import SnapshotRoom
from app.core.speculation import Speculation
from app.services.engine.states import (
    EngineState,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelResting,
    NoModel,
    ReplyUpdate,
)

if TYPE_CHECKING:
    from app.engine.reply.session import Session

Answer = TypeVar("Answer")
Question = Callable[["Session", Callable[[], bool]], Answer]
"""Asked in the engine thread of the session, and of whether it was cancelled. Holds values alone, and no QObjects."""

_numbers = itertools.count(1)


@dataclass(eq=False, slots=True)
class Job:
    """One piece of work."""

    number: int = field(default_factory=lambda: next(_numbers), init=False)
    cancelled: bool = field(default=False, init=False)
    is_use: ClassVar[bool] = False
    """Whether somebody waits for it."""

    def cancel(self) -> None:
        """It is not begun any more; what runs is stopped by `CancelSwitch`, which alone calls this."""
        self.cancelled = True

    def yields_to(self, _other: "Job") -> bool:
        """Whether it is cancelled as soon as that one is asked for."""
        return False


@dataclass(frozen=True, slots=True)
class JobProgress:
    """What is said of a job while it runs."""

    number: int
    said: ModelLoading | ReplyUpdate | PromptProgress | Looking


@dataclass(frozen=True, slots=True)
class JobEnded:
    """The last that is said of a job, whatever became of it."""

    number: int
    result: object
    """What it was for: an EngineState, an answer, or None; or the exception that ended it."""


class CancelSwitch:
    """Aims the one flag that llama.cpp polls at one job, so that a late cancel never hits the next.

    The engine thread aims, any thread cancels.
    """

    def __init__(self) -> None:
        self.flag = CancelFlag()
        self._lock = threading.Lock()
        self._running: Job | None = None

    def aim(self, job: Job | None) -> None:
        """At the job that runs from now on, or at none."""
        if job is self._running:
            return
        with self._lock:
            self._running = job
            self.flag.clear()
            if job is not None and job.cancelled:
                self.flag.set()

    def cancel(self, job: Job) -> None:
        with self._lock:
            job.cancel()
            if self._running is job:
                self.flag.set()


@dataclass(eq=False, slots=True)
class LoadJob(Job):
    is_use: ClassVar[bool] = True

    model: ModelRef
    loading: Loading
    checkpointing: Checkpointing
    pictures: PictureSettings = field(default_factory=PictureSettings)
    mmproj: Path | None = None
    """None takes the one that belongs to the model, if there is one."""
    snapshots: SnapshotRoom = field(default_factory=SnapshotRoom)
    paired: Path | None = None
    """A projector that the library knows to belong to the model, where none lies beside it and none was chosen."""
    name: str = ""
    """What people know the model by; empty is its file's name."""
    adapters: tuple[Adapter, ...] = ()
    wakes: ModelInfo | None = None
    """The model that rested and comes back; None for one that somebody chose."""
    speculation: Speculation = field(default_factory=Speculation)
    rested: ModelInfo | None = None
    """Another model that rested when this one was chosen."""
    activates: bool = True
    """False loads it ahead: its context is made once, and freed at once."""


@dataclass(eq=False, slots=True)
class ReplyJob(Job):
    is_use: ClassVar[bool] = True

    request: ChatRequest
    checkpointing: Checkpointing
    pictures: PictureSettings = field(default_factory=PictureSettings)
    snapshots: SnapshotRoom = field(default_factory=SnapshotRoom)
    speculation: Speculation = field(default_factory=Speculation)
    idle: bool = False
    """Nobody waits for it so much as for anything else."""
    goes_first: bool = False
    """Its prompt is read before those of others."""
    direct: Callable[[ReplyUpdate], None] | None = None
    """Told all of it in the engine thread; the GUI thread hears of the end alone."""
    is_told_to_wait: bool = field(default=False, init=False)
    """Belongs to the engine thread."""
    n_heard: int = field(default=0, init=False)
    """Pieces of the answer that were taken, which the thread counts that tells them who asked."""

    def yields_to(self, _other: Job) -> bool:
        return self.idle

    def count_heard(self, update: ReplyUpdate) -> None:
        """It was taken."""
        self.n_heard += update.is_written

    def note_wait(self) -> bool:
        """In the engine thread: whether it is to be told that it waits. True once."""
        was, self.is_told_to_wait = self.is_told_to_wait, True
        return not was


@dataclass(eq=False, slots=True)
class QuestionJob(Job, Generic[Answer]):
    """Something that the session knows at once, or nearly."""

    is_use: ClassVar[bool] = True

    ask: Question[Answer]
    waits: bool = False
    """It gives way to replies."""
    beside: bool = False
    """It asks nothing of the context, and may be answered while replies are written."""

    def yields_to(self, other: Job) -> bool:
        return self.waits and isinstance(other, ReplyJob)


@dataclass(eq=False, slots=True)
class LikelihoodJob(Job):
    """How likely a text or an answer is."""

    is_use: ClassVar[bool] = True

    request: LikelihoodRequest


@dataclass(eq=False, slots=True)
class KeepJob(Job):
    """Nothing else is to do: keep what the context holds on disk."""

    snapshots: SnapshotRoom

    def yields_to(self, _other: Job) -> bool:
        return True


@dataclass(eq=False, slots=True)
class BringBackJob(Job):
    """Fill an empty context with what was kept of a conversation."""

    conversation: str
    snapshots: SnapshotRoom


@dataclass(eq=False, slots=True)
class ForgetJob(Job):
    """Remove all that is kept of a conversation; None: of all of them."""

    conversation: str | None
    snapshots: SnapshotRoom


@dataclass(eq=False, slots=True)
class AdaptersJob(Job):
    """Let exactly these adapters work on the loaded model."""

    is_use: ClassVar[bool] = True

    adapters: tuple[Adapter, ...]
    loading: Loading
    snapshots: SnapshotRoom

    def changes(self, loaded: ModelInfo) -> bool:
        """Whether others work on it by now."""
        return in_force(self.adapters) != in_force(loaded.adapters)


@dataclass(eq=False, slots=True)
class UnloadJob(Job):
    rests: ModelInfo | None = None
    """The loaded model, where it only rests until somebody asks it again."""
    keeps_weights: bool = False
    """Only the context is freed."""


@dataclass(eq=False, slots=True)
class CloseJob(Job):
    """The last job: free everything and end the thread."""


def state_after(ended: Job, result: object) -> EngineState:
    """A model that rests stays known, also when its way back was cancelled, or another can't be had."""
    said = result if isinstance(result, ModelReady | ModelResting | ModelFailed) else NoModel()
    match ended:
        case LoadJob(rested=ModelInfo() as info) if not isinstance(said, ModelReady | ModelResting):
            return ModelResting(info, said.error if isinstance(said, ModelFailed) else None)
        case UnloadJob(rests=ModelInfo() as info) | LoadJob(wakes=ModelInfo() as info) if isinstance(said, NoModel):
            return ModelResting(info)
    return said
