"""A llama_context, owned: batches in, logits and memory out. It is used by its sequences, mostly by one alone."""

import copy
import logging
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.engine.binding import library
from app.engine.binding.context_params import CACHE_TYPES, FLASH, ContextParams
from app.engine.binding.model import Model
from app.engine.binding.open_context import ContextRefusedError, OpenContext
from app.engine.binding.sequence_memory import SequenceMemory

_log = logging.getLogger(__name__)


class DecodeOutcome(IntEnum):
    """llama_decode's return codes that are no bug."""

    DONE = 0
    FULL = 1
    """No room in the memory, which is as it was."""
    ABORTED = 2
    """The cancel flag was set. What the memory holds then depends on its kind; see `Context.pos_max`."""


class DecodeFailedError(Exception):
    """llama_decode returned a code that means a broken batch or a failed computation: a bug, or the device's."""


def outcome_of(code: int) -> DecodeOutcome:
    """What llama_decode returned. Raises DecodeFailedError."""
    if code == 0:
        return DecodeOutcome.DONE
    if code in (DecodeOutcome.DONE, DecodeOutcome.FULL, DecodeOutcome.ABORTED):
        return DecodeOutcome(code)
    raise DecodeFailedError(f"llama_decode returned {code}")


class Context(SequenceMemory):
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
        piece = max(1, model.n_swa // 2) if params.swa_full and model.n_swa else 0
        super().__init__(OpenContext(model, c_params), piece)
        self._shared.open(1, flash=self.has_flash)
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
        self.set_abort(None)

    def sequence(self, seq: int) -> "Context":
        """Another one of the `n_seq` sequences, 0 being the first. It is of use as long as the context is open."""
        other = copy.copy(self)
        other._seq = seq
        return other

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

    def synchronize(self) -> None:
        """Wait for the device; needed only where a time is taken."""
        api.llama_synchronize(self.handle)
