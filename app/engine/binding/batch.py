"""A llama_batch."""

import ctypes
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as api


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
