"""How much memory a model takes with given settings: reckoned from its shape, before anything is loaded."""

from dataclasses import dataclass, replace

from app.core.checkpointing import Checkpointing
from app.core.events import ModelInfo
from app.core.loading import UNQUANTISED, CacheType, FlashAttention, Loading

_MIB = 1 << 20
_FLOAT = 4
_HALF = 2
_CELLS = 256
"""llama.cpp rounds a context up to a multiple of this."""
RESERVE = 256 * _MIB
"""What else the program needs while it answers: sampling, pictures, the window."""
RESERVED_SHARE = 0.05
SCORES_SHARE = 1 / 8
"""Of what is free: what the scores of attention may take, so that it is quicker; see `app.core.fit.settled`."""
SMALLEST_CTX = 64
UNKNOWN_CTX = 4096
"""What a context gets where neither the settings nor the model say a size."""
_ATTENTION_ROW = 8
"""Floats of one token's activations at the widest place of attention, in units of n_embd."""
_FEED_EMBD, _FEED_FF = 4, 3
"""The same for the feed-forward part, in units of n_embd and of n_ff."""
_USUAL_FF = 3.5
"""n_ff over n_embd, where the model does not say it as one number."""

BYTES_PER_ELEMENT = {
    CacheType.F32: 4.0,
    CacheType.F16: 2.0,
    CacheType.BF16: 2.0,
    CacheType.Q8_0: 34 / 32,
    CacheType.Q5_1: 24 / 32,
    CacheType.Q5_0: 22 / 32,
    CacheType.Q4_1: 20 / 32,
    CacheType.Q4_0: 18 / 32,
    CacheType.IQ4_NL: 18 / 32,
}
"""Blocks of 32 elements with their scales: ggml-common.h."""


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Bytes. `kv` is exact, or, where not `exact`, more than it will be; `checkpoints` is the most they may take."""

    weights: int
    kv: int
    compute: int
    checkpoints: int
    exact: bool
    draft: int = 0
    """Of what drafts for it: weights, cells and buffers together."""
    flash_attn: FlashAttention = FlashAttention.AUTO
    """What it was reckoned with."""

    @property
    def total(self) -> int:
        return self.weights + self.kv + self.compute + self.checkpoints + self.draft


def estimate(
    info: ModelInfo, loading: Loading, checkpointing: Checkpointing, draft: int = 0, free: int = 0
) -> MemoryEstimate:
    """What `info`'s model would take if it were loaded with `loading`, and with what takes `draft` bytes beside it.

    `free` bytes are there for it: where it does without flash attention, "automatic" depends on that. It knows a loaded
    model's sums alone; `app.core.fit` knows each layer, from the file's header.
    """
    plain = _estimate(info, loading, checkpointing, draft)
    is_open = loading.flash_attn is FlashAttention.AUTO and loading.cache_type_v in UNQUANTISED
    if is_open and info.flash_attn is FlashAttention.OFF:
        off = _estimate(info, replace(loading, flash_attn=FlashAttention.OFF), checkpointing, draft)
        room = free - max(RESERVE, off.total * RESERVED_SHARE)
        if off.total <= room and off.compute - plain.compute <= free * SCORES_SHARE:
            return off
    return plain


def held(info: ModelInfo) -> MemoryEstimate:
    """What the loaded model takes as it is; checkpoints are left out."""
    made = replace(info.loading, flash_attn=info.flash_attn)
    return _estimate(info, made, Checkpointing(ctx_checkpoints=0), 0)


def _estimate(info: ModelInfo, loading: Loading, checkpointing: Checkpointing, draft: int) -> MemoryEstimate:
    n_ctx = context_size(info, loading.ctx_size)
    return MemoryEstimate(
        weights=info.size,
        kv=_kv(info, loading, n_ctx),
        compute=_compute(info, loading, n_ctx),
        checkpoints=_checkpoints(info, checkpointing),
        exact=info.kv_is_exact,
        draft=draft,
        flash_attn=loading.flash_attn,
    )


def context_size(info: ModelInfo, asked: int) -> int:
    """Entries that a context gets when `asked` are asked for; 0 asks for as many as the model was trained with."""
    return padded_context(info.n_ctx_train, asked)


def padded_context(n_ctx_train: int, asked: int) -> int:
    """As `context_size`, for a model that was trained with `n_ctx_train`; 0 where that is not known."""
    trained = n_ctx_train or asked or UNKNOWN_CTX
    wanted = max(SMALLEST_CTX, min(asked or trained, trained))
    return -(-wanted // _CELLS) * _CELLS


def _kv(info: ModelInfo, loading: Loading, n_ctx: int) -> int:
    of_each = info.kv_elements_per_token * n_ctx / 2
    return round(of_each * (BYTES_PER_ELEMENT[loading.cache_type_k] + BYTES_PER_ELEMENT[loading.cache_type_v]))


def _compute(info: ModelInfo, loading: Loading, n_ctx: int) -> int:
    """llama.cpp's compute and output buffers on a processor; rough.

    The buffer is as large as the graph's widest place for one micro-batch: the feed-forward part, or attention
    with its mask (and, without flash attention, a score for each head and each cell). Flash attention reads f32
    caches through an f16 copy of one layer. Fitted to llama.cpp's own "compute buffer size" for a dense model.
    """
    flash = loading.flash_attn is not FlashAttention.OFF
    mask = n_ctx * (_HALF if flash else _FLOAT)
    scores = 0 if flash else n_ctx * info.n_head * _FLOAT
    n_ff = info.n_ff or round(_USUAL_FF * info.n_embd)
    feed = (_FEED_EMBD * info.n_embd + _FEED_FF * n_ff) * _FLOAT + mask
    attention = _ATTENTION_ROW * info.n_embd * _FLOAT + mask + scores
    rows = min(loading.ubatch_size, loading.batch_size, n_ctx)
    logits = info.n_vocab * _FLOAT
    return max(rows * feed, rows * attention + (_copies(info, loading, n_ctx) if flash else 0)) + logits


def _copies(info: ModelInfo, loading: Loading, n_ctx: int) -> int:
    of_each = info.kv_elements_per_token // max(1, info.n_layer) // 2 * n_ctx * _HALF
    return of_each * (loading.cache_type_k, loading.cache_type_v).count(CacheType.F32)


def _checkpoints(info: ModelInfo, checkpointing: Checkpointing) -> int:
    if not info.needs_checkpoints or not checkpointing.ctx_checkpoints:
        return 0
    budget = checkpointing.budget * _MIB
    return min(budget, info.checkpoint_size * checkpointing.ctx_checkpoints) if info.checkpoint_size else budget
