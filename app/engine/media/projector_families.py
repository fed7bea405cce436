"""What is known of the families of picture encoders (projector types) that this build of llama.cpp reads.

From its converter (which family goes with which architecture), its loader (`clip_n_mmproj_embd`) and its
graphs (what they take for granted).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """One projector type."""

    width: tuple[str, int] | None
    """The tensor that ends in the model's embeddings, and which of its dimensions is their length."""
    architectures: frozenset[str] = frozenset()
    """The only architectures it was made for; empty where it goes with many."""
    keys: tuple[str, ...] = ()
    """Metadata below `clip.vision` without which the first picture ends the process."""
    tensors: tuple[str, ...] = ()
    """As `keys`; `#` stands for each block's number."""
    placed: bool = False
    """What a picture becomes depends on what stands before it."""


def _family(
    width: str | None,
    dimension: int = 1,
    only: str = "",
    keys: tuple[str, ...] = (),
    tensors: tuple[str, ...] = (),
    placed: bool = False,
) -> Family:
    return Family((width, dimension) if width else None, frozenset(only.split()), keys, tensors, placed)


_PATCH, _PLACES, _CLASS = "v.patch_embd.weight", "v.position_embd.weight", "v.class_embd"
_QKV = ("v.blk.#.attn_q.weight", "v.blk.#.attn_k.weight", "v.blk.#.attn_v.weight")
_QKV_BIAS = ("v.blk.#.attn_q.bias", "v.blk.#.attn_k.bias", "v.blk.#.attn_v.bias")
_FUSED = ("v.blk.#.attn_qkv.weight", "v.blk.#.attn_qkv.bias")
_QWEN2 = (_PATCH, "v.patch_embd.weight.1", *_QKV, *_QKV_BIAS)
_SCALE = ("projector.scale_factor",)

FAMILIES: dict[str, Family] = {
    "mlp": _family("mm.2.weight", tensors=(_PATCH, _PLACES, *_QKV, "mm.0.weight", "mm.0.bias", "mm.2.bias")),
    "ldp": _family("mm.model.mb_block.1.block.2.1.bias", 0),
    "ldpv2": _family("mm.model.peg.0.bias", 0),
    "resampler": _family("resampler.proj.weight", 0),
    "adapter": _family("adapter.linear.dense_4h_to_h.weight"),
    "qwen2vl_merger": _family("mm.2.bias", 0, "qwen2vl llama", tensors=_QWEN2),
    "qwen2.5vl_merger": _family("mm.2.bias", 0, "qwen2vl", ("n_wa_pattern",), _QWEN2),
    "qwen2.5o": _family("mm.2.bias", 0, "qwen2vl", ("n_wa_pattern",), _QWEN2),
    "qwen3vl_merger": _family(
        "mm.2.bias",
        0,
        "qwen3vl qwen3vlmoe qwen35 qwen35moe qwen4exp",
        tensors=(_PATCH, "v.patch_embd.weight.1", "v.patch_embd.bias", _PLACES, *_FUSED),
    ),
    "ling3vl": _family("mm.2.bias", 0, "bailingmoe3"),
    "step3vl": _family("mm.model.fc.weight", 1, "qwen3 step35"),
    "gemma3": _family("mm.input_projection.weight", 0, "gemma3", tensors=(_PATCH, _PLACES, *_QKV)),
    "gemma3nv": _family("mm.input_projection.weight", 0, "gemma3n"),
    "gemma4v": _family("mm.input_projection.weight", 1, "gemma4"),
    "gemma4uv": _family("mm.input_projection.weight", 1, "gemma4"),
    "phi4": _family("mm.2.weight", 1, "phi3"),
    "idefics3": _family("mm.model.fc.weight", keys=_SCALE, tensors=(_PATCH, _PLACES, *_QKV)),
    "pixtral": _family("mm.2.weight", tensors=(_PATCH, *_QKV)),
    "internvl": _family("mm.model.mlp.3.weight", keys=_SCALE, tensors=(_PATCH, _PLACES, _CLASS, *_QKV)),
    "llama4": _family("mm.model.fc.weight", 1, "llama4"),
    "lfm2": _family("mm.2.weight", 1, "lfm2 lfm2moe", _SCALE, (_PATCH, _PLACES, *_QKV)),
    "kimivl": _family("mm.2.weight", 1, "deepseek2"),
    "kimik25": _family("mm.2.weight", 1, "deepseek2 glm-dsa kimi-k3"),
    "paddleocr": _family("mm.2.weight", 1, "paddleocr ernie4_5"),
    "lightonocr": _family("mm.2.weight"),
    "cogvlm": _family("mm.down.weight", 1, "cogvlm"),
    "janus_pro": _family(None, only="llama"),
    "dots_ocr": _family("mm.2.weight", 1, "qwen2"),
    "dots3note_v": _family("mm.2.weight", 1, "dots3note"),
    "deepseekocr": _family("mm.model.fc.weight"),
    "deepseekocr2": _family("mm.model.fc.weight"),
    "deepseek4v": _family("mm.2.weight", 1, "deepseek4", placed=True),
    "glm4v": _family("mm.down.weight", 1, "glm4 glm4moe"),
    "glm5v": _family("mm.down.weight", 1, "glm5-next"),
    "youtuvl": _family("mm.2.bias", 0, "deepseek2"),
    "yasa2": _family("mm.2.weight"),
    "nemotron_v2_vl": _family("mm.model.mlp.3.weight", 1, "nemotron_h nemotron_h_moe"),
    "exaone4_5": _family("mm.2.bias", 0, "exaone4"),
    "hunyuanvl": _family("mm.model.fc.weight", 1, "hunyuan_vl", placed=True),
    "minicpmv4_6": _family("mm.down.weight", 1, "qwen35"),
    "mimovl": _family("mm.2.weight", 1, "mimo2"),
    "minimax_m3": _family("mm.merger.fc2.bias", 0, "minimax-m3"),
    "granite4_vision": _family(None),
    "muse-glimmer": _family("mm.2.weight", 1, "muse-glimmer"),
}

OWN_ENCODER = {
    "qwen2vl", "qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe", "qwen4exp", "gemma3", "gemma3n", "gemma4", "llama4",
    "lfm2", "lfm2moe", "cogvlm", "paddleocr", "glm5-next", "hunyuan_vl", "mimo2", "minimax-m3", "muse-glimmer",
}  # fmt: skip
"""Architectures with positions or tokens of their own: encoders that go with many models are foreign to them."""
