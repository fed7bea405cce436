"""What was found out by trying, for the next time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from app.core.files import load_json, save_json

Found = TypeVar("Found")

_MOST = 200


class Trials:
    """A JSON object in a file, which may be lost without harm. Its oldest keys go."""

    def __init__(self, path: Path | None) -> None:
        """None keeps nothing."""
        self._path = path

    def found(self, key: str, understood: Callable[[Any], Found]) -> Found | None:
        """What `understood` makes of what was kept by that key; None where there is nothing, or nothing of use."""
        if self._path is None:
            return None
        return load_json(self._path, lambda kept: understood(kept[key]) if key in kept else None)

    def keep(self, key: str, told: object, what: str) -> None:
        """Where it can't be written, the log says that of `what`."""
        if self._path is None:
            return
        kept: dict[str, object] = load_json(self._path, dict) or {}
        others = {each: kept[each] for each in [each for each in kept if each != key][1 - _MOST :]}
        save_json(self._path, others | {key: told}, what)
