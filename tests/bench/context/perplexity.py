"""The perplexity of one text by Hearth and by llama-perplexity, of the llama.cpp commit that Hearth is built with.

    python -m tests.bench.context.perplexity LLAMA_PERPLEXITY

Four tiny models, one of them with a sliding window and one recurrent, more than 2,000 tokens, windows of two sizes, F32
cells and no flash attention. Exits with 1 where the losses differ by more than `NEAR`, which is the share by which the
perplexities do.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.likelihood import Likelihood, TextToScore, Windows
from app.engine.loading.loader import open_session
from tests import tiny_models
from tests.engine.reply.test_perplexity import LARGE, TEXT, scored

NEAR = 1e-4
MODELS: dict[str, Callable[[Path], Path]] = {
    "llama": tiny_models.llama,
    "llama_spm": tiny_models.llama_spm,
    "gemma3": tiny_models.gemma3,
    "mamba": tiny_models.mamba,
}
_TOLD = re.compile(r"PPL = ([\d.]+)")
_TRIES = 20
"""It now and then ends before it has printed its last line."""


def theirs(program: Path, model: Path, text: Path, size: int) -> float:
    settings = {"-m": model, "-f": text, "-c": size, "-b": size, "-t": 1, "-ngl": 0, "-fa": "off"}
    kinds = {"-ctk": "f32", "-ctv": "f32"}
    command = [str(program), *(str(part) for pair in (settings | kinds).items() for part in pair)]
    for _ in range(_TRIES):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(program.parent)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        if told := _TOLD.search(done.stdout + done.stderr):
            return float(told[1])
    raise SystemExit(f"{program.name} tells no perplexity.")


def own(model: Path, size: int) -> Likelihood:
    opened = open_session(model, LARGE, cancel=CancelFlag())
    assert opened is not None
    try:
        return scored(opened[0], TextToScore(TEXT, Windows(size)))
    finally:
        opened[0].close()


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare perplexities.")
    parser.add_argument("program", type=Path, metavar="LLAMA_PERPLEXITY")
    program = parser.parse_args().program
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text(TEXT, "utf-8")
        for name, make in MODELS.items():
            model = make(Path(folder) / f"{name}.gguf")
            for size in (512, 256):
                told, got = theirs(program, model, text, size), own(model, size)
                apart = abs(got.loss - math.log(told))
                worst = max(worst, apart)
                print(
                    f"{name:10} {size:4} {len(got.tokens):6,} tokens   {told:12.4f} {got.perplexity:12.4f}   "
                    f"losses differ by {apart:.1e}",
                    flush=True,
                )
    return int(worst > NEAR)


if __name__ == "__main__":
    sys.exit(main())
