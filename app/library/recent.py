"""The models that were used last."""

from pathlib import Path

from app.core.files import load_texts, save_json
from app.core.model_ref import ModelRef

_LIMIT = 10


class RecentModels:
    """A short list of models, newest first, kept in a JSON file that may be lost without harm."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, model: ModelRef) -> None:
        """Put `model` first. A list that cannot be written is logged and given up."""
        models = [model, *(each for each in self._read() if each != model)][:_LIMIT]
        save_json(self._path, [each.stored for each in models], "The list of recent models")

    def all(self) -> tuple[ModelRef, ...]:
        """Newest first, without files that are gone; these stay listed for when their disk comes back."""
        return tuple(model for model in self._read() if model.is_there)

    def _read(self) -> list[ModelRef]:
        return [ModelRef.from_stored(name) for name in load_texts(self._path)]
