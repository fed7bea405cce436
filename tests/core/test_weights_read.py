import pytest

from app.core.gguf_header import GgufHeader, TensorInfo, Value
from app.core.weights_read import WeightsRead, weights_read

F32 = 4
TRUNK = {"token_embd.weight": 1000, "blk.0.attn_q.weight": 64, "blk.1.ffn_up.weight": 96, "output.weight": 500}


def told(tensors: dict[str, int], **numbers: Value) -> GgufHeader:
    """A model with matrices of so many elements each."""
    metadata: dict[str, Value] = {"general.architecture": "any", "any.block_count": 2}
    metadata |= {f"any.{key}": value for key, value in numbers.items()}
    return GgufHeader(metadata, {name: TensorInfo((size,), 0, 0) for name, size in tensors.items()}, 0)


def test_a_token_reads_all_layers_and_the_output_and_one_row_of_the_embeddings() -> None:
    assert weights_read([told(TRUNK)]).token == F32 * (64 + 96 + 500)


def test_embeddings_that_serve_as_the_output_are_read() -> None:
    tied = {name: size for name, size in TRUNK.items() if name != "output.weight"}
    assert weights_read([told(tied)]).token == F32 * (64 + 96 + 1000)


@pytest.mark.parametrize("used", [2, (2, 0)])
def test_of_experts_those_count_that_are_used(used: Value) -> None:
    header = told(
        TRUNK | {"blk.1.ffn_up_exps.weight": 800, "blk.1.ffn_up_shexp.weight": 10},
        expert_count=8,
        expert_used_count=used,
    )
    assert weights_read([header]).token == F32 * (64 + 96 + 500 + 200 + 10)


def test_a_guess_reads_the_head_and_the_output() -> None:
    head = {"blk.2.attn_q.weight": 32, "blk.2.nextn.eh_proj.weight": 16, "blk.2.nextn.embed_tokens.weight": 1000}
    numbers: dict[str, Value] = {"block_count": 3, "nextn_predict_layers": 1}
    token = F32 * (64 + 96 + 500)
    assert weights_read([told(TRUNK | head, **numbers)]) == WeightsRead(token, F32 * (32 + 16 + 500))
    own_output = {"blk.2.nextn.shared_head_head.weight": 400}
    assert weights_read([told(TRUNK | head | own_output, **numbers)]) == WeightsRead(token, F32 * (32 + 16 + 400))


def test_of_several_heads_each_guess_reads_one_and_of_a_drafter_all_layers() -> None:
    heads = TRUNK | {"blk.2.attn_q.weight": 32, "blk.3.attn_q.weight": 32}
    assert weights_read([told(heads, block_count=4, nextn_predict_layers=2)]).guess == F32 * (32 + 500)
    assert weights_read([told(TRUNK, nextn_predict_layers=2)]).guess == F32 * (64 + 96 + 500)


def test_all_parts_of_a_split_model_count() -> None:
    first = told({name: size for name, size in TRUNK.items() if not name.startswith("blk.1")})
    second = GgufHeader({}, {"blk.1.ffn_up.weight": TensorInfo((96,), 0, 0)}, 0)
    assert weights_read([first, second]) == weights_read([told(TRUNK)])
