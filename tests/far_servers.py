"""Servers of tools at addresses, as processes of their own."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.tools.mcp_file import ServerEntry

_SCRIPT = Path(__file__).with_name("tools") / "far_server.py"


class FarServer:
    def __init__(self, folder: Path, way: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._log = folder / f"{way}.log"
        with self._log.open("wb") as log:
            argv = [sys.executable, str(_SCRIPT), str(port), way]
            self.process = subprocess.Popen(argv, stdout=log, stderr=subprocess.STDOUT)
        self.entry = ServerEntry("far", url=f"http://127.0.0.1:{port}/{'sse' if way == 'sse' else 'mcp'}")
        ends = time.monotonic() + 60
        while time.monotonic() < ends and self.process.poll() is None:
            with socket.socket() as door:
                if door.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def far_server(folder: Path, way: str = "open") -> Iterator[FarServer]:
    """`way` as of `tests/tools/far_server.py`; its log lies in the folder."""
    made = FarServer(folder, way)
    try:
        yield made
    finally:
        made.end()
