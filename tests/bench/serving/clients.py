"""Many clients of one `hearth serve`, in all dialects: none is lost, and memory stays flat.

python -m tests.bench.serving.clients [--sequential 200] [--concurrent 20] [--rounds 5]
"""

import argparse
import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from tests import tiny_models
from tests.hearth_process import HearthProcess
from tests.serve_process import Serving, serving

_MIB = 1 << 20


@dataclass(frozen=True)
class Dialect:
    path: str
    limit: str
    """What it calls the most tokens."""
    whole: str
    streamed: str
    """What stands in a whole answer, and in the end of a streamed one."""
    asks: str = "messages"


DIALECTS = (
    Dialect("/v1/chat/completions", "max_tokens", '"finish_reason"', "data: [DONE]"),
    Dialect("/v1/responses", "max_output_tokens", '"status": "incomplete"', "event: response.incomplete", "input"),
    Dialect("/v1/messages", "max_tokens", '"stop_reason"', "event: message_stop"),
    Dialect("/api/chat", "num_predict", '"done": true', '"done": true'),
    Dialect("/completion", "n_predict", '"stop_type"', '"stop_type"', "prompt"),
)


def body(number: int, *, stream: bool, dialect: Dialect = DIALECTS[0]) -> dict[str, Any]:
    words = f"Client {number} asks: " + "the river runs under another hill. " * (number % 7)
    asked: Any = words if dialect.asks == "prompt" else [{"role": "user", "content": words}]
    limit: dict[str, Any] = {dialect.limit: 16}
    return {"model": "tiny", dialect.asks: asked, "stream": stream} | (
        {"options": limit} if dialect.path == "/api/chat" else limit
    )


async def ask(session: aiohttp.ClientSession, server: Serving, number: int) -> bool:
    """Whether the answer came whole."""
    stream, dialect = number % 2 == 0, DIALECTS[number // 2 % len(DIALECTS)]
    address = server.address.removesuffix("/v1") + dialect.path
    async with session.post(address, json=body(number, stream=stream, dialect=dialect)) as response:
        told = await response.text()
    return response.status == 200 and (dialect.streamed in told[-4000:] if stream else dialect.whole in told)


async def leave(session: aiohttp.ClientSession, server: Serving, number: int) -> bool:
    """Go away in the midst of an answer."""
    response = await session.post(f"{server.address}/chat/completions", json=body(number, stream=True))
    await response.content.readany()
    response.close()
    return True


async def visit(server: Serving, sequential: int, concurrent: int, rounds: int) -> list[tuple[str, int, float]]:
    """Lost answers and the server's memory in MiB after each part."""
    process = psutil.Process(server.process.pid)
    seen: list[tuple[str, int, float]] = []

    def note(part: str, came: list[bool]) -> None:
        seen.append((part, came.count(False), process.memory_info().rss / _MIB))

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=120)) as session:
        note("first", [await ask(session, server, 0)])
        for each in range(rounds):
            note(f"{each}: one by one", [await ask(session, server, number) for number in range(sequential)])
            together = (ask(session, server, number) for number in range(concurrent))
            note(f"{each}: together", list(await asyncio.gather(*together)))
            note(f"{each}: leaving", [await leave(session, server, number) for number in range(concurrent)])
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequential", type=int, default=200)
    parser.add_argument("--concurrent", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = tiny_models.llama(Path(folder) / "tiny.gguf")
        hearth = HearthProcess(Path(folder) / "home", qt=True)
        with serving(hearth, "-m", model, "-t", "1", "-c", "2048", "--cache-ram", "16") as server:
            began = time.monotonic()
            seen = asyncio.run(visit(server, asked.sequential, asked.concurrent, asked.rounds))
            for part, lost, memory in seen:
                print(f"{part:20} lost {lost:3}  {memory:7.1f} MiB")
            print(f"{time.monotonic() - began:.0f} s")
            print(server.stop())


if __name__ == "__main__":
    main()
