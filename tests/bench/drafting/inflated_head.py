"""A tiny model with a multi-token-prediction head, in the shape of a large one: for measuring what the head gains.

As in `tests.bench.drafting.inflated` all that is added is zeros, here also tokens that are never written: a head runs
the whole output matrix for each token that it drafts, so a small vocabulary would flatter it.
"""

from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.quants import quantize
from numpy.typing import NDArray

from tests.bench.drafting.inflated import LARGE, WIDE
from tests.gguf_files import finish
from tests.tiny_models import HEAD, N_EMBD, N_HEAD, N_HEAD_KV

Array = NDArray[np.float32]
_TOKENS = 32_000
_UNUSED = 5
"""llama.cpp's type of tokens that stand for nothing."""
_DIRECT = ("token_embd", "output.", "shared_head_head")
"""Matrices with a row for each token."""


def inflate_head(small: Path, path: Path, kind: gguf.GGMLQuantizationType, disturbing: float) -> Path:
    """`small`: what `tiny_mtp.mimo2` wrote with one head and without turning.

    Its layers disturb the text `disturbing` times as much as they did: the less, the more often the head is right.
    """
    reader = gguf.GGUFReader(small)
    found = {name: field.contents() for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    arch = found["general.architecture"]
    trunk = found[f"{arch}.block_count"] - found[f"{arch}.nextn_predict_layers"]
    n_layer, n_ff = LARGE.n_layer + 1, LARGE.n_ff
    lacks = range(len(found["tokenizer.ggml.tokens"]), _TOKENS)
    changed: dict[str, Any] = {
        "tokenizer.ggml.tokens": [*found["tokenizer.ggml.tokens"], *(f"[unused{n}]" for n in lacks)],
        "tokenizer.ggml.token_type": [*found["tokenizer.ggml.token_type"], *[_UNUSED] * len(lacks)],
        f"{arch}.vocab_size": _TOKENS,
        f"{arch}.block_count": n_layer,
        f"{arch}.embedding_length": LARGE.n_embd,
        f"{arch}.feed_forward_length": n_ff,
        f"{arch}.expert_feed_forward_length": n_ff,
        f"{arch}.attention.head_count": LARGE.n_head,
        f"{arch}.attention.head_count_kv": LARGE.n_head_kv,
        f"{arch}.attention.key_length": WIDE,
        f"{arch}.attention.value_length": WIDE,
        f"{arch}.rope.dimension_count": WIDE,
        f"{arch}.attention.sliding_window_pattern": [layer % 4 != 1 for layer in range(n_layer)],
    }
    w = gguf.GGUFWriter(str(path), arch)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    for name, field in reader.fields.items():
        if name in found and name != "general.architecture":
            sub_type = field.types[-1] if field.types[0] is gguf.GGUFValueType.ARRAY else None
            w.add_key_value(name, changed.get(name, found[name]), field.types[0], sub_type)
    tensors = {each.name: np.array(each.data, np.float32) for each in reader.tensors}
    for name, data in tensors.items():
        outward = name.startswith("blk.") and ("attn_output" in name or "ffn_down" in name)
        _put(w, _moved(name, trunk), data * np.float32(disturbing) if outward else data, kind)
    for layer in range(trunk, LARGE.n_layer):
        # Its own layers disturb the text; those that are added change nothing.
        for name, data in tensors.items():
            if name.startswith("blk.0."):
                _put(w, name.replace("blk.0.", f"blk.{layer}."), data if data.ndim == 1 else 0 * data, kind)
    finish(w)
    return path


def _moved(name: str, trunk: int) -> str:
    """The head comes after the layers that are added."""
    return name.replace(f"blk.{trunk}.", f"blk.{LARGE.n_layer}.")


def _put(w: gguf.GGUFWriter, name: str, data: Array, kind: gguf.GGMLQuantizationType) -> None:
    if data.ndim == 1:
        # A norm: the mean is over more elements than there are values.
        w.add_tensor(name, np.full(LARGE.n_embd, np.sqrt(N_EMBD / LARGE.n_embd), np.float32))
        return
    wide = _widened(name, data)
    w.add_tensor(name, quantize(wide, kind), raw_dtype=kind)


def _widened(name: str, data: Array) -> Array:
    if "eh_proj" in name:
        token, row = np.hsplit(data, 2)
        return np.hstack([_padded(token, LARGE.n_embd, LARGE.n_embd), _padded(row, LARGE.n_embd, LARGE.n_embd)])
    if "attn_qkv" in name:
        q, k, v = np.vsplit(data, [N_HEAD * HEAD, (N_HEAD + N_HEAD_KV) * HEAD])
        parts = [_heads(q, LARGE.n_head) * np.sqrt(WIDE / HEAD), _heads(k, LARGE.n_head_kv), _heads(v, LARGE.n_head_kv)]
        return np.vstack(parts).astype(np.float32)
    if "attn_output" in name:
        return np.ascontiguousarray(_heads(data.T, LARGE.n_head).T)
    if any(part in name for part in _DIRECT):
        return _padded(data, _TOKENS, LARGE.n_embd)
    if "ffn_down" in name:
        return _padded(data, LARGE.n_embd, LARGE.n_ff)
    return _padded(data, LARGE.n_ff, LARGE.n_embd)


def _heads(data: Array, n: int) -> Array:
    """`data` of shape (heads * HEAD, N_EMBD) in `n` heads of `WIDE`. They are turned in another way: no matter."""
    whole = np.zeros((n, WIDE, LARGE.n_embd), np.float32)
    heads = data.reshape(-1, HEAD, data.shape[1])
    whole[: len(heads), :HEAD, : data.shape[1]] = heads
    return whole.reshape(-1, LARGE.n_embd)


def _padded(data: Array, n_out: int, n_in: int) -> Array:
    whole = np.zeros((n_out, n_in), np.float32)
    whole[: data.shape[0], : data.shape[1]] = data
    return whole
