"""Thousands of odd requests to a real `hearth serve`: nothing may fail, hang or die.

    python -m tests.bench.serving.fuzz [--count 3000] [--seed 1] [--schemathesis 300]

The second kind comes from the API's own description, by schemathesis; it takes about a second for three.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.core import NOT_SET

from app.api.openapi import description
from app.core.paths import Paths
from app.remote.pairing.certificate import OwnCertificate, Pin
from app.remote.pairing.peers import Peer, PeerFile
from tests.bench.serving import infill
from tests.hearth_process import HearthProcess
from tests.http_fuzz import LIMIT, Request, judge, requests
from tests.serve_process import Serving, serving
from tests.tiny_vectors import bert

_NAME = re.compile(r"[-A-Za-z0-9]+")
_MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)


def described(count: int, *, paired: bool = False) -> Iterator[Request]:
    """About `count` requests that fit the description or nearly do: a tenth of them for what takes no body, as far as
    there are such. `paired`: for what paired computers alone may ask.
    """
    schema = schemathesis.openapi.from_dict(description(paired=paired))
    operations: list[Any] = [each.ok() for each in schema.get_all_operations()]  # type: ignore[union-attr]  # ours are whole
    if paired:
        operations = [each for each in operations if each.path.startswith("/hearth/")]
    bodies = [each for each in operations if each.method in ("post", "put")]
    others = [each for each in operations if each not in bodies]
    for kind, share in ((bodies, count * 9 // 10), (others, count // 10)):
        for operation, mode in itertools.product(kind, _MODES):
            # Two of everything, and what can't be said wrongly has no second kind.
            with contextlib.suppress(Unsatisfiable):
                yield from _cases(operation, mode, max(2, share // len(kind) // len(_MODES)))


def _cases(operation: Any, mode: Any, count: int) -> list[Request]:
    found: list[Request] = []

    @settings(
        max_examples=count, database=None, deadline=None, suppress_health_check=[*HealthCheck], phases=[Phase.generate]
    )
    @given(operation.as_strategy(generation_mode=mode))
    def draw(case: Any) -> None:
        body = None if case.body is NOT_SET else case.body if isinstance(case.body, bytes) else _encoded(case.body)
        # With what stands in the path and behind it; the transport would refuse what is no name of a header.
        path = quote(case.formatted_path, safe="/%") + (f"?{urlencode(case.query, doseq=True)}" if case.query else "")
        headers = {name: quote(str(value)) for name, value in (case.headers or {}).items() if _NAME.fullmatch(name)}
        kind = {"Content-Type": case.media_type} if case.media_type else {}
        found.append(Request(operation.method.upper(), path, body, {**headers, **kind}))

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
        laptop = OwnCertificate.at(Path(folder) / "laptop.pem")
        paths = Paths(hearth.home, hearth.home, hearth.home / "logs")
        own = OwnCertificate.at(paths.certificate)
        PeerFile(paths.peers).add(Peer(laptop.pem, "LAPTOP"))
        options = ("-m", model, "-t", "1", "-c", "512", "-n", "3", "--peers-port", "0", *more)
        with serving(hearth, *options) as server:
            plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
            context = Pin(own.pem, str(laptop.path)).context()
            encrypted = http.client.HTTPSConnection("127.0.0.1", _peers_port(server), timeout=LIMIT, context=context)
            _send("mutated", requests(asked.seed, asked.count), plain)
            _send("described", described(asked.schemathesis), plain)
            _send("of paired computers", described(asked.schemathesis // 10, paired=True), encrypted)
            code, errors = server.stop()
        failed = [line for line in hearth.log.splitlines() if "by a bug" in line or "Traceback" in line]
    assert (code, errors, failed) == (0, b"", []), (code, errors[-2000:], failed)


def _peers_port(server: Serving) -> int:
    assert server.process.stdout is not None
    told = re.match(r"Paired computers: https://[\d.]+:(\d+) ", server.process.stdout.readline().decode())
    assert told is not None
    return int(told[1])


def _send(name: str, stream: Iterator[Request], connection: http.client.HTTPConnection) -> None:
    began, slowest = time.monotonic(), 0.0
    seen: Counter[int] = Counter()
    for request in stream:
        connection.close()  # to make the next one up may take longer than an idle connection is kept
        sent = time.monotonic()
        seen[judge(request, connection)] += 1
        slowest = max(slowest, time.monotonic() - sent)
    connection.close()
    statuses = dict(sorted(seen.items()))
    print(
        f"{name}: {seen.total()} in {time.monotonic() - began:.0f} s, slowest {slowest:.1f} s, {statuses}", flush=True
    )


if __name__ == "__main__":
    main()
