"""Makes tiny random models in milliseconds: a real tokenizer, a chat template, a few layers.

Keys and tensors per family are those that llama.cpp's loader asks for. The weights are random with a fixed
seed, so a greedy continuation is nonsense, but always the same nonsense.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

from tests.gguf_files import finish

N_EMBD = 64
N_FF = 96
N_HEAD, N_HEAD_KV, HEAD = 4, 2, 16
_KV_RANK, _ROPE, _NOPE = 32, 8, 16
"""Of multi-head latent attention: its narrow place, and a head's parts with and without positions."""
CONTEXT = 8192
CONTROL_TOKENS = (
    "<unk>", "<s>", "</s>", "<pad>", "<|im_start|>", "<|im_end|>", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>",
    "<|startoftext|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "[INST]", "[/INST]", "<|eot_id|>",
)  # fmt: skip
USER_TOKENS = ("<think>", "</think>", "<tool_call>", "</tool_call>")
_CONTROL, _NORMAL, _USER_DEFINED, _BYTE, _UNKNOWN = 3, 1, 4, 6, 2

CHATML = (
    "{%- for m in messages -%}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"
)
GEMMA = (
    "{{- bos_token -}}{%- for m in messages -%}"
    "{%- if m.role == 'system' -%}{{- raise_exception('System role not supported') -}}{%- endif -%}"
    "{{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' + (m.content | trim)"
    " + '<end_of_turn>\\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<start_of_turn>model\\n' -}}{%- endif -%}"
)
THINKING = (
    "{%- for m in messages -%}{%- set text = m.content -%}"
    "{%- if m.role == 'assistant' and '</think>' in text -%}"
    "{%- set text = text.split('</think>')[-1].lstrip('\\n') -%}{%- endif -%}"
    "{{- '<|im_start|>' + m.role + '\\n' + text + '<|im_end|>\\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n<think>\\n' -}}{%- endif -%}"
)


def _byte_alphabet() -> list[str]:
    """GPT-2's printable stand-in for each byte (Radford et al. 2019, encoder.py)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    spare = iter(range(256, 512))
    return [chr(byte) if byte in shown else chr(next(spare)) for byte in range(256)]


_ALPHABET = _byte_alphabet()
_MERGES = (
    "h e", "t he", "i n", "a n", "o u", "r e", "e r", "o n", "Ġ a", "Ġ the", "l l", "in g", "Ċ Ċ", "u s", "us er",
)  # fmt: skip
_STARTS = {"Ġ": _ALPHABET[32], "Ċ": _ALPHABET[10]}


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary as GGUF wants it."""

    model: str
    tokens: list[str]
    types: list[int]
    merges: list[str]
    scores: list[float]

    def id(self, token: str) -> int:
        return self.tokens.index(token)


def bpe_tokenizer() -> Tokenizer:
    merges = [" ".join(_STARTS.get(half, half) for half in merge.split()) for merge in _MERGES]
    plain = [*_ALPHABET, *(merge.replace(" ", "") for merge in merges)]
    types = [_NORMAL] * len(plain) + [_CONTROL] * len(CONTROL_TOKENS) + [_USER_DEFINED] * len(USER_TOKENS)
    return Tokenizer("gpt2", [*plain, *CONTROL_TOKENS, *USER_TOKENS], types, merges, [])


def spm_tokenizer() -> Tokenizer:
    """SentencePiece-like: a space is put before the text, and unknown characters fall back to bytes."""
    words = ["▁the", "▁a", "th", "he", "in", "ing", "er", "▁s", "an", "on", "▁"]
    letters = [chr(code) for code in range(33, 127)]
    tokens = ["<unk>", *CONTROL_TOKENS[1:], *(f"<0x{byte:02X}>" for byte in range(256)), *words, *letters, *USER_TOKENS]
    types = [_UNKNOWN] + [_CONTROL] * (len(CONTROL_TOKENS) - 1) + [_BYTE] * 256
    types += [_NORMAL] * (len(words) + len(letters)) + [_USER_DEFINED] * len(USER_TOKENS)
    scores = [float(len(token)) if kind == _NORMAL else 0.0 for token, kind in zip(tokens, types, strict=True)]
    return Tokenizer("llama", tokens, types, [], scores)


class Writer:
    """One GGUF file in the making."""

    def __init__(self, path: Path, arch: str, tokenizer: Tokenizer, n_layer: int, seed: int) -> None:
        self.path = path
        self.gguf = gguf.GGUFWriter(str(path), arch)
        self.arch, self.n_layer, self.tokenizer = arch, n_layer, tokenizer
        self._rng = np.random.default_rng(seed)
        self.gguf.add_name(f"Tiny {arch}")

    def tensor(self, name: str, data: NDArray[np.float32]) -> None:
        self.gguf.add_tensor(name, np.ascontiguousarray(data))

    def weight(self, name: str, n_out: int, n_in: int, gain: float = 1.5) -> None:
        scale = gain / np.sqrt(n_in)
        self.tensor(name, (self._rng.standard_normal((n_out, n_in)) * scale).astype(np.float32))

    def noise(self, name: str, shape: Sequence[int], scale: float) -> None:
        self.tensor(name, (self._rng.standard_normal(tuple(shape)) * scale).astype(np.float32))

    def ones(self, name: str, size: int) -> None:
        self.tensor(name, np.ones(size, np.float32))

    def number(self, key: str, value: int) -> None:
        self.gguf.add_uint32(f"{self.arch}.{key}", value)

    def shape(self, n_head_kv: int | list[int] = N_HEAD_KV, n_ff: int | list[int] = N_FF) -> None:
        w = self.gguf
        w.add_context_length(CONTEXT)
        w.add_embedding_length(N_EMBD)
        w.add_block_count(self.n_layer)
        w.add_feed_forward_length(n_ff)
        w.add_head_count(N_HEAD)
        w.add_head_count_kv(n_head_kv)
        w.add_layer_norm_rms_eps(1e-5)
        w.add_rope_freq_base(10000.0)
        w.add_vocab_size(len(self.tokenizer.tokens))

    def heads(self) -> None:
        self.gguf.add_key_length(HEAD)
        self.gguf.add_value_length(HEAD)
        self.gguf.add_rope_dimension_count(HEAD)

    def vocabulary(self, template: str | None, eos: str, bos: str | None) -> None:
        w, tokenizer = self.gguf, self.tokenizer
        w.add_tokenizer_model(tokenizer.model)
        w.add_token_list(tokenizer.tokens)
        w.add_token_types(tokenizer.types)
        if tokenizer.merges:
            w.add_tokenizer_pre("gpt-2")
            w.add_token_merges(tokenizer.merges)
        if tokenizer.scores:
            w.add_token_scores(tokenizer.scores)
        w.add_eos_token_id(tokenizer.id(eos))
        w.add_add_bos_token(bos is not None)
        if bos is not None:
            w.add_bos_token_id(tokenizer.id(bos))
        if template is not None:
            w.add_chat_template(template)

    def embeddings(self, norm: str = "output_norm") -> None:
        n_vocab = len(self.tokenizer.tokens)
        self.noise("token_embd.weight", (n_vocab, N_EMBD), 0.5)
        self.ones(f"{norm}.weight", N_EMBD)
        rows = self._rng.standard_normal((n_vocab, N_EMBD)) * (2.0 / np.sqrt(N_EMBD))
        # Control tokens are never the likeliest, so that a greedy answer goes on until something ends it.
        rows[[index for index, kind in enumerate(self.tokenizer.types) if kind == _CONTROL]] = 0.0
        self.tensor("output.weight", rows.astype(np.float32))

    def feed_forward(self, layer: int) -> None:
        self.weight(f"blk.{layer}.ffn_gate.weight", N_FF, N_EMBD)
        self.weight(f"blk.{layer}.ffn_up.weight", N_FF, N_EMBD)
        self.weight(f"blk.{layer}.ffn_down.weight", N_EMBD, N_FF)

    def attention(self, layer: int, *, gated: bool = False) -> None:
        self.weight(f"blk.{layer}.attn_q.weight", N_HEAD * HEAD * (2 if gated else 1), N_EMBD)
        self.weight(f"blk.{layer}.attn_k.weight", N_HEAD_KV * HEAD, N_EMBD)
        self.weight(f"blk.{layer}.attn_v.weight", N_HEAD_KV * HEAD, N_EMBD)
        self.weight(f"blk.{layer}.attn_output.weight", N_EMBD, N_HEAD * HEAD)

    def head_norms(self, layer: int) -> None:
        self.ones(f"blk.{layer}.attn_q_norm.weight", HEAD)
        self.ones(f"blk.{layer}.attn_k_norm.weight", HEAD)

    def norms(self, layer: int, *names: str) -> None:
        for name in names:
            self.ones(f"blk.{layer}.{name}.weight", N_EMBD)

    def latent_keys(self) -> None:
        """For layers with `latent_attention`, beside the rank of their queries."""
        self.gguf.add_key_length(_KV_RANK + _ROPE)
        self.gguf.add_value_length(_KV_RANK)
        self.gguf.add_key_length_mla(_NOPE + _ROPE)
        self.gguf.add_value_length_mla(HEAD)
        self.gguf.add_rope_dimension_count(_ROPE)
        self.gguf.add_kv_lora_rank(_KV_RANK)

    def latent_attention(self, layer: int, *, q_rank: int | None = None) -> None:
        """Multi-head latent attention (MLA); with a rank the queries go through a narrow place too."""
        block = f"blk.{layer}.attn_"
        self.ones(block + "kv_a_norm.weight", _KV_RANK)
        if q_rank is None:
            self.weight(block + "q.weight", N_HEAD * (_NOPE + _ROPE), N_EMBD)
        else:
            self.ones(block + "q_a_norm.weight", q_rank)
            self.weight(block + "q_a.weight", q_rank, N_EMBD)
            self.weight(block + "q_b.weight", N_HEAD * (_NOPE + _ROPE), q_rank)
        self.weight(block + "kv_a_mqa.weight", _KV_RANK + _ROPE, N_EMBD)
        self.noise(block + "k_b.weight", (N_HEAD, _KV_RANK, _NOPE), 1.5 / np.sqrt(_NOPE))
        self.noise(block + "v_b.weight", (N_HEAD, HEAD, _KV_RANK), 1.5 / np.sqrt(_KV_RANK))
        self.weight(block + "output.weight", N_EMBD, N_HEAD * HEAD)

    def delta_net_keys(self) -> None:
        state, k_heads, v_heads = 16, 2, 4
        self.gguf.add_ssm_conv_kernel(4)
        self.gguf.add_ssm_inner_size(state * v_heads)
        self.gguf.add_ssm_state_size(state)
        self.gguf.add_ssm_time_step_rank(v_heads)
        self.gguf.add_ssm_group_count(k_heads)
        self.number("full_attention_interval", 2)

    def delta_net(self, layer: int, *, fused: bool = False) -> None:
        """Gated delta net; `fused`: beta and alpha in one tensor, as qwen3next has them."""
        state, k_heads, v_heads = 16, 2, 4
        k_dim, v_dim = state * k_heads, state * v_heads
        block = f"blk.{layer}."
        self.weight(block + "attn_qkv.weight", 2 * k_dim + v_dim, N_EMBD)
        self.weight(block + "attn_gate.weight", v_dim, N_EMBD)
        self.noise(block + "ssm_conv1d.weight", (2 * k_dim + v_dim, 4), 0.5)
        self.noise(block + "ssm_dt.bias", (v_heads,), 0.5)
        self.tensor(block + "ssm_a", np.full(v_heads, -0.3, np.float32))
        if fused:
            self.weight(block + "ssm_ba.weight", 2 * v_heads, N_EMBD)
        else:
            self.weight(block + "ssm_beta.weight", v_heads, N_EMBD)
            self.weight(block + "ssm_alpha.weight", v_heads, N_EMBD)
        self.ones(block + "ssm_norm.weight", state)
        self.weight(block + "ssm_out.weight", N_EMBD, v_dim)

    def plain_layers(self, between: Callable[[int], None] = lambda _: None) -> None:
        """Attention, what `between` adds to a layer, and a feed-forward."""
        for layer in range(self.n_layer):
            self.norms(layer, "attn_norm", "ffn_norm")
            self.attention(layer)
            between(layer)
            self.feed_forward(layer)

    def close(self) -> Path:
        finish(self.gguf)
        return self.path


def llama(
    path: Path,
    *,
    template: str | None = CHATML,
    tokenizer: Tokenizer | None = None,
    eos: str = "<|im_end|>",
    seed: int = 0,
) -> Path:
    """Full attention."""
    return _dense(Writer(path, "llama", tokenizer or bpe_tokenizer(), 2, seed), template, eos)


def _dense(w: Writer, template: str | None, eos: str) -> Path:
    w.shape()
    w.heads()
    w.vocabulary(template, eos, "<s>")
    w.embeddings()
    w.plain_layers()
    return w.close()


def dream(path: Path) -> Path:
    """A diffusion model, which Hearth refuses."""
    return _dense(Writer(path, "dream", bpe_tokenizer(), 2, 0), CHATML, "<|im_end|>")


def eurobert(path: Path) -> Path:
    """Makes vectors of texts and has no memory; Hearth refuses it."""
    w = Writer(path, "eurobert", bpe_tokenizer(), 2, 0)
    w.shape()
    w.heads()
    w.vocabulary(None, "<|im_end|>", "<s>")
    w.noise("token_embd.weight", (len(w.tokenizer.tokens), N_EMBD), 0.5)
    w.ones("output_norm.weight", N_EMBD)
    w.plain_layers()
    return w.close()


def llama_spm(path: Path, *, template: str | None = None) -> Path:
    """Full attention with a SentencePiece vocabulary; no chat template unless one is given."""
    return llama(path, template=template, tokenizer=spm_tokenizer())


def gemma3(path: Path, *, n_swa: int = 64, template: str = GEMMA, tokenizer: Tokenizer | None = None) -> Path:
    """A sliding window of `n_swa` positions in every other layer."""
    w = Writer(path, "gemma3", tokenizer or bpe_tokenizer(), 2, 1)
    w.shape()
    w.heads()
    w.gguf.add_sliding_window(n_swa)
    w.gguf.add_sliding_window_pattern([True, False])
    w.vocabulary(template, "<end_of_turn>", "<bos>")
    w.embeddings()
    for layer in range(w.n_layer):
        w.norms(layer, "attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
        w.head_norms(layer)
        w.attention(layer)
        w.feed_forward(layer)
    return w.close()


def qwen35(path: Path, *, template: str = CHATML, tokenizer: Tokenizer | None = None) -> Path:
    """Hybrid: a gated delta net layer, then an attention layer."""
    w = Writer(path, "qwen35", tokenizer or bpe_tokenizer(), 2, 2)
    w.shape()
    w.heads()
    w.gguf.add_rope_dimension_sections([3, 3, 2, 0])
    w.delta_net_keys()
    w.vocabulary(template, "<|im_end|>", None)
    w.embeddings()
    w.norms(0, "attn_norm", "post_attention_norm")
    w.delta_net(0)
    w.feed_forward(0)
    w.norms(1, "attn_norm", "post_attention_norm")
    w.attention(1, gated=True)
    w.head_norms(1)
    w.feed_forward(1)
    return w.close()


def lfm2(path: Path, *, tokenizer: Tokenizer | None = None) -> Path:
    """Hybrid: a short convolution, then an attention layer."""
    w = Writer(path, "lfm2", tokenizer or bpe_tokenizer(), 2, 3)
    w.shape([0, N_HEAD_KV])
    w.gguf.add_shortconv_l_cache(3)
    w.vocabulary(CHATML, "<|im_end|>", "<|startoftext|>")
    w.embeddings("token_embd_norm")
    w.noise("blk.0.shortconv.conv.weight", (N_EMBD, 3), 0.5)
    w.weight("blk.0.shortconv.in_proj.weight", 3 * N_EMBD, N_EMBD)
    w.weight("blk.0.shortconv.out_proj.weight", N_EMBD, N_EMBD)
    w.attention(1)
    w.head_norms(1)
    for layer in range(w.n_layer):
        w.norms(layer, "attn_norm", "ffn_norm")
        w.feed_forward(layer)
    return w.close()


def moe(path: Path) -> Path:
    """Full attention, and a choice of two among four experts in each layer."""
    w = Writer(path, "llama", bpe_tokenizer(), 2, 4)
    n_expert = 4
    w.shape()
    w.heads()
    w.gguf.add_expert_count(n_expert)
    w.gguf.add_expert_used_count(2)
    w.vocabulary(CHATML, "<|im_end|>", "<s>")
    w.embeddings()
    for layer in range(w.n_layer):
        w.norms(layer, "attn_norm", "ffn_norm")
        w.attention(layer)
        w.weight(f"blk.{layer}.ffn_gate_inp.weight", n_expert, N_EMBD)
        w.noise(f"blk.{layer}.ffn_gate_exps.weight", (n_expert, N_FF, N_EMBD), 1.5 / np.sqrt(N_EMBD))
        w.noise(f"blk.{layer}.ffn_up_exps.weight", (n_expert, N_FF, N_EMBD), 1.5 / np.sqrt(N_EMBD))
        w.noise(f"blk.{layer}.ffn_down_exps.weight", (n_expert, N_EMBD, N_FF), 1.5 / np.sqrt(N_FF))
    return w.close()


def deepseek2(path: Path) -> Path:
    """Multi-head latent attention (MLA), with dense layers."""
    w = Writer(path, "deepseek2", bpe_tokenizer(), 2, 5)
    w.shape(1)
    w.latent_keys()
    w.gguf.add_q_lora_rank(32)
    w.gguf.add_leading_dense_block_count(w.n_layer)
    w.gguf.add_expert_feed_forward_length(N_FF)
    w.gguf.add_expert_shared_count(0)
    w.vocabulary(CHATML, "<|im_end|>", "<s>")
    w.embeddings()
    for layer in range(w.n_layer):
        w.norms(layer, "attn_norm", "ffn_norm")
        w.latent_attention(layer, q_rank=32)
        w.feed_forward(layer)
    return w.close()


def mamba(path: Path, *, template: str = CHATML, tokenizer: Tokenizer | None = None) -> Path:
    """Recurrent: no attention at all."""
    w = Writer(path, "mamba", tokenizer or bpe_tokenizer(), 2, 6)
    inner, state, rank, conv = 2 * N_EMBD, 16, 4, 4
    g = w.gguf
    g.add_context_length(CONTEXT)
    g.add_embedding_length(N_EMBD)
    g.add_feed_forward_length(0)
    g.add_head_count(0)
    g.add_block_count(w.n_layer)
    g.add_layer_norm_rms_eps(1e-5)
    g.add_ssm_conv_kernel(conv)
    g.add_ssm_inner_size(inner)
    g.add_ssm_state_size(state)
    g.add_ssm_time_step_rank(rank)
    w.vocabulary(template, "<|im_end|>", None)
    w.embeddings()
    for layer in range(w.n_layer):
        block = f"blk.{layer}."
        w.ones(block + "attn_norm.weight", N_EMBD)
        w.weight(block + "ssm_in.weight", 2 * inner, N_EMBD)
        w.noise(block + "ssm_conv1d.weight", (inner, conv), 0.5)
        w.noise(block + "ssm_conv1d.bias", (inner,), 0.1)
        w.weight(block + "ssm_x.weight", rank + 2 * state, inner)
        w.weight(block + "ssm_dt.weight", inner, rank)
        w.noise(block + "ssm_dt.bias", (inner,), 0.1)
        w.tensor(block + "ssm_a", -np.tile(np.arange(1, state + 1, dtype=np.float32), (inner, 1)))
        w.ones(block + "ssm_d", inner)
        w.weight(block + "ssm_out.weight", N_EMBD, inner)
    return w.close()


MAKERS: dict[str, Callable[[Path], Path]] = {
    "llama": llama,
    "llama_spm": llama_spm,
    "gemma3": gemma3,
    "qwen35": qwen35,
    "lfm2": lfm2,
    "moe": moe,
    "deepseek2": deepseek2,
    "mamba": mamba,
}
