"""What stands in for settings of loading that a model or a machine can't have: said and done from here."""

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.loading import Loading

SMALLEST_CTX = 64
_UNKNOWN_CTX = 4096
"""What a context gets where neither the settings nor the model say a size."""
_CELLS = 256
"""llama.cpp rounds a context up to a multiple of this."""
_STATUS = Path("/proc/self/status")
"""What Linux tells of a process, its capabilities among it."""
_CAP_IPC_LOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class Bounds:
    """0 where it is not known, and then it bounds nothing."""

    n_ctx_train: int = 0
    n_layer: int = 0
    threads: int = 0
    """That the processor runs at once."""
    size: int = 0
    """Bytes of the weights."""


def lockable_bytes() -> int | None:
    """Of memory that this process may lock (RLIMIT_MEMLOCK); None where nothing bounds it, or that can't be known."""
    if sys.platform == "win32" or _may_lock_all():
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    return None if soft == resource.RLIM_INFINITY else soft


def _may_lock_all() -> bool:
    """Whether the limit does not bind this process. The superuser of a container is often bound by it."""
    try:
        status = _STATUS.read_text("ascii", "replace")
    except OSError:
        return os.geteuid() == 0
    effective = next((line for line in status.splitlines() if line.startswith("CapEff:")), "CapEff: 0")
    return bool(int(effective.split()[1], 16) & _CAP_IPC_LOCK)


def in_range(loading: Loading, bounds: Bounds) -> Loading:
    """As a model is loaded when `loading` is asked for; "as the model says" is resolved where that is known."""
    trained = bounds.n_ctx_train or loading.ctx_size or _UNKNOWN_CTX
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


def padded_context(n_ctx_train: int, asked: int) -> int:
    """Entries that a context gets when `asked` are asked for, 0 for as many as the model was trained with; that is
    `n_ctx_train`, 0 where it is not known."""
    trained = n_ctx_train or asked or _UNKNOWN_CTX
    wanted = max(SMALLEST_CTX, min(asked or trained, trained))
    return -(-wanted // _CELLS) * _CELLS
