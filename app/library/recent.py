"""The models that were used last."""

import json
import logging
from pathlib import Path

from app.core.files import write_atomic
from app.core.model_ref import ModelRef

_LIMIT = 10
_log = logging.getLogger(__name__)


class RecentModels:
    """A short list of models, newest first, kept in a JSON file that may be lost without harm."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, model: ModelRef) -> None:
        """Put `model` first. A list that cannot be written is logged and given up."""
        models = [model, *(each for each in self._read() if each != model)][:_LIMIT]
        try:
            write_atomic(self._path, json.dumps([each.stored for each in models], indent=1).encode())
        except OSError as error:
            _log.warning("The list of recent models cannot be kept: %s", error)

    def all(self) -> tuple[ModelRef, ...]:
        """Newest first, without files that are gone; these stay listed for when their disk comes back."""
        return tuple(model for model in self._read() if model.is_there)

    def _read(self) -> list[ModelRef]:
        try:
            names = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return []
        if not isinstance(names, list):
            return []
        return [ModelRef.from_stored(name) for name in names if isinstance(name, str)]
