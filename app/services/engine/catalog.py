"""What the engine asks about a model before it loads it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef


class ModelCatalog(Protocol):
    """Asked in the GUI thread, whenever a model is loaded and with every reply."""

    def projector_of(self, model: ModelRef) -> Path | None:
        """The one that belongs to a model, where none lies beside it and nobody has chosen one."""

    def called(self, model: ModelRef) -> str:
        """What people know a model by; empty is its file's name."""

    def options_of(self, model: ModelRef) -> ModelOptions:
        """What is set for a model alone."""


@dataclass(frozen=True, slots=True)
class NoCatalog:
    """Knows nothing of any model."""

    options: ModelOptions = field(default_factory=ModelOptions)
    """Of whichever is loaded."""

    def projector_of(self, _model: ModelRef) -> Path | None:
        return None

    def called(self, _model: ModelRef) -> str:
        return ""

    def options_of(self, _model: ModelRef) -> ModelOptions:
        return self.options
