"""What a llama_context is made with."""

from dataclasses import dataclass, replace

from llama_cpp import llama_cpp as api

from app.core.loading import UNQUANTISED, CacheType, FlashAttention

FLASH = {FlashAttention.AUTO: -1, FlashAttention.OFF: 0, FlashAttention.ON: 1}
_GGML_TYPE_BF16 = 30
"""ggml.h's number; the binding has no name for it."""
CACHE_TYPES = {
    CacheType.F32: api.GGML_TYPE_F32,
    CacheType.F16: api.GGML_TYPE_F16,
    CacheType.BF16: _GGML_TYPE_BF16,
    CacheType.Q8_0: api.GGML_TYPE_Q8_0,
    CacheType.Q5_1: api.GGML_TYPE_Q5_1,
    CacheType.Q5_0: api.GGML_TYPE_Q5_0,
    CacheType.Q4_1: api.GGML_TYPE_Q4_1,
    CacheType.Q4_0: api.GGML_TYPE_Q4_0,
    CacheType.IQ4_NL: api.GGML_TYPE_IQ4_NL,
}
_ROWS = 16
"""Rows of logits that one batch may give, if no more are asked for: 10 MB with a vocabulary of 150,000."""


@dataclass(frozen=True, slots=True)
class ContextParams:
    """What a context is made with; every number is final (no "as the model says")."""

    n_ctx: int
    n_batch: int
    n_ubatch: int
    n_threads: int
    flash_attn: FlashAttention = FlashAttention.AUTO
    type_k: CacheType = CacheType.F16
    type_v: CacheType = CacheType.F16
    swa_full: bool = False
    exact: bool = False
    """Prompts are read in the batches of a cold start; the context itself is the same."""
    flash_changes: bool = False
    """It may be made anew with flash attention or without, whichever pays; `flash_attn` is what it begins with."""
    n_rows: int = _ROWS
    """Rows of logits that one batch may give."""
    n_rs_seq: int = 0
    """Entries of the last batch that a recurrent memory shall be able to take back; see `Context.n_rs_seq`."""

    def with_types(self, type_k: CacheType, type_v: CacheType) -> "ContextParams":
        """The same with other KV types, and with flash attention where these need it."""
        needs_flash = self.flash_attn is FlashAttention.OFF and type_v not in UNQUANTISED
        flash = FlashAttention.AUTO if needs_flash else self.flash_attn
        return replace(self, type_k=type_k, type_v=type_v, flash_attn=flash)
