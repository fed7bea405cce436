"""The figures beside each case are what llama.cpp itself said ("KV", "compute" and "output buffer size")."""

from dataclasses import replace

import pytest

from app.core.fit_needs import BYTES_PER_ELEMENT, compute, layer_kv
from app.core.fit_shape import FitShape, LayerShape
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.loading_range import padded_context

MIB = 1 << 20
SMALL = FitShape(
    "qwen3", (LayerShape(0, 1024, 1024, n=28),), n_ctx_train=40_960, n_embd=1024, n_vocab=151_936, n_head=16,
    head_k=128, n_ff=3072,
)  # fmt: skip
"""Qwen3-0.6B's."""
F32, F16, Q8_0 = CacheType.F32, CacheType.F16, CacheType.Q8_0


def shape(n_embd: int, n_head: int, n_head_kv: int, head: int, n_ff: int) -> FitShape:
    """Two layers and a vocabulary of next to nothing."""
    layer = LayerShape(0, n_head_kv * head, n_head_kv * head, n=2)
    return replace(SMALL, layers=(layer,), n_embd=n_embd, n_head=n_head, head_k=head, n_ff=n_ff, n_vocab=300)


@pytest.mark.parametrize(
    ("k", "v", "kv"),
    [
        (F32, F32, 1792.0),
        (F16, F16, 896.0),
        (CacheType.BF16, CacheType.BF16, 896.0),
        (Q8_0, Q8_0, 476.0),
        (Q8_0, F16, 686.0),
        (CacheType.Q5_1, CacheType.Q5_0, 322.0),
        (CacheType.Q4_1, CacheType.Q4_0, 266.0),
        (CacheType.IQ4_NL, CacheType.IQ4_NL, 252.0),
    ],
)
def test_the_kv_cache_is_exact(k: CacheType, v: CacheType, kv: float) -> None:
    assert layer_kv(SMALL, SMALL.layers[0], Loading(ctx_size=8192, cache_type_k=k, cache_type_v=v)) * 28 == kv * MIB


@pytest.mark.parametrize(
    ("model", "n_ctx", "ubatch", "types", "flash", "size"),
    [
        (SMALL, 512, 512, F16, True, 27.09),
        (SMALL, 512, 2048, F16, False, 35.59),
        (SMALL, 4096, 64, F16, False, 19.83),
        (SMALL, 4096, 512, F16, True, 30.59),
        (SMALL, 4096, 512, F16, False, 154.59),
        (SMALL, 16384, 512, F16, True, 42.59),
        (SMALL, 16384, 2048, F16, True, 168.63),
        (SMALL, 16384, 2048, F16, False, 2248.61),
        (SMALL, 8192, 512, Q8_0, True, 34.67),
        (SMALL, 8192, 512, F32, True, 56.59),
        (SMALL, 16384, 512, F32, True, 96.59),
        (shape(512, 8, 4, 64, 1536), 8192, 512, F16, True, 21.01),
        (shape(512, 8, 4, 64, 1536), 8192, 512, F16, False, 150.01),
        (shape(1024, 16, 4, 64, 3584), 8192, 512, F16, True, 37.01),
        (shape(1024, 16, 4, 64, 3584), 8192, 64, F16, False, 35.38),
        (shape(512, 8, 4, 64, 4096), 8192, 512, F16, True, 36.01),
        (shape(64, 4, 2, 16, 96), 8192, 512, F16, True, 8.89),
        (shape(64, 4, 2, 16, 96), 8192, 512, F16, False, 80.76),
    ],
)
def test_the_compute_buffer_is_near(
    model: FitShape, n_ctx: int, ubatch: int, types: CacheType, flash: bool, size: float
) -> None:
    loading = Loading(
        ctx_size=n_ctx,
        ubatch_size=ubatch,
        cache_type_k=types,
        cache_type_v=types,
        flash_attn=FlashAttention.AUTO if flash else FlashAttention.OFF,
    )
    assert compute(model, loading) / MIB == pytest.approx(size, rel=0.1)


def test_every_type_has_its_size() -> None:
    assert set(BYTES_PER_ELEMENT) == set(CacheType)


@pytest.mark.parametrize(
    ("asked", "trained", "n_ctx"),
    [
        (4096, 40_960, 4096),
        (700, 40_960, 768),
        (0, 40_960, 40_960),
        (100_000, 40_960, 40_960),
        (1, 40_960, 256),
        (0, 0, 4096),
        (1024, 0, 1024),
    ],
)
def test_the_context_that_one_gets(asked: int, trained: int, n_ctx: int) -> None:
    assert padded_context(trained, asked) == n_ctx


def test_a_batch_or_a_context_that_is_smaller_bounds_the_micro_batch() -> None:
    small = compute(SMALL, Loading(ctx_size=4096, ubatch_size=64))
    assert compute(SMALL, Loading(ctx_size=4096, batch_size=64)) == small
