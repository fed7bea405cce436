"""`rpc-server` workers of llama.cpp as processes of their own, on loopback."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.remote.worker import Worker
from tests.engine_servers import free_port, llama_server_program


def rpc_program() -> Path:
    found = llama_server_program()
    if not (found.parent / "ggml-rpc-server").is_file():
        pytest.skip("There is no ggml-rpc-server beside llama-server.")
    return found


@contextmanager
def running_worker() -> Iterator[tuple[Worker, "subprocess.Popen[bytes]"]]:
    made = Worker("127.0.0.1", free_port())
    argv = [str(rpc_program().parent / "ggml-rpc-server"), "-H", made.host, "-p", str(made.port), "-t", "1"]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not made.answers:
            assert process.poll() is None
        yield made, process
    finally:
        process.kill()
        process.wait()
