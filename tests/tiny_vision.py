"""Makes pairs of a tiny random model and a picture encoder for it (mmproj), in milliseconds.

Keys and tensors are those that mtmd's loader and its graphs ask for; what the pictures become is nonsense,
but always the same nonsense. `tests.tiny_models` makes the models themselves.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests import tiny_models
from tests.tiny_models import CHATML, N_EMBD, N_HEAD, N_HEAD_KV, Tokenizer, Writer
from tests.tiny_models import HEAD as TEXT_HEAD

PICTURE_TOKENS = (
    "<start_of_image>", "<end_of_image>", "<fake_token_around_image>", "<global-img>", "<|image_start|>",
    "<|image_end|>", "<|img_thumbnail|>", "[IMG_END]", "<img>", "</img>",
    *(f"<row_{row}_col_{column}>" for row in range(1, 5) for column in range(1, 5)),
    *(f"<|img_row_{row}_col_{column}|>" for row in range(1, 4) for column in range(1, 4)),
)  # fmt: skip
N_VISION, N_VISION_FF, N_VISION_HEAD, N_BLOCK = 32, 64, 2, 2
_CONTROL = 3


def picture_tokenizer() -> Tokenizer:
    """The tiny models' tokenizer, with the families' picture tokens behind its own."""
    plain = tiny_models.bpe_tokenizer()
    types = [*plain.types, *[_CONTROL] * len(PICTURE_TOKENS)]
    return replace(plain, tokens=[*plain.tokens, *PICTURE_TOKENS], types=types)


def qwen2vl(path: Path, *, tokenizer: Tokenizer | None = None) -> Path:
    """Full attention with M-RoPE."""
    w = Writer(path, "qwen2vl", tokenizer or picture_tokenizer(), 2, 20)
    w.shape()
    w.heads()
    w.gguf.add_rope_dimension_sections([2, 3, 3, 0])
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()

    def biases(layer: int) -> None:
        for name, heads in (("q", N_HEAD), ("k", N_HEAD_KV), ("v", N_HEAD_KV)):
            w.noise(f"blk.{layer}.attn_{name}.bias", (heads * TEXT_HEAD,), 0.1)

    w.plain_layers(biases)
    return w.close()


def qwen3vl(path: Path) -> Path:
    """Interleaved M-RoPE, and one deepstack layer: an entry of a picture is two embeddings long."""
    w = Writer(path, "qwen3vl", picture_tokenizer(), 3, 21)
    w.shape()
    w.heads()
    w.gguf.add_rope_dimension_sections([3, 3, 2, 0])
    w.number("n_deepstack_layers", 1)
    w.vocabulary(CHATML, "<|im_end|>", None)
    w.embeddings()
    w.plain_layers(w.head_norms)
    return w.close()


class ProjectorWriter(Writer):
    """One mmproj file in the making."""

    def __init__(self, path: Path, projector: str, *, image: int, patch_size: int, seed: int) -> None:
        super().__init__(path, "clip", tiny_models.bpe_tokenizer(), N_BLOCK, seed)
        self.patch_size = patch_size
        self.n_patches = (image // patch_size) ** 2
        g = self.gguf
        g.add_bool("clip.has_vision_encoder", True)
        g.add_string("clip.projector_type", projector)
        for key, value in {
            "embedding_length": N_VISION,
            "attention.head_count": N_VISION_HEAD,
            "feed_forward_length": N_VISION_FF,
            "block_count": N_BLOCK,
            "projection_dim": N_EMBD,
            "image_size": image,
            "patch_size": patch_size,
        }.items():
            self.number(f"vision.{key}", value)
        g.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
        g.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
        g.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])

    def scale_factor(self, value: int) -> None:
        self.number("vision.projector.scale_factor", value)

    def activation(self, name: str) -> None:
        self.gguf.add_bool(f"clip.use_{name}", True)

    def norm(self, name: str, *, bias: bool = True, size: int = N_VISION) -> None:
        self.ones(f"{name}.weight", size)
        if bias:
            self.noise(f"{name}.bias", (size,), 0.1)

    def linear(self, name: str, n_out: int, n_in: int, *, bias: bool = True) -> None:
        self.weight(f"{name}.weight", n_out, n_in, 1.0)
        if bias:
            self.noise(f"{name}.bias", (n_out,), 0.1)

    def patches(self, *, frames: int = 1, bias: bool = True) -> None:
        size = self.patch_size
        for suffix in ("", ".1")[:frames]:
            self.noise(f"v.patch_embd.weight{suffix}", (N_VISION, 3, size, size), 1 / np.sqrt(size * 3))
        if bias:
            self.noise("v.patch_embd.bias", (N_VISION,), 0.1)

    def places(self, count: int) -> None:
        self.noise("v.position_embd.weight", (count, N_VISION), 0.3)

    def blocks(self, *, fused: bool = False, gate: bool = False, bias: bool = True, norm_bias: bool = True) -> None:
        for index in range(N_BLOCK):
            block = f"v.blk.{index}."
            if fused:
                self.linear(block + "attn_qkv", 3 * N_VISION, N_VISION)
            else:
                for each in "qkv":
                    self.linear(f"{block}attn_{each}", N_VISION, N_VISION, bias=bias)
            self.linear(block + "attn_out", N_VISION, N_VISION, bias=bias)
            self.norm(block + "ln1", bias=norm_bias)
            self.norm(block + "ln2", bias=norm_bias)
            for each in ("ffn_up", "ffn_gate")[: 1 + gate]:
                self.linear(block + each, N_VISION_FF, N_VISION, bias=bias)
            self.linear(block + "ffn_down", N_VISION, N_VISION_FF, bias=bias)


def mlp(path: Path, *, pinpoints: Sequence[int] = (), n_out: int = N_EMBD) -> Path:
    """LLaVA 1.5: one size, no begin or end text; with `pinpoints` LLaVA 1.6's slices."""
    w = ProjectorWriter(path, "mlp", image=32, patch_size=8, seed=30)
    w.activation("gelu")
    if pinpoints:
        w.gguf.add_array("clip.vision.image_grid_pinpoints", list(pinpoints))
    w.patches(bias=False)
    w.noise("v.class_embd", (N_VISION,), 0.1)
    w.places(w.n_patches + 1)
    w.norm("v.pre_ln")
    w.blocks()
    w.linear("mm.0", n_out, N_VISION)
    w.linear("mm.2", n_out, n_out)
    return w.close()


def idefics3(path: Path) -> Path:
    """Tiles with text between them, the overview last."""
    w = ProjectorWriter(path, "idefics3", image=32, patch_size=8, seed=31)
    w.activation("gelu")
    w.scale_factor(2)
    w.number("vision.preproc_image_size", 64)
    w.patches()
    w.places(w.n_patches)
    w.blocks()
    w.norm("v.post_ln")
    w.linear("mm.model.fc", N_EMBD, 4 * N_VISION, bias=False)
    return w.close()


def gemma3(path: Path) -> Path:
    """A picture's entries attend to each other in both directions."""
    w = ProjectorWriter(path, "gemma3", image=64, patch_size=8, seed=32)
    w.activation("gelu")
    w.scale_factor(2)
    w.patches()
    w.places(w.n_patches)
    w.blocks()
    w.norm("v.post_ln")
    # This one is stored the other way round.
    w.linear("mm.input_projection", N_VISION, N_EMBD, bias=False)
    w.ones("mm.soft_emb_norm.weight", N_VISION)
    return w.close()


def qwen25vl_merger(path: Path) -> Path:
    """Any size, windowed attention, two-dimensional positions."""
    w = ProjectorWriter(path, "qwen2.5vl_merger", image=64, patch_size=8, seed=33)
    w.activation("silu")
    w.number("vision.n_wa_pattern", 2)
    w.patches(frames=2, bias=False)
    w.blocks(gate=True, norm_bias=False)
    w.norm("v.post_ln", bias=False)
    w.linear("mm.0", 4 * N_VISION, 4 * N_VISION)
    w.linear("mm.2", N_EMBD, 4 * N_VISION)
    return w.close()


def qwen3vl_merger(path: Path, *, deepstack: int) -> Path:
    """Any size; `deepstack` inner layers of the encoder reach the model too."""
    w = ProjectorWriter(path, "qwen3vl_merger", image=64, patch_size=8, seed=34)
    w.activation("gelu")
    w.patches(frames=2)
    w.places(w.n_patches)
    w.blocks(fused=True)
    w.norm("v.post_ln")
    for layer in range(deepstack):
        w.norm(f"v.deepstack.{layer}.norm", size=4 * N_VISION)
        w.linear(f"v.deepstack.{layer}.fc1", 4 * N_VISION, 4 * N_VISION)
        w.linear(f"v.deepstack.{layer}.fc2", N_EMBD, 4 * N_VISION)
    w.linear("mm.0", 4 * N_VISION, 4 * N_VISION)
    w.linear("mm.2", N_EMBD, 4 * N_VISION)
    return w.close()


def lfm2(path: Path) -> Path:
    w = ProjectorWriter(path, "lfm2", image=64, patch_size=16, seed=35)
    w.activation("gelu")
    w.scale_factor(2)
    w.patches()
    w.places(w.n_patches)
    w.blocks()
    w.norm("v.post_ln")
    w.linear("mm.1", N_EMBD, 4 * N_VISION)
    w.linear("mm.2", N_EMBD, N_EMBD)
    return w.close()


def internvl(path: Path) -> Path:
    """Tiles without text between them, of which several may be encoded at once."""
    w = ProjectorWriter(path, "internvl", image=32, patch_size=8, seed=36)
    w.activation("gelu")
    w.scale_factor(2)
    w.patches()
    w.noise("v.class_embd", (N_VISION,), 0.1)
    w.places(w.n_patches + 1)
    w.blocks()
    for index in range(N_BLOCK):
        w.ones(f"v.blk.{index}.ls1.weight", N_VISION)
        w.ones(f"v.blk.{index}.ls2.weight", N_VISION)
    w.norm("mm.model.mlp.0", size=4 * N_VISION)
    w.linear("mm.model.mlp.1", N_EMBD, 4 * N_VISION)
    w.linear("mm.model.mlp.3", N_EMBD, N_EMBD)
    return w.close()


def pixtral(path: Path) -> Path:
    """Any size, with an entry at the end of each row."""
    w = ProjectorWriter(path, "pixtral", image=64, patch_size=8, seed=37)
    w.activation("silu")
    w.patches(bias=False)
    w.norm("v.pre_ln", bias=False)
    w.blocks(gate=True, bias=False, norm_bias=False)
    w.linear("mm.1", N_EMBD, N_VISION, bias=False)
    w.linear("mm.2", N_EMBD, N_EMBD, bias=False)
    w.noise("v.token_embd.img_break", (N_EMBD,), 0.5)
    return w.close()


def hunyuanvl(path: Path) -> Path:
    """Its chunks hold the number of the picture in the prompt. Loads and is laid out; made for nothing else."""
    w = ProjectorWriter(path, "hunyuanvl", image=64, patch_size=8, seed=38)
    w.patches()
    w.places(w.n_patches)
    w.blocks()
    w.linear("mm.0", N_EMBD, N_VISION)
    w.linear("mm.2", N_EMBD, N_EMBD)
    w.linear("mm.model.fc", N_EMBD, N_EMBD)
    for name in ("mm.pre_norm.weight", "mm.post_norm.weight", "mm.image_begin", "mm.image_end", "v.image_newline"):
        w.ones(name, N_EMBD)
    return w.close()


def deepseek4v(path: Path) -> Path:
    """Its chunks are padded by where they stand. Loads and is laid out; made for nothing else."""
    w = ProjectorWriter(path, "deepseek4v", image=64, patch_size=8, seed=39)
    w.scale_factor(2)
    w.number("vision.image_min_pixels", 256)
    w.patches()
    w.blocks()
    w.linear("mm.1", N_EMBD, N_VISION)
    w.linear("mm.2", N_EMBD, N_EMBD)
    for name in ("v.image_newline", "v.token_embd.img_start", "v.token_embd.img_end", "v.token_embd.img_pad"):
        w.ones(name, N_EMBD)
    return w.close()


def _llama(path: Path) -> Path:
    return tiny_models.llama(path, tokenizer=picture_tokenizer())


def _pair(model: Callable[[Path], Path], projector: Callable[[Path], Path]) -> Callable[[Path], tuple[Path, Path]]:
    def make(folder: Path) -> tuple[Path, Path]:
        folder.mkdir(parents=True, exist_ok=True)
        return model(folder / "model.gguf"), projector(folder / "mmproj.gguf")

    return make


VISION_MAKERS: dict[str, Callable[[Path], tuple[Path, Path]]] = {
    "llava": _pair(_llama, mlp),
    "llava16": _pair(_llama, lambda path: mlp(path, pinpoints=(64, 64, 32, 64, 64, 32))),
    "idefics3": _pair(_llama, idefics3),
    "gemma3": _pair(lambda path: tiny_models.gemma3(path, tokenizer=picture_tokenizer()), gemma3),
    "qwen25vl": _pair(qwen2vl, qwen25vl_merger),
    "qwen3vl": _pair(qwen3vl, lambda path: qwen3vl_merger(path, deepstack=1)),
    "qwen35": _pair(
        lambda path: tiny_models.qwen35(path, tokenizer=picture_tokenizer()),
        lambda path: qwen3vl_merger(path, deepstack=0),
    ),
    "lfm2": _pair(lambda path: tiny_models.lfm2(path, tokenizer=picture_tokenizer()), lfm2),
    "internvl": _pair(_llama, internvl),
    "pixtral": _pair(_llama, pixtral),
}
"""By family: takes a folder, gives the model and its mmproj in it."""
