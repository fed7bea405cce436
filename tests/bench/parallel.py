"""Several clients at once, on Hearth and on `llama-server -np N`: speed, and how one that reads holds up the others.

    python -m tests.bench.parallel --server LLAMA_SERVER [--types F16 Q8_0] [--threads 1 2] [--rounds 3] [--tokens 64]

llama-server must be of the llama.cpp commit that Hearth is built with. The models are tiny ones inflated to 240 million
parameters. Both programs run side by side and are asked in turns; the figures are medians over the rounds: tokens in a
second of all clients together, and, while one client's 2,000 tokens are read, the tokens in a second of three others
against what they wrote before, the longest time in which none of them got a word, and the seconds until the one who
asked got his first.
"""

import argparse
import itertools
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from gguf import GGMLQuantizationType

from app.core.loading import FlashAttention, Loading
from tests.bench.inflated import Shape, inflate, letters
from tests.bench.programs import Chat, Program, hearth_serve, llama_server
from tests.tiny_models import llama

_SHAPE = Shape(20, 1024, 2816)
_LOADING = Loading(ctx_size=8192, gpu_layers=0, flash_attn=FlashAttention.OFF)
_CLIENTS = (1, 2, 4)
_LONG = 2000
"""Entries of the prompt that is read; each letter is one."""


def asking(number: int, text: str = "") -> Chat:
    """No two clients have a beginning in common."""
    return [{"role": "user", "content": f"{number} asks {text}"}]


def together(program: Program, n: int, tokens: int, begin: int) -> float:
    """Tokens in a second of `n` clients."""
    with ThreadPoolExecutor(n) as pool:
        began = time.perf_counter()
        ends = [pool.submit(program.moments, asking(begin + each), tokens) for each in range(n)]
        last = max(each.result()[-1] for each in ends)
    return n * tokens / (last - began)


def beside_a_reader(program: Program, tokens: int, begin: int) -> tuple[float, float, float]:
    """While one reads: the others' pieces in a second as a share of those before, their longest gap, and its wait."""
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(program.moments, asking(begin + each), 12 * tokens) for each in range(3)]
        time.sleep(3)
        asked = time.perf_counter()
        first = pool.submit(program.moments, asking(begin + 3, "why? " * (_LONG // 5)), 1).result()[0]
        came = [each.result() for each in writers]
    gaps, shares = [0.0], []
    for moments in came:
        inside = [each for each in moments if asked <= each <= first]
        before = [each for each in moments if asked - 2 <= each <= asked]
        edges = [asked, *inside, first]
        gaps += [late - early for early, late in itertools.pairwise(edges)]
        shares.append((len(inside) / (first - asked)) / (len(before) / 2) if before else 0.0)
    return statistics.mean(shares), max(gaps), first - asked


def compare(server: Path, model: Path, threads: int, rounds: int, tokens: int) -> None:
    loading = replace(_LOADING, threads=threads)
    with (
        tempfile.TemporaryDirectory() as home,
        llama_server(server, model, loading, Path(home) / "log", "-np", "4") as theirs,
        hearth_serve(model, loading, Path(home), "-np", "4") as ours,
    ):
        sides = [Program(each.base, "a") for each in (ours, theirs)]
        for n in _CLIENTS:
            speeds = [[together(side, n, tokens, 10 * n + 100 * each) for side in sides] for each in range(rounds)]
            own, other = (statistics.median(each) for each in zip(*speeds, strict=True))
            print(f"  {n} clients {own:7.1f} t/s, llama-server {other:7.1f}: {own / other:.2f}", flush=True)
        for name, side in zip(("Hearth", "llama-server"), sides, strict=True):
            seen = [beside_a_reader(side, tokens, 2000 + 10 * each) for each in range(rounds)]
            share, gap, wait = (statistics.median(each) for each in zip(*seen, strict=True))
            print(f"  one reads beside three, {name}: speed {share:.2f}, gap {gap:.2f} s, first word {wait:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--types", nargs="+", default=["F16", "Q8_0"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=64)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = letters()
        small = llama(Path(folder) / "small.gguf", tokenizer=tokenizer)
        for kind in asked.types:
            model = Path(folder) / f"{kind}.gguf"
            inflate(small, model, _SHAPE, GGMLQuantizationType[kind], tokenizer)
            for threads in asked.threads:
                print(f"{kind}, {threads} threads", flush=True)
                compare(asked.server, model, threads, asked.rounds, asked.tokens)


if __name__ == "__main__":
    main()
