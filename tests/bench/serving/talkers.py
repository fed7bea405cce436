"""Tiny models whose answers are plain ASCII, for comparing whole programs over HTTP.

    python -m tests.bench.serving.talkers FOLDER

A client sends an answer back as text. Half characters would come back as other tokens, and every follow-up would
then begin at the answer, on both sides; so these models write letters alone.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import gguf

from tests.tiny_models import THINKING, deepseek2, gemma3, lfm2, llama, mamba, moe, qwen35

MAKERS: dict[str, Callable[[Path], Path]] = {
    "llama": llama,
    "llama-thinking": lambda path: llama(path, template=THINKING),
    "gemma3": lambda path: gemma3(path, n_swa=64),
    "qwen35": qwen35,
    "qwen35-thinking": lambda path: qwen35(path, template=THINKING),
    "lfm2": lfm2,
    "mamba": mamba,
    "moe": moe,
    "deepseek2": deepseek2,
}


def speak_ascii(path: Path) -> Path:
    """Give every token but letters the logit 0, in place; some letter's is always larger."""
    reader = gguf.GGUFReader(path, "r+")
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    output = next(tensor for tensor in reader.tensors if tensor.name == "output.weight")
    output.data[[index for index, token in enumerate(tokens) if not (token.isascii() and token.isalpha())]] = 0.0
    return path


def write(folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    return [speak_ascii(make(folder / f"{name}.gguf")) for name, make in MAKERS.items()]


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(written)
