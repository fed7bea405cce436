"""The figures beside each case are what llama.cpp itself said ("KV", "compute" and "output buffer size")."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.checkpointing import Checkpointing
from app.core.events import ModelInfo
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.memory import BYTES_PER_ELEMENT, RESERVE, MemoryEstimate, context_size, estimate, held

MIB = 1 << 20
SAFE = 1.1
NONE = Checkpointing(ctx_checkpoints=0)
SMALL = ModelInfo(
    path=Path("small.gguf"),
    name="0.6B",
    architecture="qwen3",
    size=600 * MIB,
    n_params=600_000_000,
    n_ctx=4096,
    n_ctx_train=40_960,
    vocab="v",
    has_template=True,
    n_layer=28,
    n_embd=1024,
    n_head=16,
    n_ff=3072,
    n_vocab=151_936,
    kv_elements_per_token=28 * 2 * 8 * 128,
)
"""Qwen3-0.6B's shape."""
F32, F16, Q8_0 = CacheType.F32, CacheType.F16, CacheType.Q8_0


def shape(n_embd: int, n_head: int, n_head_kv: int, head: int, n_ff: int) -> ModelInfo:
    """Two layers and a vocabulary of next to nothing."""
    per_token = 2 * 2 * n_head_kv * head
    return replace(
        SMALL, n_layer=2, n_embd=n_embd, n_head=n_head, n_ff=n_ff, n_vocab=300, kv_elements_per_token=per_token
    )


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
    reckoned = estimate(SMALL, Loading(ctx_size=8192, cache_type_k=k, cache_type_v=v), NONE)
    assert reckoned.kv == kv * MIB
    assert reckoned.exact


@pytest.mark.parametrize(
    ("model", "n_ctx", "ubatch", "types", "flash", "compute"),
    [
        (SMALL, 512, 64, F16, True, 3.89),
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
    model: ModelInfo, n_ctx: int, ubatch: int, types: CacheType, flash: bool, compute: float
) -> None:
    loading = Loading(
        ctx_size=n_ctx,
        ubatch_size=ubatch,
        cache_type_k=types,
        cache_type_v=types,
        flash_attn=FlashAttention.AUTO if flash else FlashAttention.OFF,
    )
    assert estimate(model, loading, NONE).compute / MIB == pytest.approx(compute, rel=0.1)


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
    assert context_size(replace(SMALL, n_ctx_train=trained), asked) == n_ctx


def test_a_batch_or_a_context_that_is_smaller_bounds_the_micro_batch() -> None:
    small = estimate(SMALL, Loading(ctx_size=4096, ubatch_size=64), NONE).compute
    assert estimate(SMALL, Loading(ctx_size=4096, batch_size=64), NONE).compute == small


def test_automatic_means_what_it_meant_as_far_as_there_is_room() -> None:
    without = replace(SMALL, flash_attn=FlashAttention.OFF)
    on, off = (estimate(SMALL, Loading(flash_attn=each), NONE) for each in (FlashAttention.ON, FlashAttention.OFF))
    enough = round(off.total * SAFE) + RESERVE

    def used(info: ModelInfo, loading: Loading, free: int) -> FlashAttention:
        return estimate(info, loading, NONE, free=free).flash_attn

    assert estimate(without, Loading(), NONE, free=enough).compute == off.compute > on.compute
    assert used(without, Loading(), off.total) is FlashAttention.AUTO, "too little beside it"
    assert used(without, Loading(ctx_size=32_768), enough) is FlashAttention.AUTO, "too long"
    assert used(without, Loading(cache_type_v=Q8_0), enough) is FlashAttention.AUTO
    assert used(SMALL, Loading(), enough) is FlashAttention.AUTO, "llama.cpp's choice, as on a card"


def test_what_is_loaded_is_reckoned_as_it_was_made() -> None:
    without = replace(SMALL, flash_attn=FlashAttention.OFF)
    assert held(without).compute == estimate(SMALL, Loading(flash_attn=FlashAttention.OFF), NONE).compute
    assert held(SMALL).compute < held(without).compute
    assert held(replace(without, needs_checkpoints=True, checkpoint_size=MIB)).checkpoints == 0


def test_windows_make_it_an_upper_bound() -> None:
    assert not estimate(replace(SMALL, kv_is_exact=False), Loading(), NONE).exact


@pytest.mark.parametrize(
    ("needs", "size", "checkpointing", "most"),
    [
        (False, 0, Checkpointing(), 0),
        (True, 3 * MIB, Checkpointing(ctx_checkpoints=8), 24 * MIB),
        (True, 3 * MIB, Checkpointing(ctx_checkpoints=8, budget=20), 20 * MIB),
        (True, 0, Checkpointing(budget=20), 20 * MIB),
        (True, 3 * MIB, Checkpointing(ctx_checkpoints=0), 0),
    ],
)
def test_checkpoints_take_at_most_their_budget(needs: bool, size: int, checkpointing: Checkpointing, most: int) -> None:
    model = replace(SMALL, needs_checkpoints=needs, checkpoint_size=size)
    assert estimate(model, Loading(), checkpointing).checkpoints == most


def test_the_total_is_all_of_it() -> None:
    assert MemoryEstimate(weights=1, kv=20, compute=300, checkpoints=4000, exact=True).total == 4321
    assert estimate(SMALL, Loading(), NONE).weights == SMALL.size


def test_a_model_of_unknown_shape_breaks_nothing() -> None:
    unknown = replace(SMALL, n_layer=0, n_embd=0, n_head=0, n_vocab=0, kv_elements_per_token=0, n_ctx_train=0)
    assert estimate(unknown, Loading(cache_type_k=F32), NONE).total >= SMALL.size
