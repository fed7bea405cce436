from dataclasses import replace
from pathlib import Path

import pytest

from app.core.fit import Extras, Free, needs
from app.core.fit_needs import compute, draft_model_size, head_size, kept_states_size, layer_kv
from app.core.fit_shape import FitShape, shape_of
from app.core.gguf_header import read_header
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.speculation import Speculation

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
