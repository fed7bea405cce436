"""The eye: a ViT with LLaVA 1.5's projector, computed as llama.cpp's llava graph does (projector type "mlp")."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional

PAD_COLOUR = (122, 116, 104)
"""What mtmd fills a picture up with to a square."""
MEAN = STD = 0.5


@dataclass(frozen=True)
class VisionConfig:
    """Sizes, by GGUF's names."""

    image_size: int = 128
    patch_size: int = 16
    embedding_length: int = 192
    block_count: int = 4
    head_count: int = 3
    feed_forward_length: int = 768
    layer_norm_epsilon: float = 1e-6
    projection_dim: int = 256

    @property
    def patches(self) -> int:
        return (self.image_size // self.patch_size) ** 2


class VisionBlock(nn.Module):  # type: ignore[misc]  # mypy runs without PyTorch
    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        width = config.embedding_length
        self._heads = config.head_count
        self.ln1 = nn.LayerNorm(width, config.layer_norm_epsilon)
        self.attn_qkv = nn.Linear(width, 3 * width)
        self.attn_out = nn.Linear(width, width)
        self.ln2 = nn.LayerNorm(width, config.layer_norm_epsilon)
        self.ffn_up = nn.Linear(width, config.feed_forward_length)
        self.ffn_down = nn.Linear(config.feed_forward_length, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.attn_qkv(self.ln1(x)).view(batch, length, 3, self._heads, -1).transpose(1, 3).unbind(2)
        seen = functional.scaled_dot_product_attention(q, k, v)
        x = x + self.attn_out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.ffn_down(functional.gelu(self.ffn_up(self.ln2(x)), approximate="tanh"))


class VisionNetwork(nn.Module):  # type: ignore[misc]  # mypy runs without PyTorch
    """From pictures to entries for the language network."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        width, out = config.embedding_length, config.projection_dim
        self.patch_embd = nn.Conv2d(3, width, config.patch_size, config.patch_size)
        self.position_embd = nn.Parameter(_positions(config.image_size // config.patch_size, width))
        self.pre_ln = nn.LayerNorm(width, config.layer_norm_epsilon)
        self.blocks = nn.ModuleList(VisionBlock(config) for _ in range(config.block_count))
        self.mm_0 = nn.Linear(width, out)
        self.mm_2 = nn.Linear(out, out)
        # Entries of a picture start about as large as those of text.
        nn.init.normal_(self.mm_2.weight, std=0.1 * out**-0.5)

    def forward(self, pictures: Tensor) -> Tensor:
        """Shape (pictures, 3, size, size), uint8 -> (pictures, patches, projection_dim)."""
        x = (pictures.float() / 255 - MEAN) / STD
        x = self.patch_embd(x).flatten(2).transpose(1, 2) + self.position_embd
        x = self.pre_ln(x)
        for block in self.blocks:
            x = block(x)
        projected: Tensor = self.mm_2(functional.gelu(self.mm_0(x), approximate="tanh"))
        return projected


def _positions(side: int, width: int) -> Tensor:
    """Where the embeddings of positions start: sines of row and column, shape (side * side, width).

    As strong as what a patch shows; from a weak start, where things are is learnt very late.
    """
    waves = side ** -torch.linspace(0, 1, width // 4) * math.pi
    angles = torch.arange(side)[:, None] * waves
    line = torch.cat((angles.sin(), angles.cos()), dim=1)
    rows, columns = line[:, None].expand(-1, side, -1), line[None].expand(side, -1, -1)
    return 0.5 * torch.cat((rows, columns), dim=2).flatten(0, 1)


def fit(picture: Image.Image, size: int = 128) -> Image.Image:
    """A picture as mtmd hands it to the ViT: the longer side made `size`, bicubic, padded to a square.

    mtmd_image_preprocessor_fixed_size with PAD_CEIL; its resampling is Pillow's.
    """
    picture = picture.convert("RGB")
    if picture.size == (size, size):
        return picture
    width, height = picture.size
    scale = min(np.float32(size) / np.float32(width), np.float32(size) / np.float32(height))
    fitted = tuple(min(int(np.ceil(np.float32(side) * scale)), size) for side in (width, height))
    square = Image.new("RGB", (size, size), PAD_COLOUR)
    shrunk = picture.resize((fitted[0], fitted[1]), Image.Resampling.BICUBIC)
    square.paste(shrunk, ((size - fitted[0]) // 2, (size - fitted[1]) // 2))
    return square


def pixels(pictures: Sequence[Image.Image], size: int = 128) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Pictures as one array of shape (n, 3, size, size)."""
    fitted = [np.asarray(fit(picture, size)).transpose(2, 0, 1) for picture in pictures]
    return np.stack(fitted) if fitted else np.zeros((0, 3, size, size), np.uint8)
