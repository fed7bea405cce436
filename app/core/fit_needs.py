"""How many bytes a model of a known shape takes, and what drafts for it, as llama.cpp allocates them.

Weights, cells and states are exact: `llama_kv_cache`, `llama_kv_cache_iswa` and `llama_memory_recurrent` reckon so.
The compute buffer is the widest place of the graph for one micro-batch; what its allocator wastes is fitted to
llama.cpp's own "compute buffer size" over tiny models of every memory and many widths.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace

from app.core.fit_shape import FitShape, LayerShape
from app.core.loading import UNQUANTISED, CacheType, FlashAttention, Loading
from app.core.loading_range import padded_context
from app.core.speculation import Speculation

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
_FLOAT, _HALF = 4, 2
_CELLS = 256
_ROWS = 16
"""Rows of logits that a context is made for; see `app.engine.binding.context`."""
_SMALL_INPUTS = 5
"""Floats of one token that positions, token ids and cell numbers take."""
_GATED = {"qwen3next", "qwen35", "qwen35moe"}
"""Attention with a gate as wide as its queries, and gated delta nets beside it."""
_SHORT_CONVOLUTIONS = {"lfm2", "lfm2moe"}


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes, in one memory: the processor's or a graphics card's."""

    weights: int = 0
    kv: int = 0
    state: int = 0
    """Recurrent states."""
    compute: int = 0
    projector: int = 0
    draft: int = 0
    checkpoints: int = 0

    @property
    def total(self) -> int:
        return sum(astuple(self))

    def plus(self, **more: int) -> "Needs":
        return replace(self, **{name: getattr(self, name) + value for name, value in more.items()})


def context_of(shape: FitShape, loading: Loading) -> int:
    return padded_context(shape.n_ctx_train, loading.ctx_size)


def has_flash(loading: Loading) -> bool:
    return loading.flash_attn is not FlashAttention.OFF


def layer_kv(shape: FitShape, layer: LayerShape, loading: Loading) -> int:
    """Bytes that one such layer's cells take."""
    if not layer.k:
        return 0
    v = layer.v
    if not has_flash(loading) and v:
        # Without flash attention V lies transposed, and every layer gets the room of the widest.
        v = max(each.v for each in shape.layers)
    cells = cells_of(shape, loading, window=layer.window)
    return _bytes(layer.k * cells, loading.cache_type_k) + _bytes(v * cells, loading.cache_type_v)


def cells_of(shape: FitShape, loading: Loading, *, window: bool) -> int:
    n_ctx = context_of(shape, loading)
    if not window or loading.keeps_all_cells:
        return n_ctx
    rows = min(loading.ubatch_size, loading.batch_size, n_ctx)
    return _padded(min(n_ctx, shape.n_swa + rows), _CELLS)


def checkpoint_size(shape: FitShape, loading: Loading) -> int:
    """Bytes of one checkpoint at the most: recurrent states and the cells of sliding windows. 0: it needs none."""
    window = 0 if loading.keeps_all_cells else sum(
        layer_kv(shape, layer, loading) * layer.n for layer in shape.layers if layer.window
    )  # fmt: skip
    return window + sum(layer_state(layer) * layer.n for layer in shape.layers)


def sequence_size(shape: FitShape, loading: Loading) -> int:
    """Bytes that each further sequence takes, when several answers are written: its recurrent states, and the cells
    that lie within a sliding window. All other cells are shared.
    """
    windows = 0
    if not loading.keeps_all_cells:
        rows = min(shape.n_swa, context_of(shape, loading)) / cells_of(shape, loading, window=True)
        windows = round(rows * sum(layer_kv(shape, layer, loading) * layer.n for layer in shape.layers if layer.window))
    return windows + sum(layer_state(layer) * layer.n for layer in shape.layers)


def layer_state(layer: LayerShape) -> int:
    return layer.state * _FLOAT


def draft_model_size(target: FitShape, draft: FitShape, loading: Loading, asked: Speculation) -> int:
    """A draft model's weights, cells, states and buffers; `loading` is the target's."""
    n_ctx = context_of(target, loading)
    own = _of_draft(loading, asked, min(n_ctx, draft.n_ctx_train or n_ctx))
    layers = sum((layer_kv(draft, layer, own) + layer_state(layer)) * layer.n for layer in draft.layers)
    return draft.weights + layers + compute(draft, own)


def head_size(shape: FitShape, loading: Loading, asked: Speculation) -> int:
    """The cells of a head of the model's own, which attends as the widest of its layers does, and its buffers. The
    head's weights count as the model's."""
    own = _of_draft(loading, asked, context_of(shape, loading))
    cells = max((layer_kv(shape, replace(layer, window=False), own) for layer in shape.layers), default=0)
    return cells + compute(shape, own)


def kept_states_size(shape: FitShape, asked: Speculation) -> int:
    """The recurrent states that are kept beside the current one, to let go of wrong drafts."""
    if not asked.loads_model:
        return 0
    return asked.draft_max * sum(layer_state(layer) * layer.n for layer in shape.layers)


def _of_draft(loading: Loading, asked: Speculation, n_ctx: int) -> Loading:
    """Flash attention is as for the target, except where the draft's KV types need it."""
    own = replace(loading, ctx_size=n_ctx, cache_type_k=asked.cache_type_k_draft, cache_type_v=asked.cache_type_v_draft)
    if own.flash_attn is FlashAttention.OFF and own.cache_type_v not in UNQUANTISED:
        return replace(own, flash_attn=FlashAttention.AUTO)
    return own


def compute(shape: FitShape, loading: Loading) -> int:
    """The compute buffer, and the row of logits for what is read out of it."""
    n_ctx = context_of(shape, loading)
    rows = min(loading.ubatch_size, loading.batch_size, n_ctx)
    logits = min(rows, _ROWS) * shape.n_vocab
    widest = max((_widest(shape, loading, rows, at) for at in range(len(shape.layers))), default=0.0) + _SMALL_INPUTS
    return round(max(rows * widest, logits) * _FLOAT) + shape.n_vocab * _FLOAT


def _widest(shape: FitShape, loading: Loading, rows: int, at: int) -> float:
    """Floats of one token at the widest place of a layer, with the masks that this layer or a later one still needs."""
    layer, later = shape.layers[at], shape.layers[at + 1 :]
    if layer.n > 1:
        later = (layer, *later)
    inside = max(_attention(shape, layer, loading, rows), _recurrent(shape, layer))
    return max(_masks(shape, loading, (layer, *later)) + inside, _masks(shape, loading, later) + _feed(shape))


def _masks(shape: FitShape, loading: Loading, layers: Iterable[LayerShape]) -> float:
    """Floats that say, for one token, which cells it sees: one mask for each kind of cache."""
    width = _HALF if has_flash(loading) else _FLOAT
    kinds = {layer.window for layer in layers if layer.k}
    return sum(cells_of(shape, loading, window=window) * width for window in kinds) / _FLOAT


def _attention(shape: FitShape, layer: LayerShape, loading: Loading, rows: int) -> float:
    """Floats of one token at the widest place of attention."""
    if not layer.k:
        return 0
    cells = cells_of(shape, loading, window=layer.window)
    query = shape.n_head * shape.head_k
    base = 3 * shape.n_embd + 2 * query
    if shape.architecture in _GATED:
        base = 2 * shape.n_embd + 4 * query
    if not has_flash(loading):
        return base + layer.k + layer.v + shape.n_head * cells
    # Flash attention reads f32 caches through an f16 copy of the layer's.
    copied = layer.k * (loading.cache_type_k is CacheType.F32) + layer.v * (loading.cache_type_v is CacheType.F32)
    return base + max(layer.k + layer.v, copied * cells * _HALF / _FLOAT / rows)


def _feed(shape: FitShape) -> float:
    return 3 * shape.n_embd + 3 * shape.n_ff + 2 * shape.n_expert


def _recurrent(shape: FitShape, layer: LayerShape) -> float:
    if not layer.state:
        return 0
    if shape.architecture in _SHORT_CONVOLUTIONS:
        return 7 * shape.n_embd
    return 3 * shape.n_embd + (3 if shape.architecture in _GATED else 5) * shape.d_inner


def _bytes(elements: int, kind: CacheType) -> int:
    return round(elements * BYTES_PER_ELEMENT[kind])


def _padded(n: int, to: int) -> int:
    return -(-n // to) * to
