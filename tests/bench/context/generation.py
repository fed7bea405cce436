"""Generation speed of Hearth's loop beside llama-bench's, in one run.

    python -m tests.bench.context.generation MODEL.gguf LLAMA_BENCH [threads] [tokens] [pairs]

Each pair runs llama-bench and then Hearth on the same file with the same threads; the ratio is taken within the
pair, because a machine's speed drifts. llama-bench does not sample at all; Hearth runs its default chain.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import FlashAttention, Loading
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.counted import counted


def llama_bench(program: str, model: str, threads: int, tokens: int) -> float:
    arguments = ["-m", model, "-t", str(threads), "-p", "0", "-n", str(tokens), "-r", "1", "-ngl", "0", "-o", "json"]
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)[0]["avg_ts"])


def hearth(session: Session, tokens: int, sampling: Sampling) -> float:
    *_, last = session.reply(ChatRequest((Message.of(Role.USER, "hello"),), sampling))
    assert isinstance(last, Finished)
    assert last.timings.predicted_n == tokens, f"the answer ended by itself: {last.reason}"
    return counted(last.timings.predicted_per_second)


def main() -> None:
    model, program, *numbers = sys.argv[1:]
    threads, tokens, pairs = [*map(int, numbers), *(1, 64, 7)[len(numbers) :]]
    loading = Loading(threads=threads, gpu_layers=0, ctx_size=1024, flash_attn=FlashAttention.AUTO)
    opened = open_session(Path(model), loading, cancel=CancelFlag())
    assert opened is not None
    session = opened[0]
    greedy = Sampling(temperature=0.0, max_tokens=tokens)
    usual = Sampling(seed=1, max_tokens=tokens)
    hearth(session, tokens, greedy)
    rows = []
    for _ in range(pairs):
        bench = llama_bench(program, model, threads, tokens)
        rows.append((bench, hearth(session, tokens, usual), hearth(session, tokens, greedy)))
        print("llama-bench {:7.2f}   default chain {:7.2f}   greedy {:7.2f} tok/s".format(*rows[-1]), flush=True)
    session.close()
    for name, column in (("default chain", 1), ("greedy", 2)):
        ratios = sorted(row[column] / row[0] for row in rows)
        print(f"{name}: {statistics.median(ratios):.3f} of llama-bench (pairs {ratios[0]:.3f} to {ratios[-1]:.3f})")


if __name__ == "__main__":
    main()
