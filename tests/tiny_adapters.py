"""Makes tiny random LoRA adapters for the tiny models, in the GGUF form that `convert_lora_to_gguf.py` writes."""

from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np

from tests.gguf_files import finish
from tests.tiny_models import HEAD, N_EMBD, N_FF, N_HEAD

RANK = 4
LLAMA = {
    "blk.0.attn_q.weight": (N_HEAD * HEAD, N_EMBD),
    "blk.1.attn_output.weight": (N_EMBD, N_HEAD * HEAD),
    "blk.1.ffn_down.weight": (N_EMBD, N_FF),
}
"""Tensors of the tiny llama that an adapter changes: outputs, inputs."""


def make_adapter(
    path: Path,
    *,
    arch: str = "llama",
    tensors: Mapping[str, tuple[int, int]] = LLAMA,
    seed: int = 0,
    strength: float = 0.5,
    kind: str = "lora",
    invocation: tuple[int, ...] = (),
) -> Path:
    """Low-rank noise of about `strength` beside the weights' own."""
    writer = gguf.GGUFWriter(str(path), arch)
    writer.add_type("adapter")
    writer.add_string("adapter.type", kind)
    writer.add_float32("adapter.lora.alpha", float(RANK))
    if invocation:
        writer.add_array("adapter.alora.invocation_tokens", list(invocation))
    rng = np.random.default_rng(seed)
    for name, (n_out, n_in) in tensors.items():
        scale = np.sqrt(strength / np.sqrt(n_in * RANK))
        writer.add_tensor(f"{name}.lora_a", (rng.standard_normal((RANK, n_in)) * scale).astype(np.float32))
        writer.add_tensor(f"{name}.lora_b", (rng.standard_normal((n_out, RANK)) * scale).astype(np.float32))
    finish(writer)
    return path
