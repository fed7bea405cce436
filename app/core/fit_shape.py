"""What of a model decides how much memory it takes: read from its header, as llama.cpp's loader reads it.

The sources are llama.cpp's: `llama_hparams` (sizes of states, which layers have a window), `llama_model::create_memory`
(which memory an architecture gets, and which layers have cells in it), and `load_arch_hparams` of the architectures.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.gguf_header import GgufHeader

_BLOCK = re.compile(r"blk\.(\d+)\.")
_MOST_LAYERS = 1024
_SANE = 1 << 24
"""No width of a real model is beyond this; a damaged header may say anything."""

RECURRENT = {"mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"}
_WITHOUT_HEADS = {
    "jamba", "plamo2", "granitehybrid", "lfm2", "lfm2moe", "kimi-linear", "kimi-k3", "bailingmoe3", "glm5-next",
    "nemotron_h", "nemotron_h_moe",
}  # fmt: skip
"""Hybrids whose recurrent layers are those that have no K and V heads."""
_BY_INTERVAL = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4, "qwen4exp": 4, "minimax-01": 8}
"""Hybrids in which each n-th layer attends, unless they list their recurrent layers."""
_NO_MEMORY = {
    "bert", "jina-bert-v2", "jina-bert-v3", "nomic-bert", "nomic-bert-moe", "neo-bert", "eurobert", "modern-bert",
    "gemma-embedding", "dream", "llada", "llada-moe", "rnd1", "wavtokenizer-dec",
}  # fmt: skip
_ROUGH = {"deepseek4", "deepseek32", "glm-dsa", "glm5-next", "hy-v4", "dots3note", "minimax-m3", "qwen4exp", "dflash"}
"""Memories with parts of their own (indexers, compressed copies); what is reckoned for them is near, not exact."""


@dataclass(frozen=True, slots=True)
class _Window:
    period: int
    """Each n-th layer sees everything, where the file has no list."""
    dense_first: bool = False
    size: int = 0
    """What stands in where the file says no size; 0: then there is no window."""


_WINDOWS = {
    "afmoe": _Window(4),
    "cohere2": _Window(4),
    "cohere2moe": _Window(4, dense_first=True),
    "exaone-moe": _Window(4, size=128),
    "exaone4": _Window(4, size=4096),
    "gemma2": _Window(2, size=4096),
    "gemma3": _Window(6),
    "gemma3n": _Window(5),
    "gpt-oss": _Window(2),
    "laguna": _Window(4, dense_first=True),
    "llama4": _Window(4, size=8192),
    "mellum": _Window(4),
    "muse-glimmer": _Window(4),
    "olmo2": _Window(4),
    "plamo3": _Window(8),
    "smallthinker": _Window(4, dense_first=True),
}
_LISTED_WINDOWS = {"gemma4", "gemma4-assistant", "granite_swa", "maple", "mimo2", "step35", "spark2_5", "dots3note"}
"""Architectures whose files must list the layers that have a window."""
_EXAONE4_LARGE = 64
"""Only the exaone4 with this many layers has windows."""
_LLAMA4_CHUNK = 8192
_SMALLTHINKER_WINDOW = 4096
_GEMMA3N_LAYERS_WITH_KV = 20


@dataclass(frozen=True, slots=True)
class LayerShape:
    """One layer, or several in a row that are alike."""

    weights: int
    """Bytes of its tensors."""
    k: int = 0
    """Elements of K that one cell holds."""
    v: int = 0
    state: int = 0
    """Floats of the recurrent state, which does not grow with the context."""
    window: bool = False
    """Its cells are those of the sliding window."""
    n: int = 1
    """How many such layers follow each other."""


@dataclass(frozen=True, slots=True)
class FitShape:
    architecture: str
    layers: tuple[LayerShape, ...]
    """In order, alike ones in a row told once."""
    input_weights: int = 0
    """Bytes of the token embeddings and of what else stays on the processor."""
    output_weights: int = 0
    """Bytes of the output matrix and its norm, which go to a graphics card with the last layer."""
    tied: bool = False
    """The output matrix is the token embeddings; on a graphics card it is there twice."""
    n_ctx_train: int = 0
    n_swa: int = 0
    n_embd: int = 0
    n_vocab: int = 0
    n_head: int = 0
    """The most of any layer."""
    head_k: int = 0
    n_ff: int = 0
    """The widest feed-forward part that one token runs through, experts that are used included."""
    n_expert: int = 0
    d_inner: int = 0
    """Width of a recurrent layer's input."""
    exact: bool = True

    @property
    def n_layer(self) -> int:
        return sum(layer.n for layer in self.layers)

    @property
    def weights(self) -> int:
        return self.input_weights + self.output_weights + sum(layer.weights * layer.n for layer in self.layers)


def shape_of(headers: Sequence[GgufHeader]) -> FitShape:
    """The shape of the model whose parts have `headers`, the first of which has its metadata."""
    return _Reader(headers).shape()


class _Reader:
    def __init__(self, headers: Sequence[GgufHeader]) -> None:
        self._header = headers[0]
        self._tensors = {name: info for header in headers for name, info in header.tensors.items()}
        self.architecture = self._header.text("general.architecture")
        # The blocks at the end that only predict further tokens have no cells in the memory of the model itself.
        self._n_all = min(self._number("block_count"), _MOST_LAYERS)
        self.n_layer = max(0, self._n_all - min(self._n_all, self._number("nextn_predict_layers")))

    def shape(self) -> FitShape:
        weights, inputs, outputs, tied = self._weights()
        n_swa = self._n_swa()
        layers = [self._layer(index, weights[index], n_swa) for index in range(self.n_layer)]
        used = max(self._each("expert_used_count"), default=0)
        n_ff = max(self._each("feed_forward_length"), default=0)
        n_ff_expert = max(self._each("expert_feed_forward_length"), default=0) or n_ff
        return FitShape(
            architecture=self.architecture,
            layers=_joined(layers),
            input_weights=inputs,
            output_weights=outputs + sum(weights[self.n_layer :]),
            tied=tied,
            n_ctx_train=self._number("context_length"),
            n_swa=n_swa,
            n_embd=self._number("embedding_length"),
            n_vocab=self._n_vocab(),
            n_head=max(self._each("attention.head_count"), default=0),
            head_k=self._head("key_length"),
            n_ff=max(n_ff if not used or self._has_dense_feed() else 0, n_ff_expert * used),
            n_expert=self._number("expert_count"),
            d_inner=self._d_inner(),
            exact=self.architecture not in _ROUGH,
        )

    def _number(self, key: str) -> int:
        found = self._header.number(f"{self.architecture}.{key}")
        return found if 0 <= found <= _SANE else 0

    def _each(self, key: str) -> list[int]:
        """A value that layers may have each of their own; empty where there is none."""
        found = self._header.metadata.get(f"{self.architecture}.{key}")
        if isinstance(found, tuple):
            told = [int(each) for each in found if isinstance(each, int) and 0 <= each <= _SANE]
            return (told + [0] * self._n_all)[: self._n_all]
        if isinstance(found, int) and 0 <= found <= _SANE:
            return [int(found)] * self._n_all
        return []

    def _at(self, key: str, index: int, otherwise: int = 0) -> int:
        found = self._each(key)
        return found[index] if found else otherwise

    def _weights(self) -> tuple[list[int], int, int, bool]:
        layers, inputs, outputs = [0] * self._n_all, 0, 0
        for name, info in self._tensors.items():
            size = info.n_bytes
            match = _BLOCK.match(name)
            if match and int(match[1]) < self._n_all:
                layers[int(match[1])] += size
            elif name.startswith("output"):
                outputs += size
            else:
                inputs += size
        return layers, inputs, outputs, "output.weight" not in self._tensors

    def _n_vocab(self) -> int:
        embeddings = self._tensors.get("token_embd.weight")
        told = embeddings.shape[1] if embeddings and len(embeddings.shape) > 1 else 0
        return min(_SANE, told or self._header.lengths.get("tokenizer.ggml.tokens", 0))

    def _head(self, key: str, *, window: bool = False) -> int:
        heads = max(self._each("attention.head_count"), default=0)
        if not heads:
            return 0
        full = self._number(f"attention.{key}") or self._number("embedding_length") // heads
        return (self._number(f"attention.{key}_swa") or full) if window else full

    def _is_mla(self) -> bool:
        return bool(self._number("attention.key_length_mla") and self._number("attention.value_length_mla"))

    def _n_swa(self) -> int:
        told = self._number("attention.sliding_window")
        if self.architecture in ("lfm2", *_LISTED_WINDOWS):
            return told
        window = _WINDOWS.get(self.architecture)
        if window is None or (self.architecture == "exaone4" and self.n_layer != _EXAONE4_LARGE):
            return 0
        if self.architecture == "llama4":
            said_none = f"{self.architecture}.attention.sliding_window" in self._header.metadata and not told
            return 0 if said_none else _LLAMA4_CHUNK
        if self.architecture == "smallthinker":
            return _SMALLTHINKER_WINDOW if told else 0
        return told or window.size

    def _has_window(self, index: int, n_swa: int) -> bool:
        if not n_swa:
            return False
        if self.architecture == "lfm2":
            return True
        listed = self._header.metadata.get(f"{self.architecture}.attention.sliding_window_pattern")
        if isinstance(listed, tuple):
            return index < len(listed) and bool(listed[index])
        window = _WINDOWS.get(self.architecture)
        if window is None:
            return False
        period = int(listed) if isinstance(listed, int) and listed > 0 else window.period
        return index % period != 0 if window.dense_first else index % period < period - 1

    def _has_cells(self, index: int) -> bool:
        if self.architecture in RECURRENT | _NO_MEMORY:
            return False
        if self.architecture == "gemma3n":
            return index < _GEMMA3N_LAYERS_WITH_KV
        if self.architecture == "gemma4":
            return index < self._n_all - self._number("attention.shared_kv_layers")
        if self.architecture.startswith("nemotron_h") and self._at("feed_forward_length", index):
            return False
        return self.architecture == "falcon-h1" or not self._is_recurrent(index)

    def _is_recurrent(self, index: int) -> bool:
        if self.architecture in RECURRENT or self.architecture == "falcon-h1":
            return True
        if self.architecture in _WITHOUT_HEADS:
            no_heads = self._at("attention.head_count_kv", index, 1) == 0
            is_feed = self.architecture.startswith("nemotron_h") and self._at("feed_forward_length", index) > 0
            return no_heads and not is_feed
        if self.architecture in _BY_INTERVAL:
            listed = self._header.metadata.get(f"{self.architecture}.attention.recurrent_layers")
            if isinstance(listed, tuple):
                return index < len(listed) and bool(listed[index])
            interval = self._number("full_attention_interval") or _BY_INTERVAL[self.architecture]
            return (index + 1) % interval != 0
        return False

    def _layer(self, index: int, weights: int, n_swa: int) -> LayerShape:
        state = self._state() if self._is_recurrent(index) else 0
        if not self._has_cells(index):
            return LayerShape(weights, state=state)
        window = self._has_window(index, n_swa)
        heads = self._at("attention.head_count", index)
        heads_kv = self._at("attention.head_count_kv", index, heads)
        k = self._head("key_length", window=window) * heads_kv
        v = 0 if self._is_mla() else self._head("value_length", window=window) * heads_kv
        return LayerShape(weights, k + self._indexer(), v, state, window)

    def _indexer(self) -> int:
        # Its own K, of one head, beside the layer's.
        return self._number("attention.indexer.key_length") if self.architecture in _ROUGH else 0

    def _state(self) -> int:
        """llama_hparams::n_embd_r and n_embd_s."""
        n_embd, conv = self._number("embedding_length"), self._number("ssm.conv_kernel")
        head = max(self._each("attention.head_count"), default=0)
        if wkv := self._number("wkv.head_size"):
            return (self._number("token_shift_count") or 2) * n_embd + n_embd * wkv
        if short := self._number("shortconv.l_cache"):
            return n_embd * (short - 1)
        if kda := self._number("kda.head_dim"):
            return 3 * (conv - 1 if conv else 3) * head * kda + kda * kda * head
        if self.architecture == "minimax-01":
            return self._head("key_length") ** 2 * head
        inner, state = self._number("ssm.inner_size"), self._number("ssm.state_size")
        rows = max(0, conv - 1) * (inner + 2 * self._number("ssm.group_count") * state)
        return rows + state * inner

    def _d_inner(self) -> int:
        inner, state = self._number("ssm.inner_size"), self._number("ssm.state_size")
        return inner + 2 * self._number("ssm.group_count") * state if inner else 0

    def _has_dense_feed(self) -> bool:
        return any(name.endswith(".ffn_up.weight") for name in self._tensors)


def _joined(layers: Sequence[LayerShape]) -> tuple[LayerShape, ...]:
    """Alike ones in a row become one with their number."""
    found: list[LayerShape] = []
    for layer in layers:
        if found and replace(found[-1], n=1) == layer:
            found[-1] = replace(layer, n=found[-1].n + 1)
        else:
            found.append(layer)
    return tuple(found)
