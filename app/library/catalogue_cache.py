"""What was read from headers, remembered by path, size and time, so that nothing is read twice."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.files import load_json, save_json
from app.core.sentence import as_json, from_json
from app.library.model_facts import ModelFacts

_FORMAT = 4
_LIMIT = 20_000

Key = tuple[str, int, int]
"""Path, size in bytes, nanoseconds of the last change. For a model in several files, of the first, with all sizes."""


@dataclass(frozen=True, slots=True)
class Known:
    """Facts, or the sentence that says why there are none."""

    facts: ModelFacts | None
    problem: str = ""
    print: str = ""
    """The file's fingerprint, where it was needed; see `app.core.files.fingerprint`."""


class CatalogueCache:
    """A JSON file that may be lost without harm."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, tuple[Key, Known]] | None = None
        """By path: what is known of a file as it was before it changed is of no use."""
        self._changed = False

    def get(self, key: Key) -> Known | None:
        found = self._all().get(key[0])
        return found[1] if found is not None and found[0] == key else None

    def put(self, key: Key, known: Known) -> None:
        self._all()[key[0]] = key, known
        self._changed = True

    def keep_only(self, keys: Iterable[Key]) -> None:
        """Forget the rest, when there is too much of it; files on a disk that is away come back."""
        known = self._all()
        if len(known) > _LIMIT:
            wanted = {path for path, _, _ in keys}
            self._known = {path: entry for path, entry in known.items() if path in wanted}
            self._changed = True

    def save(self) -> None:
        """A cache that can't be written is logged and given up."""
        if self._changed:
            told = [[*key, _written(value)] for key, value in self._all().values()]
            value = {"format": _FORMAT, "files": told}
            self._changed = not save_json(self._path, value, "What is known of the models")

    def _all(self) -> dict[str, tuple[Key, Known]]:
        if self._known is None:
            self._known = load_json(self._path, _read) or {}
        return self._known


def _written(known: Known) -> dict[str, Any]:
    facts = known.facts.as_json() if known.facts else None
    return {"facts": facts, "problem": as_json(known.problem), "print": known.print}


def _read(told: Any) -> dict[str, tuple[Key, Known]]:
    if told["format"] != _FORMAT:
        return {}
    found = (((str(name), int(size), int(time)), _known(value)) for name, size, time, value in told["files"])
    return {key[0]: (key, known) for key, known in found}


def _known(told: dict[str, Any]) -> Known:
    facts = told["facts"]
    return Known(ModelFacts.from_json(facts) if facts else None, from_json(told["problem"]), str(told["print"]))
