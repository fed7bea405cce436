"""Thousands of odd requests to a real `hearth serve`: nothing may fail, hang or die.

    python -m tests.bench.fuzz [--count 3000] [--seed 1] [--schemathesis 300]

The second kind comes from the API's own description, by schemathesis; it takes about a second for three.
"""

import argparse
import http.client
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from app.api.openapi import description
from tests.bench import infill
from tests.hearth_process import HearthProcess
from tests.http_fuzz import LIMIT, Request, judge, requests
from tests.serve_process import serving
from tests.tiny_vectors import bert

_MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)


def described(count: int) -> Iterator[Request]:
    """About `count` requests that fit the description or nearly do."""
    schema = schemathesis.openapi.from_dict(description())
    operations: list[Any] = [each.ok() for each in schema.get_all_operations()]  # type: ignore[union-attr]  # ours are whole
    posts = [each for each in operations if each.method == "post"]
    for operation in posts:
        for mode in _MODES:
            yield from _cases(operation, mode, max(1, count // len(posts) // len(_MODES)))


def _cases(operation: Any, mode: Any, count: int) -> list[Request]:
    found: list[Request] = []

    @settings(
        max_examples=count, database=None, deadline=None, suppress_health_check=[*HealthCheck], phases=[Phase.generate]
    )
    @given(operation.as_strategy(generation_mode=mode))
    def draw(case: Any) -> None:
        body = case.body if isinstance(case.body, bytes) else _encoded(case.body)
        found.append(Request(operation.method.upper(), operation.path, body))

    draw()
    return found


def _encoded(body: Any) -> bytes:
    # What schemathesis has no value for is no JSON, and a body all the same.
    return json.dumps(body, default=str).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schemathesis", type=int, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # Whatever a route needs is there, or it would say in a 501 that it is not.
        (states := Path(folder) / "states").mkdir()
        model = infill.write_model(Path(folder) / "tiny.gguf", *infill.MARKS)
        vectors, ranks = bert(Path(folder) / "vectors.gguf", "mean"), bert(Path(folder) / "ranks.gguf", "rank")
        more = ("--embedding-model", vectors, "--reranking-model", ranks, "--slot-save-path", states)
        hearth = HearthProcess(Path(folder) / "home", qt=True)
        with serving(hearth, "-m", model, "-t", "1", "-c", "512", "-n", "3", *more) as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
            for name, stream in (
                ("mutated", requests(asked.seed, asked.count)),
                ("described", described(asked.schemathesis)),
            ):
                began, slowest = time.monotonic(), 0.0
                seen: Counter[int] = Counter()
                for request in stream:
                    connection.close()  # to make the next one up may take longer than an idle connection is kept
                    sent = time.monotonic()
                    seen[judge(request, connection)] += 1
                    slowest = max(slowest, time.monotonic() - sent)
                taken = time.monotonic() - began
                statuses = dict(sorted(seen.items()))
                print(f"{name}: {seen.total()} in {taken:.0f} s, slowest {slowest:.1f} s, {statuses}")
            connection.close()
            code, errors = server.stop()
        failed = [line for line in hearth.log.splitlines() if "by a bug" in line or "Traceback" in line]
    assert (code, errors, failed) == (0, b"", []), (code, errors[-2000:], failed)


if __name__ == "__main__":
    main()
