"""Whether a file of the hub lies on this computer already, whoever fetched it."""

from collections.abc import Iterable
from pathlib import Path

from app.library.catalogue import LibraryModel
from app.library.hub import HubChoice


def find_here(choice: HubChoice, models: Iterable[LibraryModel]) -> LibraryModel | None:
    """The model that is the same file: as long, and with its hash, where that is known as Ollama and the shared cache
    have it, or else with its name. None where there is none, or only a damaged one."""
    first = choice.files[0]
    name, hashed = first.path.rpartition("/")[2], first.sha256
    for model in models:
        if model.size == choice.size and not model.problem:
            paths: tuple[Path, ...] = (model.path, *model.parts, *model.also)
            # A file that was made anew is often as long as before.
            if model.sha256 and hashed:
                same = model.sha256 == hashed
            else:
                same = any(path.name == name or (hashed and hashed in path.name) for path in paths)
            if same:
                return model
    return None
