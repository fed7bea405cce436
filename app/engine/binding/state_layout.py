"""How V lies in a sequence's state: by cells, as flash attention reads it, or transposed, as all else does.

llama.cpp takes a state in its context's own layout alone (`llama_kv_cache::state_read_data`); here the one becomes the
other. Of the format as much is understood as that needs: caches of cells, one for each kind of layer, and behind them
recurrent states (`llama_kv_cache::state_write`, `llama_memory_recurrent::state_write`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.core.loading import CacheType
from app.engine.binding.context_params import CACHE_TYPES

_Bytes = NDArray[np.uint8]

_SIZES = {CACHE_TYPES[CacheType.F32]: 4, CACHE_TYPES[CacheType.F16]: 2, CACHE_TYPES[CacheType.BF16]: 2}
"""Bytes of an element by ggml's number of its type; of the others V never lies transposed."""
_CELLS = (3, 6)
"""Numbers that a cell has: its position, how many sequences own it, and which. Before the last one there may be its
place in a picture and its token (`llama_kv_cell_ext`).
"""
_HEAD = 12
"""Bytes before a layer's cells: type and a cell's bytes; or, where V lies transposed, type, an element's bytes, and a
cell's elements.
"""
_BEGIN = 8
"""Bytes before all: a number that tells what this is, and the sequence."""
_BAND = 16
"""Rows that are transposed at a time, so that they stay in a processor's first cache."""


class _NotUnderstoodError(Exception):
    """It is something else."""


@dataclass(frozen=True, slots=True)
class _Cache:
    """One that holds cells."""

    transposed: int
    """Where it is told how V lies."""
    values: tuple[int, ...]
    """Where V of each layer begins, and where that of the last one ends."""
    n_cells: int


def turned(data: bytes | memoryview, *, transposed: bool) -> bytes | memoryview | None:
    """The state with V in this layout: `data` itself where it lies so, or where there is none.

    None where it can't be understood to the last byte, or in more ways than one.
    """
    state = _State(np.frombuffer(data, np.uint8))
    ways = list(state.ways(_BEGIN))
    if len(ways) != 1:
        return None
    other = [each for each in ways[0] if state.number(each.transposed) != transposed]
    try:
        return state.with_turned(other).data.toreadonly() if other else data
    except _NotUnderstoodError:
        return None


class _State:
    def __init__(self, data: _Bytes) -> None:
        self._data = data

    def ways(self, at: int) -> Iterator[tuple[_Cache, ...]]:
        """All in which what follows can be understood: as the caches that hold cells."""
        if at == len(self._data):
            yield ()
            return
        if self._ends_recurrent(at):
            yield ()
        for cache, end in self._caches(at):
            for rest in self.ways(end):
                yield (*([cache] if cache is not None else []), *rest)

    def with_turned(self, caches: Sequence[_Cache]) -> _Bytes:
        """A copy with V of these in the other layout."""
        made = self._data.copy()
        for cache in caches:
            transposed = not self.number(cache.transposed)
            made[cache.transposed : cache.transposed + 4] = _bytes_of([transposed])
            for start, end in pairwise(cache.values):
                self._turn(start, cache.n_cells, made[start:end], transposed=transposed)
        return made

    def _turn(self, at: int, n_cells: int, made: _Bytes, *, transposed: bool) -> None:
        """V of a layer, which lies otherwise, and takes as many bytes."""
        kind = self.number(at)
        size = _SIZES.get(kind)
        if size is None:
            raise _NotUnderstoodError
        width = self.number(at + 4) // size if transposed else self.number(at + 8)
        made[:_HEAD] = _bytes_of([kind, size, width] if transposed else [kind, width * size, 0])
        shape = (n_cells, width) if transposed else (width, n_cells)
        old = self._data[at + _HEAD : at + len(made)].view(f"u{size}").reshape(shape)
        new = made[_HEAD:].view(f"u{size}").reshape(shape[::-1])
        for row in range(0, shape[0], _BAND):
            new[:, row : row + _BAND] = old[row : row + _BAND].T

    def number(self, at: int) -> int:
        return int(self._numbers(at, 1)[0])

    def _numbers(self, at: int, count: int) -> NDArray[np.uint32]:
        if 4 * count > len(self._data) - at:
            raise _NotUnderstoodError
        return self._data[at : at + 4 * count].view(np.uint32)

    def _caches(self, at: int) -> Iterator[tuple[_Cache | None, int]]:
        """The ways to understand what begins here as a cache, None being an empty one, with where it ends."""
        try:
            n_streams, n_cells = (int(each) for each in self._numbers(at, 2))
        except _NotUnderstoodError:
            return
        if n_streams == 1 and not n_cells:
            yield None, at + 8
        elif n_streams == 1:
            for numbers in _CELLS:
                for has_values in (True, False):
                    try:
                        yield self._cache(at + 8, n_cells, numbers, has_values=has_values)
                    except _NotUnderstoodError:
                        continue

    def _cache(self, at: int, n_cells: int, numbers: int, *, has_values: bool) -> tuple[_Cache, int]:
        cells = self._numbers(at, n_cells * numbers).reshape(n_cells, numbers)
        at += cells.nbytes
        transposed, n_layers = (int(each) for each in self._numbers(at, 2))
        if (cells[:, 1] != 1).any() or (cells[:, -1] != cells[0, -1]).any() or transposed > 1 or not n_layers:
            raise _NotUnderstoodError
        end = at + 8
        for _ in range(n_layers):
            end = self._after_rows(end, n_cells)
        values = [end]
        for _ in range(n_layers if has_values else 0):
            after = self._after_columns if transposed else self._after_rows
            values.append(after(values[-1], n_cells))
        return _Cache(at, tuple(values), n_cells), values[-1]

    def _after_rows(self, at: int, count: int) -> int:
        """Where so many rows end, with their type and size before them."""
        _, size, high = (int(each) for each in self._numbers(at, 3))
        return self._after(at, count * (size + (high << 32)))

    def _after_columns(self, at: int, n_cells: int) -> int:
        kind, size, width = (int(each) for each in self._numbers(at, 3))
        if _SIZES.get(kind) != size:
            raise _NotUnderstoodError
        return self._after(at, width * size * n_cells)

    def _after(self, at: int, size: int) -> int:
        end = at + _HEAD + size
        if end > len(self._data):
            raise _NotUnderstoodError
        return end

    def _ends_recurrent(self, at: int) -> bool:
        """Whether the rest of it is one recurrent memory's, whatever that holds."""
        try:
            n_cells = self.number(at)
            if (self._numbers(at + 4, 2 * n_cells)[1::2] != 0).any():
                return False
            at += 4 + 8 * n_cells
            if self.number(at):
                return False
            at += 8
            while at < len(self._data):
                at = self._after_rows(at, n_cells)
        except _NotUnderstoodError:
            return False
        return at == len(self._data)


def _bytes_of(numbers: Sequence[int]) -> _Bytes:
    return np.array(numbers, np.uint32).view(np.uint8)
