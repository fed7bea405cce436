"""Writing files so that a crash leaves the old or the new one, and telling files apart."""

import hashlib
import os
import tempfile
from pathlib import Path

_HEAD = 4 << 20
_SAMPLE = 64 << 10
_SAMPLES = 16


def write_atomic(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, or leave it as it was. Only the user may read the file. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def fingerprint(path: Path) -> str:
    """sha256 hex that tells large files apart without reading them whole.

    Covers the size, the first 4 MiB (a model's header) and 16 samples of 64 KiB, the last one at the end.
    It notices another model or a truncated file at once; it is no defence against somebody who means harm.
    Raises OSError.
    """
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_HEAD))
        for index in range(1, _SAMPLES + 1):
            offset = max(0, size - _SAMPLE) * index // _SAMPLES
            if offset + _SAMPLE > _HEAD:
                file.seek(offset)
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
