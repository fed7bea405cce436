"""What is reckoned against what llama.cpp allocates, by its own words."""

from pathlib import Path

import pytest

from app.core.loading import CacheType, FlashAttention, Loading
from tests import tiny_models
from tests.bench.fit import KINDS, compare, wide_heads

WITHIN = 0.10


@pytest.mark.parametrize("n_ctx", [512, 4096])
@pytest.mark.parametrize(("flash", "kind"), [each for each in KINDS if each[1] is not CacheType.Q8_0])
@pytest.mark.parametrize("family", tiny_models.MAKERS)
def test_every_kind_of_memory(
    family: str, flash: FlashAttention, kind: CacheType, n_ctx: int, tiny_models: dict[str, Path]
) -> None:
    loading = Loading(ctx_size=n_ctx, flash_attn=flash, cache_type_k=kind, cache_type_v=kind)
    row = compare(tiny_models[family], loading)
    assert abs(row.error) < WITHIN
    # llama.cpp tells its buffers to the hundredth of a MiB.
    assert abs(row.reckoned_kv - row.allocated_kv) <= 0.011 * (1 << 20) * 2


@pytest.mark.parametrize("kind", [CacheType.Q8_0, CacheType.Q5_1, CacheType.Q4_0, CacheType.BF16])
@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35"])
def test_quantised_cells(family: str, kind: CacheType, tmp_path: Path) -> None:
    with wide_heads():
        path = tiny_models.MAKERS[family](tmp_path / "wide.gguf")
    row = compare(path, Loading(ctx_size=4096, flash_attn=FlashAttention.ON, cache_type_k=kind, cache_type_v=kind))
    assert abs(row.error) < WITHIN
    assert abs(row.reckoned_kv - row.allocated_kv) <= 0.011 * (1 << 20) * 2


@pytest.mark.parametrize("ubatch", [64, 512, 2048])
def test_micro_batches(ubatch: int, tiny_models: dict[str, Path]) -> None:
    row = compare(tiny_models["gemma3"], Loading(ctx_size=4096, ubatch_size=ubatch, flash_attn=FlashAttention.ON))
    assert abs(row.error) < WITHIN


def test_a_window_of_full_size(tiny_models: dict[str, Path]) -> None:
    row = compare(tiny_models["gemma3"], Loading(ctx_size=4096, swa_full=True, flash_attn=FlashAttention.ON))
    assert abs(row.error) < WITHIN
