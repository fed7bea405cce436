"""`hearth serve` as a process of its own."""

import http.client
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.hearth_process import HearthProcess

_LIMIT = 120.0
_PATIENCE = 180.0
"""As long as `tests.http_fuzz` waits: others may be served first."""
_LINE = re.compile(r"Listening on http://127\.0\.0\.1:(\d+)/v1 \(model (.*)\)\n")


class Serving:
    """One that listens."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline().decode()
        found = _LINE.fullmatch(line)
        assert found, (line, process.stderr.read())
        self.port = int(found[1])
        self.model = found[2]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @contextmanager
    def asked(
        self,
        body: str | bytes | None,
        method: str = "POST",
        path: str = "/v1/chat/completions",
        *,
        limit: float = _PATIENCE,
        **headers: str,
    ) -> Iterator[http.client.HTTPResponse]:
        """The answer, which has `limit` seconds to begin, and for each of its pieces."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)) as connection:
            connection.request(method, path, body, {"Content-Type": "application/json", **headers})
            yield connection.getresponse()

    def stop(self) -> tuple[int, bytes]:
        """Its exit code, and what it wrote to standard error."""
        self.process.terminate()
        _, errors = self.process.communicate(timeout=_LIMIT)
        return self.process.returncode, errors


@contextmanager
def serving(hearth: HearthProcess, *options: str | Path) -> Iterator[Serving]:
    """On a free port, killed at the end if it still runs."""
    with hearth.start("serve", "--port", "0", *options) as process:
        try:
            yield Serving(process)
        finally:
            process.kill()
