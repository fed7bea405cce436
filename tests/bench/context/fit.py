"""How near the reckoned memory is to what llama.cpp allocates: a table over memories, contexts and KV types.

Run: python -m tests.bench.context.fit [MODEL.gguf ...]
"""

import argparse
import ctypes
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from llama_cpp import llama_cpp as api

from app.core.cancel import CancelFlag
from app.core.fit import Extras, Free, needs
from app.core.fit_needs import context_of
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.resources import GUIDE
from app.engine.binding import library
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.library.model_facts import read_facts
from tests import tiny_models

_SIZE = re.compile(r"(model|KV|RS|compute|output) buffer size = +([\d.]+) MiB")
_MIB = 1 << 20

CONTEXTS = (512, 2048, 8192)
KINDS = (
    (FlashAttention.ON, CacheType.F16),
    (FlashAttention.ON, CacheType.F32),
    (FlashAttention.ON, CacheType.Q8_0),
    (FlashAttention.OFF, CacheType.F16),
)
WIDE_HEADS = 32
"""Quantised caches need heads of this size; the tiny models' usual ones are smaller."""


@dataclass(frozen=True)
class Row:
    model: str
    loading: Loading
    reckoned: int
    allocated: int
    reckoned_kv: int
    allocated_kv: int

    @property
    def error(self) -> float:
        return self.reckoned / self.allocated - 1


@contextmanager
def allocations() -> Iterator[dict[str, float]]:
    """What llama.cpp says that it allocates while the block runs, in bytes, by the kind of buffer."""
    library.start()
    found: dict[str, float] = {}

    def take(_level: int, text: bytes, _data: object) -> None:
        for kind, size in _SIZE.findall(text.decode("utf-8", "replace")):
            found[kind] = found.get(kind, 0.0) + float(size) * _MIB

    callback = api.llama_log_callback(take)
    api.llama_log_set(callback, ctypes.c_void_p(0))
    try:
        yield found
    finally:
        api.llama_log_set(library._LOG_CALLBACK, ctypes.c_void_p(0))


def compare(path: Path, loading: Loading) -> Row:
    shape = read_facts([path]).shape
    assert shape
    (need,) = needs(shape, loading, Free(1 << 40), Extras())
    with allocations() as found:
        model = Model.load(path, gpu_layers=0, cancel=CancelFlag())
        params = ContextParams(
            context_of(shape, loading), min(loading.batch_size, loading.ctx_size), loading.ubatch_size, 1,
            loading.flash_attn,
            loading.cache_type_k, loading.cache_type_v, loading.swa_full,
        )  # fmt: skip
        try:
            context = Context(model, params, CancelFlag())
            context.close()
        finally:
            model.close()
    cells = found.get("KV", 0.0) + found.get("RS", 0.0)
    return Row(path.stem, loading, need.total, round(sum(found.values())), need.kv + need.state, round(cells))


@contextmanager
def wide_heads() -> Iterator[None]:
    """Tiny models made inside have heads that a quantised cache takes."""
    before = tiny_models.HEAD
    tiny_models.HEAD = WIDE_HEADS
    try:
        yield
    finally:
        tiny_models.HEAD = before


def loadings() -> Iterator[Loading]:
    for n_ctx in CONTEXTS:
        for flash, kind in KINDS:
            yield Loading(ctx_size=n_ctx, flash_attn=flash, cache_type_k=kind, cache_type_v=kind)


def models(folder: Path, more: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Each with whether its cache may be quantised."""
    for name, make in tiny_models.MAKERS.items():
        yield make(folder / f"{name}.gguf"), name == "mamba"
    with wide_heads():
        for name in ("llama", "gemma3", "qwen35", "moe"):
            yield tiny_models.MAKERS[name](folder / f"{name}-wide.gguf"), True
    yield GUIDE, False
    for path in more:
        yield path, True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path, help="models of a real size, beside the tiny ones")
    asked = parser.parse_args()
    print(f"{'model':16}{'context':>8} {'KV':6}{'flash':7}{'reckoned':>10}{'llama.cpp':>10}{'':>8}  cells")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for path, may_quantise in models(Path(folder), asked.models):
            for loading in loadings():
                if loading.cache_type_k is CacheType.Q8_0 and not may_quantise:
                    continue
                for swa_full in (False, True) if path.stem.startswith("gemma3") else (False,):
                    row = compare(path, replace(loading, swa_full=swa_full))
                    worst = max(worst, abs(row.error))
                    print(
                        f"{row.model:16}{loading.ctx_size:>8} {loading.cache_type_k:6}{loading.flash_attn:7}"
                        f"{row.reckoned / _MIB:>8.2f}M {row.allocated / _MIB:>8.2f}M{row.error:>+8.1%}"
                        f"  {row.reckoned_kv / _MIB:.3f}/{row.allocated_kv / _MIB:.3f}"
                    )
    print(f"\nworst: {worst:.1%}")


if __name__ == "__main__":
    main()
