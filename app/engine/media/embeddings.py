"""What the vision encoder made of pictures, kept in memory and on disk, so that no picture is encoded twice."""

import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.engine.media.embedding_files import KEY_LENGTH, EmbeddingFiles, name_of

_MAX_PENDING_BYTES = 128 << 20
"""What waits for a slow disk. More is not written: it costs a later start one encoding."""


class EmbeddingCache:
    """Arrays of 32-bit floats by a 32-byte digest, within two budgets of bytes. For any thread.

    The digest covers everything that an embedding depends on: projector file, its settings, the build, the chunk of
    the picture. Of both memory and disk, what was used longest ago goes first. Arrays are handed out as they are
    kept, read-only, not copied.

    Writing takes a disk up to seconds for tens of megabytes, and `put` is called between an encoding and an answer,
    so a thread of its own writes. It lives while something waits to be written, and `close` waits for it.
    """

    def __init__(self, memory_budget: int, folder: Path | None, disk_budget: int) -> None:
        """Budgets in bytes; without a folder, nothing is kept on disk. The disk is not touched yet."""
        self._memory_budget = memory_budget
        self._files = EmbeddingFiles(folder, disk_budget) if folder is not None else None
        self._lock = threading.Lock()
        self._kept: dict[bytes, NDArray[np.float32]] = {}
        """The least recently used first."""
        self._memory_bytes = 0
        self._pending: dict[bytes, NDArray[np.float32]] = {}
        """To be written, oldest first. An array leaves it when it is on disk."""
        self._writer: threading.Thread | None = None
        self._closed = False

    @property
    def memory_bytes(self) -> int:
        with self._lock:
            return self._memory_bytes

    @property
    def disk_bytes(self) -> int:
        return self._files.n_bytes if self._files else 0

    def get(self, key: bytes) -> NDArray[np.float32] | None:
        """The array, from memory or else from disk."""
        with self._lock:
            array = self._kept.pop(key, None)
            if array is not None:
                self._kept[key] = array
            else:
                array = self._pending.get(key)
        if array is None and self._files:
            array = self._files.read(key)
            if array is not None:
                with self._lock:
                    self._keep(key, array)
        return array

    def has(self, key: bytes) -> bool:
        """Whether `get` will probably find it: a file is checked only when it is read. Counts as no use."""
        with self._lock:
            if key in self._kept or key in self._pending:
                return True
        return self._files is not None and self._files.has(key)

    def put(self, key: bytes, array: NDArray[np.float32], *, on_disk: bool = True) -> None:
        """Keep `array`, which is the cache's from now on, in memory alone unless `on_disk`. Raises ValueError for a key
        of another length.
        """
        if len(key) != KEY_LENGTH:
            raise ValueError(f"a key has {KEY_LENGTH} bytes, not {len(key)}")
        kept = np.ascontiguousarray(array, dtype=np.float32).view()
        kept.flags.writeable = False
        with self._lock:
            self._keep(key, kept)
            waiting = sum(each.nbytes for each in self._pending.values())
            if not on_disk or self._files is None or self._closed:
                return
            if waiting and waiting + kept.nbytes > _MAX_PENDING_BYTES:
                return
            self._pending[key] = kept
            if self._writer is None:
                self._writer = threading.Thread(target=self._write, args=(self._files,), name="embedding writer")
                self._writer.start()

    def set_budgets(self, memory_budget: int, disk_budget: int) -> None:
        """In bytes; what no longer fits goes at once."""
        with self._lock:
            self._memory_budget = memory_budget
            self._make_room()
        if self._files:
            self._files.set_quota(disk_budget)

    def clear(self) -> None:
        """Forget everything, in memory and on disk."""
        with self._lock:
            self._kept.clear()
            self._pending.clear()
            self._memory_bytes = 0
        if self._files:
            self._files.clear()

    def close(self) -> None:
        """Wait until what was put is on disk; what is put later stays in memory only. Safe to call twice."""
        with self._lock:
            self._closed = True
            writer = self._writer
        if writer:
            writer.join()

    def _keep(self, key: bytes, array: NDArray[np.float32]) -> None:
        before = self._kept.pop(key, None)
        self._memory_bytes -= before.nbytes if before is not None else 0
        if array.nbytes <= self._memory_budget:
            self._kept[key] = array
            self._memory_bytes += array.nbytes
            self._make_room()

    def _make_room(self) -> None:
        while self._kept and self._memory_bytes > self._memory_budget:
            oldest = next(iter(self._kept))
            self._memory_bytes -= self._kept.pop(oldest).nbytes

    def _write(self, files: EmbeddingFiles) -> None:
        try:
            while next_one := self._next_pending():
                key, array = next_one
                files.write(key, array)
                with self._lock:
                    cleared = self._pending.get(key) is not array
                    if not cleared:
                        del self._pending[key]
                if cleared:
                    files.remove(name_of(key))
        except BaseException:
            with self._lock:
                self._pending.clear()
                self._writer = None
            raise

    def _next_pending(self) -> tuple[bytes, NDArray[np.float32]] | None:
        """None ends the writer: under one lock with `put`, which starts another for what comes after."""
        with self._lock:
            if not self._pending:
                self._writer = None
                return None
            return next(iter(self._pending.items()))
