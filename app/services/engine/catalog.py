"""What the engine asks about a model's file before it loads it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from app.core.model_options import ModelOptions


class ModelCatalog(Protocol):
    """Asked in the GUI thread, whenever a model is loaded and with every reply."""

    def projector_of(self, path: Path) -> Path | None:
        """The one that belongs to a model, where none lies beside it and nobody has chosen one."""

    def called(self, path: Path) -> str:
        """What people know a model's file by; empty is its name."""

    def options_of(self, path: Path) -> ModelOptions:
        """What is set for a model alone."""


@dataclass(frozen=True, slots=True)
class NoCatalog:
    """Knows nothing of any model."""

    options: ModelOptions = field(default_factory=ModelOptions)
    """Of whichever is loaded."""

    def projector_of(self, _path: Path) -> Path | None:
        return None

    def called(self, _path: Path) -> str:
        return ""

    def options_of(self, _path: Path) -> ModelOptions:
        return self.options
