"""Writes what comes of a file: each block noted as soon as it is whole, and what there is of one now and then."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import BinaryIO

from app.library.transfer_state import Begun, TransferState

_BUFFER = 1 << 20


class PartWriter:
    """One thread. What was noted outlives the process, however that ends."""

    def __init__(self, state: TransferState, keep_every: float) -> None:
        """Goes on with the block that an earlier run left unfinished; `keep_every` in seconds. Raises OSError."""
        self._state = state
        self._keep_every = keep_every
        self._block = state.begun()
        self._noted = self._block.length
        self._noted_at = monotonic()
        self._file: BinaryIO | None = None

    @property
    def there(self) -> int:
        """Bytes that have come, of whole blocks and of the one that has begun."""
        return self._state.done + self._block.length

    @contextmanager
    def at(self, index: int) -> Iterator[int]:
        """Makes ready for block `index` and those after it; gives the place in the file of the first byte that is
        missing of it. Raises OSError."""
        if self._block.index != index:
            self._begin(index)
        with self._state.part.open("r+b", buffering=_BUFFER) as file:
            start = file.seek(self._state.start(index) + self._block.length)
            self._file = file
            try:
                yield start
            finally:
                self._file = None

    def write(self, data: bytes) -> None:
        """What comes next, within `at`. Raises OSError."""
        assert self._file is not None
        left = memoryview(data)
        while left:
            missing = self._state.length(self._block.index) - self._block.length
            piece, left = left[:missing], left[missing:]
            self._file.write(piece)
            self._block.add(piece)
            if len(piece) == missing:
                self._file.flush()
                self._state.keep(self._block.index, self._block.digest.hexdigest())
                self._begin(self._block.index + 1)
        if self._block.length and monotonic() - self._noted_at >= self._keep_every:
            self._file.flush()
            self.note()

    def note(self) -> None:
        """Keep what came of the block that is not whole. After `at`, or with all of it flushed. Raises OSError."""
        if self._block.length > self._noted:
            self._state.keep_begun(self._block)
            self._noted, self._noted_at = self._block.length, monotonic()

    def drop(self) -> None:
        """What came of a block is not to be used."""
        self._begin(-1)

    def _begin(self, index: int) -> None:
        self._block = Begun(index)
        self._noted, self._noted_at = 0, monotonic()
