"""What stands in for settings of loading that a model or a machine can't have: said and done from here."""

from dataclasses import dataclass, replace

from app.core.loading import Loading
from app.core.memory import SMALLEST_CTX, UNKNOWN_CTX, padded_context


@dataclass(frozen=True, slots=True)
class Bounds:
    """0 where it is not known, and then it bounds nothing."""

    n_ctx_train: int = 0
    n_layer: int = 0
    threads: int = 0
    """That the processor runs at once."""


def in_range(loading: Loading, bounds: Bounds) -> Loading:
    """As a model is loaded when `loading` is asked for; "as the model says" is resolved where that is known."""
    trained = bounds.n_ctx_train or loading.ctx_size or UNKNOWN_CTX
    n_ctx = max(SMALLEST_CTX, min(loading.ctx_size or trained, trained))
    n_batch = min(loading.batch_size, n_ctx)
    return replace(
        loading,
        ctx_size=n_ctx,
        batch_size=n_batch,
        ubatch_size=min(loading.ubatch_size, n_batch),
        threads=min(loading.threads, bounds.threads or loading.threads),
        # The output is one more than the layers.
        gpu_layers=min(loading.gpu_layers, bounds.n_layer + 1) if bounds.n_layer else loading.gpu_layers,
    )


def out_of_range(loading: Loading, bounds: Bounds) -> dict[str, int]:
    """By the name of each field that asks for what can't be had: what it gets."""
    made = in_range(loading, bounds)
    found: dict[str, int] = {}
    for name in ("threads", "gpu_layers", "batch_size", "ubatch_size"):
        if getattr(made, name) != getattr(loading, name):
            found[name] = getattr(made, name)
    if loading.ctx_size and made.ctx_size != loading.ctx_size:
        # llama.cpp makes contexts of whole blocks.
        found["ctx_size"] = padded_context(bounds.n_ctx_train, loading.ctx_size)
    return found
