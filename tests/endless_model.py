"""A tiny model that never ends its answer by itself, for tests that interrupt one."""

from pathlib import Path

import gguf
import numpy as np

from tests import tiny_models


def make_endless(path: Path) -> Path:
    """`tiny_models.llama`, but no control token is ever likely: their logits are always 0, and the best are not."""
    tiny_models.llama(path)
    reader = gguf.GGUFReader(path, "r+")
    output = next(tensor for tensor in reader.tensors if tensor.name == "output.weight")
    tokens = tiny_models.bpe_tokenizer().tokens
    control = [tokens.index(token) for token in tiny_models.CONTROL_TOKENS]
    weights = output.data.view(np.float32).reshape(len(tokens), tiny_models.N_EMBD)
    weights[control] = 0
    reader.data.flush()
    return path
