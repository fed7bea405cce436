"""Which files hold a head that llama.cpp can run, told before it sees them."""

from pathlib import Path

import pytest

from app.core.errors import ModelError
from app.core.gguf_header import GgufHeader, TensorInfo, Value
from app.engine.drafting.mtp_head import MtpHead, find_head, head_in, is_head_alone

PATH = Path("model.gguf")


def told(
    architecture: str, heads: int, *, blocks: int = 10, missing: int = 0, trunk: bool = True
) -> tuple[GgufHeader, dict[str, TensorInfo]]:
    """The header of a model with `heads` heads, the last `missing` of which are only mentioned."""
    metadata: dict[str, Value] = {"general.architecture": architecture, f"{architecture}.block_count": blocks}
    if heads:
        metadata[f"{architecture}.nextn_predict_layers"] = heads
    names = [f"blk.{layer}.nextn.eh_proj.weight" for layer in range(blocks - heads, blocks - missing)]
    tensors = {name: TensorInfo((64, 64), 0, 0) for name in [*names, *["blk.0.attn_norm.weight"] * trunk]}
    return GgufHeader(metadata, tensors, 0), tensors


def refused(architecture: str, heads: int, missing: int = 0) -> str:
    header, tensors = told(architecture, heads, missing=missing)
    with pytest.raises(ModelError) as caught:
        head_in(PATH, header, tensors)
    return caught.value.sentence


GRAPHS = [
    "qwen35", "qwen35moe", "qwen3next", "glm4moe", "glm-dsa", "deepseek2", "deepseek32", "deepseek4",
    "bailingmoe3", "cohere2moe", "nemotron_h_moe", "hy_v3", "mimo2", "step35",
]  # fmt: skip


@pytest.mark.parametrize("architecture", GRAPHS)
def test_architectures_with_a_graph_are_found(architecture: str) -> None:
    assert head_in(PATH, *told(architecture, 1)) == MtpHead(PATH, architecture, 1, alone=False)


@pytest.mark.parametrize(
    "architecture", ["glm4", "exaone4", "exaone-moe", "bailingmoe2", "dots3note", "granite-switch", "glm5-next"]
)
def test_those_that_only_look_like_it_are_refused(architecture: str) -> None:
    assert architecture in refused(architecture, 1)


@pytest.mark.parametrize("architecture", ["hy_v3", "mimo2", "step35"])
def test_several_heads_are_a_chain_where_there_is_a_graph_for_it(architecture: str) -> None:
    assert head_in(PATH, *told(architecture, 3)).heads == 3
    assert "without the head" in refused(architecture, 3, missing=1)


def test_several_heads_of_others_would_end_the_process() -> None:
    assert "there are 2" in refused("qwen35", 2)


def test_a_model_without_a_head_is_told_apart_from_one_that_only_mentions_it() -> None:
    assert "has no head" in refused("qwen35", 0)
    assert "has no head" in refused("llama", 0)
    assert "mentions" in refused("glm4moe", 1, missing=1)


def test_files_with_nothing_but_a_head_are_drafters(mtp_models: dict[str, tuple[Path, Path | None]]) -> None:
    for kind in ("gemma4", "sidecar"):
        model, drafter = mtp_models[kind]
        assert drafter is not None
        assert is_head_alone(drafter)
        assert not is_head_alone(model)
        assert find_head(drafter).alone
        with pytest.raises(ModelError, match="has no head"):
            find_head(model)


def test_other_kinds_of_drafters_are_told_as_such() -> None:
    for architecture in ("eagle3", "dflash"):
        assert architecture in refused(architecture, 0)


def test_an_assistant_that_is_made_otherwise_is_refused() -> None:
    assert head_in(PATH, *told("gemma4-assistant", 10)).alone
    assert "made as" in refused("gemma4-assistant", 4)


def test_a_split_model_may_have_its_head_in_any_part(
    mtp_models: dict[str, tuple[Path, Path | None]], tmp_path: Path
) -> None:
    trunk, head = mtp_models["sidecar"]
    assert head is not None
    first = tmp_path / "m-00001-of-00002.gguf"
    first.write_bytes(mtp_models["qwen35"][0].read_bytes())
    with pytest.raises(ModelError, match="damaged"):
        (tmp_path / "m-00002-of-00002.gguf").write_bytes(b"GGUF no more")
        find_head(first)
    (tmp_path / "m-00002-of-00002.gguf").write_bytes(trunk.read_bytes())
    assert find_head(first) == MtpHead(first, "qwen35", 1, alone=False)


def test_what_is_no_model_is_no_head(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"nothing")
    assert not is_head_alone(path)
    assert not is_head_alone(tmp_path / "gone.gguf")
    with pytest.raises(ModelError, match="damaged"):
        find_head(path)
