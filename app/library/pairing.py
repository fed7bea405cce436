"""Which projector (mmproj) belongs to a model."""

from pathlib import Path

from app.core.files import load_json, save_json
from app.core.gguf_header import HeaderError, read_general
from app.library.companions import likeness

_LIMIT = 200
_SIGN = "mmproj"
_SUFFIX = ".gguf"
_ORIGINS = ("general.name", "general.base_model.0.repo_url", "general.source.repo_url")


class ProjectorPairs:
    """Those that people chose, in a JSON file that may be lost without harm; otherwise those that belong together."""

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        """`folder` is searched for projectors that do not lie beside their model, with all that is in it."""
        self._path = path
        self._folder = folder

    def find(self, model: Path) -> Path | None:
        """The projector to load with `model`, or None."""
        chosen = self._read().get(_key(model))
        if chosen is not None and Path(chosen).is_file():
            return Path(chosen)
        return find_beside(model) or (find_by_metadata(model, self._folder) if self._folder else None)

    def remember(self, model: Path, projector: Path) -> None:
        """People chose it. Pairs that cannot be written are logged and given up."""
        pairs = self._read() | {_key(model): str(projector.absolute())}
        save_json(self._path, dict(list(pairs.items())[-_LIMIT:]), "The chosen projector")

    def _read(self) -> dict[str, str]:
        found = load_json(self._path, lambda told: dict(told.items())) or {}
        return {model: projector for model, projector in found.items() if isinstance(projector, str)}


def find_beside(model: Path) -> Path | None:
    """The projector in the model's own folder; of several the one whose name is nearest to the model's.

    A folder with more than one model and a projector whose name fits none of them gives None: it may be any one's.
    """
    try:
        files = [each for each in model.parent.iterdir() if each.name.lower().endswith(_SUFFIX) and each.is_file()]
    except OSError:
        return None
    projectors = sorted(each for each in files if _SIGN in each.name.lower())
    models = [each for each in files if _SIGN not in each.name.lower()]
    if not projectors:
        return None
    best = max(projectors, key=lambda each: likeness(model, each))
    is_nearest = all(likeness(model, best) >= likeness(other, best) for other in models)
    return best if is_nearest and (likeness(model, best) or len(models) == 1) else None


def find_by_metadata(model: Path, folder: Path) -> Path | None:
    """The projector below `folder` whose file says that it was made from the same model."""
    try:
        projectors = sorted(each for each in folder.rglob(f"*{_SUFFIX}") if _SIGN in each.name.lower())
    except OSError:
        return None
    wanted = _origins(model) if projectors else frozenset()
    return next((each for each in projectors if wanted & _origins(each)), None)


def _origins(file: Path) -> frozenset[str]:
    """What a file says that it was made from: the model's name, and where its base model came from."""
    try:
        general = read_general(file)
    except (HeaderError, OSError):
        return frozenset()
    told = (general.get(key) for key in _ORIGINS)
    return frozenset(each.casefold().strip() for each in told if isinstance(each, str) and each.strip())


def _key(model: Path) -> str:
    return str(model.absolute())
