"""The vectors of one embedder in memory, and those that are nearest to another one: exactly, by NumPy."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.storage.passages.passage_file import ID_BITS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 8192
"""Rows that are multiplied at once: halves have to be widened for it."""
MOST_WIDE = 256 << 20
"""Bytes up to which all are kept as they are multiplied, which takes twice the memory and a third of the time."""
FEW = 5000
"""So many are read in no time."""
_PATIENCE = 20
"""While more vectors come all the time, many are read again after so many times as long as that takes."""


class VectorRows:
    """Read when it is first asked, and again when vectors were added; of many, a search may miss those of the last
    seconds.
    """

    def __init__(
        self, connection: sqlite3.Connection, embedder: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._not_before = 0.0
        self._embedder = embedder
        self._version = -1
        self._ids: NDArray[np.int64] | None = None
        self._rows: NDArray[np.float16 | np.float32] | None = None

    def nearest(self, row: "NDArray[np.float32]", documents: Sequence[int] | None, most: int) -> list[int]:
        """Numbers of passages, the nearest first, of those documents or of all."""
        import numpy as np

        ids, rows = self._current()
        if ids is None or rows is None or rows.shape[1] != len(row):
            return []
        mine = None if documents is None else np.isin(ids >> ID_BITS, np.asarray(documents, np.int64))
        if mine is not None and 4 * np.count_nonzero(mine) < len(ids):
            ids, rows, mine = ids[mine], rows[mine], None  # a copy, which costs more than multiplying what is not asked
        scores = np.empty(len(ids), np.float32)
        # By einsum: `@` wakes a thread for each processor, which then waits for more in a busy loop.
        for at in range(0, len(ids), _BLOCK):
            scores[at : at + _BLOCK] = np.einsum("ij,j->i", rows[at : at + _BLOCK].astype(np.float32, copy=False), row)
        if mine is not None:
            ids, scores = ids[mine], scores[mine]
        if len(ids) > most:
            best = np.argpartition(scores, -most)[-most:]
        else:
            best = np.arange(len(ids))
        return [int(each) for each in ids[best[np.argsort(-scores[best], kind="stable")]]]

    def _current(self) -> "tuple[NDArray[np.int64] | None, NDArray[np.float16 | np.float32] | None]":
        found = self._connection.execute("SELECT version FROM embedder WHERE id = ?", (self._embedder,)).fetchone()
        version = found[0] if found is not None else 0
        began = self._clock()
        if version != self._version and began >= self._not_before:
            self._read()
            self._version = version
            now = self._clock()
            many = self._ids is not None and len(self._ids) > FEW
            self._not_before = now + _PATIENCE * (now - began) * many
        return self._ids, self._rows

    def _read(self) -> None:
        import numpy as np

        numbers: list[int] = []
        blobs: list[bytes] = []
        for number, blob in self._connection.execute(_VECTORS, (self._embedder,)):
            numbers.append(number)
            blobs.append(blob)
        self._ids = np.array(numbers, np.int64) if numbers else None
        self._rows = np.frombuffer(b"".join(blobs), "<f2").reshape(len(blobs), -1) if blobs else None
        if self._rows is not None and 2 * self._rows.nbytes <= MOST_WIDE:
            self._rows = self._rows.astype(np.float32)


_VECTORS = """
SELECT passage.id, vector.row FROM passage CROSS JOIN vector ON vector.hash = passage.hash AND vector.embedder = ?
ORDER BY passage.id
"""
