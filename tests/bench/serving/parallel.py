"""Several clients at once, on Hearth and on llama-server: speed, and how one that reads holds up the others.

    python -m tests.bench.serving.parallel --server LLAMA_SERVER [--types F16 Q8_0 Q4_K_M] [--threads 1 2]
        [--clients 1 2 4 8] [--rounds 3] [--tokens 64] [--readers 1] [--flash off] [--drafts] [--parameters 240M]
        [--models FOLDER]

llama-server must be of the llama.cpp commit that Hearth is built with, and had better find the very libraries of
llama-cpp-python beside it: another compiler's options make more of a difference than anything that is measured here.
The models are tiny ones inflated to 240 million parameters, or to 1,000. All run side by side and are asked in turns:
Hearth with eight sequences, llama-server with as many slots as clients, and as it comes, which has flash attention
where Hearth has chosen none. Told are medians over the rounds: tokens in a second of all clients together, those of
Hearth divided by the others' of the same round; and, where the machine does other things meanwhile, the same in the
processor's own time, which with one thread says what a quiet machine would. The answers repeat a letter, which Hearth
guesses where one client is alone: so it drafts with `--drafts` only.

While one client's 2,000 tokens are read: the tokens in a second of three others against what they wrote before, the
longest time in which one of them got no word, and the seconds until the one who asked got his first.
"""

import argparse
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
from gguf import GGMLQuantizationType, LlamaFileType
from llama_cpp import llama_cpp as api

from app.core.loading import FlashAttention, Loading
from app.engine.binding import library
from tests.bench.drafting.inflated import Shape, inflate, letters
from tests.bench.serving.programs import Chat, Program, hearth_serve, llama_server
from tests.tiny_models import llama

_SHAPES = {"240M": Shape(20, 1024, 2816), "1B": Shape(22, 2048, 5632)}
_LOADING = Loading(ctx_size=8192, gpu_layers=0)
_LONG = 2000
"""Entries of the prompt that is read; each letter is one."""


def asking(number: int, text: str = "") -> Chat:
    """No two clients have a beginning in common."""
    return [{"role": "user", "content": f"{number} asks {text}"}]


@dataclass(frozen=True)
class Speed:
    """Tokens in a second."""

    wall: float
    processor: float


def together(program: Program, n: int, tokens: int, begin: int) -> Speed:
    """Of `n` clients together."""
    used = psutil.Process(program.pid)
    with ThreadPoolExecutor(n) as pool:
        began, before = time.perf_counter(), sum(used.cpu_times()[:2])
        ends = [pool.submit(program.moments, asking(begin + each), tokens) for each in range(n)]
        last = max(each.result()[-1] for each in ends)
    return Speed(n * tokens / (last - began), n * tokens / (sum(used.cpu_times()[:2]) - before))


def beside_a_reader(program: Program, tokens: int, begin: int) -> tuple[float, float, float]:
    """While one reads: the others' pieces in a second as a share of those before, their longest gap, and its wait."""
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(program.moments, asking(begin + each), 24 * tokens) for each in range(3)]
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


def _told(own: Sequence[Speed], other: Sequence[Speed]) -> str:
    wall = statistics.median(a.wall / b.wall for a, b in zip(own, other, strict=True))
    processor = statistics.median(a.processor / b.processor for a, b in zip(own, other, strict=True))
    speed = statistics.median(each.wall for each in other)
    return f"{speed:6.1f} t/s: {wall:.2f} (processor {processor:.2f})"


def compare(server: Path, model: Path, threads: int, asked: argparse.Namespace) -> None:
    loading = replace(_LOADING, threads=threads, flash_attn=FlashAttention(asked.flash))
    plain = () if asked.drafts else ("--no-spec-ngram",)
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def theirs(*more: str) -> Program:
            started = stack.enter_context(llama_server(server, model, loading, home / "log", *more))
            return replace(started, says="a")

        ours = replace(stack.enter_context(hearth_serve(model, loading, home, "-np", "8", *plain)), says="a")
        default = theirs("-np", "-1", "-fa", "auto")
        for n in asked.clients:
            sides = (ours, theirs("-np", str(n)), default)
            numbers = range(10 * n, 10 * n + 100 * asked.rounds, 100)
            rounds = [[together(each, n, asked.tokens, number) for each in sides] for number in numbers]
            own, slots, usual = zip(*rounds, strict=True)
            speed = statistics.median(each.wall for each in own)
            print(
                f"  {n} clients {speed:6.1f} t/s; -np {n} {_told(own, slots)}; default {_told(own, usual)}", flush=True
            )
        if asked.readers:
            named = {
                "Hearth": ours,
                "llama-server -np 4": theirs("-np", "4", "-c", "16384"),
                "llama-server as it comes": default,
            }
            for name, side in named.items():
                seen = [beside_a_reader(side, asked.tokens, 2000 + 10 * each) for each in range(asked.readers)]
                _tell_reading(name, seen)


def _tell_reading(name: str, seen: Sequence[tuple[float, float, float]]) -> None:
    share, gap, wait = (statistics.median(each) for each in zip(*seen, strict=True))
    print(f"  one reads beside three, {name}: speed {share:.2f}, gap {gap:.2f} s, first word {wait:.1f} s", flush=True)


def made(small: Path, path: Path, kind: str, shape: Shape = _SHAPES["240M"]) -> Path:
    """`small`, inflated to weights of this kind: a type, or a mixture by the name that llama.cpp gives it."""
    if kind in GGMLQuantizationType.__members__:
        return inflate(small, path, shape, GGMLQuantizationType[kind], letters())
    whole = inflate(small, path.with_suffix(".f16"), shape, GGMLQuantizationType.F16, letters())
    library.start()  # or llama.cpp tells of each tensor here
    params = api.llama_model_quantize_default_params()
    params.ftype = LlamaFileType[f"MOSTLY_{kind}"]
    if api.llama_model_quantize(os.fsencode(whole), os.fsencode(path), params):
        raise SystemExit(f"llama.cpp did not quantise to {kind}")
    whole.unlink()
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--types", nargs="+", default=["F16", "Q8_0", "Q4_K_M"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--clients", nargs="+", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--readers", type=int, default=1)
    parser.add_argument("--flash", choices=list(FlashAttention), default=FlashAttention.OFF)
    parser.add_argument("--drafts", action="store_true")
    parser.add_argument("--parameters", choices=list(_SHAPES), default="240M")
    parser.add_argument("--models", type=Path, help="where they are kept for the next time")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.models or Path(temporary)
        small = llama(folder / "small.gguf", tokenizer=letters())
        for kind in asked.types:
            model = folder / f"{kind}.gguf"
            if not model.exists():
                made(small, model, kind, _SHAPES[asked.parameters])
            for threads in asked.threads:
                print(f"{kind}, {threads} threads, load {os.getloadavg()[0]:.1f}", flush=True)
                compare(asked.server, model, threads, asked)


if __name__ == "__main__":
    main()
