"""Bodies that cost more than they are: refused in a sentence, the key first, and others are served meanwhile."""

import http.client
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar

import psutil
import pytest

from tests import tiny_models
from tests.hearth_process import HearthProcess
from tests.http_fuzz import LIMIT
from tests.serve_process import Serving, serving

CHAT = "/v1/chat/completions"
KEY = "marmalade"
STALL = 1.0
"""Seconds of the server's work that anybody else may wait for /health meanwhile: on an idle machine it is a tenth,
and it was 2 to 20. What other programs do to the processor is left out."""
GROWTH = 700
"""MiB that the server may grow by."""
Result = TypeVar("Result")
_ZEROS = b"0," * 10_000_000 + b"0"
_SAID = b'{"role":"user","content":"a"},'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    home = tmp_path_factory.mktemp("home")
    model = tiny_models.llama(home / "tiny.gguf")
    hearth = HearthProcess(home, qt=True)
    with serving(hearth, "-m", model, "-t", "1", "-c", "512", "-n", "3", "--api-key", KEY) as server:
        yield server
        assert server.stop() == (0, b"")
    assert "Traceback" not in hearth.log
    assert "by a bug" not in hearth.log


@cache
def bomb(size: int) -> bytes:
    packing = zlib.compressobj(9)
    piece = bytes(1 << 20)
    return b"".join(packing.compress(piece) for _ in range(size >> 20)) + packing.flush()


def post(server: Serving, path: str, body: bytes, *, key: str = KEY, **headers: str) -> tuple[int, Any]:
    status, told = sent(server, path, body, key=key, **headers)
    return status, json.loads(told)


def sent(server: Serving, path: str, body: bytes, *, key: str = KEY, **headers: str) -> tuple[int, bytes]:
    with server.asked(body, path=path, limit=LIMIT, Authorization=f"Bearer {key}", **headers) as response:
        return response.status, response.read()


def others_served(server: Serving, act: Callable[[], Result]) -> Result:
    """What `act` gives, while /health is asked again and again: fails where that took long each time of three, or where
    the server has grown.
    """
    stalls: list[float] = []
    while True:
        result, stall = watched(server, act)
        stalls.append(stall)
        if stall < STALL:
            return result
        # Where threads of the server wait for the same core, one may wait for all the others.
        assert len(stalls) < 3, stalls


def watched(server: Serving, act: Callable[[], Result]) -> tuple[Result, float]:
    """With the seconds that somebody else waited at the most."""
    ended, longest = threading.Event(), [0.0]
    process = psutil.Process(server.process.pid)

    def clocks() -> tuple[float, float]:
        return time.monotonic(), sum(process.cpu_times()[:2])

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
        while not ended.wait(0.01):
            began = clocks()
            connection.request("GET", "/health")
            assert connection.getresponse().read() == b'{"status": "ok"}'
            longest[0] = max(longest[0], min(now - then for now, then in zip(clocks(), began, strict=True)))
        connection.close()

    def resident() -> float:
        return process.memory_info().rss / (1 << 20)

    asking, before = threading.Thread(target=ask), resident()
    asking.start()
    try:
        result = act()
        grown = resident() - before
    finally:
        ended.set()
        asking.join()
    assert grown < GROWTH
    return result, longest[0]


def test_the_key_comes_before_anything_is_unpacked(server: Serving) -> None:
    packed = bomb(512 << 20)

    def ask() -> None:
        for _ in range(4):
            status, told = post(server, CHAT, packed, key="jam", **{"Content-Encoding": "deflate"})
            assert (status, told["error"]["code"]) == (401, "invalid_api_key")

    others_served(server, ask)


def test_what_is_unpacked_is_bounded(server: Serving) -> None:
    packed = bomb(512 << 20)
    assert len(packed) < 1 << 20
    status, told = others_served(server, lambda: post(server, CHAT, packed, **{"Content-Encoding": "deflate"}))
    assert (status, told["error"]["code"]) == (413, "request_too_large")


def test_packed_bodies_are_read(server: Serving) -> None:
    body = json.dumps({"content": "the other", "add_special": False}).encode()
    plain = post(server, "/tokenize", body)
    assert plain[0] == 200
    assert post(server, "/tokenize", zlib.compress(body), **{"Content-Encoding": "deflate"}) == plain
    status, told = post(server, "/tokenize", body, **{"Content-Encoding": "br"})
    assert (status, told["error"]["code"]) == (415, "unsupported_encoding")
    status, told = post(server, "/tokenize", body, **{"Content-Encoding": "gzip"})
    assert (status, told["error"]["type"]) == (400, "invalid_request_error")


def _in_messages(what: bytes) -> bytes:
    return b'{"messages":[{"role":"user","content":"a"}],' + what + b"}"


def _schema(values: int) -> bytes:
    return _in_messages(b'"json_schema":{"enum":[' + b'"a",' * values + b'"b"]}')


def _called(count: int) -> bytes:
    calls = b'{"id":"a","function":{"name":"f"}},' * count
    return b'{"messages":[{"role":"assistant","tool_calls":[' + calls[:-1] + b"]}]}"


BODIES: dict[str, tuple[str, Callable[[], bytes], int]] = {
    "messages": (CHAT, lambda: b'{"messages":[' + _SAID * 1_000_000 + _SAID[:-1] + b"]}", 413),
    "fewer messages": (CHAT, lambda: b'{"messages":[' + _SAID * 50_000 + _SAID[:-1] + b"]}", 400),
    "unknown fields": (CHAT, lambda: _in_messages(b",".join(b'"k%d":1' % each for each in range(1_000_000))), 413),
    "fewer unknown fields": (CHAT, lambda: _in_messages(b",".join(b'"k%d":1' % each for each in range(90_000))), 400),
    "tool calls": (CHAT, lambda: _called(1_000_000), 413),
    "fewer tool calls": (CHAT, lambda: _called(40_000), 400),
    "a schema": (CHAT, lambda: _schema(500_000), 413),
    "a smaller schema": (CHAT, lambda: _schema(100_000), 400),
    "tokens": ("/detokenize", lambda: b'{"tokens":[' + _ZEROS + b"]}", 413),
    "a prompt of tokens": ("/v1/completions", lambda: b'{"prompt":[' + _ZEROS[:700_000] + b"0]}", 400),
    "long numbers": ("/detokenize", lambda: b'{"tokens":[' + b",".join([b"1" * 4300] * 5_000) + b"]}", 413),
    "quotes": (CHAT, lambda: b'{"a":[' + b'"",' * 20_000_000 + b'""]}', 413),
    "backslashes": (CHAT, lambda: b'{"a":"' + b"\\" * 20_000_000 + b'"}', 413),
    "escapes": (CHAT, lambda: b'{"a":"' + b"\\u0041" * 10_000_000 + b'"}', 413),
    "blanks": (CHAT, lambda: b" " * 20_000_000 + b"{}", 413),
    "brackets": (CHAT, lambda: b"[" * 20_000_000, 413),
    "a long text": (CHAT, lambda: b'{"messages":[{"role":"user","content":"' + b"a" * 20_000_000 + b'"}]}', 400),
}


@pytest.mark.parametrize("name", BODIES)
def test_large_bodies_are_refused_and_hold_up_nobody(name: str, server: Serving) -> None:
    path, make, expected = BODIES[name]
    body = make()
    status, told = others_served(server, lambda: post(server, path, body))
    # The second is llama-server's word for a prompt that is longer than the context.
    assert status == expected and told["error"]["type"] in ("invalid_request_error", "exceed_context_size_error"), told
    assert told["error"]["message"].endswith(".")


def test_many_tokens_are_told_and_hold_up_nobody(server: Serving) -> None:
    body = json.dumps({"content": "qx" * 500_000, "with_pieces": True}).encode()
    status, told = others_served(server, lambda: sent(server, "/tokenize", body))
    assert status == 200
    assert "".join(each["piece"] for each in json.loads(told)["tokens"]) == "qx" * 500_000


def test_a_large_body_that_is_sane_is_answered(server: Serving) -> None:
    zeros = [0] * 200_000
    status, told = post(server, "/detokenize", json.dumps({"tokens": zeros}).encode())
    assert status == 200
    assert len(told["content"]) % len(zeros) == 0


def test_bodies_that_come_at_once_are_bounded_together(server: Serving) -> None:
    """Each is allowed; all of them would fill the memory."""
    body = b'{"messages":[{"role":"user","content":"' + b"a" * (63 << 20) + b'"}]}'
    seen: list[int] = []
    sending = [threading.Thread(target=lambda: seen.append(post(server, CHAT, body)[0])) for _ in range(10)]
    for each in sending:
        each.start()
    for each in sending:
        each.join()
    assert set(seen) <= {400, 429}
    assert psutil.Process(server.process.pid).memory_info().rss < 2 << 30
