"""How many bytes drafting takes beside a model, as llama.cpp allocates them."""

from dataclasses import replace

from app.core.fit_needs import compute, context_of, layer_kv, layer_state
from app.core.fit_shape import FitShape
from app.core.loading import UNQUANTISED, FlashAttention, Loading
from app.core.speculation import Speculation


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
