"""Connections that ask nothing, take nothing or are too many: whoever asks properly is served all the same."""

import json
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from tests.endless_model import make_endless
from tests.hearth_process import HearthProcess
from tests.http_fuzz import LIMIT
from tests.serve_process import Serving, serving

CHAT = "/v1/chat/completions"
QUESTION = {"role": "user", "content": "hello"}
SOON = 20.0
"""Seconds without any work that one who reads nothing may hold up the next one: it was 60."""


@pytest.fixture(scope="module")
def hearth(tmp_path_factory: pytest.TempPathFactory) -> HearthProcess:
    return HearthProcess(tmp_path_factory.mktemp("home"), qt=True)


@pytest.fixture(scope="module")
def server(hearth: HearthProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    model = make_endless(tmp_path_factory.mktemp("model") / "endless.gguf")
    with serving(hearth, "-m", model, "-t", "1", "-c", "4096") as server:
        yield server
        code, errors = server.stop()
    assert code == 0
    assert set(errors.splitlines()) <= {b"hearth: No connection can be accepted at the moment: Too many open files"}
    assert "Traceback" not in hearth.log


def ask(server: Serving, **more: object) -> int:
    with server.asked(json.dumps({"messages": [QUESTION], "max_tokens": 1, **more})) as response:
        return response.status


@contextmanager
def connected(server: Serving, sent: bytes = b"", *, window: int = 0) -> Iterator[socket.socket]:
    with socket.socket() as made:
        if window:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        made.settimeout(LIMIT)
        made.connect(("127.0.0.1", server.port))
        made.sendall(sent)
        yield made


def idled(server: Serving, job: "Future[int]") -> float:
    """Seconds in which the server did nothing until `job` was done. On a busy machine its work takes longer."""
    process, idle = psutil.Process(server.process.pid), 0.0
    while not job.done():
        began, worked = time.monotonic(), sum(process.cpu_times()[:2])
        wait([job], timeout=1.0)
        if sum(process.cpu_times()[:2]) - worked < 0.03:
            idle += time.monotonic() - began
    return idle


def request(server: Serving, **more: object) -> bytes:
    body = json.dumps({"messages": [QUESTION], **more}).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def test_one_that_reads_nothing_gives_its_turn_away(server: Serving) -> None:
    """Log-probabilities make an answer of megabytes, which fits into no buffer."""
    asks = request(server, stream=True, max_tokens=-1, logprobs=True, top_logprobs=20, ignore_eos=True)
    with connected(server, asks, window=4096) as idle, ThreadPoolExecutor(1) as thread:
        assert idle.recv(12) == b"HTTP/1.1 200"
        asked = thread.submit(ask, server)
        assert idled(server, asked) < SOON
        assert asked.result() == 200


def test_an_answer_of_usual_length_is_written_to_its_end_for_whoever_reads_it_late(server: Serving) -> None:
    with connected(server, request(server, stream=True, max_tokens=2000), window=4096) as late:
        assert late.recv(12) == b"HTTP/1.1 200"
        assert ask(server) == 200
        told = b""
        while not told.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n"):
            piece = late.recv(1 << 20)
            assert piece, told[-200:]
            told += piece


def test_headers_that_do_not_come_are_not_waited_for(server: Serving) -> None:
    began = time.monotonic()
    with connected(server) as silent, connected(server, b"GET /health HTTP/1.1\r\nHost:") as slow:
        for each in (silent, slow):
            assert each.recv(1) == b""
    assert time.monotonic() - began < 60


def test_idle_connections_make_room(server: Serving) -> None:
    with ExitStack() as all_of_them:
        for _ in range(400):
            all_of_them.enter_context(connected(server))
        assert ask(server) == 200
        assert ask(server) == 200


def test_connections_are_limited_and_the_last_is_told(server: Serving) -> None:
    """Each of them is in the middle of a request."""
    begun = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{{"
    with ExitStack() as all_of_them:
        for _ in range(256):
            all_of_them.enter_context(connected(server, begun.encode()))
        told, deadline = b"", time.monotonic() + 90
        while time.monotonic() < deadline:  # until all of them were taken
            # On a busy machine the first have waited too long by then, and were ended.
            all_of_them.enter_context(connected(server, begun.encode()))
            with connected(server, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as late:
                told = late.recv(1 << 16)
            if told.startswith(b"HTTP/1.1 503 "):
                break
        assert json.loads(told.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_many_connections"
    assert ask(server) == 200


@pytest.mark.skipif(sys.platform != "linux", reason="another process's limits")
def test_at_the_limit_of_open_files_the_log_stays_small(server: Serving, hearth: HearthProcess) -> None:
    import resource

    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    assert ask(server) == 200
    size = len(hearth.log)
    with ExitStack() as all_of_them:
        n_files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (n_files + 4, before[1]))
        for _ in range(60):
            all_of_them.enter_context(connected(server))
        with connected(server, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as waiting:
            waiting.settimeout(3)
            with pytest.raises(TimeoutError):
                waiting.recv(1)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    assert ask(server) == 200
    told = hearth.log[size:]
    assert told.count("No connection can be accepted") == 1
    assert len(told) < 2000


def test_what_is_no_http_is_told_in_json_without_an_echo(server: Serving) -> None:
    for sent in (b"marmalade\r\n\r\n", b"GET / HTTP/1.1\r\nmarmalade\r\n\r\n", b"GET /" + b"marmalade" * 2000):
        with connected(server, sent) as odd:
            head, _, body = odd.recv(1 << 16).partition(b"\r\n\r\n")
        assert b"400" in head
        assert b"application/json" in head
        assert json.loads(body)["error"]["code"] == "bad_request"
        assert b"marmalade" not in head + body
