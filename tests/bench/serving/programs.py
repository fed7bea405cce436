"""llama-server and `hearth serve` as child processes, and what a client says to both."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.loading import Loading
from tests.hearth_process import HearthProcess

_PATIENCE = 600
_START = 120

Chat = list[dict[str, Any]]


@dataclass(frozen=True)
class Reply:
    text: str
    total: int
    """Entries of the prompt."""
    reused: int
    read_ms: float = 0.0
    """Milliseconds that the program itself says it read for."""


@dataclass(frozen=True)
class Program:
    """A server that is running."""

    base: str
    says: str = ""
    """A token that it repeats for an answer; empty is the model's own words."""
    pid: int = 0

    def ask(self, messages: Chat, n_predict: int) -> Reply:
        with self._post(messages, n_predict, stream=False) as response:
            answer = json.load(response)
        return _reply(answer["choices"][0]["message"]["content"], answer["timings"])

    def time_to_first(self, messages: Chat, n_predict: int) -> tuple[float, Reply]:
        """Seconds until the first text of a streamed answer, and the answer."""
        began = time.perf_counter()
        first = 0.0
        text: list[str] = []
        timings: dict[str, Any] = {}
        with self._post(messages, n_predict, stream=True) as response:
            for chunk in _chunks(response):
                said = "".join(each["delta"].get("content") or "" for each in chunk["choices"])
                if said and not first:
                    first = time.perf_counter() - began
                text.append(said)
                timings = chunk.get("timings") or timings
        return first, _reply("".join(text), timings)

    def moments(self, messages: Chat, n_predict: int) -> list[float]:
        """When each piece of a streamed answer came, by `time.perf_counter`."""
        with self._post(messages, n_predict, stream=True) as response:
            return [
                time.perf_counter()
                for chunk in _chunks(response)
                if any(each["delta"].get("content") for each in chunk["choices"])
            ]

    def _post(self, messages: Chat, n_predict: int, *, stream: bool) -> http.client.HTTPResponse:
        body: dict[str, Any] = {
            "messages": messages,
            "max_tokens": n_predict,
            "temperature": 0,
            "seed": 1,
            "stream": stream,
        }
        if self.says:
            body["logit_bias"] = [[self.says, 100]]
        request = urllib.request.Request(
            f"{self.base}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        response: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=_PATIENCE)
        return response


def _reply(text: str, timings: dict[str, Any]) -> Reply:
    reused = timings["cache_n"]
    return Reply(text, reused + timings["prompt_n"], reused, timings["prompt_ms"])


def _chunks(response: http.client.HTTPResponse) -> Iterator[Any]:
    for line in response:
        data = line.removeprefix(b"data: ").strip()
        if line.startswith(b"data: ") and data != b"[DONE]":
            yield json.loads(data)


@contextmanager
def llama_server(program: Path, model: Path, loading: Loading, log: Path, *more: str) -> Iterator[Program]:
    """llama-server with these settings and one slot; all else as it comes."""
    port = _free_port()
    settings = {
        "-c": loading.ctx_size,
        "-b": loading.batch_size,
        "-ub": loading.ubatch_size,
        "-t": loading.threads,
        "-tb": loading.threads,
        "-ngl": loading.gpu_layers,
        "-ctk": loading.cache_type_k,
        "-ctv": loading.cache_type_v,
        "-fa": loading.flash_attn,
        "-np": 1,
        "--reasoning-format": "none",
    }
    options = [str(part) for pair in settings.items() for part in pair]
    command = [str(program), "-m", str(model), "--host", "127.0.0.1", "--port", str(port), *options, *more]
    libraries = {"LD_LIBRARY_PATH": str(program.parent)}
    with log.open("ab") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, **libraries})
    try:
        base = f"http://127.0.0.1:{port}"
        _await_health(server, base, log)
        yield Program(base, pid=server.pid)
    finally:
        server.terminate()
        server.wait()


def _await_health(server: "subprocess.Popen[bytes]", base: str, log: Path) -> None:
    deadline = time.monotonic() + _START
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"llama-server ended with {server.returncode}:\n{log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{base}/health"):
                return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"llama-server was not ready within {_START} s")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def hearth_serve(model: Path, loading: Loading, home: Path, *more: str) -> Iterator[Program]:
    """`hearth serve` with these settings, and all else as it comes."""
    settings = {
        "-c": loading.ctx_size,
        "-b": loading.batch_size,
        "-ub": loading.ubatch_size,
        "-t": loading.threads,
        "-ngl": loading.gpu_layers,
        "-ctk": loading.cache_type_k,
        "-ctv": loading.cache_type_v,
        "-fa": loading.flash_attn,
    }
    options = [str(part) for pair in settings.items() for part in pair]
    server = HearthProcess(home, qt=True).start("serve", "-m", model, "--port", "0", *options, *more)
    try:
        assert server.stdout is not None
        said = server.stdout.readline().decode()
        found = re.search(r"(http://\S+)/v1", said)
        if found is None:
            sys.exit(f"hearth serve did not start: {said} {server.stderr.read().decode() if server.stderr else ''}")
        yield Program(found[1], pid=server.pid)
    finally:
        server.terminate()
        server.communicate()
