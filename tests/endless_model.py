"""Tiny models that never end their answers by themselves, for tests that interrupt one."""

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


def make_repeating(path: Path) -> Path:
    """`tiny_models.llama` that always writes the same letter: all tokens look alike to it."""
    tiny_models.llama(path)
    reader = gguf.GGUFReader(path, "r+")
    tokens = tiny_models.bpe_tokenizer().tokens
    found = {
        tensor.name: tensor.data.view(np.float32).reshape(len(tokens), tiny_models.N_EMBD)
        for tensor in reader.tensors
        if tensor.name in ("token_embd.weight", "output.weight")
    }
    found["token_embd.weight"][:] = found["token_embd.weight"][0]
    output = found["output.weight"]
    output[:] = 0
    # Whatever the hidden row is, it is always the same, and one of these two is likelier than all others.
    output[tokens.index("e")], output[tokens.index("l")] = 1, -1
    reader.data.flush()
    return path
