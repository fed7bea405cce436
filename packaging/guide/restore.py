"""From the two GGUF files back to a vocabulary and a checkpoint, so that a training can go on from what is shipped.

Q8_0 keeps eight bits of each weight: what the network says stays the same. The heads that were needed for training
alone are in no file; they start anew.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import AddedToken, Tokenizer, models
from torch import Tensor

from guide.form import CONTROL, MMPROJ_FILE, MODEL_FILE, TAGS
from guide.network import LanguageConfig
from guide.pictures.vision_network import VisionConfig
from guide.tokenizer import Vocabulary, as_bytes

Weights = NDArray[np.float32]


def restore(folder: Path, work: Path) -> None:
    """Write vocabulary and checkpoint of the files in `folder` into `work`; nothing else is known of their training."""
    model, eye = gguf.GGUFReader(folder / MODEL_FILE), gguf.GGUFReader(folder / MMPROJ_FILE)
    _vocabulary(model).save(work / "vocabulary.json")
    config = _language_config(model)
    state = {
        "language_config": asdict(config),
        "vision_config": asdict(VisionConfig()),
        "language": dict(_language(config, _tensors(model))),
        "vision": dict(_vision(VisionConfig(), _tensors(eye))),
        "heads": {},
        "optimizers": [],
        "elapsed": {"vision": 0.0, "joint": 0.0},
        # Not 0: something has been learnt.
        "steps": {"vision": 1, "joint": 1},
    }
    torch.save(state, work / "checkpoint.pt")


def _vocabulary(model: gguf.GGUFReader) -> Vocabulary:
    tokens = _field(model, "tokenizer.ggml.tokens")
    merges = [tuple(pair.split(" ")) for pair in _field(model, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
    tokenizer.add_special_tokens([AddedToken(text, normalized=False) for text in CONTROL + TAGS])
    return Vocabulary(as_bytes(tokenizer))


def _language_config(model: gguf.GGUFReader) -> LanguageConfig:
    def known(key: str) -> int:
        return int(_field(model, f"llama.{key}"))

    return LanguageConfig(
        vocab_size=known("vocab_size"),
        embedding_length=known("embedding_length"),
        block_count=known("block_count"),
        head_count=known("attention.head_count"),
        feed_forward_length=known("feed_forward_length"),
        context_length=known("context_length"),
    )


def _field(model: gguf.GGUFReader, key: str) -> Any:
    found = model.get_field(key)
    if found is None:
        raise ValueError(f"The model has no {key}.")
    return found.contents()


def _tensors(file: gguf.GGUFReader) -> Callable[[str], Weights]:
    found = {tensor.name: tensor for tensor in file.tensors}

    def weights(name: str) -> Weights:
        tensor = found[name]
        # GGUF's shapes start with the innermost.
        shape = [int(side) for side in reversed(tensor.shape)]
        whole: Weights = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        return whole.reshape(shape)

    return weights


def _language(config: LanguageConfig, weights: Callable[[str], Weights]) -> Iterator[tuple[str, Tensor]]:
    yield "token_embd.weight", _tensor(weights("token_embd.weight"))
    yield "output_norm", _tensor(weights("output_norm.weight"))
    for index in range(config.block_count):
        source, target = f"blk.{index}.", f"blocks.{index}."
        q, k = (apart(weights(f"{source}attn_{each}.weight"), config.head_count) for each in "qk")
        gate, up = (weights(f"{source}ffn_{each}.weight") for each in ("gate", "up"))
        yield f"{target}attn_qkv.weight", _tensor(q, k, weights(f"{source}attn_v.weight"))
        yield f"{target}ffn_gate_up.weight", _tensor(gate, up)
        for name in ("attn_output", "ffn_down"):
            yield f"{target}{name}.weight", _tensor(weights(f"{source}{name}.weight"))
        for name in ("attn_norm", "ffn_norm"):
            yield f"{target}{name}", _tensor(weights(f"{source}{name}.weight"))


def apart(rows: Weights, heads: int) -> Weights:
    """Undo what `convert` does to q and k: rows i and i + half of a head, which lie side by side in GGUF."""
    n, width = rows.shape
    return rows.reshape(heads, n // heads // 2, 2, width).swapaxes(1, 2).reshape(n, width)


def _vision(config: VisionConfig, weights: Callable[[str], Weights]) -> Iterator[tuple[str, Tensor]]:
    yield "patch_embd.weight", _tensor(weights("v.patch_embd.weight"))
    yield "patch_embd.bias", _tensor(weights("v.patch_embd.bias"))
    yield "position_embd", _tensor(weights("v.position_embd.weight"))
    for kind in ("weight", "bias"):
        yield f"pre_ln.{kind}", _tensor(weights(f"v.pre_ln.{kind}"))
        yield f"mm_0.{kind}", _tensor(weights(f"mm.0.{kind}"))
        yield f"mm_2.{kind}", _tensor(weights(f"mm.2.{kind}"))
        for index in range(config.block_count):
            source, target = f"v.blk.{index}.", f"blocks.{index}."
            yield f"{target}attn_qkv.{kind}", _tensor(*(weights(f"{source}attn_{each}.{kind}") for each in "qkv"))
            for name in ("ln1", "ln2", "attn_out", "ffn_up", "ffn_down"):
                yield f"{target}{name}.{kind}", _tensor(weights(f"{source}{name}.{kind}"))


def _tensor(*parts: Weights) -> Tensor:
    return torch.from_numpy(np.concatenate(parts))
