"""Tiny models that are sure of what they write: endless, repeating, or of one sentence."""

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


def make_saying(path: Path, text: str) -> Path:
    """`tiny_models.llama` that answers everything by `text`, by its weights alone: each letter, which may stand there
    once, leads to the next.
    """
    tiny_models.llama(path)
    reader = gguf.GGUFReader(path, "r+")
    tokens = tiny_models.bpe_tokenizer().tokens
    said = [tokens.index("\u0120" if letter == " " else letter) for letter in text]
    assert len(set(said)) == len(said) < tiny_models.N_EMBD
    found = {tensor.name: tensor.data.view(np.float32).reshape(-1, tensor.shape[0]) for tensor in reader.tensors}
    for name, weights in found.items():
        # What a layer would add to the token's own row.
        if name.endswith(("attn_output.weight", "ffn_down.weight")):
            weights[:] = 0
    ways, output = found["token_embd.weight"], found["output.weight"]
    ways[:], output[:] = np.eye(tiny_models.N_EMBD)[0], 0
    for place, token in enumerate(said):
        output[token, place] = 9
        ways[token] = np.eye(tiny_models.N_EMBD)[place + 1]
    output[tokens.index("<|im_end|>"), len(said)] = 9
    reader.data.flush()
    return path
