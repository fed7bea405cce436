"""How many bytes of its weights a model reads for one token: what the token costs, where memory is what limits it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.gguf_header import GgufHeader

_BLOCK = re.compile(r"blk\.(\d+)\.")
_LOOKED_UP = ("token_embd", "nextn.embed_tokens")
"""Of these a token takes a row."""
_OUTPUT, _HEAD_OUTPUT, _EMBEDDINGS = "output.weight", "nextn.shared_head_head.weight", "token_embd.weight"


@dataclass(frozen=True, slots=True)
class WeightsRead:
    """In bytes, with the output matrix in both."""

    token: int
    """For a token of the model."""
    guess: int
    """For one that its multi-token-prediction head guesses, or one of several; without meaning where there is none."""


def weights_read(headers: Sequence[GgufHeader]) -> WeightsRead:
    """Of the model whose parts have `headers`, the first of which has its metadata."""
    architecture = headers[0].text("general.architecture")
    tensors = {name: info for header in headers for name, info in header.tensors.items()}
    n_layer = headers[0].number(f"{architecture}.block_count")
    heads = headers[0].number(f"{architecture}.nextn_predict_layers")
    experts = _most(headers[0], f"{architecture}.expert_count")
    used = _most(headers[0], f"{architecture}.expert_used_count") / experts if experts else 1.0
    output_name = _OUTPUT if _OUTPUT in tensors else _EMBEDDINGS
    body = head = output = own_output = 0
    for name, info in tensors.items():
        size = info.n_bytes
        block = _BLOCK.match(name)
        if name == output_name:
            output = size
        elif name.endswith(_HEAD_OUTPUT):
            own_output = size
        elif any(each in name for each in _LOOKED_UP):
            continue
        else:
            read = int(size * used) if "exps." in name else size
            if heads and block and int(block[1]) >= n_layer - heads:
                head += read
            else:
                body += read
    # A file that is nothing but one drafter counts all of its layers.
    each = head // heads if 0 < heads < n_layer else head
    return WeightsRead(body + output, each + (own_output or output))


def _most(header: GgufHeader, key: str) -> int:
    """A number that layers may have each of their own."""
    found = header.metadata.get(key)
    each = found if isinstance(found, tuple) else (header.number(key),)
    return max((int(one) for one in each), default=0)
