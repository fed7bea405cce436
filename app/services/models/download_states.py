"""What is told of downloads."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from app.core.model_ref import ModelRef
from app.library.hub_layout import HubFile


class DownloadStage(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    """`problem` says why; it can go on."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Download:
    """One choice of a repository: a model with all its parts, or a projector."""

    id: str
    name: str
    """For people."""
    files: tuple[HubFile, ...]
    folder: Path | None
    """None: into the cache that all programs share."""
    stage: DownloadStage = DownloadStage.WAITING
    done: int = 0
    """Bytes."""
    speed: float = 0.0
    """Bytes a second, over the last seconds; 0 while it is not known."""
    wait: float = 0.0
    """Seconds for which it rests, as the hub wants it or because the network broke off; 0 while it runs."""
    away: bool = False
    """It waits for the network, or tries just now whether it is back."""
    checking: bool = False
    """What an earlier run left is read again: `done` is how far."""
    problem: str = ""
    gated: bool = False
    """A token, or accepting terms, would mend the problem."""
    path: Path | None = None
    """Of the first file, when all are there."""

    @property
    def model(self) -> ModelRef | None:
        """What has come, when all is there."""
        return ModelRef.of_file(self.path) if self.path is not None else None

    @property
    def repo(self) -> str:
        return self.files[0].repo

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def left(self) -> float | None:
        """Seconds until it is there; None while it is not known."""
        return (self.size - self.done) / self.speed if self.speed > 0 else None

    def still(self, stage: DownloadStage) -> "Download":
        """The same at another stage, at which nothing has moved yet."""
        return replace(self, stage=stage, speed=0.0, wait=0.0, away=False, checking=False)
