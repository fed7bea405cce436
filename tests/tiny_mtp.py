"""Tiny models with a multi-token-prediction head, one for each way in which llama.cpp runs heads; see `mtp_writer`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.mtp_writer import DISTURBING, N_EXPERT, N_TRUNK, WAVERING, MtpWriter, Part
from tests.tiny_models import CHATML, GEMMA, HEAD, N_EMBD, N_FF, N_HEAD, N_HEAD_KV, Tokenizer
from tests.tiny_mtp_hybrids import bailingmoe3, deepseek4, nemotron_h_moe


def qwen35(path: Path, *, part: Part = Part.WHOLE, tokenizer: Tokenizer | None = None) -> Path:
    """Hybrid, M-RoPE; its memory goes back inside the last batch."""
    w = MtpWriter(path, "qwen35", seed=40, part=part, tokenizer=tokenizer)
    w.shape()
    w.heads()
    w.gguf.add_rope_dimension_sections([3, 3, 2, 0])
    w.delta_net_keys()
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        w.norms(layer, "attn_norm", "post_attention_norm")
        if layer == 0:
            w.delta_net(layer)
        else:
            w.attention(layer, gated=True)
            w.head_norms(layer)
        w.feed_forward(layer)
    return w.close_with_heads()


def _qwen_experts(path: Path, arch: str, seed: int, *, fused: bool) -> Path:
    w = MtpWriter(path, arch, seed=seed)
    w.shape()
    w.heads()
    if not fused:
        w.gguf.add_rope_dimension_sections([3, 3, 2, 0])
    w.delta_net_keys()
    w.expert_keys()
    w.gguf.add_expert_shared_feed_forward_length(N_FF)
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        w.norms(layer, "attn_norm", "post_attention_norm")
        if layer == 0:
            w.delta_net(layer, fused=fused)
        else:
            w.attention(layer, gated=True)
            w.head_norms(layer)
        w.experts(layer, shared_gate=True)
    return w.close_with_heads()


def qwen35moe(path: Path) -> Path:
    """Hybrid, with experts."""
    return _qwen_experts(path, "qwen35moe", 41, fused=False)


def qwen3next(path: Path) -> Path:
    """Hybrid; its memory can't go back at all."""
    return _qwen_experts(path, "qwen3next", 42, fused=True)


def glm4moe(path: Path, *, sections: bool = False) -> Path:
    """Full attention. With `sections` it has M-RoPE, and llama.cpp ends the process when its head is run."""
    w = MtpWriter(path, "glm4moe", seed=43)
    w.shape()
    w.heads()
    w.expert_keys()
    if sections:
        w.gguf.add_rope_dimension_sections([3, 3, 2, 0])
    w.gguf.add_expert_shared_count(1)
    w.gguf.add_leading_dense_block_count(1)
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        w.norms(layer, "attn_norm", "post_attention_norm")
        w.attention(layer)
        if layer == 0:
            w.feed_forward(layer)
        else:
            w.experts(layer)
            w.noise(f"blk.{layer}.exp_probs_b.bias", (N_EXPERT,), 0.1)
    return w.close_with_heads()


def mimo2(
    path: Path, *, heads: int = 2, n_swa: int = 64, tokenizer: Tokenizer | None = None, turning: bool = True
) -> Path:
    """A sliding window, and a chain of heads: each reads what the one before it says in a form of that one's own.

    Without `turning` all of them speak as the trunk does, so that one can also read what it said itself.
    """
    w = MtpWriter(path, "mimo2", seed=44, heads=heads, tokenizer=tokenizer)
    w.shape()
    w.heads()
    w.gguf.add_expert_feed_forward_length(N_FF)
    w.gguf.add_sliding_window(n_swa)
    w.gguf.add_sliding_window_pattern([layer != 1 for layer in range(w.n_layer)])
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        w.norms(layer, "attn_norm", "ffn_norm")
        w.weight(f"blk.{layer}.attn_qkv.weight", (N_HEAD + 2 * N_HEAD_KV) * HEAD, N_EMBD)
        w.weight(f"blk.{layer}.attn_output.weight", N_EMBD, N_HEAD * HEAD)
        w.feed_forward(layer)
    turned = np.eye(N_EMBD, dtype=np.float32)
    for layer in w.head_layers:
        basis, _ = np.linalg.qr(np.random.default_rng(layer).standard_normal((N_EMBD, N_EMBD)))
        turn: NDArray[np.float32] = basis.astype(np.float32) if turning else turned
        w.nextn(layer, (turn @ w.step @ turned.T).astype(np.float32))
        turned = turn
        w.tensor(f"blk.{layer}.nextn.shared_head_head.weight", w.output() @ turned.T)
    return w.close()


def deepseek2(path: Path) -> Path:
    """Multi-head latent attention, and experts in the head."""
    w = MtpWriter(path, "deepseek2", seed=47)
    w.shape(1)
    w.latent_keys()
    w.gguf.add_q_lora_rank(32)
    w.gguf.add_leading_dense_block_count(1)
    w.expert_keys()
    w.gguf.add_expert_shared_count(1)
    w.vocabulary(CHATML, "<|im_end|>", "<s>")
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        w.norms(layer, "attn_norm", "ffn_norm")
        w.latent_attention(layer, q_rank=32)
        if layer == 0:
            w.feed_forward(layer)
        else:
            w.experts(layer)
    return w.close_with_heads()


def hy_v3(path: Path) -> Path:
    """Full attention, and a chain of two heads."""
    w = MtpWriter(path, "hy_v3", seed=48, heads=2)
    w.shape()
    w.heads()
    w.gguf.add_expert_feed_forward_length(N_FF)
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        w.norms(layer, "attn_norm", "ffn_norm")
        w.attention(layer)
        w.head_norms(layer)
        w.feed_forward(layer)
    return w.close_with_heads()


def step35(path: Path, *, heads: int = 2, n_swa: int = 64) -> Path:
    """A sliding window, and a chain of heads; a layer that sees everything turns half of each row."""
    w = MtpWriter(path, "step35", seed=49, heads=heads)
    w.shape()
    w.heads()
    w.gguf.add_expert_feed_forward_length(N_FF)
    w.gguf.add_sliding_window(n_swa)
    w.gguf.add_sliding_window_pattern([layer != 1 for layer in range(w.n_layer)])
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        w.norms(layer, "attn_norm", "ffn_norm")
        w.attention(layer)
        w.head_norms(layer)
        w.weight(f"blk.{layer}.attn_gate.weight", N_HEAD, N_EMBD)
        w.feed_forward(layer)
    return w.close_with_heads()


def _gemma4_shape(w: MtpWriter, n_swa: int) -> None:
    w.gguf.add_key_length_swa(HEAD)
    w.gguf.add_value_length_swa(HEAD)
    w.gguf.add_sliding_window(n_swa)
    w.gguf.add_sliding_window_pattern([True, False])
    w.number("attention.shared_kv_layers", 0)
    w.number("embedding_length_per_layer_input", 0)
    w.vocabulary(GEMMA, "<end_of_turn>", "<bos>")


def gemma4(path: Path, *, n_swa: int = 64, tokenizer: Tokenizer | None = None) -> Path:
    """A sliding window; its drafter is a file of its own, see `gemma4_assistant`."""
    w = MtpWriter(path, "gemma4", seed=45, part=Part.TRUNK, tokenizer=tokenizer)
    w.shape()
    w.heads()
    _gemma4_shape(w, n_swa)
    rows = (w._rng.standard_normal((len(w.tokenizer.tokens), N_EMBD)) * 0.5).astype(np.float32)
    rows[w.ids] = w.directions
    w.tensor("token_embd.weight", rows / np.sqrt(N_EMBD, dtype=np.float32))
    w.ones("output_norm.weight", N_EMBD)
    w.tensor("output.weight", w.output())
    w.ones("rope_freqs.weight", HEAD // 2)
    for layer in w.layers:
        w.norms(layer, "attn_norm", "ffn_norm")
        for norm in ("post_attention_norm", "post_ffw_norm"):
            w.tensor(f"blk.{layer}.{norm}.weight", np.full(N_EMBD, 2 * DISTURBING, np.float32))
        w.head_norms(layer)
        w.attention(layer)
        w.feed_forward(layer)
    return w.close()


def gemma4_assistant(path: Path, *, n_swa: int = 64, tokenizer: Tokenizer | None = None) -> Path:
    """Drafts for `gemma4` out of that one's memory."""
    w = MtpWriter(path, "gemma4-assistant", seed=46, part=Part.TRUNK, tokenizer=tokenizer)
    width = N_EMBD + 32
    g = w.gguf
    g.add_context_length(8192)
    g.add_embedding_length(width)
    w.number("embedding_length_out", N_EMBD)
    g.add_block_count(N_TRUNK)
    w.number("nextn_predict_layers", N_TRUNK)
    g.add_feed_forward_length(N_FF)
    g.add_head_count(N_HEAD)
    g.add_head_count_kv(N_HEAD_KV)
    g.add_layer_norm_rms_eps(1e-5)
    g.add_rope_freq_base(10000.0)
    g.add_vocab_size(len(w.tokenizer.tokens))
    w.heads()
    _gemma4_shape(w, n_swa)
    narrow = np.zeros((width, N_EMBD), np.float32)
    narrow[:N_EMBD] = np.eye(N_EMBD)
    w.tensor("token_embd.weight", w.output() @ narrow.T)
    w.ones("output_norm.weight", width)
    w.ones("rope_freqs.weight", HEAD // 2)
    w.tensor("nextn.post_projection.weight", narrow.T)
    of_token = w._rng.standard_normal((width, N_EMBD)) * WAVERING / np.sqrt(N_EMBD)
    w.tensor("nextn.pre_projection.weight", np.hstack([of_token.astype(np.float32), narrow @ w.step]))
    for layer in w.layers:
        block = f"blk.{layer}."
        for norm, size in (("attn_norm", 1.0), ("ffn_norm", 1.0)):
            w.tensor(block + f"{norm}.weight", np.full(width, size, np.float32))
        for norm in ("post_attention_norm", "post_ffw_norm"):
            w.tensor(block + f"{norm}.weight", np.full(width, WAVERING, np.float32))
        w.weight(block + "attn_q.weight", N_HEAD * HEAD, width)
        w.weight(block + "attn_output.weight", width, N_HEAD * HEAD)
        w.ones(block + "attn_q_norm.weight", HEAD)
        w.tensor(block + "layer_output_scale.weight", np.ones(1, np.float32))
        w.weight(block + "ffn_gate.weight", N_FF, width)
        w.weight(block + "ffn_up.weight", N_FF, width)
        w.weight(block + "ffn_down.weight", width, N_FF)
    return w.close()


def _own(name: str, make: Callable[[Path], Path]) -> Callable[[Path], tuple[Path, Path | None]]:
    return lambda folder: (make(folder / f"{name}.gguf"), None)


def _gemma4(folder: Path) -> tuple[Path, Path]:
    return gemma4(folder / "gemma4.gguf"), gemma4_assistant(folder / "gemma4-assistant.gguf")


def _sidecar(folder: Path) -> tuple[Path, Path]:
    return qwen35(folder / "trunk.gguf", part=Part.TRUNK), qwen35(folder / "head.gguf", part=Part.HEAD)


def _three(path: Path) -> Path:
    return mimo2(path, heads=3)


PAIRS: dict[str, Callable[[Path], tuple[Path, Path | None]]] = {
    "qwen35": _own("qwen35", qwen35),
    "qwen35moe": _own("qwen35moe", qwen35moe),
    "qwen3next": _own("qwen3next", qwen3next),
    "glm4moe": _own("glm4moe", glm4moe),
    "deepseek2": _own("deepseek2", deepseek2),
    "hy_v3": _own("hy_v3", hy_v3),
    "mimo2": _own("mimo2", mimo2),
    "three heads": _own("three-heads", _three),
    "step35": _own("step35", step35),
    "nemotron_h_moe": _own("nemotron_h_moe", nemotron_h_moe),
    "bailingmoe3": _own("bailingmoe3", bailingmoe3),
    "deepseek4": _own("deepseek4", deepseek4),
    "gemma4": _gemma4,
    "sidecar": _sidecar,
}
"""Makers of a model and of the file with its head, None where it is in the model's own."""
KINDS = tuple(PAIRS)
