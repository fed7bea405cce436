"""What a sequence of a llama_context holds: forgotten, shared with another one, saved and restored."""

import ctypes
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

from app.engine.binding.open_context import OpenContext
from app.engine.binding.state_layout import turned

_log = logging.getLogger(__name__)

State = bytes | memoryview
"""What a sequence holds, as llama.cpp writes it: bytes without tokens, model or checksum."""


class SequenceMemory:
    """The memory's side of a `Context`: llama_memory_seq and llama_state_seq, by its number."""

    def __init__(self, shared: OpenContext, piece: int) -> None:
        """`piece`: positions that are saved at a time; 0 where a sequence is saved as a whole. See `save`."""
        self._shared = shared
        self._piece = piece
        self._seq = 0

    @property
    def n_seq(self) -> int:
        """Sequences that it has room for."""
        return self._shared.n_seq

    @property
    def seq(self) -> int:
        """Which of them this is."""
        return self._seq

    @property
    def has_flash(self) -> bool:
        """Whether it was made with flash attention, or with llama.cpp's choice, which has V lie as for it."""
        return self._shared.has_flash

    @property
    def is_open(self) -> bool:
        return self._shared.handle is not None

    @property
    def handle(self) -> "api.llama_context_p":
        if self._shared.handle is None:
            raise ValueError("the context is closed")
        return self._shared.handle

    @property
    def has_memory(self) -> bool:
        """False for models that attend both ways (diffusion, embedders): nothing can be evaluated bit by bit."""
        return bool(self._shared.memory)

    def clear(self) -> None:
        if self.n_seq == 1:
            api.llama_memory_clear(self._shared.memory, True)
        else:
            self._remove(self._seq)

    def become(self, other: "SequenceMemory") -> None:
        """Hold what another sequence of the context holds, and nothing else. No cell is copied."""
        self.clear()
        self._copy(other.seq, self._seq, -1, -1)

    def remove_from(self, position: int) -> bool:
        """Forget everything from `position` on. False where this memory cannot forget a part.

        True does not mean that the rest is whole: a sliding window may have lost cells (`pos_min` tells).
        """
        return bool(api.llama_memory_seq_rm(self._shared.memory, self._seq, position, -1))

    @property
    def pos_min(self) -> int:
        """Oldest position that every layer still holds, -1 when empty."""
        return int(api.llama_memory_seq_pos_min(self._shared.memory, self._seq))

    @property
    def pos_max(self) -> int:
        return int(api.llama_memory_seq_pos_max(self._shared.memory, self._seq))

    def save_partial(self) -> State:
        """The part of the sequence's state that a trim cannot bring back; the whole where all of it can. Empty where
        llama.cpp did not write all of it, as with every state here.

        Recurrent states, and the window of sliding-window layers.
        """
        return self._read_state(api.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)

    def save(self) -> State:
        """The whole state of the sequence.

        Of a sliding window llama.cpp saves the last cells alone, also where the context keeps them all (`swa_full`). So
        there the sequence holds a stretch of cells at a time that no window would forget, and another one the rest.
        """
        if not self._piece:
            return self._read_state(api.LLAMA_STATE_SEQ_FLAGS_NONE)
        made, end, whole = bytearray(), self.pos_max + 1, True
        self._hand_over(self._seq, self._aside)
        for start in range(0, end, self._piece):
            self._copy(self._aside, self._seq, start, start + self._piece)
            state = self._read_state(api.LLAMA_STATE_SEQ_FLAGS_NONE)
            self._remove(self._seq)
            whole = whole and bool(state)
            made += len(state).to_bytes(8, "little")
            made += state
        self._hand_over(self._aside, self._seq)
        return bytes(made) if whole else b""

    @property
    def _aside(self) -> int:
        """One more sequence, for moments in which this one must lack its beginning. Nothing is ever decoded for it, and
        llama.cpp's caches know it whatever number of sequences a context was made for; that it works is tried at load.
        """
        return self.n_seq

    def _copy(self, source: int, target: int, start: int, stop: int) -> None:
        """No cell is copied: those in [start, stop) belong to both then."""
        api.llama_memory_seq_cp(self._shared.memory, source, target, start, stop)

    def _remove(self, seq: int) -> None:
        api.llama_memory_seq_rm(self._shared.memory, seq, -1, -1)

    def _hand_over(self, source: int, target: int) -> None:
        """What one sequence holds goes to another, which is empty or lacks that."""
        self._copy(source, target, -1, -1)
        self._remove(source)

    def save_from(self, position: int) -> State:
        """The state of what stands at `position` and after it. Only for memories with `MemoryTraits.splits`."""
        with self._without_beginning(position):
            return self._read_state(api.LLAMA_STATE_SEQ_FLAGS_NONE)

    def restore(self, data: State, newest: range) -> bool:
        """Replace the memory by what `save` gave, with flash attention or without, in a context that is like this one
        otherwise, with its newest entry in one of these positions.

        False when llama.cpp refuses; what the memory holds is then unknown and must be cleared.
        """
        self.clear()
        if not self._piece:
            return self._write_state(data, api.LLAMA_STATE_SEQ_FLAGS_NONE) and self.pos_max in newest
        left, done = memoryview(data), True
        while left and done:
            size = int.from_bytes(left[:8], "little")
            done = self._write_state(left[8 : 8 + size], api.LLAMA_STATE_SEQ_FLAGS_NONE)
            self._hand_over(self._seq, self._aside)
            left = left[8 + size :]
        self._hand_over(self._aside, self._seq)
        return done and self.pos_min == 0 and self.pos_max in newest

    def restore_from(self, position: int, data: State, newest: range) -> bool:
        """Replace all from `position` on by what `save_from(position)` gave, after the very same beginning.

        False when llama.cpp refuses; what the memory holds is then unknown and must be cleared.
        """
        with self._without_beginning(position):
            done = self._write_state(data, api.LLAMA_STATE_SEQ_FLAGS_NONE)
        return done and self.pos_max in newest

    def restore_partial(self, data: State, newest: range) -> bool:
        """Put back what `save_partial` gave, and forget what lies beyond `newest`, where its newest entry stood.

        False when llama.cpp refuses; what the memory holds is then unknown and must be cleared.
        """
        done = self._write_state(data, api.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)
        return done and self.remove_from(newest.stop) and self.pos_max in newest

    @contextmanager
    def _without_beginning(self, position: int) -> Iterator[None]:
        """Another sequence holds the cells before `position` meanwhile."""
        self._copy(self._seq, self._aside, 0, position)
        api.llama_memory_seq_rm(self._shared.memory, self._seq, 0, position)
        try:
            yield
        finally:
            self._copy(self._aside, self._seq, 0, position)
            self._remove(self._aside)

    def _read_state(self, flags: int) -> State:
        size = api.llama_state_seq_get_size_ext(self.handle, self._seq, flags)
        # Not filled with zeros first: a state may be a gigabyte.
        buffer = np.empty(size, np.uint8)
        written = api.llama_state_seq_get_data_ext(self.handle, _address(buffer), size, self._seq, flags) if size else 0
        if not size or written != size:
            _log.warning("llama.cpp wrote %d of a state's %d bytes; it is not kept.", written, size)
            return b""
        return buffer.data.toreadonly()

    def _write_state(self, data: State, flags: int) -> bool:
        if not data:
            return False
        # What is not understood lies as it should, or llama.cpp refuses it.
        fitting = turned(data, transposed=not self.has_flash) or data
        address = _address(np.frombuffer(fitting, np.uint8))
        read: int = api.llama_state_seq_set_data_ext(self.handle, address, len(fitting), self._seq, flags)
        return read == len(fitting)


def _address(buffer: NDArray[np.uint8]) -> "ctypes._Pointer[ctypes.c_uint8]":
    return buffer.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
