"""What tools cost a conversation, on every kind of memory: each round, the question behind them, and a new chat.

    python -m tests.bench.context.tool_rounds [--server LLAMA_SERVER] [--kind NAME ...] [--tokens N]

Ten rounds of a call and a result, with thoughts and without: entries read beside those that are new. Then the question
behind them, before and after it was read ahead. Then a new chat with tools of so many tokens, while the first one is
held and after a restart, when the first is deleted. llama-server (of the llama.cpp commit that Hearth is built with)
does the same by its own API: prompts of `/apply-template` for `/completion`, which may be told what to answer, a chat
after another, and a saved slot. Exits with 1 where a round of ours reads more than is new, the question more than 100
entries, or a new chat more than 1 %.
"""

import argparse
import json
import logging
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.cancel import CancelFlag
from app.core.messages import Message, Role
from app.engine.loading.loader import open_session
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.output.gbnf import literal
from app.engine.reply.session import Session
from tests.bench.context.server import LOADING
from tests.bench.serving.programs import llama_server
from tests.counted import counted
from tests.tool_talk import (
    FOLLOW_UP,
    KINDS,
    QUESTION,
    RESULT,
    SAYS,
    THOUGHT,
    TOOLS,
    ask,
    loop,
    read_ahead,
    to_read,
    tool_call,
    tools,
    write_model,
)

_ROUNDS, _MOST, _SHARE = 10, 100, 0.01
_QUOTA = 8 << 30
OTHER = Message.of(Role.USER, "Is there a boat?")


@contextmanager
def session_on(model: Path, n_ctx: int, disk: SnapshotDisk | None = None) -> Iterator[Session]:
    opened = open_session(model, replace(LOADING, ctx_size=n_ctx), cancel=CancelFlag(), snapshots=disk)
    assert opened is not None
    with closing(opened[0]):
        yield opened[0]


def rounds(kind: str, model: Path, *, thinks: bool) -> bool:
    """Print what ten rounds and the question behind them read; whether that is as little as it should be."""
    with session_on(model, 8192) as session:
        messages, read = loop(session, _ROUNDS, thinks=thinks)
        before = to_read(session, [*messages, FOLLOW_UP])
        read_ahead(session, messages)
        after = counted(ask(session, [*messages, FOLLOW_UP], "Here.").timings.prompt_n)
        told = " ".join(str(each.read) if each.read == each.new else f"{each.read}/{each.new}" for each in read)
        print(
            f"{kind:10} {'thinks' if thinks else '':7} rounds {told}; then {before} -> {after} of {len(session.slot)}"
        )
        return all(each.read <= each.new for each in read) and after <= _MOST


def server_rounds(kind: str, program: Path, model: Path, log: Path, *, thinks: bool) -> None:
    """The same from llama-server, which has nothing read ahead."""
    with llama_server(program, model, replace(LOADING, ctx_size=8192), log, "--jinja") as server:
        messages: list[dict[str, Any]] = [{"role": "user", "content": QUESTION.text}]
        read = []
        for n in range(_ROUNDS + 1):
            call, thought = tool_call(n), THOUGHT if thinks else ""
            read.append(server_read(server.base, messages, f"{thought}{call if n < _ROUNDS else SAYS}"))
            answer: dict[str, Any] = {"role": "assistant", "content": "" if n < _ROUNDS else SAYS}
            if thinks:
                answer["reasoning_content"] = THOUGHT.removeprefix("<think>\n").partition("\n</think>")[0]
            messages.append(answer)
            if n < _ROUNDS:
                function = {"name": "station_000", "arguments": json.dumps({"station": n})}
                answer["tool_calls"] = [{"id": f"c{n}", "type": "function", "function": function}]
                messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": f"{n}: {RESULT}"})
        after = server_read(server.base, [*messages, {"role": "user", "content": FOLLOW_UP.text}], "Here.")
    told = " ".join(map(str, read[1:]))
    print(f"{kind:10} {'thinks' if thinks else '':7} llama-server {told}; then {after}", flush=True)


def server_read(base: str, messages: list[dict[str, Any]], says: str) -> int:
    """Entries that it reads for an answer that is given letter by letter."""
    prompt = post(f"{base}/apply-template", {"messages": messages, "tools": TOOLS})["prompt"]
    grammar = f"root ::= {literal(says)}"
    body = {"prompt": prompt, "grammar": grammar, "n_predict": 200, "temperature": 0, "cache_prompt": True}
    return int(post(f"{base}/completion", body)["timings"]["prompt_n"])


def new_chats(kind: str, model: Path, declared: tuple[dict[str, object], ...], n_ctx: int, folder: Path) -> bool:
    """Print what the first, the second and one after a restart read of the same tools."""
    told = []
    for run in range(2):
        with closing(SnapshotDisk(folder, _QUOTA)) as disk, session_on(model, n_ctx, disk) as session:
            for name in ("1", "2")[run:] if not run else ("3",):
                began = time.perf_counter()
                done = ask(session, [QUESTION if name == "1" else OTHER], "Yes.", tools=declared, conversation=name)
                told.append((counted(done.timings.prompt_n), done.timings.cache_n, time.perf_counter() - began))
            for name in ("1", "2"):
                session.slot.forget_conversation(name)
            disk.close(600)
    total = told[0][0]
    shown = "; ".join(f"{read:,} ({100 * read / total:.2f} %) {seconds:.2f} s" for read, _, seconds in told)
    print(f"{kind:10} new chats   {shown}", flush=True)
    return all(read <= _SHARE * total for read, *_ in told[1:])


def server_new_chats(kind: str, program: Path, model: Path, declared: Any, n_ctx: int, folder: Path) -> None:
    """The same from llama-server: two chats in one slot, and one after a restart from a slot that was saved."""
    told = []
    loading = replace(LOADING, ctx_size=n_ctx)
    for run in range(2):
        with llama_server(
            program, model, loading, folder / "log", "--jinja", "--slot-save-path", str(folder)
        ) as server:
            if run:
                post(f"{server.base}/slots/0?action=restore", {"filename": "slot"})
            for question in (QUESTION, OTHER)[run:]:
                began = time.perf_counter()
                body = {"messages": [{"role": "user", "content": question.text}], "tools": declared, "max_tokens": 4}
                timings = post(f"{server.base}/v1/chat/completions", body)["timings"]
                told.append((timings["prompt_n"], time.perf_counter() - began))
            if not run:
                post(f"{server.base}/slots/0?action=save", {"filename": "slot"})
    shown = "; ".join(f"{read:,} {seconds:.2f} s" for read, seconds in told)
    print(f"{kind:10} llama-server {shown}", flush=True)


def post(address: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3600) as response:
        return json.load(response)


def main() -> int:
    parser = argparse.ArgumentParser(description="Count what tools have read.")
    parser.add_argument("--server", type=Path, help="llama-server of the same llama.cpp commit")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--tokens", type=int, default=60_000)
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    good, n_ctx = [], given.tokens + 8192
    for kind in given.kind or KINDS:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            model = write_model(kind, folder / "model.gguf", n_ctx)
            for thinks in (False, True):
                good.append(rounds(kind, model, thinks=thinks))
                if given.server is not None:
                    server_rounds(kind, given.server, model, folder / "log", thinks=thinks)
            declared = tools(given.tokens * 8 // 7)  # characters
            good.append(new_chats(kind, model, declared, n_ctx, folder / "kept"))
            if given.server is not None:
                server_new_chats(kind, given.server, model, declared, n_ctx, folder)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
