"""A llama_context, owned: batches in, logits and memory out. It is used by its sequences, mostly by one alone."""

import copy
import ctypes
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.loading import FlashAttention
from app.engine.binding import library
from app.engine.binding.context_params import CACHE_TYPES, FLASH, ContextParams
from app.engine.binding.model import Model
from app.engine.binding.state_layout import turned

_log = logging.getLogger(__name__)

State = bytes | memoryview
"""What a sequence holds, as llama.cpp writes it: bytes without tokens, model or checksum."""


class DecodeOutcome(IntEnum):
    """llama_decode's return codes that are no bug."""

    DONE = 0
    FULL = 1
    """No room in the memory, which is as it was."""
    ABORTED = 2
    """The cancel flag was set. What the memory holds then depends on its kind; see `Context.pos_max`."""


class ContextRefusedError(library.RefusedError):
    """Of a context with these parameters."""


class DecodeFailedError(Exception):
    """llama_decode returned a code that means a broken batch or a failed computation: a bug, or the device's."""


def outcome_of(code: int) -> DecodeOutcome:
    """What llama_decode returned. Raises DecodeFailedError."""
    if code == 0:
        return DecodeOutcome.DONE
    if code in (DecodeOutcome.DONE, DecodeOutcome.FULL, DecodeOutcome.ABORTED):
        return DecodeOutcome(code)
    raise DecodeFailedError(f"llama_decode returned {code}")


class _Batch:
    """A llama_batch over arrays of ours, so that filling 2,048 entries is a few copies and no loop."""

    def __init__(self, size: int) -> None:
        self.tokens, self.positions = np.zeros(size, np.int32), np.zeros(size, np.int32)
        self.sequences, self.logits = np.zeros(size, np.int32), np.zeros(size, np.int8)
        self._counts = np.ones(size, np.int32)
        self._pointers = self.sequences.ctypes.data + np.arange(size, dtype=np.uintp) * self.sequences.itemsize
        self.batch: Any = api.llama_batch(
            token=self.tokens.ctypes.data_as(ctypes.POINTER(api.llama_token)),
            pos=self.positions.ctypes.data_as(ctypes.POINTER(api.llama_pos)),
            n_seq_id=self._counts.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)),
            seq_id=self._pointers.ctypes.data_as(ctypes.POINTER(ctypes.POINTER(api.llama_seq_id))),
            logits=self.logits.ctypes.data_as(ctypes.POINTER(ctypes.c_int8)),
        )


class _Single:
    """A llama_batch of one token."""

    def __init__(self) -> None:
        self._token, self._position, self._sequence = api.llama_token(), api.llama_pos(), api.llama_seq_id()
        self._batch: Any = api.llama_batch(
            n_tokens=1,
            token=ctypes.pointer(self._token),
            pos=ctypes.pointer(self._position),
            n_seq_id=ctypes.pointer(ctypes.c_int32(1)),
            seq_id=ctypes.pointer(ctypes.pointer(self._sequence)),
            logits=ctypes.pointer(ctypes.c_int8(1)),
        )

    def filled(self, token: int, position: int, seq: int) -> Any:
        self._token.value, self._position.value, self._sequence.value = token, position, seq
        return self._batch


class _Shared:
    """What the sequences of a context have together."""

    def __init__(self, model: Model, c_params: "api.llama_context_params") -> None:
        self._model = model
        self._c_params = c_params
        self.handle: api.llama_context_p | None = None
        self.memory: api.llama_memory_t | None = None
        self.n_seq = 0
        self.single = _Single()

    @property
    def has_flash(self) -> bool:
        return bool(self._c_params.flash_attn_type != FLASH[FlashAttention.OFF])

    def open(self, n_seq: int, *, flash: bool) -> None:
        """Raises ContextRefusedError."""
        if flash is not self.has_flash:
            self._c_params.flash_attn_type = FLASH[FlashAttention.ON if flash else FlashAttention.OFF]
        self._c_params.n_seq_max = n_seq
        self._c_params.n_outputs_max = max(self._c_params.n_outputs_max, n_seq)
        # Streams, its other way, have llama.cpp end the process where a part of a sequence is copied.
        self._c_params.kv_unified = n_seq > 1
        with library.log.collect() as lines:
            handle = api.llama_init_from_model(self._model.handle, self._c_params)
            if not handle:
                raise ContextRefusedError(list(lines))
        self.handle, self.n_seq = handle, n_seq
        self.memory = api.llama_get_memory(handle)
        self.batch = _Batch(api.llama_n_batch(handle))

    def close(self) -> None:
        if self.handle is not None:
            api.llama_free(self.handle)
            # To llama.cpp no memory is an empty one; this one was freed with the context.
            self.handle = self.memory = None


class Context:
    """A sequence of a llama_context, which the first one owns. Not thread-safe: the engine thread alone uses it;
    `cancel` may be set from any.
    """

    def __init__(
        self, model: Model, params: ContextParams, cancel: CancelFlag, *, target: "Context | None" = None
    ) -> None:
        """Raises ContextRefusedError. The model must outlive the context.

        With `target` the context runs the model's multi-token-prediction head, over what that one computes; see
        `binding.nextn`.
        """
        c_params = api.llama_context_default_params()
        c_params.n_ctx, c_params.n_batch, c_params.n_ubatch = params.n_ctx, params.n_batch, params.n_ubatch
        c_params.n_threads = c_params.n_threads_batch = params.n_threads
        # A few rows of logits at a time: with 0 llama.cpp reserves a row for every entry of a batch.
        c_params.n_outputs_max = min(params.n_rows, params.n_batch)
        c_params.flash_attn_type = FLASH[params.flash_attn]
        c_params.type_k, c_params.type_v = CACHE_TYPES[params.type_k], CACHE_TYPES[params.type_v]
        c_params.swa_full = params.swa_full
        c_params.n_rs_seq = params.n_rs_seq
        if target is not None:
            c_params.ctx_type, c_params.ctx_other = api.LLAMA_CONTEXT_TYPE_MTP, target.handle
        c_params.no_perf = True
        self._shared = _Shared(model, c_params)
        self._shared.open(1, flash=self.has_flash)
        self._seq = 0
        self._cancel = cancel
        self.n_ctx: int = api.llama_n_ctx(self.handle)
        """Entries that all sequences may hold together."""
        self.n_batch: int = api.llama_n_batch(self.handle)
        self.n_ubatch: int = api.llama_n_ubatch(self.handle)
        self.n_vocab = model.vocab.n_tokens
        self.n_rows: int = min(params.n_rows, self.n_batch, self.n_ubatch)
        """The most rows that `decode_rows` gives."""
        self.n_rs_seq: int = api.llama_n_rs_seq(self.handle)
        """Entries that a recurrent memory can take back, of the last batch alone; 0 where it can't, and for others.

        Beyond that `remove_from` says yes and leaves a wrong state.
        """
        self._piece = max(1, model.n_swa // 2) if params.swa_full and model.n_swa else 0
        """Positions that are saved at a time; 0 where a sequence is saved as a whole. See `save`."""
        self.set_abort(None)

    @property
    def n_seq(self) -> int:
        """Sequences that it has room for."""
        return self._shared.n_seq

    @property
    def seq(self) -> int:
        """Which of them this is."""
        return self._seq

    def sequence(self, seq: int) -> "Context":
        """Another one of the `n_seq` sequences, 0 being the first. It is of use as long as the context is open."""
        other = copy.copy(self)
        other._seq = seq
        return other

    @property
    def has_flash(self) -> bool:
        """Whether it was made with flash attention, or with llama.cpp's choice, which has V lie as for it."""
        return self._shared.has_flash

    def remake(self, n_seq: int, *, flash: bool) -> bool:
        """Make the context anew, empty, with room for so many sequences, and with flash attention or without; False
        where that can't be had, and it is as before. Adapters have to be attached again. Raises ContextRefusedError
        where nothing can be had.
        """
        before, had_flash = self.n_seq, self.has_flash
        # Not beside the old one: there may be no room for both.
        self._shared.close()
        try:
            self._shared.open(n_seq, flash=flash)
        except ContextRefusedError as error:
            _log.info("No context with %d sequences, flash %s: %s", n_seq, flash, " / ".join(error.lines))
            self._shared.open(before, flash=had_flash)
        self.set_abort(None)
        return self.n_seq == n_seq and self.has_flash is flash

    @property
    def is_open(self) -> bool:
        return self._shared.handle is not None

    @property
    def handle(self) -> "api.llama_context_p":
        if self._shared.handle is None:
            raise ValueError("the context is closed")
        return self._shared.handle

    def close(self) -> None:
        self._shared.close()

    @property
    def most_at_once(self) -> int:
        """Entries that one batch may have. With a sliding window and several sequences llama.cpp is wrong, without a
        word, where a batch is more than one micro-batch.
        """
        return self.n_batch if self.n_seq == 1 else self.n_ubatch

    def decode(self, tokens: Sequence[int] | NDArray[np.int32], position: int) -> DecodeOutcome:
        """Evaluate 1 to n_batch tokens from `position` on; logits are kept for the last one.

        Positions are explicit, because automatic ones are wrong after pictures (M-RoPE).
        Raises DecodeFailedError.
        """
        return self._decode(tokens, position, 1)

    def _decode(self, tokens: Sequence[int] | NDArray[np.int32], position: int, rows: int) -> DecodeOutcome:
        """With logits after each of the last `rows`."""
        count = len(tokens)
        if not 0 < count <= self.most_at_once:
            raise ValueError(f"a batch of {count} tokens does not fit {self.most_at_once}")
        filled = self._shared.batch
        filled.tokens[:count] = tokens
        filled.positions[:count] = np.arange(position, position + count, dtype=np.int32)
        filled.sequences[:count] = self._seq
        return self._decode_filled(count, range(count - rows, count))

    def _decode_filled(self, count: int, rows: Iterable[int]) -> DecodeOutcome:
        """Decode the first `count` entries of the batch, with logits after each of these `rows`."""
        filled = self._shared.batch
        for row in rows:
            filled.logits[row] = 1
        filled.batch.n_tokens = count
        code = api.llama_decode(self.handle, filled.batch)
        for row in rows:
            filled.logits[row] = 0
        return outcome_of(code)

    def decode_rows(self, tokens: Sequence[int], position: int, first: int = 0) -> DecodeOutcome:
        """`decode` with logits from the `first` token on, for up to `n_rows` of them: see `rows` and `logits`."""
        count = len(tokens)
        if count - first > self.n_rows or count > self.n_ubatch:
            # llama.cpp ends the process where more rows are asked for than were reserved.
            raise ValueError(f"{count - first} rows of logits of {count} tokens are more than {self.n_rows}")
        return self._decode(tokens, position, count - first)

    def rows(self, count: int) -> NDArray[np.float32]:
        """A copy of the logits after each of the `count` tokens of `decode_rows`, float32 of shape (count, n_vocab)."""
        get = api.llama_get_logits_ith
        return np.stack([np.ctypeslib.as_array(get(self.handle, row), (self.n_vocab,)) for row in range(count)])

    def decode_one(self, token: int, position: int) -> DecodeOutcome:
        """`decode` for a single token, without the cost of NumPy's arrays."""
        filled = self._shared.single.filled(token, position, self._seq)
        return outcome_of(api.llama_decode(self.handle, filled))

    def decode_each(self, others: Sequence[tuple["Context", Sequence[int], int]]) -> DecodeOutcome:
        """Some tokens of each of these sequences of this context, from a position on: logits are kept for the last of
        each. No more than a micro-batch in all, and the same number of each where a memory is recurrent, or llama.cpp
        makes several micro-batches of them. Raises DecodeFailedError.
        """
        filled, ends, count = self._shared.batch, list[int](), 0
        for sequence, tokens, position in others:
            for place, token in enumerate(tokens, position):
                filled.tokens[count], filled.positions[count], filled.sequences[count] = token, place, sequence.seq
                count += 1
            ends.append(count - 1)
        if not 0 < count <= self.n_ubatch:
            raise ValueError(f"a batch of {count} tokens does not fit {self.n_ubatch}")
        return self._decode_filled(count, ends)

    def set_abort(self, callback: Callable[[], bool] | None) -> None:
        """Let `callback` decide between graph nodes whether to abort; None lets the cancel flag, without Python."""
        if callback is None:
            self._abort = library.abort_callback()
        else:
            self._abort = api.ggml_abort_callback(lambda _data: callback())
        api.llama_set_abort_callback(self.handle, self._abort, self._cancel.address)

    def logits(self, index: int = -1) -> NDArray[np.float32]:
        """A copy of the logits after a token of the last batch, the last one or that of `decode_rows` with this index.

        float32 of shape (n_vocab,).
        """
        row = api.llama_get_logits_ith(self.handle, index)
        return np.ctypeslib.as_array(row, (self.n_vocab,)).copy()

    def likeliest(self) -> int:
        """The token with the highest logit after the last decoded token."""
        row = api.llama_get_logits_ith(self.handle, -1)
        return int(np.ctypeslib.as_array(row, (self.n_vocab,)).argmax())

    @property
    def has_memory(self) -> bool:
        """False for models that attend both ways (diffusion, embedders): nothing can be evaluated bit by bit."""
        return bool(self._shared.memory)

    def clear(self) -> None:
        if self.n_seq == 1:
            api.llama_memory_clear(self._shared.memory, True)
        else:
            self._remove(self._seq)

    def become(self, other: "Context") -> None:
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

    def synchronize(self) -> None:
        """Wait for the device; needed only where a time is taken."""
        api.llama_synchronize(self.handle)


def _address(buffer: NDArray[np.uint8]) -> "ctypes._Pointer[ctypes.c_uint8]":
    return buffer.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
