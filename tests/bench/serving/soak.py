"""Clients that come, leave, and are killed at random: no answer is wrong, and memory stays flat.

    python -m tests.bench.serving.soak [--families llama gemma3 qwen35 mamba] [--minutes 30] [--clients 16] [--seed 1]
        [--kept 64]
    python -m tests.bench.serving.soak --at http://127.0.0.1:PORT/v1 [--minutes 30] [--clients 16] [--seed 1]

Each kind of memory gets a server of its own that answers four at once. The talks are cut from a few long ones, so that
clients share beginnings, go back, and go elsewhere. What came whole is asked again afterwards, one by one, of a server
that holds nothing; with F32 cells and without flash attention the texts must be equal. Exits with 1 where one is not.
Memory is told in sixths of the time, beside what the server keeps in it of conversations that were left, which it does
within `--kept` MiB. With `--at` the clients ask a server that is there, and nothing is compared.
"""

import argparse
import asyncio
import itertools
import json
import random
import re
import socket
import struct
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from tests import tiny_models
from tests.hearth_process import HearthProcess
from tests.serve_process import Serving, serving

_MIB = 1 << 20
_WORDS = ["the", "river", "and", "a", "mountain", "of", "old", "stones", "were", "seen", "by", "nobody", "in", "spring"]
_OPTIONS = ["-c", "2048", "-b", "256", "-ub", "64", "-t", "1", "-ngl", "0", "-ctk", "f32", "-ctv", "f32", "-fa", "off"]
_KEPT = 400
"""Answers of each server that are compared at the most."""


@dataclass
class Seen:
    """What came of the requests."""

    whole: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    left: int = 0
    lost: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    """MiB, once a second."""
    kept: list[float] = field(default_factory=list)
    """MiB of those for conversations that were left."""


def bodies(rng: random.Random) -> Iterator[dict[str, Any]]:
    def words(n: int) -> str:
        return " ".join(rng.choice(_WORDS) for _ in range(n))

    talks = [[words(rng.randrange(2, 40)) for _ in range(9)] for _ in range(6)]
    while True:
        said = rng.choice(talks)[: 2 * rng.randrange(5) + 1]
        if rng.random() < 0.4:
            said = [*said[:-1], words(rng.randrange(1, 60))]
        roles = ("user", "assistant")
        messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(said)]
        yield {"messages": messages, "max_tokens": rng.randrange(1, 60), "temperature": 0, "stream": rng.random() < 0.7}


async def client(address: str, rng: random.Random, seen: Seen, ends: float) -> None:
    asked = bodies(rng)
    while time.monotonic() < ends:
        body = next(asked)
        goes = rng.choice(("stays", "stays", "leaves", "is killed"))
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=600)) as session:
                await _ask(session, address, body, goes, rng, seen)
        except (aiohttp.ClientError, TimeoutError) as error:
            if goes == "stays":
                seen.lost.append(repr(error))
        if rng.random() < 0.2:
            await asyncio.sleep(rng.random())


async def _ask(
    session: aiohttp.ClientSession, address: str, body: dict[str, Any], goes: str, rng: random.Random, seen: Seen
) -> None:
    async with session.post(f"{address}/chat/completions", json=body) as response:
        if goes == "stays":
            told = await response.text()
            if response.status == 200:
                seen.whole.append((body, _text(told, stream=body["stream"])))
            else:
                seen.lost.append(f"{response.status} {told[:200]}")
            return
        seen.left += 1
        for _ in range(rng.randrange(6)):
            await response.content.readany()
        if goes == "is killed" and response.connection is not None and response.connection.transport is not None:
            held: socket.socket = response.connection.transport.get_extra_info("socket")
            held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            response.connection.transport.abort()


def _text(told: str, *, stream: bool) -> str:
    if not stream:
        return str(json.loads(told)["choices"][0]["message"]["content"] or "")
    chunks = (json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: {"))
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


async def soak(server: Serving, seed: int, clients: int, minutes: float) -> Seen:
    seen, ends = Seen(), time.monotonic() + 60 * minutes
    process = psutil.Process(server.process.pid)

    async def watch() -> None:
        async with aiohttp.ClientSession() as session:
            while time.monotonic() < ends:
                seen.memory.append(process.memory_info().rss / _MIB)
                async with session.get(server.address.removesuffix("/v1") + "/metrics") as response:
                    [kept] = re.findall(r"^llamacpp:conversations_kept_bytes (\S+)$", await response.text(), re.M)
                seen.kept.append(float(kept) / _MIB)
                await asyncio.sleep(1)

    await asyncio.gather(watch(), come(server.address, seed, clients, seen, ends))
    return seen


async def come(address: str, seed: int, clients: int, seen: Seen, ends: float) -> None:
    await asyncio.gather(*(client(address, random.Random(f"{seed} {each}"), seen, ends) for each in range(clients)))


def wrong(cold: Serving, seen: Seen, rng: random.Random) -> list[str]:
    """What differs from an answer of a server that holds nothing."""
    found = []
    for body, text in rng.sample(seen.whole, min(_KEPT, len(seen.whole))):
        root = cold.address.removesuffix("/v1")
        _post(f"{root}/slots/0?action=erase", {})
        told = json.loads(_post(f"{cold.address}/chat/completions", {**body, "stream": False}))
        if (expected := told["choices"][0]["message"]["content"] or "") != text:
            found.append(f"{json.dumps(body)}\n  {text!r}\n  {expected!r}")
    return found


def _post(address: str, body: dict[str, Any]) -> bytes:
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as response:
        answer: bytes = response.read()
    return answer


def _sixths(told: list[float]) -> str:
    """The most in each sixth of the time."""
    bounds = [len(told) * each // 6 for each in range(7)]
    return " ".join(f"{max(told[early:late]):.0f}" for early, late in itertools.pairwise(bounds))


@contextmanager
def server(model: Path, *options: str) -> Iterator[Serving]:
    with (
        tempfile.TemporaryDirectory() as home,
        serving(HearthProcess(Path(home), qt=True), "-m", model, *options) as told,
    ):
        yield told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", default=["llama", "gemma3", "qwen35", "mamba"])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=int, default=64, help="MiB for conversations that were left: soon full")
    parser.add_argument("--at", help="the address of a server that is there")
    asked = parser.parse_args()
    if asked.at:
        seen = Seen()
        asyncio.run(come(asked.at, asked.seed, asked.clients, seen, time.monotonic() + 60 * asked.minutes))
        print(f"clients: whole {len(seen.whole)}, left {seen.left}, lost {len(seen.lost)}", *seen.lost[:3], flush=True)
        return int(bool(seen.lost))
    failed = False
    for family in asked.families:
        with tempfile.TemporaryDirectory() as folder:
            model = tiny_models.MAKERS[family](Path(folder) / f"{family}.gguf")
            with server(model, *_OPTIONS, "-np", "4", "--cache-ram", str(asked.kept)) as warm:
                seen = asyncio.run(soak(warm, asked.seed, asked.clients, asked.minutes))
                alive = warm.process.poll() is None
            with server(model, *_OPTIONS, "-np", "1", "--slot-save-path", folder) as cold:
                differ = wrong(cold, seen, random.Random(asked.seed))
        kept = f"of those kept of conversations {_sixths(seen.kept)}"
        print(
            f"{family:8} whole {len(seen.whole)}, left {seen.left}, lost {len(seen.lost)}, wrong {len(differ)} of "
            f"{min(_KEPT, len(seen.whole))}, memory {_sixths(seen.memory)} MiB, {kept}",
            flush=True,
        )
        print(*seen.lost[:3], *differ[:3], sep="\n")
        failed = failed or not alive or bool(seen.lost or differ)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
