"""How fast a long conversation goes on, after another one, in another version and after a restart, and llama-server.

    python -m tests.bench.context.warm MODEL.gguf [--server LLAMA_SERVER] [--entries 8000]

Each figure is the time until an answer of one token is there, and its share of reading the same conversation cold in
the same run. `tests.bench.context.model` writes a model of 0.6 billion parameters. Hearth is its engine with the
settings as they come and one thread, in a process that is ended and started again. llama-server has the same settings,
all else as it comes (its cache of prompts in memory too), and --slot-save-path: where it says "saved by hand", a client
saved the slot before, and restores it before it asks, in the time that is told. What the window does by itself after a
restart is told as "brought back ahead": it restores the conversation while nobody has asked yet. "Not in the page
cache" drops model and snapshot from the system's memory first. Exits with 1 where a share of Hearth's is above 5 %.
"""

import argparse
import json
import random
import sys
import tempfile
import time
import urllib.request
from copy import deepcopy
from pathlib import Path

import psutil

from app.core.loading import Loading
from tests.bench.context.engine_process import EngineProcess, forget_pages
from tests.bench.context.stopwatch import Stopwatch, Took
from tests.bench.serving.programs import Chat, Program, Reply, llama_server

_BAR = 0.05
_TURNS = 16
_WORDS = "river valley stone mountain evening hill rain ship whale sea and the of on in under over through says asks"
_SLOT = "talk.bin"


class Table:
    """The figures of one program, printed as they come."""

    def __init__(self, program: str) -> None:
        print(f"\n{program}", flush=True)
        print(f"  {'':52} {'clock':>11} {'share':>8} {'processor':>11} {'share':>8}", flush=True)
        self._cold: Took | None = None
        self.worst = 0.0

    def add(self, what: str, took: Took, reply: Reply, *, judged: bool = True) -> None:
        """The first one is the cold one."""
        cold = self._cold or took
        share, of_cpu = took.seconds / cold.seconds, took.cpu / cold.cpu
        if judged and self._cold is not None:
            self.worst = max(self.worst, share)
        self._cold = cold
        read = f"{reply.total - reply.reused:6,} of {reply.total:6,} read"
        times = f"{took.seconds:9.3f} s {share:8.2%} {took.cpu:9.2f} s {of_cpu:8.2%}"
        print(f"  {what:52} {times}   {read}", flush=True)


def text(n_words: int, seed: int) -> str:
    drawn = random.Random(seed)
    return " ".join(drawn.choice(_WORDS.split()) for _ in range(n_words))


def conversation(n_words: int, seed: int) -> Chat:
    """Turns of equal length that end with a question."""
    each = max(1, n_words // (2 * _TURNS - 1))
    roles = ["user", "assistant"] * _TURNS
    return [{"role": role, "content": text(each, seed + number)} for number, role in enumerate(roles[:-1])]


def conversation_of(entries: int, engine: EngineProcess) -> Chat:
    """One of about so many entries."""
    n_words = entries // 8
    return conversation(n_words * entries // engine.count(conversation(n_words, 1)), 1)


def asking(chat: Chat, words: str = "and what came after that?") -> Chat:
    chat.append({"role": "user", "content": words})
    return chat


def edited(chat: Chat, question: int) -> Chat:
    """Another version of a question, with nothing after it."""
    made = deepcopy(chat[: 2 * question + 1])
    made[-1]["content"] = "no, tell me this: " + made[-1]["content"][: len(made[-1]["content"]) // 2]
    return made


def hearth(model: Path, folder: Path, talk: Chat, n_ctx: int) -> float:
    table = Table("Hearth")
    engine = EngineProcess(model, folder, n_ctx)
    chat, other = deepcopy(talk), [{"role": "user", "content": text(150, 99)}]
    try:
        table.add("cold", *engine.ask(chat, "long"))
        table.add("going on", *engine.ask(asking(chat), "long"))
        engine.ask(other, "other")
        table.add("after another conversation, from memory", *engine.ask(asking(chat), "long"))
        late = edited(chat, _TURNS - 1)
        engine.ask(late, "long")
        table.add("back from another version of the last question", *engine.ask(asking(chat), "long"))
        table.add("and to that version again", *engine.ask(asking(late), "long"))
        early = edited(chat, 1)
        engine.ask(early, "long")
        table.add("back from another version of an early question", *engine.ask(asking(chat), "long"))
        table.add("and to that version again", *engine.ask(asking(early), "long"))
        table.add("and back", *engine.ask(asking(chat), "long"))
        seconds, n_bytes = engine.keep()
        print(f"  (written behind the user's back in {seconds:.1f} s, {n_bytes / 1e6:.0f} MB in all)", flush=True)
        engine.ask(asking(other), "other")
        engine.forget_memory()
        table.add("after another conversation, from disk", *engine.ask(asking(chat), "long"))
        engine.keep()
        engine.end()
        engine = EngineProcess(model, folder, n_ctx)
        took, reply = engine.ask(asking(chat), "long")
        table.add("after a restart, asked at once", took, reply)
        table.add("  the same with loading the model", took + engine.loading, reply, judged=False)
        engine.keep()
        engine.end()
        forget_pages(model, *folder.iterdir())
        engine = EngineProcess(model, folder, n_ctx)
        ahead = engine.bring_back("long")
        took, reply = engine.ask(asking(chat), "long")
        table.add("after a restart, brought back ahead", took, reply)
        table.add("  the same with bringing back, not in the page cache", took + ahead, reply)
        table.add("  and with loading the model", took + ahead + engine.loading, reply, judged=False)
    finally:
        engine.end()
    return table.worst


class Server:
    """llama-server, and a client that may save and restore its slot."""

    def __init__(self, program: Program) -> None:
        self._program = program
        (process,) = (each for each in psutil.Process().children() if "llama-server" in each.name())
        self.pid = process.pid

    def ask(self, chat: Chat, *, restored: bool = False) -> tuple[Took, Reply]:
        """As `EngineProcess.ask`; `restored` restores the slot first."""
        with Stopwatch(self.pid) as watch:
            if restored:
                self._slot("restore")
            reply = self._program.ask(chat, 1)
        chat.append({"role": "assistant", "content": reply.text})
        return watch.took, reply

    def save(self) -> None:
        self._slot("save")

    def _slot(self, action: str) -> None:
        url = f"{self._program.base}/slots/0?action={action}"
        body = json.dumps({"filename": _SLOT}).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as response:
            json.load(response)


def server(program: Path, model: Path, folder: Path, talk: Chat, n_ctx: int) -> None:
    table = Table("llama-server")
    loading, log = Loading(ctx_size=n_ctx, gpu_layers=0, threads=1), folder / "server.log"
    options = ("--slot-save-path", f"{folder}/")
    chat, other = deepcopy(talk), [{"role": "user", "content": text(150, 99)}]
    with llama_server(program, model, loading, log, *options) as running:
        side = Server(running)
        table.add("cold", *side.ask(chat))
        table.add("going on", *side.ask(asking(chat)))
        side.ask(other)
        table.add("after another conversation, from memory", *side.ask(asking(chat)))
        late = edited(chat, _TURNS - 1)
        side.ask(late)
        table.add("back from another version of the last question", *side.ask(asking(chat)))
        table.add("and to that version again", *side.ask(asking(late)))
        early = edited(chat, 1)
        side.ask(early)
        table.add("back from another version of an early question", *side.ask(asking(chat)))
        table.add("and to that version again", *side.ask(asking(early)))
        table.add("and back", *side.ask(asking(chat)))
        side.save()
        side.ask(asking(other))
        table.add("after another conversation, saved by hand", *side.ask(asking(chat), restored=True))
        side.save()
    began = time.perf_counter()
    with llama_server(program, model, loading, log, *options) as running:
        side = Server(running)
        started = Took(time.perf_counter() - began, Stopwatch.cpu_of(side.pid))
        took, reply = side.ask(asking(chat), restored=True)
        table.add("after a restart, saved by hand", took, reply)
        table.add("  the same with loading the model", took + started, reply)
    print("  after a restart without a client that saves: cold")


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast a long conversation goes on.")
    parser.add_argument("model", type=Path, metavar="MODEL.gguf")
    parser.add_argument("--server", type=Path, help="llama-server of the same llama.cpp commit")
    parser.add_argument("--entries", type=int, default=8000, help="of the conversation, about")
    options = parser.parse_args()
    n_ctx = options.entries * 5 // 4
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counting = EngineProcess(options.model, folder / "snapshots", n_ctx)
        talk = conversation_of(options.entries, counting)
        counting.end()
        worst = hearth(options.model, folder / "snapshots", talk, n_ctx)
        if options.server is not None:
            server(options.server, options.model, folder, talk, n_ctx)
    print(f"\nHearth's largest share of reading cold: {worst:.2%}, and the bar is {_BAR:.0%}")
    sys.exit(worst > _BAR)


if __name__ == "__main__":
    main()
