"""Work for the engine thread, in the order it was asked for."""

import itertools
import threading
from dataclasses import dataclass, field
from pathlib import Path

from app.core.adapters import Adapter
from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.events import ModelInfo
from app.core.loading import Loading
from app.core.messages import ImagePart, Part
from app.core.picture_settings import PictureSettings
from app.core.requests import ChatRequest, TokenRequest
from app.core.snapshot_settings import SnapshotSettings
from app.core.speculation import Speculation

_numbers = itertools.count(1)


@dataclass(eq=False, slots=True)
class Job:
    """One piece of work."""

    number: int = field(default_factory=lambda: next(_numbers), init=False)
    cancelled: bool = field(default=False, init=False)


class CancelSwitch:
    """Aims the one flag that llama.cpp polls at one job, so that a late cancel never hits the next.

    The engine thread begins and ends jobs, any thread cancels them.
    """

    def __init__(self) -> None:
        self.flag = CancelFlag()
        self._lock = threading.Lock()
        self._running: Job | None = None

    def begin(self, job: Job) -> None:
        with self._lock:
            self._running = job
            self.flag.clear()
            if job.cancelled:
                self.flag.set()

    def end(self) -> None:
        with self._lock:
            self._running = None
            self.flag.clear()

    def cancel(self, job: Job) -> None:
        with self._lock:
            job.cancelled = True
            if self._running is job:
                self.flag.set()


@dataclass(eq=False, slots=True)
class LoadJob(Job):
    path: Path
    loading: Loading
    checkpointing: Checkpointing
    pictures: PictureSettings = field(default_factory=PictureSettings)
    mmproj: Path | None = None
    """None takes the one that belongs to the model, if there is one."""
    snapshots: SnapshotSettings = field(default_factory=SnapshotSettings)
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


@dataclass(eq=False, slots=True)
class ReplyJob(Job):
    request: ChatRequest
    checkpointing: Checkpointing
    pictures: PictureSettings = field(default_factory=PictureSettings)
    snapshots: SnapshotSettings = field(default_factory=SnapshotSettings)
    speculation: Speculation = field(default_factory=Speculation)


@dataclass(eq=False, slots=True)
class PeekJob(Job):
    """What would `request` read?"""

    request: ChatRequest


@dataclass(eq=False, slots=True)
class CountJob(Job):
    """How much of the context do these parts of a message take, each by itself?"""

    parts: tuple[Part, ...]


@dataclass(eq=False, slots=True)
class TokenJob(Job):
    """Translate between text and tokens."""

    request: TokenRequest


@dataclass(eq=False, slots=True)
class EncodeJob(Job):
    """Look at a picture that nobody has asked about yet."""

    part: ImagePart


@dataclass(eq=False, slots=True)
class KeepJob(Job):
    """Nothing else is to do: keep what the context holds on disk."""

    snapshots: SnapshotSettings


@dataclass(eq=False, slots=True)
class BringBackJob(Job):
    """Fill an empty context with what was kept of a conversation."""

    conversation: str
    snapshots: SnapshotSettings


@dataclass(eq=False, slots=True)
class ForgetJob(Job):
    """Remove all that is kept of a conversation; None: of all of them."""

    conversation: str | None
    snapshots: SnapshotSettings


@dataclass(eq=False, slots=True)
class AdaptersJob(Job):
    """Let exactly these adapters work on the loaded model."""

    adapters: tuple[Adapter, ...]
    loading: Loading
    snapshots: SnapshotSettings


@dataclass(eq=False, slots=True)
class UnloadJob(Job):
    rests: ModelInfo | None = None
    """The loaded model, where it only rests until somebody asks it again."""


@dataclass(eq=False, slots=True)
class CloseJob(Job):
    """The last job: free everything and end the thread."""
