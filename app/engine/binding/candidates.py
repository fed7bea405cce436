"""The tokens that can come next, with their logits, as llama.cpp's samplers take them."""

import ctypes

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray


class Candidates:
    """A `llama_token_data_array` over memory of ours."""

    def __init__(self, n_vocab: int) -> None:
        self._cells = np.zeros(n_vocab, dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        self._ids = np.arange(n_vocab, dtype=np.int32)
        pointer = self._cells.ctypes.data_as(api.llama_token_data_p)
        self._array = api.llama_token_data_array(pointer, n_vocab, -1, False)

    def fill(self, logits: NDArray[np.float32]) -> None:
        """All tokens, with `logits` float32 of shape (n_vocab,)."""
        self._cells["id"], self._cells["logit"], self._cells["p"] = self._ids, logits, 0.0
        self._array.size, self._array.selected, self._array.sorted = len(self._ids), -1, False

    def keep(self, allowed: NDArray[np.bool_]) -> None:
        """Make all others impossible; `allowed` of shape (n_vocab,), while nothing but `fill` has happened."""
        self._cells["logit"][~allowed] = -np.inf

    def apply(self, sampler: object) -> None:
        api.llama_sampler_apply(sampler, ctypes.byref(self._array))

    @property
    def selected(self) -> int:
        """The token that the last sampler chose; -1 where it chose none."""
        at = int(self._array.selected)
        return int(self._cells["id"][at]) if at >= 0 else -1
