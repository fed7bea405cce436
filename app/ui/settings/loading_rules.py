"""What does not go together when a model is loaded, and what stands in for what can't be had: said beforehand."""

import os

from PySide6.QtCore import QCoreApplication

from app.core.events import ModelInfo
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.loading_range import SMALLEST_CTX, Bounds, lockable_bytes, out_of_range
from app.core.speculation import Speculation
from app.library.model_facts import ModelFacts
from app.ui.formatting.numbers import count, size_text

PLAIN_TYPES = frozenset((CacheType.F32, CacheType.F16, CacheType.BF16))
"""Those that are not quantised."""


def broken_rules(loading: Loading) -> dict[str, str]:
    """A sentence for each field of `loading` that cannot be as it is."""
    broken = {}
    if loading.flash_attn is FlashAttention.OFF and loading.cache_type_v not in PLAIN_TYPES:
        broken["cache_type_v"] = _tr(
            "{type} values need flash attention: turn it on or to automatic, or choose f32, f16 or bf16 here."
        ).format(type=loading.cache_type_v.value)
    if loading.ubatch_size > loading.batch_size:
        broken["ubatch_size"] = _tr("The micro-batch cannot be larger than the batch, which is {size} tokens.").format(
            size=loading.batch_size
        )
    return broken


def bounds_of(model: ModelInfo | ModelFacts | None) -> Bounds:
    """What a model, loaded or not, and this machine have; without a model the machine's alone."""
    threads = os.cpu_count() or 0
    match model:
        case ModelInfo():
            return Bounds(model.n_ctx_train, model.n_layer, threads, model.size)
        case ModelFacts():
            n_layer = sum(layer.n for layer in model.shape.layers) if model.shape is not None else 0
            return Bounds(model.n_ctx_train, n_layer, threads, model.size)
    return Bounds(threads=threads)


def replaced_values(loading: Loading, bounds: Bounds) -> dict[str, str]:
    """A sentence for each field of `loading` that asks for what can't be had: what it becomes."""
    sentences = {
        "threads": _tr("This computer runs no more than {n} threads at once: it becomes {n}."),
        "gpu_layers": _tr("The model has no more than {n} layers, with its output: it becomes {n}."),
        "batch_size": _tr("It can't be larger than the context: it becomes {n}."),
        "ubatch_size": _tr("It can't be larger than the context: it becomes {n}."),
        "ctx_size": _tr("The model was trained with {trained} tokens: it becomes {n}."),
    }
    small = _tr("A context can't be smaller than {n} tokens: it becomes {n}.")
    found = out_of_range(loading, bounds)
    return _locking(loading, bounds) | {
        name: (small if name == "ctx_size" and loading.ctx_size < SMALLEST_CTX else sentences[name]).format(
            n=count(value), trained=count(bounds.n_ctx_train)
        )
        for name, value in found.items()
    }


def _locking(loading: Loading, bounds: Bounds) -> dict[str, str]:
    limit = lockable_bytes()
    if not loading.load_mode.locks or limit is None or 0 < bounds.size <= limit:
        return {}
    told = _tr("This system lets Hearth lock {limit} (RLIMIT_MEMLOCK). What is beyond that may be swapped out.")
    return {"load_mode": told.format(limit=size_text(limit))}


def replaced_guesses(speculation: Speculation) -> dict[str, str]:
    """As `replaced_values`, of what guesses."""
    if speculation.draft_min <= speculation.draft_max:
        return {}
    told = _tr("Guesses have no more than {n} tokens, so that none is checked.").format(n=count(speculation.draft_max))
    return {"draft_min": told}


def _tr(text: str) -> str:
    return QCoreApplication.translate("settings", text)
