"""From a checkpoint to the two GGUF files that llama.cpp loads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from guide.form import CONTROL, END_OF_TEXT, MMPROJ_FILE, MODEL_FILE, TURN_END
from guide.network import LanguageConfig
from guide.pictures.vision_network import MEAN, STD, VisionConfig
from guide.rendering import TEMPLATE_FILE
from guide.tokenizer import Vocabulary

CARD_FILE = Path(__file__).with_name("MODEL_CARD.md")
NAME = "Hearth Guide"
AUTHOR = "The Hearth authors"
DESCRIPTION = (
    "A very small language and vision model that was trained from scratch for Hearth. It explains the program, "
    "makes small talk and names what is in simple pictures; it knows nothing else."
)
Q8_0, F16, F32 = gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.F16, gguf.GGMLQuantizationType.F32
Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Trained:
    """What a checkpoint holds, as far as a conversion needs it."""

    language: LanguageConfig
    vision: VisionConfig
    language_weights: Mapping[str, Tensor]
    vision_weights: Mapping[str, Tensor]

    @staticmethod
    def load(path: Path) -> "Trained":
        state = torch.load(path, map_location="cpu", weights_only=True)
        return Trained(
            LanguageConfig(**state["language_config"]),
            VisionConfig(**state["vision_config"]),
            state["language"],
            state["vision"],
        )


def convert(
    trained: Trained, vocabulary: Vocabulary, folder: Path, *, full_precision: bool = False
) -> tuple[Path, Path]:
    """Write model and mmproj into `folder`; returns their paths. In F32 with `full_precision`, else in Q8_0."""
    folder.mkdir(parents=True, exist_ok=True)
    model, mmproj = folder / MODEL_FILE, folder / MMPROJ_FILE
    _write_model(trained, vocabulary, model, full_precision)
    _write_mmproj(trained, mmproj, full_precision)
    return model, mmproj


def _write_model(trained: Trained, vocabulary: Vocabulary, path: Path, full_precision: bool) -> None:
    config = trained.language
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer, NAME, full_precision)
    writer.add_type("model")
    # It has one right answer to most questions; chance only makes it stray.
    writer.add_float32("general.sampling.temp", 0.0)
    writer.add_context_length(config.context_length)
    writer.add_embedding_length(config.embedding_length)
    writer.add_block_count(config.block_count)
    writer.add_feed_forward_length(config.feed_forward_length)
    writer.add_head_count(config.head_count)
    writer.add_head_count_kv(config.head_count)
    writer.add_layer_norm_rms_eps(config.layer_norm_rms_epsilon)
    writer.add_rope_dimension_count(config.head_length)
    writer.add_rope_freq_base(config.rope_freq_base)
    writer.add_vocab_size(config.vocab_size)
    _add_vocabulary(writer, vocabulary)
    for name, weights in _language_tensors(config, trained.language_weights):
        _add_tensor(writer, name, weights, full_precision)
    _close(writer)


def _write_mmproj(trained: Trained, path: Path, full_precision: bool) -> None:
    config = trained.vision
    writer = gguf.GGUFWriter(path, "clip")
    _describe(writer, f"{NAME} (eye)", full_precision)
    writer.add_type("mmproj")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.use_gelu", True)
    for key, number in (
        ("image_size", config.image_size),
        ("patch_size", config.patch_size),
        ("embedding_length", config.embedding_length),
        ("feed_forward_length", config.feed_forward_length),
        ("projection_dim", config.projection_dim),
        ("block_count", config.block_count),
        ("attention.head_count", config.head_count),
    ):
        writer.add_uint32(f"clip.vision.{key}", number)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", config.layer_norm_epsilon)
    writer.add_array("clip.vision.image_mean", [MEAN] * 3)
    writer.add_array("clip.vision.image_std", [STD] * 3)
    # Without this llama.cpp leaves the last block out, as LLaVA does.
    writer.add_array("clip.vision.feature_layer", [config.block_count])
    for name, weights in _vision_tensors(config, trained.vision_weights):
        _add_tensor(writer, name, weights, full_precision)
    _close(writer)


def _describe(writer: gguf.GGUFWriter, name: str, full_precision: bool) -> None:
    writer.add_name(name)
    writer.add_author(AUTHOR)
    writer.add_description(DESCRIPTION)
    writer.add_license("MIT")
    writer.add_string("hearth.model_card", CARD_FILE.read_text())
    writer.add_file_type(gguf.LlamaFileType.ALL_F32 if full_precision else gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)


def _add_vocabulary(writer: gguf.GGUFWriter, vocabulary: Vocabulary) -> None:
    tokenizer = vocabulary.tokenizer
    added = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    tokens = [tokenizer.id_to_token(index) for index in range(len(vocabulary))]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([_token_type(token, token in added) for token in tokens])
    writer.add_token_merges(vocabulary.merges)
    writer.add_eos_token_id(vocabulary.id(TURN_END))
    writer.add_eot_token_id(vocabulary.id(TURN_END))
    writer.add_pad_token_id(vocabulary.id(END_OF_TEXT))
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE_FILE.read_text())


def _token_type(token: str, is_added: bool) -> gguf.TokenType:
    if token in CONTROL:
        return gguf.TokenType.CONTROL
    return gguf.TokenType.USER_DEFINED if is_added else gguf.TokenType.NORMAL


def _language_tensors(config: LanguageConfig, weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Weights]]:
    yield "token_embd.weight", _array(weights["token_embd.weight"])
    yield "output_norm.weight", _array(weights["output_norm"])
    for index in range(config.block_count):
        source, target = f"blocks.{index}.", f"blk.{index}."
        q, k, v = _array(weights[source + "attn_qkv.weight"]).reshape(3, config.embedding_length, -1)
        gate, up = np.split(_array(weights[source + "ffn_gate_up.weight"]), 2)
        yield target + "attn_norm.weight", _array(weights[source + "attn_norm"])
        yield target + "attn_q.weight", _interleaved(q, config.head_count)
        yield target + "attn_k.weight", _interleaved(k, config.head_count)
        yield target + "attn_v.weight", v
        yield target + "attn_output.weight", _array(weights[source + "attn_output.weight"])
        yield target + "ffn_norm.weight", _array(weights[source + "ffn_norm"])
        yield target + "ffn_gate.weight", gate
        yield target + "ffn_up.weight", up
        yield target + "ffn_down.weight", _array(weights[source + "ffn_down.weight"])


def _interleaved(weights: Weights, heads: int) -> Weights:
    """Rows i and i + half of each head side by side, as llama.cpp's rotation wants them."""
    rows, width = weights.shape
    return weights.reshape(heads, 2, rows // heads // 2, width).swapaxes(1, 2).reshape(rows, width)


def _vision_tensors(config: VisionConfig, weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Weights]]:
    yield "v.patch_embd.weight", _array(weights["patch_embd.weight"])
    yield "v.patch_embd.bias", _array(weights["patch_embd.bias"])
    yield "v.position_embd.weight", _array(weights["position_embd"])
    for kind in ("weight", "bias"):
        yield f"v.pre_ln.{kind}", _array(weights[f"pre_ln.{kind}"])
        yield f"mm.0.{kind}", _array(weights[f"mm_0.{kind}"])
        yield f"mm.2.{kind}", _array(weights[f"mm_2.{kind}"])
        for index in range(config.block_count):
            source, target = f"blocks.{index}.", f"v.blk.{index}."
            parts = np.split(_array(weights[f"{source}attn_qkv.{kind}"]), 3)
            for letter, part in zip("qkv", parts, strict=True):
                yield f"{target}attn_{letter}.{kind}", part
            for name in ("ln1", "ln2", "attn_out", "ffn_up", "ffn_down"):
                yield f"{target}{name}.{kind}", _array(weights[f"{source}{name}.{kind}"])


def _array(weights: Tensor) -> Weights:
    array: Weights = weights.detach().float().numpy()
    return array


def _add_tensor(writer: gguf.GGUFWriter, name: str, weights: Weights, full_precision: bool) -> None:
    form = F32 if full_precision else _form(name, weights)
    quantised = gguf.quants.quantize(np.ascontiguousarray(weights), form)
    writer.add_tensor(name, quantised, raw_dtype=form)


def _form(name: str, weights: Weights) -> gguf.GGMLQuantizationType:
    if weights.ndim == 1 or "position_embd" in name:
        return F32
    # A convolution's kernel takes no blocks.
    return F16 if weights.ndim > 2 else Q8_0


def _close(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
