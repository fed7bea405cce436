"""Embeddings on disk: one file each, checked when it is read, within a quota of bytes.

A file is a header, the values and a sha256 over both. Files of a version that is not ours, torn files and altered
ones are removed when they are met.
"""

import hashlib
import logging
import math
import os
import struct
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.files import write_atomic

log = logging.getLogger(__name__)

KEY_LENGTH = 32
_MAGIC = b"HEARTHEM"
_VERSION = 1
_HEADER = struct.Struct("<8sII32s")
"""Magic, version, number of dimensions, key; then each dimension as a 64-bit number."""
_MAX_DIMENSIONS = 8
_DIGEST = hashlib.sha256().digest_size
_SUFFIX = ".embedding"


class EmbeddingFiles:
    """The files of `folder`, which is made when it is first written to. For any thread.

    Nothing here raises for what the disk does: a folder that cannot be used costs the cache, and one line in the log.
    """

    def __init__(self, folder: Path, quota: int) -> None:
        self._folder = folder
        self._quota = quota
        self._lock = threading.Lock()
        self._sizes: dict[bytes, int] | None = None
        """Bytes by key, the least recently used first; None until the folder has been looked at."""
        self._n_bytes = 0
        """Of `_sizes`, and of what is being written."""
        self._complained = False

    @property
    def n_bytes(self) -> int:
        with self._lock:
            self._known()
            return self._n_bytes

    def has(self, key: bytes) -> bool:
        with self._lock:
            return key in self._known()

    def set_quota(self, quota: int) -> None:
        with self._lock:
            self._quota = quota
            self._make_room(0)

    def read(self, key: bytes) -> NDArray[np.float32] | None:
        with self._lock:
            if key not in self._known():
                return None
        path = self._path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            self._complain("read", error)
            data = b""
        array = _unpacked(data, key)
        with self._lock:
            if array is None:
                self._remove(key)
            else:
                self._touch(key, path)
        return array

    def write(self, key: bytes, array: NDArray[np.float32]) -> None:
        """Keep `array`, where it fits at all; what was used longest ago makes room for it first."""
        if self.has(key):
            return
        data = _packed(key, array)
        with self._lock:
            if len(data) > self._quota:
                return
            self._make_room(len(data))
            self._n_bytes += len(data)
        # The lock is not held: others go on reading while a slow disk writes.
        written = self._replace(self._path(key), data)
        with self._lock:
            self._n_bytes -= len(data)
            if written:
                self._n_bytes += len(data) - self._known().pop(key, 0)
                self._known()[key] = len(data)
            self._make_room(0)

    def remove(self, key: bytes) -> None:
        with self._lock:
            self._remove(key)

    def clear(self) -> None:
        with self._lock:
            for key in list(self._known()):
                self._remove(key)

    def _replace(self, path: Path, data: bytes) -> bool:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(path, data)
        except OSError as error:
            self._complain("written", error)
            return False
        return True

    def _known(self) -> dict[bytes, int]:
        if self._sizes is None:
            self._sizes = {}
            for _, key, size in sorted(self._listed()):
                self._sizes[key] = size
            self._n_bytes += sum(self._sizes.values())
            self._make_room(0)
        return self._sizes

    def _listed(self) -> list[tuple[int, bytes, int]]:
        """Time of last use, key and bytes of each file. What a crash left half written is removed."""
        listed = []
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    key = _key_of(entry.name)
                    if key is not None:
                        status = entry.stat(follow_symlinks=False)
                        listed.append((status.st_mtime_ns, key, status.st_size))
                    elif entry.name.startswith(".") and _SUFFIX in entry.name:
                        Path(entry.path).unlink(missing_ok=True)
        except FileNotFoundError:
            pass
        except OSError as error:
            self._complain("read", error)
        return listed

    def _make_room(self, n_bytes: int) -> None:
        sizes = self._known()
        while sizes and self._n_bytes + n_bytes > self._quota:
            self._remove(next(iter(sizes)))

    def _remove(self, key: bytes) -> None:
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as error:
            self._complain("removed", error)
        self._n_bytes -= self._known().pop(key, 0)

    def _touch(self, key: bytes, path: Path) -> None:
        """Last used now, also for the next start."""
        sizes = self._known()
        if key in sizes:
            sizes[key] = sizes.pop(key)
        try:
            os.utime(path)
        except OSError as error:
            self._complain("marked as used", error)

    def _path(self, key: bytes) -> Path:
        return self._folder / f"{key.hex()}{_SUFFIX}"

    def _complain(self, what: str, error: OSError) -> None:
        if not self._complained:
            self._complained = True
            log.warning("Kept pictures cannot be %s in %s (%s); they are computed anew.", what, self._folder, error)


def _key_of(name: str) -> bytes | None:
    stem = name.removesuffix(_SUFFIX)
    if len(stem) != 2 * KEY_LENGTH or stem == name:
        return None
    try:
        return bytes.fromhex(stem)
    except ValueError:
        return None


def _packed(key: bytes, array: NDArray[np.float32]) -> bytes:
    header = _HEADER.pack(_MAGIC, _VERSION, array.ndim, key) + struct.pack(f"<{array.ndim}Q", *array.shape)
    values = np.ascontiguousarray(array, dtype="<f4").tobytes()
    digest = hashlib.sha256(header)
    digest.update(values)
    return b"".join((header, values, digest.digest()))


def _unpacked(data: bytes, key: bytes) -> NDArray[np.float32] | None:
    """None for anything but what `_packed` made for this key."""
    view = memoryview(data)
    end = len(data) - _DIGEST
    if end < _HEADER.size or hashlib.sha256(view[:end]).digest() != data[end:]:
        return None
    magic, version, n_dimensions, stored_key = _HEADER.unpack_from(data)
    start = _HEADER.size + 8 * n_dimensions
    if (magic, version, stored_key) != (_MAGIC, _VERSION, key) or n_dimensions > _MAX_DIMENSIONS or start > end:
        return None
    shape = struct.unpack_from(f"<{n_dimensions}Q", data, _HEADER.size)
    if math.prod(shape) * 4 != end - start:
        return None
    return np.frombuffer(view[start:end], dtype="<f4").reshape(shape).astype(np.float32, copy=False)
