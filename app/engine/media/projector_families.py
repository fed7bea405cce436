"""What is known of the families of encoders (projector types) that this build of llama.cpp reads.

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
    """Metadata below `clip.vision` or `clip.audio` without which the first picture or sound ends the process."""
    tensors: tuple[str, ...] = ()
    """As `keys`, or what the graph leaves away without a word; `#` stands for each block's number."""
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


def _blocks(*names: str) -> tuple[str, ...]:
    return tuple(f"a.blk.#.{name}" for name in names)


_HEARD = _blocks("attn_q.weight", "attn_k.weight", "attn_v.weight")
_NORMS = _blocks("ln1.weight", "ln1.bias", "ln2.weight", "ln2.bias")
_WHISPER = ("a.position_embd.weight", *_HEARD, *_blocks("attn_q.bias", "attn_v.bias"), *_NORMS)
_STACK = ("projector.stack_factor",)

AUDIO_FAMILIES: dict[str, Family] = {
    "ultravox": _family("mm.a.mlp.2.weight", keys=_STACK, tensors=_WHISPER),
    "voxtral": _family("mm.a.mlp.2.weight", keys=_STACK, tensors=_WHISPER),
    "qwen2a": _family("mm.a.fc.weight", tensors=_WHISPER),
    "qwen2.5o": _family("mm.a.fc.weight", 1, "qwen2vl", tensors=_WHISPER),
    "qwen3a": _family("mm.a.mlp.2.weight", tensors=("a.position_embd.weight", *_HEARD)),
    "lfm2a": _family(
        "a.position_embd.weight",
        0,
        "lfm2 lfm2moe",
        tensors=(*_HEARD, *_blocks("attn_q.bias", "attn_k.bias", "attn_v.bias", "attn_out.bias"), *_NORMS),
    ),
    "gemma4a": _family("mm.a.input_projection.weight", 1, "gemma4", tensors=_HEARD),
    "gemma4ua": _family("mm.a.input_projection.weight", 1, "gemma4"),
    "granite_speech": _family(
        "a.proj_linear.weight",
        keys=(
            *("chunk_size", "conv_kernel_size", "max_pos_emb", "projector.window_size", "projector.downsample_rate"),
            "projector.head_count",
        ),
        tensors=(*_HEARD, *_blocks("attn_out.bias"), *_NORMS),
    ),
    "glma": _family("mm.a.mlp.2.weight"),
    "musicflamingo": _family("mm.a.mlp.2.weight"),
    "meralion": _family("mm.a.mlp.3.weight"),
    "parakeet": _family(None),
    "dots3note_a": _family(None),
    "mimo_audio": _family(None),
}
SPEAKS = "_spkenc"
"""Ends the types that take a speaker's voice, for speech as output: they hear nothing."""
