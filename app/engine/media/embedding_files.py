"""Embeddings on disk: one file each, checked when it is read, within a quota of bytes.

A file is a header, the values and a sha256 over both. Files of a version that is not ours, torn files and altered
ones are removed when they are met.
"""

import hashlib
import math
import re
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.files import write_atomic
from app.core.quota_folder import QuotaFolder

KEY_LENGTH = 32
_MAGIC = b"HEARTHEM"
_VERSION = 1
_HEADER = struct.Struct("<8sII32s")
"""Magic, version, number of dimensions, key; then each dimension as a 64-bit number."""
_MAX_DIMENSIONS = 8
_DIGEST = hashlib.sha256().digest_size
_NAMES = re.compile(r"[0-9a-f]{64}\.embedding")


class EmbeddingFiles(QuotaFolder):
    """Embeddings by their keys. For any thread."""

    def __init__(self, folder: Path, quota: int) -> None:
        super().__init__(folder, quota, _NAMES, "Kept pictures")

    def has(self, key: bytes) -> bool:
        with self.lock:
            return name_of(key) in self.known()

    def read(self, key: bytes) -> NDArray[np.float32] | None:
        if not self.has(key):
            return None
        try:
            data = (self.folder / name_of(key)).read_bytes()
        except OSError as error:
            self.complain("read", error)
            data = b""
        array = _unpacked(data, key)
        if array is None:
            self.remove(name_of(key))
        else:
            self.used(name_of(key))
        return array

    def write(self, key: bytes, array: NDArray[np.float32]) -> None:
        """Keep `array`, where it fits at all; what was used longest ago makes room for it first. For one thread."""
        if self.has(key):
            return
        data = _packed(key, array)
        with self.lock:
            if len(data) > self.quota:
                return
            self.make_room(len(data))
        # The lock is not held: others go on reading while a slow disk writes.
        try:
            self.make()
            write_atomic(self.folder / name_of(key), data)
        except OSError as error:
            self.complain("written", error)
            return
        with self.lock:
            self.added(name_of(key), len(data))


def name_of(key: bytes) -> str:
    return f"{key.hex()}.embedding"


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
