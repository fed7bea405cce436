"""Servers of engines as processes of their own, for tests and benches that ask them."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.remote.address import ServerAddress

LLAMA_SERVER = "HEARTH_LLAMA_SERVER"
"""Names llama-server, built from the llama.cpp that Hearth is pinned to; with `rpc-server` beside it for some tests."""
_START = 180
"""Seconds."""


@dataclass(frozen=True)
class EngineServer:
    port: int
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def address(self) -> ServerAddress:
        return ServerAddress.typed(f"127.0.0.1:{self.port}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def engine_server(
    argv: Sequence[str | Path],
    port: int,
    log: Path,
    environ: Mapping[str, str] | None = None,
    ready: str = "/v1/models",
) -> Iterator[EngineServer]:
    """Answers when this begins, and is killed at its end."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            list(map(str, argv)), stdout=output, stderr=output, env={**os.environ, **(environ or {})}
        )
    try:
        _await(process, f"http://127.0.0.1:{port}{ready}", log)
        yield EngineServer(port, process, log)
    finally:
        process.kill()
        process.wait()


def _await(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    ends = time.monotonic() + _START
    while time.monotonic() < ends:
        assert process.poll() is None, log.read_text("utf-8", "replace")[-3000:]
        try:
            with urllib.request.urlopen(url, timeout=10):
                return
        except urllib.error.HTTPError as error:
            if error.code != 503:
                return  # it answers, if not to this
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"no answer within {_START} s: {log.read_text('utf-8', 'replace')[-3000:]}")


def llama_server_program() -> Path:
    """Skips the test where there is none."""
    named = os.environ.get(LLAMA_SERVER, "")
    if not named or not Path(named).is_file():
        pytest.skip(f"{LLAMA_SERVER} names no llama-server; CI has none.")
    return Path(named)


@contextmanager
def llama_server(program: Path, model: Path, log: Path, *more: str, n_ctx: int = 2048) -> Iterator[EngineServer]:
    port = free_port()
    argv = [program, "-m", model, "--host", "127.0.0.1", "--port", port, "-c", n_ctx, "-np", 1, "-t", 1, "--jinja"]
    libraries = {"LD_LIBRARY_PATH": str(program.parent)}
    with engine_server([*map(str, argv), *more], port, log, libraries, "/health") as server:
        yield server
