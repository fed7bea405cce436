"""The models that were used last."""

import json
import logging
import os
from pathlib import Path

from app.core.files import write_atomic

_LIMIT = 10
_log = logging.getLogger(__name__)


class RecentModels:
    """A short list of model files, newest first, kept in a JSON file that may be lost without harm."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, model: Path) -> None:
        """Put `model` first. A list that cannot be written is logged and given up."""
        model = model.absolute()
        models = [model, *(each for each in self._read() if each != model)][:_LIMIT]
        try:
            write_atomic(self._path, json.dumps([str(each) for each in models], indent=1).encode())
        except OSError as error:
            _log.warning("The list of recent models cannot be kept: %s", error)

    def all(self) -> tuple[Path, ...]:
        """Newest first, without files that are gone; these stay listed for when their disk comes back."""
        return tuple(model for model in self._read() if os.path.isfile(model))  # noqa: PTH113  Path.is_file may raise

    def _read(self) -> list[Path]:
        try:
            names = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return []
        if not isinstance(names, list):
            return []
        return [Path(name) for name in names if isinstance(name, str)]
