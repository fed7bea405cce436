"""The figures beside each case are what llama.cpp itself said ("KV", "compute" and "output buffer size")."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.fit import Extras, Free, needs
from app.core.fit_needs import (
    BYTES_PER_ELEMENT,
    compute,
    draft_model_size,
    head_size,
    kept_states_size,
    layer_kv,
    sequence_size,
)
from app.core.fit_shape import FitShape, LayerShape, shape_of
from app.core.gguf_header import read_header
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.loading_range import padded_context
from app.core.speculation import Speculation
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from tests import tiny_models
from tests.bench.context.fit import KINDS, allocations, compare, wide_heads

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


LOADING = Loading(ctx_size=4096, flash_attn=FlashAttention.ON, cache_type_k=CacheType.Q8_0, cache_type_v=CacheType.Q8_0)
ASKED = Speculation(draft_model="draft.gguf", draft_max=5)


@pytest.fixture(scope="module")
def shapes(tiny_models: dict[str, Path]) -> dict[str, FitShape]:
    return {name: shape_of([read_header(path)]) for name, path in tiny_models.items()}


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35"])
def test_a_draft_model_takes_what_it_would_take_alone(family: str, shapes: dict[str, FitShape]) -> None:
    draft = shapes[family]
    alone = replace(LOADING, cache_type_k=CacheType.F16, cache_type_v=CacheType.F16)
    wanted = needs(draft, alone, Free(1 << 40), Extras())[0].total
    assert draft_model_size(replace(shapes["llama"], n_ctx_train=4096), draft, LOADING, ASKED) == wanted


def test_its_kv_types_are_its_own_and_its_context_the_models(shapes: dict[str, FitShape]) -> None:
    target, draft = replace(shapes["llama"], n_ctx_train=1 << 16), replace(shapes["llama"], n_ctx_train=1 << 16)

    def size(ctx_size: int, kind: CacheType) -> int:
        asked = replace(ASKED, cache_type_k_draft=kind, cache_type_v_draft=kind)
        return draft_model_size(target, draft, replace(LOADING, ctx_size=ctx_size), asked)

    plain = replace(LOADING, cache_type_k=CacheType.F16, cache_type_v=CacheType.F16)
    cells = sum(layer_kv(draft, layer, plain) * layer.n for layer in draft.layers)
    assert size(8192, CacheType.F16) - size(4096, CacheType.F16) >= cells
    assert size(4096, CacheType.Q8_0) < size(4096, CacheType.F16)
    short = replace(draft, n_ctx_train=2048)
    assert draft_model_size(target, short, LOADING, ASKED) < size(4096, CacheType.F16)


def test_a_head_takes_one_layer_of_cells_and_its_buffers(shapes: dict[str, FitShape]) -> None:
    shape = replace(shapes["gemma3"], n_ctx_train=4096)
    plain = replace(LOADING, cache_type_k=CacheType.F16, cache_type_v=CacheType.F16)
    widest = max(layer_kv(shape, replace(layer, window=False), plain) for layer in shape.layers)
    assert widest > 0
    assert head_size(shape, LOADING, ASKED) == widest + compute(shape, plain)


def test_recurrent_states_are_kept_for_each_token_of_a_draft(shapes: dict[str, FitShape]) -> None:
    shape = shapes["qwen35"]
    state = needs(shape, LOADING, Free(1 << 40), Extras())[0].state
    assert state > 0
    assert kept_states_size(shape, ASKED) == 5 * state
    assert kept_states_size(shape, Speculation()) == 0
    assert kept_states_size(shapes["llama"], ASKED) == 0


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


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_what_each_further_answer_takes(family: str, tiny_models: dict[str, Path], shapes: dict[str, FitShape]) -> None:
    loading = Loading(ctx_size=4096, ubatch_size=64, batch_size=64, flash_attn=FlashAttention.ON)
    model = Model.load(tiny_models[family], gpu_layers=0, cancel=CancelFlag())
    with allocations() as one:
        context = Context(model, ContextParams(4096, 64, 64, 1, loading.flash_attn), CancelFlag())
    with allocations() as many:
        assert context.remake(65, flash=True)
    context.close()
    model.close()
    more = (many.get("KV", 0) + many.get("RS", 0) - one.get("KV", 0) - one.get("RS", 0)) / 64
    # llama.cpp tells its buffers to the hundredth of a MiB, and pads windows to 256 cells.
    assert sequence_size(shapes[family], loading) == pytest.approx(more, rel=0.1, abs=0.01 * MIB / 64)
