"""The language network: llama.cpp's "llama" architecture in PyTorch."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class LanguageConfig:
    """Sizes, by GGUF's names."""

    vocab_size: int
    embedding_length: int = 256
    block_count: int = 4
    head_count: int = 4
    feed_forward_length: int = 704
    layer_norm_rms_epsilon: float = 1e-5
    rope_freq_base: float = 10_000.0
    context_length: int = 4096

    @property
    def head_length(self) -> int:
        return self.embedding_length // self.head_count


class Block(nn.Module):  # type: ignore[misc]  # mypy runs without PyTorch
    def __init__(self, config: LanguageConfig) -> None:
        super().__init__()
        width, inner = config.embedding_length, config.feed_forward_length
        self._heads = config.head_count
        self._shape = (width,)
        self._epsilon = config.layer_norm_rms_epsilon
        self.attn_norm = nn.Parameter(torch.ones(width))
        self.attn_qkv = nn.Linear(width, 3 * width, bias=False)
        self.attn_output = nn.Linear(width, width, bias=False)
        self.ffn_norm = nn.Parameter(torch.ones(width))
        self.ffn_gate_up = nn.Linear(width, 2 * inner, bias=False)
        self.ffn_down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor | None) -> Tensor:
        batch, length, width = x.shape
        normed = functional.rms_norm(x, self._shape, self.attn_norm, self._epsilon)
        qkv = self.attn_qkv(normed).view(batch, length, 3, self._heads, -1).transpose(1, 3)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        q, k = _rotate(q, cos, sin), _rotate(k, cos, sin)
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + self.attn_output(seen.transpose(1, 2).reshape(batch, length, width))
        normed = functional.rms_norm(x, self._shape, self.ffn_norm, self._epsilon)
        gate, up = self.ffn_gate_up(normed).chunk(2, dim=-1)
        return x + self.ffn_down(functional.silu(gate) * up)


class LanguageNetwork(nn.Module):  # type: ignore[misc]  # mypy runs without PyTorch
    """From embeddings to hidden states; the embedding table is the output's too."""

    def __init__(self, config: LanguageConfig) -> None:
        super().__init__()
        self.config = config
        width = config.embedding_length
        self.token_embd = nn.Embedding(config.vocab_size, width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.block_count))
        self.output_norm = nn.Parameter(torch.ones(width))
        powers = torch.arange(0, config.head_length, 2, dtype=torch.float64) / config.head_length
        self.register_buffer("frequencies", (config.rope_freq_base**-powers).float(), persistent=False)
        self._start()

    def _start(self) -> None:
        deep = (2 * self.config.block_count) ** -0.5
        for name, weights in self.named_parameters():
            if weights.dim() == 2:
                scale = 0.03 if "token_embd" in name else weights.shape[1] ** -0.5
                ends_branch = "attn_output" in name or "ffn_down" in name
                nn.init.normal_(weights, std=scale * (deep if ends_branch else 1.0))

    def forward(self, embeddings: Tensor, positions: Tensor, mask: Tensor | None = None) -> Tensor:
        """Normed hidden states, shape (batch, length, width).

        `embeddings` (batch, length, width); `positions` (batch, length), int; `mask` (batch, 1, length, length),
        bool, True where an entry may look, or None for plain causal attention.
        """
        angles = positions[..., None].float() * self.get_buffer("frequencies")
        cos, sin = (part[:, :, None].transpose(1, 2) for part in (angles.cos(), angles.sin()))
        x = embeddings
        for block in self.blocks:
            x = block(x, cos.to(x.dtype), sin.to(x.dtype), mask)
        return functional.rms_norm(x, (x.shape[-1],), self.output_norm, self.config.layer_norm_rms_epsilon)

    def logits(self, hidden: Tensor) -> Tensor:
        return functional.linear(hidden, self.token_embd.weight)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    # Element i turns with element i + half here, and 2i with 2i + 1 in llama.cpp: `convert` reorders q's and k's rows.
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
