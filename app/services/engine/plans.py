"""Where the engine thread finds what it needs beside a model, and where it keeps what it learns."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.library.pairing import ProjectorPairs


@dataclass(frozen=True, slots=True)
class PreflightPlan:
    """How unknown model files are tried: where results are kept, and the command that starts this program."""

    record: Path
    command: Sequence[str]


@dataclass(frozen=True, slots=True)
class MediaPlan:
    """Where media lie, what encoders made of them, and which projectors people chose."""

    attachments: Path
    embeddings: Path
    pairs: Path
    models: Path
    """The folder of the program's own models, where projectors may lie too."""

    @property
    def projectors(self) -> ProjectorPairs:
        return ProjectorPairs(self.pairs, self.models)
