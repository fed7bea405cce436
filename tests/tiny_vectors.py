"""Tiny random models that make vectors of texts or rank documents: without a memory and with one, of each pooling."""

from pathlib import Path

from tests.tiny_models import HEAD, N_EMBD, N_FF, Tokenizer, Writer, bpe_tokenizer

_POOLING = {"none": 0, "mean": 1, "cls": 2, "last": 3, "rank": 4, "unspecified": 0xFFFFFFFF}
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,?!"
_WORDS = ("the", "model", "paris", "is", "city")
LONGEST = 1024
"""Tokens of a text."""


def wordpiece() -> Tokenizer:
    """BERT's, as GGUF has it: what begins a word has ▁ before it."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    plain = [*(f"▁{each}" for each in (*_WORDS, *_LETTERS)), *_LETTERS]
    types = [3, 2, 3, 3, 3] + [1] * len(plain)
    return Tokenizer("bert", [*special, *plain], types, [], [])


def bert(path: Path, pooling: str, *, n_layer: int = 2, n_embd: int = N_EMBD, n_ff: int = N_FF) -> Path:
    """No memory: each token sees the whole text. The sizes can be a real model's."""
    w = Writer(path, "bert", wordpiece(), n_layer, 11)
    g = w.gguf
    g.add_context_length(LONGEST)
    g.add_embedding_length(n_embd)
    g.add_block_count(n_layer)
    g.add_feed_forward_length(n_ff)
    g.add_head_count(n_embd // HEAD if n_embd == N_EMBD else n_embd // 32)
    g.add_layer_norm_eps(1e-12)
    g.add_causal_attention(False)
    w.number("pooling_type", _POOLING[pooling])
    w.vocabulary(None, "[SEP]", "[CLS]")
    g.add_token_type_count(2)
    g.add_unk_token_id(w.tokenizer.id("[UNK]"))
    g.add_sep_token_id(w.tokenizer.id("[SEP]"))
    g.add_add_sep_token(True)
    g.add_add_eos_token(True)
    w.noise("token_embd.weight", (len(w.tokenizer.tokens), n_embd), 0.5)
    w.noise("token_types.weight", (2, n_embd), 0.1)
    w.noise("position_embd.weight", (LONGEST, n_embd), 0.1)
    _norm(w, "token_embd_norm", n_embd)
    for block in (f"blk.{layer}." for layer in range(n_layer)):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            w.weight(f"{block}{name}.weight", n_embd, n_embd, gain=1.0)
            w.noise(f"{block}{name}.bias", (n_embd,), 0.1)
        w.weight(f"{block}ffn_up.weight", n_ff, n_embd)
        w.weight(f"{block}ffn_down.weight", n_embd, n_ff)
        _norm(w, f"{block}attn_output_norm", n_embd)
        _norm(w, f"{block}layer_output_norm", n_embd)
    if pooling == "rank":
        w.weight("cls.weight", n_embd, n_embd)
        w.noise("cls.bias", (n_embd,), 0.1)
        w.weight("cls.output.weight", 1, n_embd)
        w.noise("cls.output.bias", (1,), 0.1)
    return w.close()


def _norm(w: Writer, name: str, size: int) -> None:
    w.ones(f"{name}.weight", size)
    w.noise(f"{name}.bias", (size,), 0.1)


def decoder(path: Path, pooling: str, *, form: str = "") -> Path:
    """Full attention and a memory; `form` is how a query and a document are put together to be ranked."""
    w = Writer(path, "qwen3", bpe_tokenizer(), 2, 12)
    w.shape()
    w.heads()
    w.number("pooling_type", _POOLING[pooling])
    w.vocabulary(None, "<|im_end|>", "<s>")
    w.gguf.add_add_eos_token(True)
    if form:
        w.gguf.add_string("tokenizer.chat_template.rerank", form)
    w.embeddings()
    w.plain_layers(w.head_norms)
    if pooling == "rank":
        w.weight("cls.output.weight", 2, N_EMBD)
        w.gguf.add_array("qwen3.classifier.output_labels", ["yes", "no"])
    return w.close()
