"""Writes a random-weight model of Qwen3-0.6B's shape in Q8_0 (about 640 MB), for measuring speed only.

    python -m tests.bench.context.model OUT.gguf

The shape is that of Qwen3-0.6B's published configuration; the vocabulary has its size, with invented words.
"""

import sys
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import quantize

from tests.gguf_files import finish
from tests.tiny_models import CHATML, bpe_tokenizer

N_LAYER, N_EMBD, N_FF, N_HEAD, N_HEAD_KV, HEAD = 28, 1024, 3072, 16, 8, 128
N_VOCAB = 151_936
CONTEXT = 40_960
_ROWS = 16_384


def write(path: Path) -> Path:
    rng = np.random.default_rng(7)
    w = gguf.GGUFWriter(str(path), "qwen3")
    w.add_name("Random weights, shape of Qwen3-0.6B")
    w.add_block_count(N_LAYER)
    w.add_context_length(CONTEXT)
    w.add_embedding_length(N_EMBD)
    w.add_feed_forward_length(N_FF)
    w.add_head_count(N_HEAD)
    w.add_head_count_kv(N_HEAD_KV)
    w.add_key_length(HEAD)
    w.add_value_length(HEAD)
    w.add_rope_freq_base(1_000_000.0)
    w.add_layer_norm_rms_eps(1e-6)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    _vocabulary(w)

    def matrix(name: str, n_out: int, n_in: int, scale: float) -> None:
        parts = []
        for start in range(0, n_out, _ROWS):
            rows = rng.standard_normal((min(_ROWS, n_out - start), n_in), dtype=np.float32) * np.float32(scale)
            parts.append(quantize(rows, gguf.GGMLQuantizationType.Q8_0))
        w.add_tensor(name, np.concatenate(parts), raw_dtype=gguf.GGMLQuantizationType.Q8_0)

    def norm(name: str, size: int) -> None:
        w.add_tensor(name, np.ones(size, np.float32))

    matrix("token_embd.weight", N_VOCAB, N_EMBD, 0.05)
    norm("output_norm.weight", N_EMBD)
    for layer in range(N_LAYER):
        block = f"blk.{layer}."
        norm(block + "attn_norm.weight", N_EMBD)
        norm(block + "ffn_norm.weight", N_EMBD)
        norm(block + "attn_q_norm.weight", HEAD)
        norm(block + "attn_k_norm.weight", HEAD)
        matrix(block + "attn_q.weight", N_HEAD * HEAD, N_EMBD, 0.03)
        matrix(block + "attn_k.weight", N_HEAD_KV * HEAD, N_EMBD, 0.03)
        matrix(block + "attn_v.weight", N_HEAD_KV * HEAD, N_EMBD, 0.03)
        matrix(block + "attn_output.weight", N_EMBD, N_HEAD * HEAD, 0.03)
        matrix(block + "ffn_gate.weight", N_FF, N_EMBD, 0.03)
        matrix(block + "ffn_up.weight", N_FF, N_EMBD, 0.03)
        matrix(block + "ffn_down.weight", N_EMBD, N_FF, 0.02)
    finish(w)
    return path


def _vocabulary(w: gguf.GGUFWriter) -> None:
    tokenizer = bpe_tokenizer()
    filler = N_VOCAB - len(tokenizer.tokens)
    w.add_tokenizer_model(tokenizer.model)
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(tokenizer.tokens + [f"word{number}" for number in range(filler)])
    w.add_token_types(tokenizer.types + [1] * filler)
    w.add_token_merges(tokenizer.merges)
    w.add_eos_token_id(tokenizer.id("<|im_end|>"))
    w.add_add_bos_token(False)
    w.add_chat_template(CHATML)


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
