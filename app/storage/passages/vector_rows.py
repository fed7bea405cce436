"""The vectors of one embedder in memory, and those that are nearest to another one: exactly, by NumPy."""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.storage.passages.passage_file import ID_BITS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 8192
"""Rows that are multiplied at once: halves have to be widened for it."""


class VectorRows:
    """Read when it is first asked, and again when vectors were added."""

    def __init__(self, connection: sqlite3.Connection, embedder: int) -> None:
        self._connection = connection
        self._embedder = embedder
        self._version = -1
        self._ids: NDArray[np.int64] | None = None
        self._rows: NDArray[np.float16] | None = None

    def nearest(self, row: "NDArray[np.float32]", documents: Sequence[int] | None, most: int) -> list[int]:
        """Numbers of passages, the nearest first, of those documents or of all."""
        import numpy as np

        ids, rows = self._current()
        if ids is None or rows is None or rows.shape[1] != len(row):
            return []
        if documents is not None:
            chosen = np.flatnonzero(np.isin(ids >> ID_BITS, np.asarray(documents, np.int64)))
            ids, rows = ids[chosen], rows[chosen]
        scores = np.empty(len(ids), np.float32)
        for at in range(0, len(ids), _BLOCK):
            scores[at : at + _BLOCK] = rows[at : at + _BLOCK].astype(np.float32) @ row
        if len(ids) > most:
            best = np.argpartition(scores, -most)[-most:]
        else:
            best = np.arange(len(ids))
        return [int(each) for each in ids[best[np.argsort(-scores[best], kind="stable")]]]

    def _current(self) -> "tuple[NDArray[np.int64] | None, NDArray[np.float16] | None]":
        import numpy as np

        found = self._connection.execute("SELECT version FROM embedder WHERE id = ?", (self._embedder,)).fetchone()
        version = found[0] if found is not None else 0
        if version != self._version:
            numbers: list[int] = []
            blobs: list[bytes] = []
            for number, blob in self._connection.execute(_VECTORS, (self._embedder,)):
                numbers.append(number)
                blobs.append(blob)
            self._ids = np.array(numbers, np.int64) if numbers else None
            self._rows = np.frombuffer(b"".join(blobs), "<f2").reshape(len(blobs), -1) if blobs else None
            self._version = version
        return self._ids, self._rows


_VECTORS = """
SELECT passage.id, vector.row FROM passage CROSS JOIN vector ON vector.hash = passage.hash AND vector.embedder = ?
ORDER BY passage.id
"""
