"""A small model in the shape of a large one: the same answers at the cost of the larger size, for measuring speed.

All that is added is zeros: more rows and columns, heads that give nothing, layers that change nothing. A processor
takes as long to multiply zeros as anything else.
"""

from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import quantize
from numpy.typing import NDArray

from tests.gguf_files import finish
from tests.tiny_models import CHATML, CONTEXT, HEAD, N_EMBD, N_FF, N_HEAD, N_HEAD_KV, Tokenizer, bpe_tokenizer

Array = NDArray[np.float32]
WIDE = 128
"""Elements of a head, as real models have them."""


@dataclass(frozen=True)
class Shape:
    n_layer: int
    n_embd: int
    n_ff: int

    @property
    def n_head(self) -> int:
        return self.n_embd // WIDE

    @property
    def n_head_kv(self) -> int:
        return self.n_head * N_HEAD_KV // N_HEAD


LARGE = Shape(12, 1024, 2816)
"""About 140 million parameters."""
DRAFT = Shape(4, 512, 1408)
"""About 12 million."""


def letters() -> Tokenizer:
    """One token for each byte, so that a text has one way to be written."""
    made = bpe_tokenizer()
    merged = {merge.replace(" ", "") for merge in made.merges}
    pairs = [(token, kind) for token, kind in zip(made.tokens, made.types, strict=True) if token not in merged]
    tokens, types = [each[0] for each in pairs], [each[1] for each in pairs]
    return Tokenizer(made.model, [*tokens, "~~"], [*types, 1], ["~ ~"], [])


def inflate(small: Path, path: Path, shape: Shape, kind: gguf.GGMLQuantizationType, tokenizer: Tokenizer) -> Path:
    """`small`: what `tiny_models.llama` wrote with this tokenizer."""
    reader = gguf.GGUFReader(small)
    tensors = {each.name: np.array(each.data, np.float32) for each in reader.tensors}
    w = gguf.GGUFWriter(str(path), "llama")
    w.add_context_length(CONTEXT)
    w.add_embedding_length(shape.n_embd)
    w.add_block_count(shape.n_layer)
    w.add_feed_forward_length(shape.n_ff)
    w.add_head_count(shape.n_head)
    w.add_head_count_kv(shape.n_head_kv)
    w.add_key_length(WIDE)
    w.add_value_length(WIDE)
    w.add_rope_dimension_count(WIDE)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_freq_base(10000.0)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    _vocabulary(w, tokenizer)

    def put(name: str, data: Array, n_out: int, n_in: int) -> None:
        whole = np.zeros((n_out, n_in), np.float32)
        whole[: data.shape[0], : data.shape[1]] = data
        w.add_tensor(name, quantize(whole, kind), raw_dtype=kind)

    def norm(name: str) -> None:
        # The mean is over more elements than there are values.
        w.add_tensor(name, np.full(shape.n_embd, np.sqrt(N_EMBD / shape.n_embd), np.float32))

    n_vocab, wide = len(tokenizer.tokens), shape.n_embd
    put("token_embd.weight", tensors["token_embd.weight"], n_vocab, wide)
    put("output.weight", tensors["output.weight"], n_vocab, wide)
    norm("output_norm.weight")
    sizes = {
        "attn_q": (N_HEAD * WIDE, N_EMBD, shape.n_head * WIDE, wide),
        "attn_k": (N_HEAD_KV * WIDE, N_EMBD, shape.n_head_kv * WIDE, wide),
        "attn_v": (N_HEAD_KV * WIDE, N_EMBD, shape.n_head_kv * WIDE, wide),
        "attn_output": (N_EMBD, N_HEAD * WIDE, wide, shape.n_head * WIDE),
        "ffn_gate": (N_FF, N_EMBD, shape.n_ff, wide),
        "ffn_up": (N_FF, N_EMBD, shape.n_ff, wide),
        "ffn_down": (N_EMBD, N_FF, wide, shape.n_ff),
    }
    for layer in range(shape.n_layer):
        for name in ("attn_norm", "ffn_norm"):
            norm(f"blk.{layer}.{name}.weight")
        for name, (rows, columns, n_out, n_in) in sizes.items():
            full = f"blk.{layer}.{name}.weight"
            data = _widened(name, tensors[full]) if full in tensors else np.zeros((rows, columns), np.float32)
            put(full, data, n_out, n_in)
    finish(w)
    return path


def _widened(name: str, data: Array) -> Array:
    """With zeros between the elements of each head: so each pair stands where it is turned as fast as before."""
    if name == "attn_output":
        return _widened("", data.T).T
    if not name.startswith("attn_") and name:
        return data
    heads = np.zeros((len(data) // HEAD, WIDE, data.shape[1]), np.float32)
    pairs = np.arange(0, WIDE, 2 * WIDE // HEAD)
    heads[:, np.stack([pairs, pairs + 1], 1).ravel()] = data.reshape(-1, HEAD, data.shape[1])
    if name == "attn_q":
        heads *= np.sqrt(WIDE / HEAD)  # scores are divided by the root of the width
    return heads.reshape(-1, data.shape[1])


def _vocabulary(w: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    w.add_tokenizer_model(tokenizer.model)
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(tokenizer.tokens)
    w.add_token_types(tokenizer.types)
    w.add_token_merges(tokenizer.merges)
    w.add_eos_token_id(tokenizer.id("<|im_end|>"))
    w.add_add_bos_token(True)
    w.add_bos_token_id(tokenizer.id("<s>"))
    w.add_chat_template(CHATML)
