"""Writing files so that a crash leaves the old or the new one, and telling files apart."""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

_log = logging.getLogger(__name__)
Known = TypeVar("Known")
_HEAD = 4 << 20
_SAMPLE = 64 << 10
_SAMPLES = 16


def write_atomic(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, or leave it as it was. Only the user may read the file. Raises OSError."""
    _write(path, data, lambda name: name.replace(path))


def create_atomic(path: Path, data: bytes) -> None:
    """The same, but what another process has put there meanwhile stays. Raises OSError."""

    def link(name: Path) -> None:
        try:
            path.hardlink_to(name)
        except FileExistsError:
            pass
        except OSError:  # a file system without them
            name.replace(path)
            return
        name.unlink()

    _write(path, data, link)


def _write(path: Path, data: bytes, place: Callable[[Path], object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        place(Path(name))
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def save_json(path: Path, value: object, what: str) -> bool:
    """Replace a JSON file that may be lost without harm; where it can't be written, the log says that of `what`."""
    try:
        write_atomic(path, json.dumps(value, separators=(",", ":")).encode())
    except (OSError, ValueError) as error:
        _log.warning("%s can't be kept: %s", what, error)
        return False
    return True


def load_json(path: Path, understood: Callable[[Any], Known]) -> Known | None:
    """What `understood` makes of a JSON file that may be lost without harm; it may fail as all reading of untrusted
    values does. None where there is no such file, or one that is damaged or was not written so."""
    try:
        return understood(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        _log.info("%s can't be read, and begins anew: %r", path.name, error)
        return None


def load_texts(path: Path) -> list[str]:
    """The texts in a list that `save_json` has written; empty where there is none."""
    found = load_json(path, lambda told: told if isinstance(told, list) else [])
    return [each for each in found or () if isinstance(each, str)]


def fingerprint(path: Path) -> str:
    """sha256 hex that tells large files apart without reading them whole.

    Covers the size, the first 4 MiB (a model's header) and 16 samples of 64 KiB, the last one at the end.
    It notices another model or a truncated file at once; it is no defence against somebody who means harm.
    A file that keeps its size and time is read once. Raises OSError.
    """
    stat = path.stat()
    return _fingerprint(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)
def _fingerprint(path: Path, size: int, _changed: int) -> str:
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_HEAD))
        for index in range(1, _SAMPLES + 1):
            offset = max(0, size - _SAMPLE) * index // _SAMPLES
            if offset + _SAMPLE > _HEAD:
                file.seek(offset)
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
