"""The same conversations on llama-server and on Hearth: entries reused, and time to the first token.

    python -m tests.bench.context.server MODEL.gguf [MODEL.gguf ...] --server LLAMA_SERVER
        [--skip reuse|time] [--pairs N]

llama-server must be of the llama.cpp commit that Hearth is built with; without --server nothing is done. Each scenario
starts both afresh. Both histories are the server's own answers, as text. The column "window" is Hearth with the tokens
that it generated an answer with, as the window and the terminal keep them; a client of the HTTP API has the text alone.
`tests.bench.serving.talkers` writes small models of each kind of memory. Exits with 1 where Hearth reuses less in all,
or where its first token comes later.
"""

import argparse
import logging
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.loading import CacheType, FlashAttention, Loading
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.bench.context.conversations import (
    FIRST,
    SCENARIOS,
    SYSTEM,
    Compared,
    OwnSide,
    Scenario,
    Talk,
    changed_system,
)
from tests.bench.serving.programs import hearth_serve, llama_server

LOADING = Loading(
    ctx_size=4096,
    gpu_layers=0,
    threads=1,
    flash_attn=FlashAttention.OFF,
    cache_type_k=CacheType.F32,
    cache_type_v=CacheType.F32,
)


def compare(program: Path, model: Path, log: Path) -> tuple[int, int, int]:
    """Print a table for one model; returns the sums of entries reused: server, over HTTP, in the window."""
    print(f"\n{model.stem}\n{'scenario':32} {'prompt':>7} {'server':>7} {'hearth':>7} {'window':>7}")
    opened = open_session(model, LOADING, cancel=CancelFlag())
    assert opened is not None
    takes_system = _takes_system(opened[0])
    opened[0].close()
    sums = (0, 0, 0)
    for name, scenario in SCENARIOS.items():
        if scenario is changed_system and not takes_system:
            print(f"{name:32} the template takes no system prompt")
            continue
        steps = _played(program, model, log, scenario, system=takes_system)
        reused = [sum(reply.reused for reply in side) for side in zip(*steps, strict=True)]
        sums = (sums[0] + reused[0], sums[1] + reused[1], sums[2] + reused[2])
        total = sum(step[0].total for step in steps)
        remarks = {remark for step in steps if (remark := _remark(step))}
        behind = "BEHIND " if reused[1] < reused[0] else ""
        figures = " ".join(f"{figure:7}" for figure in (total, *reused))
        print(f"{name:32} {figures}  {behind}{'; '.join(sorted(remarks))}", flush=True)
    print(f"{'sum':32} {'':7} " + " ".join(f"{figure:7}" for figure in sums))
    return sums


def _remark(step: Compared) -> str:
    server, http, _ = step
    if server.total != http.total:
        return f"prompts differ: {server.total} and {http.total}"
    return "" if server.text == http.text else "answers differ"


def _takes_system(session: Session) -> bool:
    """Where a template has no place for it, both put it before the first question, but not with the same blanks."""
    return session.chat.chat_format().template.supports_system


def _played(program: Path, model: Path, log: Path, scenario: Scenario, *, system: bool) -> list[Compared]:
    sessions = []
    for _ in range(2):
        opened = open_session(model, LOADING, cancel=CancelFlag())
        assert opened is not None
        sessions.append(opened[0])
    try:
        with llama_server(program, model, LOADING, log) as server:
            talk = Talk(server, OwnSide(sessions[0], recorded=False), OwnSide(sessions[1], recorded=True))
            if system:
                talk.chat.append({"role": "system", "content": SYSTEM + "Today is Monday."})
            return list(scenario(talk))
    finally:
        for session in sessions:
            session.close()


def race(program: Path, model: Path, folder: Path, pairs: int) -> float:
    """Time to the first token of follow-ups on a long prompt, both over HTTP; returns the median ratio."""
    small = model.stat().st_size < 64 << 20
    loading = replace(LOADING, ctx_size=8192 if small else 4096)
    question = FIRST * 4 if small else FIRST + FIRST[: len(FIRST) // 2]
    times: list[tuple[float, float]] = []
    beyond: list[tuple[float, float]] = []
    with (
        llama_server(program, model, loading, folder / "server.log") as server,
        hearth_serve(model, loading, folder / "home") as own,
    ):
        sides = [(server, [{"role": "user", "content": question}]), (own, [{"role": "user", "content": question}])]
        colds = [side.time_to_first(chat, 4) for side, chat in sides]
        replies = [reply for _, reply in colds]
        for number in range(pairs):
            taken = {}
            for index in (0, 1) if number % 2 else (1, 0):
                side, chat = sides[index]
                chat += [
                    {"role": "assistant", "content": replies[index].text},
                    {"role": "user", "content": f"And what came {number} days after that?"},
                ]
                taken[index], replies[index] = side.time_to_first(chat, 4)
            times.append((taken[0], taken[1]))
            beyond.append((taken[0] * 1000 - replies[0].read_ms, taken[1] * 1000 - replies[1].read_ms))
    ratios = sorted(own / server for server, own in times)
    medians = [statistics.median(column) * 1000 for column in zip(*times, strict=True)]
    rest = [statistics.median(column) for column in zip(*beyond, strict=True)]
    print(
        f"{model.stem:20} {colds[0][1].total:6} entries  cold {colds[0][0]:6.2f} and {colds[1][0]:6.2f} s  "
        f"follow-up {medians[0]:7.1f} and {medians[1]:7.1f} ms  ratio {statistics.median(ratios):.2f} "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f})  of that not reading {rest[0]:.1f} and {rest[1]:.1f} ms  "
        f"last reused {replies[0].reused}/{replies[0].total} and {replies[1].reused}/{replies[1].total}",
        flush=True,
    )
    return statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare with llama-server.")
    parser.add_argument("models", type=Path, nargs="+", metavar="MODEL.gguf")
    parser.add_argument("--server", type=Path, help="llama-server of the same llama.cpp commit")
    parser.add_argument("--skip", choices=["reuse", "time"], help="leave out a part")
    parser.add_argument("--pairs", type=int, default=15)
    options = parser.parse_args()
    if options.server is None:
        print("Nothing is compared without --server LLAMA_SERVER.")
        return
    logging.disable(logging.WARNING)
    behind = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.skip != "reuse":
            sums = [compare(options.server, model, folder / "server.log") for model in options.models]
            server, http, window = (sum(column) for column in zip(*sums, strict=True))
            behind = http < server
            print(f"\nReused in all: llama-server {server:,}, Hearth over HTTP {http:,}, in the window {window:,}")
        if options.skip != "time":
            print("\nTime to the first token, llama-server and Hearth, both over HTTP")
            ratios = [race(options.server, model, folder, options.pairs) for model in options.models]
            behind = behind or any(ratio > 1 for ratio in ratios)
    sys.exit(behind)


if __name__ == "__main__":
    main()
