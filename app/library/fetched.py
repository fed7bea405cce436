"""Which version of a file of the hub lies where: the hash that was checked when it came, by path, size and time."""

import hashlib
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.core.files import load_json, save_json
from app.library.hub_layout import HubFile, Landing

_FORMAT = 1
_LIMIT = 5000
_READ = 1 << 20
_HASH = re.compile(r"[0-9a-f]{64}")

Kept = tuple[int, int, str]
"""Size in bytes, nanoseconds of the last change, sha256."""


class FetchedFiles:
    """A JSON file that may be lost without harm: files are then read to know what they are. From any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: dict[str, Kept] | None = None

    def is_there(self, file: HubFile, landing: Landing, between: Callable[[], None] = lambda: None) -> bool:
        """Whether what lies there is `file`, and no other version of it that is as long.

        Blobs of the shared cache are named by their hashes. What is not known is read whole, which takes a while:
        `between` is called meanwhile, and may raise. Raises OSError.
        """
        path = landing.path
        if not landing.is_there or path.stat().st_size != file.size:
            return False
        is_blob = landing.link is not None and os.path.realpath(path) == os.path.realpath(landing.target)
        if is_blob or not file.sha256:
            return True
        return self._hash_of(path, between) == file.sha256

    def note(self, path: Path, sha256: str) -> None:
        """It has come, and was checked. Raises OSError."""
        status = path.stat()
        self._put(path, (status.st_size, status.st_mtime_ns, sha256))

    def _hash_of(self, path: Path, between: Callable[[], None]) -> str:
        status = path.stat()
        with self._lock:
            kept = self._all().get(str(path))
        if kept is not None and kept[:2] == (status.st_size, status.st_mtime_ns):
            return kept[2]
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while data := file.read(_READ):
                between()
                digest.update(data)
        self._put(path, (status.st_size, status.st_mtime_ns, digest.hexdigest()))
        return digest.hexdigest()

    def _put(self, path: Path, kept: Kept) -> None:
        with self._lock:
            known = self._all()
            known.pop(str(path), None)
            known[str(path)] = kept
            while len(known) > _LIMIT:
                del known[next(iter(known))]
            save_json(self._path, {"format": _FORMAT, "files": known}, "What was fetched")

    def _all(self) -> dict[str, Kept]:
        if self._known is None:
            self._known = load_json(self._path, _read) or {}
        return self._known


def _read(told: Any) -> dict[str, Kept]:
    if told["format"] != _FORMAT:
        return {}
    found = {str(name): (int(size), int(time), str(sha256)) for name, (size, time, sha256) in told["files"].items()}
    return {name: kept for name, kept in found.items() if _HASH.fullmatch(kept[2])}
