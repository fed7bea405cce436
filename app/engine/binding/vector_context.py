"""A llama_context that makes vectors of texts: each text is a sequence of its own, and nothing is kept of it."""

from collections.abc import Sequence

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

from app.core.loading import FlashAttention, Pooling
from app.engine.binding import library
from app.engine.binding.context_params import FLASH
from app.engine.binding.model import Model
from app.engine.binding.open_context import ContextRefusedError

_AS_THE_FILE_SAYS = -1
_POOLING = {
    Pooling.NONE: api.LLAMA_POOLING_TYPE_NONE,
    Pooling.MEAN: api.LLAMA_POOLING_TYPE_MEAN,
    Pooling.CLS: api.LLAMA_POOLING_TYPE_CLS,
    Pooling.LAST: api.LLAMA_POOLING_TYPE_LAST,
    Pooling.RANK: api.LLAMA_POOLING_TYPE_RANK,
}


class VectorsFailedError(Exception):
    """llama.cpp could not compute a batch."""


class VectorContext:
    """Not thread-safe. The model must outlive it."""

    def __init__(
        self,
        model: Model,
        n_tokens: int,
        n_texts: int,
        n_threads: int,
        *,
        pooling: Pooling | None = None,
        flash_attn: FlashAttention = FlashAttention.AUTO,
    ) -> None:
        """Takes up to `n_tokens` of up to `n_texts` at once. Raises ContextRefusedError."""
        params = api.llama_context_default_params()
        # One micro-batch for all: without it llama.cpp ends the process (BERT), or averages the last piece of a text
        # alone. Unified, because otherwise texts of unequal length are cut into pieces all the same.
        params.n_ctx = params.n_batch = params.n_ubatch = n_tokens
        params.n_seq_max, params.kv_unified = n_texts, True
        params.n_threads = params.n_threads_batch = n_threads
        params.embeddings, params.no_perf = True, True
        params.pooling_type = _AS_THE_FILE_SAYS if pooling is None else _POOLING[pooling]
        params.flash_attn_type = FLASH[flash_attn]
        with library.log.collect() as lines:
            handle = api.llama_init_from_model(model.handle, params)
            if not handle:
                raise ContextRefusedError(list(lines))
        self._context: api.llama_context_p | None = handle
        self._memory = api.llama_get_memory(handle)
        self._batch = api.llama_batch_init(n_tokens, 0, 1)
        self.n_tokens, self.n_texts = n_tokens, n_texts
        told: int = api.llama_pooling_type(handle)
        self.pooling = next(each for each, number in _POOLING.items() if number == told)
        self._width = api.llama_model_n_cls_out(model.handle) if self.pooling is Pooling.RANK else model.n_embd_out

    def close(self) -> None:
        if self._context is not None:
            api.llama_batch_free(self._batch)
            api.llama_free(self._context)
            self._context = None

    def vectors(self, texts: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """Of each text of one token or more: a vector, or without pooling as many as it has tokens, one after the
        other. Of a rank, the scores. Raises VectorsFailedError.
        """
        if self._memory:
            api.llama_memory_clear(self._memory, True)
        self._fill(texts)
        if (code := api.llama_decode(self._context, self._batch)) != 0:
            raise VectorsFailedError(f"llama_decode returned {code}")
        if self.pooling is not Pooling.NONE:
            return [self._copied(api.llama_get_embeddings_seq(self._context, each)) for each in range(len(texts))]
        rows = [self._copied(api.llama_get_embeddings_ith(self._context, at)) for at in range(self._batch.n_tokens)]
        ends = np.cumsum([len(each) for each in texts])
        return [np.concatenate(rows[end - len(each) : end]) for each, end in zip(texts, ends, strict=True)]

    def _fill(self, texts: Sequence[Sequence[int]]) -> None:
        batch, at = self._batch, 0
        for number, tokens in enumerate(texts):
            for position, token in enumerate(tokens):
                batch.token[at], batch.pos[at], batch.logits[at] = token, position, 1
                batch.n_seq_id[at], batch.seq_id[at][0] = 1, number
                at += 1
        batch.n_tokens = at

    def _copied(self, found: object) -> NDArray[np.float32]:
        if not found:
            raise VectorsFailedError("llama.cpp gave no vector")
        return np.ctypeslib.as_array(found, (self._width,)).copy()
