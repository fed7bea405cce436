"""Shapes from headers: which layers have cells, windows and states, by architecture."""

from typing import Any

import pytest

from app.core.fit_shape import FitShape, shape_of
from app.core.gguf_header import GgufHeader, TensorInfo, Value


def shape(architecture: str, n_layer: int = 8, **more: Value) -> FitShape:
    """`more` names keys below the architecture, with `__` for a dot."""
    plain: dict[str, Value] = {
        "block_count": n_layer,
        "embedding_length": 64,
        "attention__head_count": 4,
        "attention__head_count_kv": 2,
        "feed_forward_length": 0 if architecture.startswith("nemotron") else 128,
    }
    metadata: dict[str, Value] = {"general.architecture": architecture}
    for key, value in {**plain, **more}.items():
        metadata[f"{architecture}.{key.replace('__', '.')}"] = value
    # Every layer has a tensor of another size, so that none are joined.
    tensors = {f"blk.{index}.a.weight": TensorInfo((32, index + 1), 0, 0) for index in range(n_layer)}
    return shape_of([GgufHeader(metadata, tensors, 0)])


def windows(found: FitShape) -> str:
    return "".join("w" if layer.window else "." for layer in found.layers)


def kinds(found: FitShape) -> str:
    """a: attention, r: recurrent, b: both, -: neither."""
    return "".join("-rab"[bool(each.state) + 2 * bool(each.k)] for each in found.layers)


@pytest.mark.parametrize(
    ("architecture", "expected"),
    [
        ("llama", "........"),
        ("gemma2", "w.w.w.w."),
        ("gemma3", "wwwww.ww"),
        ("gemma3n", "wwww.www"),
        ("gpt-oss", "w.w.w.w."),
        ("cohere2", "www.www."),
        ("smallthinker", ".www.www"),
        ("llama4", "www.www."),
        ("exaone4", "........"),
        ("qwen2", "........"),
        ("phi3", "........"),
    ],
)
def test_which_layers_have_windows(architecture: str, expected: str) -> None:
    assert windows(shape(architecture, attention__sliding_window=512)) == expected


def test_a_list_of_windows_counts_before_the_habit() -> None:
    listed = (True, True, False, True, True, False, True, True)
    found = shape("gemma3", attention__sliding_window=512, attention__sliding_window_pattern=listed)
    assert windows(found) == "ww.ww.ww"
    assert windows(shape("gemma3", attention__sliding_window=512, attention__sliding_window_pattern=2)) == "w.w.w.w."


@pytest.mark.parametrize(
    ("architecture", "size"), [("gemma3", 0), ("gemma2", 4096), ("llama4", 8192), ("smallthinker", 0)]
)
def test_windows_of_files_that_say_no_size(architecture: str, size: int) -> None:
    assert shape(architecture).n_swa == size


def test_the_window_of_smallthinker_is_always_the_same() -> None:
    assert shape("smallthinker", attention__sliding_window=100).n_swa == 4096


def test_llama4_without_chunks_says_so() -> None:
    assert windows(shape("llama4", attention__sliding_window=0)) == "........"


def test_windows_may_have_heads_of_their_own() -> None:
    pattern = (True, False)
    found = shape(
        "gemma4", 2, attention__sliding_window=512, attention__sliding_window_pattern=pattern,
        attention__key_length=64, attention__value_length=64,
        attention__key_length_swa=32, attention__value_length_swa=32,
    )  # fmt: skip
    assert [layer.k for layer in found.layers] == [64, 128]


@pytest.mark.parametrize(
    ("architecture", "more", "expected"),
    [
        ("llama", {}, "aaaaaaaa"),
        ("mamba", {}, "rrrrrrrr"),
        ("qwen35", {}, "rrrarrra"),
        ("qwen3next", {"full_attention_interval": 2}, "rararara"),
        ("qwen35", {"attention__recurrent_layers": (True, False) * 4}, "rararara"),
        ("jamba", {"attention__head_count_kv": (0, 0, 2, 0, 0, 0, 2, 0)}, "rrarrrar"),
        ("falcon-h1", {}, "bbbbbbbb"),
        ("gemma4", {"attention__shared_kv_layers": 3}, "aaaaa---"),
        ("bert", {}, "--------"),
        ("glm4moe", {"nextn_predict_layers": 2}, "aaaaaa"),
        (
            "nemotron_h",
            {"attention__head_count_kv": (0, 0, 2, 0, 0, 0, 2, 0), "feed_forward_length": (0, 64, 0, 0, 64, 0, 0, 64)},
            "r-ar-ra-",
        ),
    ],
)
def test_which_layers_have_what(architecture: str, more: dict[str, Any], expected: str) -> None:
    ssm: dict[str, Any] = {"ssm__inner_size": 32, "ssm__state_size": 16, "ssm__conv_kernel": 4}
    assert kinds(shape(architecture, **{**ssm, **more})) == expected


def test_states() -> None:
    mamba = shape("mamba2", 1, ssm__inner_size=32, ssm__state_size=16, ssm__conv_kernel=4, ssm__group_count=2)
    assert mamba.layers[0].state == 3 * (32 + 2 * 2 * 16) + 16 * 32
    assert shape("rwkv7", 1, wkv__head_size=8).layers[0].state == 2 * 64 + 64 * 8
    lfm = shape("lfm2", 1, shortconv__l_cache=3, attention__head_count_kv=(0,))
    assert lfm.layers[0].state == 2 * 64
    kimi = shape("kimi-linear", 1, kda__head_dim=8, ssm__conv_kernel=4, attention__head_count_kv=(0,))
    assert kimi.layers[0].state == 3 * 3 * 4 * 8 + 8 * 8 * 4


def test_latent_attention_keeps_no_v() -> None:
    more: dict[str, Value] = {
        "attention__key_length": 40, "attention__value_length": 32, "attention__head_count_kv": 1,
    }  # fmt: skip
    latent = shape("deepseek2", 1, attention__key_length_mla=24, attention__value_length_mla=16, **more)
    assert (latent.layers[0].k, latent.layers[0].v) == (40, 0)
    assert shape("deepseek2", 1, **more).layers[0].v == 32


def test_what_is_not_known_to_the_byte_says_so() -> None:
    assert shape("llama").exact
    assert not shape("deepseek4").exact


def test_heads_that_nobody_tells_are_reckoned() -> None:
    assert shape("llama", 1).layers[0].k == 64 // 4 * 2


@pytest.mark.parametrize("value", [-1, 1 << 40, 2.5, "many", (1, 2, 3)])
def test_numbers_that_cannot_be_cost_nothing(value: Value) -> None:
    for key in (
        "block_count",
        "embedding_length",
        "attention__head_count",
        "attention__head_count_kv",
        "ssm__inner_size",
    ):
        assert shape("qwen35", 2, **{key: value}).weights >= 0
