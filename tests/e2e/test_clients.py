"""Many clients at once and one after another. `tests.bench.serving.clients` sends many more, and shows memory."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import tiny_models
from tests.bench.serving.clients import visit
from tests.hearth_process import HearthProcess
from tests.serve_process import Serving, serving

FLAT = 8.0
"""MiB that the second round may add to the first; measured: less than two."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    model = tiny_models.llama(tmp_path / "tiny.gguf")
    hearth = HearthProcess(tmp_path / "home", qt=True)
    with serving(hearth, "-m", model, "-t", "1", "-c", "1024", "--cache-ram", "2") as running:
        yield running


def test_none_is_lost_and_memory_stays_flat(server: Serving) -> None:
    seen = asyncio.run(visit(server, sequential=30, concurrent=20, rounds=2))
    assert [lost for _, lost, _ in seen] == [0] * 7
    after_first, after_second = seen[3][2], seen[6][2]
    assert after_second - after_first < FLAT
    assert server.stop() == (0, b"")
