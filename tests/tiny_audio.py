"""Makes pairs of a tiny random model and a sound encoder for it (mmproj), in milliseconds.

Keys and tensors are those that mtmd's loader and its graphs ask for, as in `tests.tiny_vision`, on which this stands.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.engine.media.projector_families import AUDIO_FAMILIES
from tests import tiny_models, tiny_vision
from tests.tiny_models import N_EMBD, Tokenizer, Writer

AUDIO_TOKENS = (
    "<|audio_bos|>", "<|audio_eos|>", "<|audio_start|>", "<|audio_end|>", "[BEGIN_AUDIO]", "<|audio>", "<audio|>",
)  # fmt: skip
N_AUDIO, N_FF, N_AUDIO_HEAD, N_BLOCK, N_MEL, CHANNELS = 32, 64, 2, 2, 8, 4
_CONTROL = 3


def audio_tokenizer() -> Tokenizer:
    """The picture models' tokenizer, with the families' sound tokens behind its own."""
    plain = tiny_vision.picture_tokenizer()
    types = [*plain.types, *[_CONTROL] * len(AUDIO_TOKENS)]
    return replace(plain, tokens=[*plain.tokens, *AUDIO_TOKENS], types=types)


class AudioWriter(tiny_vision.ProjectorWriter):
    """One mmproj file that hears."""

    def __init__(
        self, path: Path, projector: str, seed: int, *, n_mel: int = N_MEL, blocks: int = N_BLOCK, sees: bool = False
    ) -> None:
        """`sees` adds the keys of a picture encoder."""
        if sees:
            super().__init__(path, projector, image=64, patch_size=8, seed=seed)
        else:
            Writer.__init__(self, path, "clip", tiny_models.bpe_tokenizer(), blocks, seed)
            self.gguf.add_string("clip.projector_type", projector)
        self.gguf.add_bool("clip.has_audio_encoder", True)
        self.gguf.add_float32("clip.audio.attention.layer_norm_epsilon", 1e-5)
        self.numbers(
            {
                "embedding_length": N_AUDIO,
                "attention.head_count": N_AUDIO_HEAD,
                "block_count": blocks,
                "feed_forward_length": N_FF,
                "projection_dim": N_EMBD,
                "num_mel_bins": n_mel,
            }
        )

    def numbers(self, values: dict[str, int]) -> None:
        for key, value in values.items():
            self.number(f"audio.{key}", value)

    def audio_norms(self, block: str, *names: str, bias: bool = True) -> None:
        for name in names:
            self.norm(block + name, bias=bias)

    def conv(self, name: str, shape: tuple[int, ...], bias: tuple[int, ...] | None = None) -> None:
        self.noise(f"{name}.weight", shape, float(1 / np.sqrt(np.prod(shape[1:]))))
        if bias:
            self.noise(f"{name}.bias", bias, 0.1)

    def heads_of(self, block: str, *, biases: str = "qkv", out: bool = True) -> None:
        for each in "qkv":
            self.linear(f"{block}attn_{each}", N_AUDIO, N_AUDIO, bias=each in biases)
        self.linear(block + "attn_out", N_AUDIO, N_AUDIO, bias=out)

    def feed_forward_of(self, block: str, suffix: str = "", *, bias: bool = True) -> None:
        self.linear(f"{block}ffn_up{suffix}", N_FF, N_AUDIO, bias=bias)
        self.linear(f"{block}ffn_down{suffix}", N_AUDIO, N_FF, bias=bias)

    def audio_blocks(self, biases: str) -> None:
        for index in range(N_BLOCK):
            block = f"a.blk.{index}."
            self.heads_of(block, biases=biases)
            self.audio_norms(block, "ln1", "ln2")
            self.feed_forward_of(block)

    def whisper(self) -> None:
        """Always 3000 frames (30 s) at a time. The graph insists on keys without a bias."""
        self.conv("a.conv1d.1", (N_AUDIO, N_MEL, 3), (N_AUDIO, 1))
        self.conv("a.conv1d.2", (N_AUDIO, N_AUDIO, 3), (N_AUDIO, 1))
        self.noise("a.position_embd.weight", (1500, N_AUDIO), 0.3)
        self.audio_blocks("qv")
        self.norm("a.post_ln")

    def conformer(self, block: str, kernel: int, *, bias: bool, dw_bias: bool = False) -> None:
        """A block of it but for its attention."""
        self.audio_norms(block, "ln1", "ln2", "ffn_norm", "ffn_norm_1", "norm_conv", "conv_norm", bias=bias)
        self.feed_forward_of(block, bias=bias)
        self.feed_forward_of(block, "_1", bias=bias)
        self.linear(block + "conv_pw1", 2 * N_AUDIO, N_AUDIO, bias=bias)
        self.conv(block + "conv_dw", (N_AUDIO, kernel), (N_AUDIO,) if dw_bias else None)
        self.linear(block + "conv_pw2", N_AUDIO, N_AUDIO, bias=bias)


def ultravox(path: Path) -> Path:
    """No begin or end token; ten frames become one entry."""
    w, stack = AudioWriter(path, "ultravox", 50), 10
    w.number("audio.projector.stack_factor", stack)
    w.whisper()
    w.norm("mm.a.norm_pre", bias=False, size=stack * N_AUDIO)
    w.norm("mm.a.norm_mid", bias=False)
    w.linear("mm.a.mlp.1", 2 * N_AUDIO, stack * N_AUDIO, bias=False)
    w.linear("mm.a.mlp.2", N_EMBD, N_AUDIO, bias=False)
    return w.close()


def voxtral(path: Path) -> Path:
    """A begin token alone."""
    w, stack = AudioWriter(path, "voxtral", 51), 5
    w.number("audio.projector.stack_factor", stack)
    w.whisper()
    w.linear("mm.a.mlp.1", N_AUDIO, stack * N_AUDIO, bias=False)
    w.linear("mm.a.mlp.2", N_EMBD, N_AUDIO, bias=False)
    return w.close()


def qwen2a(path: Path) -> Path:
    w = AudioWriter(path, "qwen2a", 52)
    w.whisper()
    w.linear("mm.a.fc", N_EMBD, N_AUDIO)
    return w.close()


def qwen25o(path: Path) -> Path:
    """Sees and hears: one projector type names both encoders."""
    w, n = AudioWriter(path, "qwen2.5o", 53, sees=True), tiny_vision.N_VISION
    w.activation("silu")
    w.number("vision.n_wa_pattern", 2)
    w.patches(frames=2, bias=False)
    w.blocks(gate=True, norm_bias=False)
    w.norm("v.post_ln", bias=False)
    w.whisper()
    w.linear("mm.0", 4 * n, 4 * n)
    w.linear("mm.2", N_EMBD, 4 * n)
    w.linear("mm.a.fc", N_EMBD, N_AUDIO)
    return w.close()


def qwen3a(path: Path) -> Path:
    """Windows of at most 8 s, 13 entries to each second: quick."""
    w = AudioWriter(path, "qwen3a", 54)
    for index, before in ((1, 1), (2, CHANNELS), (3, CHANNELS)):
        w.conv(f"a.conv2d.{index}", (CHANNELS, before, 3, 3), (CHANNELS,))
    w.linear("a.conv_out", N_AUDIO, CHANNELS * (N_MEL // 8), bias=False)
    w.noise("a.position_embd.weight", (13, N_AUDIO), 0.3)
    w.audio_blocks("qkv")
    w.norm("a.post_ln")
    w.linear("mm.a.mlp.1", N_AUDIO, N_AUDIO)
    w.linear("mm.a.mlp.2", N_EMBD, N_AUDIO)
    return w.close()


def lfm2a(path: Path, *, places: int = 400) -> Path:
    """One slice of up to `places` times 20 ms; at more mtmd ends the process."""
    w = AudioWriter(path, "lfm2a", 55)
    for index, before in ((0, 1), (2, 1), (5, 1)):
        w.conv(f"a.conv1d.{index}", (CHANNELS, before, 3, 3), (CHANNELS, 1, 1))
    for index in (3, 6):
        w.conv(f"a.conv1d.{index}", (CHANNELS, CHANNELS, 1, 1), (CHANNELS, 1, 1))
    w.linear("a.pre_encode.out", N_AUDIO, CHANNELS * (N_MEL // 8))
    w.noise("a.position_embd.weight", (places, N_EMBD), 0.1)
    for index in range(N_BLOCK):
        block = f"a.blk.{index}."
        w.heads_of(block)
        w.linear(block + "linear_pos", N_AUDIO, 512, bias=False)  # 512 is written into the graph
        for each in "uv":
            w.noise(f"{block}pos_bias_{each}", (N_AUDIO_HEAD, N_AUDIO // N_AUDIO_HEAD), 0.1)
        w.conformer(block, 9, bias=True, dw_bias=True)
    w.norm("mm.a.mlp.0")
    w.linear("mm.a.mlp.1", N_AUDIO, N_AUDIO)
    w.linear("mm.a.mlp.3", N_EMBD, N_AUDIO)
    return w.close()


def gemma4a(path: Path) -> Path:
    """Windows of 30 s, of which the last one is short."""
    w = AudioWriter(path, "gemma4a", 56)
    for index, before in enumerate((1, CHANNELS)):
        w.conv(f"a.conv1d.{index}", (CHANNELS, before, 3, 3))
        w.norm(f"a.conv1d.{index}.norm", bias=False, size=CHANNELS)
    w.linear("a.input_projection", N_AUDIO, CHANNELS * (N_MEL // 4), bias=False)
    for index in range(N_BLOCK):
        block = f"a.blk.{index}."
        w.heads_of(block, biases="", out=False)
        w.linear(block + "attn_k_rel", N_AUDIO, N_AUDIO, bias=False)
        w.ones(block + "per_dim_scale.weight", N_AUDIO // N_AUDIO_HEAD)
        w.audio_norms(block, "attn_pre_norm", "attn_post_norm", "ffn_post_norm", "ffn_post_norm_1", bias=False)
        w.conformer(block, 5, bias=False)
    w.linear("a.pre_encode.out", N_AUDIO, N_AUDIO)
    w.linear("mm.a.input_projection", N_EMBD, N_AUDIO, bias=False)
    return w.close()


def gemma4ua(path: Path) -> Path:
    """No encoder at all: each 40 ms of samples become one entry by one matrix."""
    w = AudioWriter(path, "gemma4ua", 57, n_mel=640, blocks=0)
    w.linear("mm.a.input_projection", N_EMBD, 640, bias=False)
    return w.close()


def granite_speech(path: Path) -> Path:
    """A conformer with a Q-Former behind it: three entries for each 15 frames of 20 ms."""
    w, n, window, rate = AudioWriter(path, "granite_speech", 58, n_mel=2 * N_MEL), N_AUDIO, 15, 5
    w.numbers({"chunk_size": 20, "conv_kernel_size": 7, "max_pos_emb": 32})
    w.numbers({"projector.window_size": window, "projector.downsample_rate": rate, "projector.head_count": 2})
    w.linear("a.input_projection", n, 2 * N_MEL)
    w.linear("a.enc_ctc_out", 10, n)
    w.linear("a.enc_ctc_out_mid", n, 10)
    for index in range(N_BLOCK):
        block = f"a.blk.{index}."
        w.heads_of(block, biases="")
        w.noise(block + "attn_rel_pos_emb", (2 * 32 + 1, n // N_AUDIO_HEAD), 0.1)
        w.conformer(block, 7, bias=True)
    w.noise("a.proj_query", (1, window // rate, n), 0.5)
    w.norm("a.proj_norm")
    for block in ("a.proj_blk.0.", "a.proj_blk.1."):  # two, whatever block_count says
        for kind in ("self_attn", "cross_attn"):
            for each in ("q", "k", "v", "out"):
                w.linear(f"{block}{kind}_{each}", n, n)
            w.norm(f"{block}{kind}_norm")
        w.feed_forward_of(block)
        w.norm(block + "ffn_norm")
    w.linear("a.proj_linear", N_EMBD, n)
    return w.close()


def speaker_encoder(path: Path) -> Path:
    """Part of a model that speaks: mtmd says of it that it hears. Made for its header alone."""
    return AudioWriter(path, "qwen3tts_spkenc", 59).close()


_Makers = Callable[[Path], tuple[Path, Path]]


def _pair(model: Callable[..., Path], projector: Callable[[Path], Path]) -> _Makers:
    def make(folder: Path) -> tuple[Path, Path]:
        folder.mkdir(parents=True, exist_ok=True)
        return model(folder / "model.gguf", tokenizer=audio_tokenizer()), projector(folder / "mmproj.gguf")

    return make


_on_llama = partial(_pair, tiny_models.llama)
AUDIO_MAKERS: dict[str, _Makers] = {
    "ultravox": _on_llama(ultravox),
    "voxtral": _on_llama(voxtral),
    "qwen2a": _on_llama(qwen2a),
    "qwen3a": _on_llama(qwen3a),
    "granite": _on_llama(granite_speech),
    "qwen25o": _pair(tiny_vision.qwen2vl, qwen25o),
    "qwen35": _pair(tiny_models.qwen35, qwen3a),
    "gemma3": _pair(tiny_models.gemma3, qwen3a),
    "lfm2a": _pair(tiny_models.lfm2, lfm2a),
    "gemma4a": _pair(tiny_models.gemma3, gemma4a),
    "gemma4ua": _pair(tiny_models.gemma3, gemma4ua),
}
"""By family: takes a folder, gives the model and its mmproj in it. Gemma 4's encoders stand on Gemma 3 here, which
`gemma4_is_gemma3` lets pass."""


def gemma4_is_gemma3(patch: pytest.MonkeyPatch) -> None:
    for name in ("gemma4a", "gemma4ua"):
        family = replace(AUDIO_FAMILIES[name], architectures=frozenset({"gemma3"}))
        patch.setitem(AUDIO_FAMILIES, name, family)
