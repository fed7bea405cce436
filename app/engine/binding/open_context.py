"""What the sequences of a llama_context have together: the handle, its memory, and the batches that are filled."""

import ctypes
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as api

from app.core.loading import FlashAttention
from app.engine.binding import library
from app.engine.binding.context_params import FLASH
from app.engine.binding.model import Model


class ContextRefusedError(library.RefusedError):
    """Of a context with these parameters."""


class Batch:
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


class SingleBatch:
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


class OpenContext:
    """Opened, closed and opened anew with other parameters, while its sequences stay the same objects."""

    def __init__(self, model: Model, c_params: "api.llama_context_params") -> None:
        self._model = model
        self._c_params = c_params
        self.handle: api.llama_context_p | None = None
        self.memory: api.llama_memory_t | None = None
        self.n_seq = 0
        self.single = SingleBatch()

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
        self.batch = Batch(api.llama_n_batch(handle))

    def close(self) -> None:
        if self.handle is not None:
            api.llama_free(self.handle)
            # To llama.cpp no memory is an empty one; this one was freed with the context.
            self.handle = self.memory = None
