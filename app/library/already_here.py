"""Whether a file of the hub lies on this computer already, whoever fetched it."""

from collections.abc import Iterable
from pathlib import Path

from app.library.catalogue import LibraryModel
from app.library.hub import HubChoice


def find_here(choice: HubChoice, models: Iterable[LibraryModel]) -> LibraryModel | None:
    """The model that is the same file: as long, and with its name or its hash in a path, as Ollama and the shared cache
    have it. None where there is none, or only a damaged one."""
    first = choice.files[0]
    name, hashed = first.path.rpartition("/")[2], first.sha256
    for model in models:
        if model.size == choice.size and not model.problem:
            paths: tuple[Path, ...] = (model.path, *model.parts, *model.also)
            if any(path.name == name or (hashed and hashed in path.name) for path in paths):
                return model
    return None
