"""Whatever is sent is answered or refused; nothing fails, hangs or dies. `tests.bench.serving.fuzz` sends much more."""

import http.client
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hearth_process import HearthProcess
from tests.http_fuzz import LIMIT, judge, requests
from tests.serve_process import serving


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory, tiny_models: dict[str, Path]) -> Iterator[int]:
    hearth = HearthProcess(tmp_path_factory.mktemp("home"), qt=True)
    with serving(hearth, "-m", tiny_models["llama"], "-t", "1", "-c", "512", "-n", "3") as server:
        yield server.port
        assert server.stop() == (0, b"")
    assert "Traceback" not in hearth.log
    assert "by a bug" not in hearth.log


def test_odd_requests(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    seen: Counter[int] = Counter()
    for request in requests(seed=1, count=500):
        seen[judge(request, connection)] += 1
    connection.close()
    assert seen[200] > 100, "some are sane"
    assert seen[400] > 100, "most are not"
    assert {404, 405, 415} <= set(seen)
