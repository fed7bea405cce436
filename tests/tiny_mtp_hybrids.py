"""Tiny hybrid models with a multi-token-prediction head; `tests.tiny_mtp` has the others."""

from pathlib import Path

import numpy as np

from tests.mtp_writer import N_EXPERT, MtpWriter
from tests.tiny_models import CHATML, HEAD, N_EMBD, N_FF, N_HEAD, N_HEAD_KV

_CONVOLUTION = 4


def nemotron_h_moe(path: Path) -> Path:
    """Mamba 2 and attention without positions; the head attends, and chooses among experts."""
    w = MtpWriter(path, "nemotron_h_moe", seed=50)
    state, groups, heads, inner = 16, 1, 4, N_EMBD
    w.shape([0, N_HEAD_KV, N_HEAD_KV], [0, 0, N_FF])
    w.gguf.add_layer_norm_eps(1e-5)
    w.heads()
    w.gguf.add_ssm_conv_kernel(_CONVOLUTION)
    w.gguf.add_ssm_inner_size(inner)
    w.gguf.add_ssm_state_size(state)
    w.gguf.add_ssm_time_step_rank(heads)
    w.gguf.add_ssm_group_count(groups)
    w.expert_keys()
    w.gguf.add_expert_shared_feed_forward_length(N_FF)
    w.gguf.add_expert_shared_count(1)
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    wide = inner + 2 * groups * state
    w.norms(0, "attn_norm")
    w.weight("blk.0.ssm_in.weight", inner + wide + heads, N_EMBD)
    w.noise("blk.0.ssm_conv1d.weight", (wide, _CONVOLUTION), 0.5)
    w.tensor("blk.0.ssm_conv1d.bias", np.zeros(wide, np.float32))
    w.noise("blk.0.ssm_dt.bias", (heads,), 0.5)
    w.tensor("blk.0.ssm_a", np.full((heads, 1), -0.3, np.float32))
    w.tensor("blk.0.ssm_d", np.ones((heads, 1), np.float32))
    w.tensor("blk.0.ssm_norm.weight", np.ones((groups, inner // groups), np.float32))
    w.weight("blk.0.ssm_out.weight", N_EMBD, inner)
    for layer in (1, 2):
        w.norms(layer, "attn_norm")
        w.attention(layer)
    w.norms(2, "post_attention_norm", "nextn.shared_head_norm")
    w.weight("blk.2.ffn_gate_inp.weight", N_EXPERT, N_EMBD)
    w.noise("blk.2.exp_probs_b.bias", (N_EXPERT,), 0.1)
    w.noise("blk.2.ffn_up_exps.weight", (N_EXPERT, N_FF, N_EMBD), 1.5 / np.sqrt(N_EMBD))
    w.noise("blk.2.ffn_down_exps.weight", (N_EXPERT, N_EMBD, N_FF), 1.5 / np.sqrt(N_FF))
    w.weight("blk.2.ffn_up_shexp.weight", N_FF, N_EMBD)
    w.weight("blk.2.ffn_down_shexp.weight", N_EMBD, N_FF)
    w.nextn(2)
    return w.close()


def bailingmoe3(path: Path) -> Path:
    """Kimi's delta attention and multi-head latent attention; the latter and experts in the head."""
    w = MtpWriter(path, "bailingmoe3", seed=54)
    inner = N_HEAD * HEAD
    w.shape([0, 1, 1])
    w.latent_keys()
    w.gguf.add_ssm_conv_kernel(_CONVOLUTION)
    w.number("kda.head_dim", HEAD)
    w.gguf.add_float32("bailingmoe3.kda.gate_lower_bound", -5.0)
    w.gguf.add_leading_dense_block_count(2)
    w.expert_keys()
    w.gguf.add_expert_shared_count(1)
    w.number("expert_gating_func", 2)
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    for layer in (*w.layers, *w.head_layers):
        block = f"blk.{layer}."
        w.norms(layer, "attn_norm", "ffn_norm")
        if layer == 0:
            for name in ("q", "k", "v"):
                w.noise(f"{block}ssm_conv1d_{name}.weight", (inner, 1, _CONVOLUTION), 0.5)
                w.weight(f"{block}attn_{name}.weight", inner, N_EMBD)
            w.weight(block + "ssm_f_a.weight", inner, N_EMBD)
            w.weight(block + "ssm_g_a.weight", inner, N_EMBD)
            w.weight(block + "ssm_beta.weight", N_HEAD, N_EMBD)
            w.tensor(block + "ssm_a", np.full((N_HEAD, 1), 0.3, np.float32))
            w.noise(block + "ssm_dt.bias", (inner,), 0.5)
            w.ones(block + "ssm_norm.weight", HEAD)
            w.weight(block + "attn_output.weight", N_EMBD, inner)
        else:
            w.weight(block + "attn_gate.weight", N_HEAD, N_EMBD)
            w.latent_attention(layer)
        if layer in w.layers:
            w.feed_forward(layer)
        else:
            w.experts(layer)
            w.noise(block + "exp_probs_b.bias", (N_EXPERT,), 0.1)
            w.norms(layer, "layer_output_norm")
            w.nextn(layer)
    return w.close()


def deepseek4(path: Path) -> Path:
    """Four streams instead of one, and memories of compressed entries, which can't be trimmed."""
    w = MtpWriter(path, "deepseek4", seed=55)
    # llama.cpp divides by zero where the indexer's keys are as long as the heads', or a kind of memory has no layer.
    q_rank, head, groups, o_rank, streams, index = 32, 64, 2, 16, 4, 128
    mixed = (2 + streams) * streams
    g = w.gguf
    w.shape(1)
    w.number("embedding_length_out", streams * N_EMBD)
    g.add_key_length(head)
    g.add_value_length(head)
    g.add_rope_dimension_count(head // 2)
    g.add_q_lora_rank(q_rank)
    g.add_sliding_window(64)
    w.expert_keys()
    g.add_expert_shared_count(1)
    g.add_expert_weights_scale(1.0)
    g.add_expert_weights_norm(True)
    w.number("expert_gating_func", 4)
    g.add_array("deepseek4.swiglu_clamp_exp", [10.0] * w.n_layer)
    w.number("attention.indexer.head_count", N_HEAD)
    w.number("attention.indexer.key_length", index)
    w.number("attention.indexer.top_k", 1024)
    w.number("attention.output_group_count", groups)
    w.number("attention.output_lora_rank", o_rank)
    g.add_float32("deepseek4.attention.compress_rope_freq_base", 160000.0)
    g.add_array("deepseek4.attention.compress_ratios", [4, 128, 0])
    w.number("hyper_connection.count", streams)
    w.number("hyper_connection.sinkhorn_iterations", 2)
    g.add_float32("deepseek4.hyper_connection.epsilon", 1e-6)
    w.number("hash_layer_count", 0)
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    w.noise("output_hc_fn.weight", (streams, streams * N_EMBD), 0.05)
    w.tensor("output_hc_base.weight", np.zeros(streams, np.float32))
    w.ones("output_hc_scale.weight", 1)
    mixes = np.zeros(mixed, np.float32)
    mixes[streams : 2 * streams] = -1  # what a layer adds to each stream, before a sigmoid
    for layer in (*w.layers, *w.head_layers):
        block = f"blk.{layer}."
        w.norms(layer, "attn_norm", "ffn_norm")
        w.ones(block + "attn_q_a_norm.weight", q_rank)
        w.ones(block + "attn_kv_a_norm.weight", head)
        w.tensor(block + "attn_sinks.weight", np.zeros(N_HEAD, np.float32))
        w.weight(block + "attn_q_a.weight", q_rank, N_EMBD)
        w.weight(block + "attn_q_b.weight", N_HEAD * head, q_rank)
        w.weight(block + "attn_kv.weight", head, N_EMBD)
        w.noise(block + "attn_output_a.weight", (groups, o_rank, N_HEAD * head // groups), 0.2)
        w.weight(block + "attn_output_b.weight", N_EMBD, groups * o_rank)
        for part in ("attn", "ffn"):
            w.noise(f"{block}hc_{part}_fn.weight", (mixed, streams * N_EMBD), 0.05)
            w.tensor(f"{block}hc_{part}_base.weight", mixes)
            w.ones(f"{block}hc_{part}_scale.weight", 3)
        if layer == 0:
            _compressor(w, block + "attn_compressor_", 2 * head, head, 4)
            _compressor(w, block + "indexer_compressor_", 2 * index, index, 4)
            w.weight(block + "indexer.proj.weight", N_HEAD, N_EMBD)
            w.weight(block + "indexer.attn_q_b.weight", N_HEAD * index, q_rank)
        elif layer == 1:
            _compressor(w, block + "attn_compressor_", head, head, 128)
        w.experts(layer)
        w.noise(block + "exp_probs_b.bias", (N_EXPERT,), 0.1)
    w.nextn(2)
    return w.close()


def _compressor(w: MtpWriter, name: str, width: int, head: int, ratio: int) -> None:
    """What makes one entry of `ratio`."""
    w.weight(name + "kv.weight", width, N_EMBD)
    w.weight(name + "gate.weight", width, N_EMBD)
    w.noise(name + "ape.weight", (ratio, width), 0.1)
    w.ones(name + "norm.weight", head)
