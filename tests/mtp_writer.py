"""Writes tiny models with a multi-token-prediction head that is right most of the time, in milliseconds.

Their text runs through a circle of `CIRCLE` tokens: each token's embedding points where the output row of the one that
follows it points, and the other layers only disturb that, so that a greedy answer leaves the circle now and then, as
the context has it. The head maps the hidden row of an entry to the row of the entry that follows it in the circle: a
row that belongs to another entry makes its drafts wrong.
"""

from enum import Enum, auto
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.tiny_models import N_EMBD, N_FF, Tokenizer, Writer, bpe_tokenizer

CIRCLE = 48
N_TRUNK = 2
N_EXPERT, N_EXPERT_USED = 4, 2
DISTURBING = 0.7
"""How much a layer of the trunk adds to what it was given."""
WAVERING = 0.15
"""The same of a head, and the token's share in what a head begins with."""
_SPREAD = 0.2
"""Of an output row; a token of the circle is followed by the right one with a logit of 64 times this."""
_OUTWARD = ("attn_output", "ffn_down", "ssm_out")


class Part(Enum):
    """What a file holds."""

    WHOLE = auto()
    TRUNK = auto()
    """The model without its head, and without a word of it."""
    HEAD = auto()
    """The head without the model."""


def circle(tokenizer: Tokenizer) -> list[int]:
    """The tokens of the circle, each followed by the next and the last by the first."""
    letters = [chr(code) for code in range(ord("A"), ord("A") + CIRCLE + 6) if chr(code).isalpha()]
    return [tokenizer.id(letter) for letter in (*letters, *"0123456789")][:CIRCLE]


class MtpWriter(Writer):
    """One GGUF file in the making."""

    def __init__(
        self,
        path: Path,
        arch: str,
        *,
        seed: int,
        heads: int = 1,
        part: Part = Part.WHOLE,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        n_layer = N_TRUNK + (heads if part is not Part.TRUNK else 0)
        super().__init__(path, arch, tokenizer or bpe_tokenizer(), n_layer, seed)
        self.part = part
        basis, _ = np.linalg.qr(np.random.default_rng(77).standard_normal((N_EMBD, N_EMBD)))
        self.directions = (basis[:CIRCLE] * np.sqrt(N_EMBD)).astype(np.float32)
        """Of the circle's tokens, in its order, each with a mean square of 1."""
        self.ids = circle(self.tokenizer)
        if part is not Part.TRUNK:
            self.number("nextn_predict_layers", heads)

    @property
    def layers(self) -> range:
        """Of the trunk, where the file holds it."""
        return range(0 if self.part is Part.HEAD else N_TRUNK)

    @property
    def head_layers(self) -> range:
        return range(N_TRUNK, self.n_layer)

    @property
    def step(self) -> NDArray[np.float32]:
        """Maps each direction to that of the token that follows, shape (N_EMBD, N_EMBD)."""
        step: NDArray[np.float32] = np.roll(self.directions, -1, axis=0).T @ self.directions / np.float32(N_EMBD)
        return step

    def weight(self, name: str, n_out: int, n_in: int, gain: float = 1.5) -> None:
        super().weight(name, n_out, n_in, gain * self._share(name))

    def noise(self, name: str, shape: "tuple[int, ...] | list[int]", scale: float) -> None:  # type: ignore[override]
        super().noise(name, shape, scale * self._share(name))

    def _share(self, name: str) -> float:
        if not any(part in name for part in _OUTWARD):
            return 1.0
        return WAVERING if int(name.split(".")[1]) >= N_TRUNK else DISTURBING

    def embeddings(self, norm: str = "output_norm") -> None:
        n_vocab = len(self.tokenizer.tokens)
        rows = (self._rng.standard_normal((n_vocab, N_EMBD)) * 0.5).astype(np.float32)
        rows[self.ids] = self.directions
        self.tensor("token_embd.weight", rows)
        self.ones(f"{norm}.weight", N_EMBD)
        self.tensor("output.weight", self.output())

    def output(self) -> NDArray[np.float32]:
        """Shape (n_vocab, N_EMBD)."""
        rows = np.zeros((len(self.tokenizer.tokens), N_EMBD), np.float32)
        rows[self.ids] = np.roll(self.directions, 1, axis=0) * _SPREAD
        return rows

    def nextn(self, layer: int, to: NDArray[np.float32] | None = None) -> None:
        """What makes a layer a head. `to` maps a hidden row to the next, shape (N_EMBD, N_EMBD)."""
        block = f"blk.{layer}.nextn."
        of_token = self._rng.standard_normal((N_EMBD, N_EMBD)) * WAVERING / np.sqrt(N_EMBD)
        of_row = self.step if to is None else to
        self.tensor(block + "eh_proj.weight", np.hstack([of_token.astype(np.float32), of_row]))
        self.ones(block + "enorm.weight", N_EMBD)
        self.ones(block + "hnorm.weight", N_EMBD)

    def close_with_heads(self) -> Path:
        """Each layer behind the trunk is a head as `nextn` makes it."""
        for layer in self.head_layers:
            self.nextn(layer)
        return self.close()

    def experts(self, layer: int, *, shared_gate: bool = False) -> None:
        """A choice among experts, and one that is shared."""
        block = f"blk.{layer}.ffn_"
        self.weight(block + "gate_inp.weight", N_EXPERT, N_EMBD)
        self.noise(block + "gate_exps.weight", (N_EXPERT, N_FF, N_EMBD), 1.5 / np.sqrt(N_EMBD))
        self.noise(block + "up_exps.weight", (N_EXPERT, N_FF, N_EMBD), 1.5 / np.sqrt(N_EMBD))
        self.noise(block + "down_exps.weight", (N_EXPERT, N_EMBD, N_FF), 1.5 / np.sqrt(N_FF))
        if shared_gate:
            self.noise(block + "gate_inp_shexp.weight", (N_EMBD,), 1 / np.sqrt(N_EMBD))
        self.weight(block + "gate_shexp.weight", N_FF, N_EMBD)
        self.weight(block + "up_shexp.weight", N_FF, N_EMBD)
        self.weight(block + "down_shexp.weight", N_EMBD, N_FF)

    def expert_keys(self) -> None:
        self.gguf.add_expert_count(N_EXPERT)
        self.gguf.add_expert_used_count(N_EXPERT_USED)
        self.gguf.add_expert_feed_forward_length(N_FF)
