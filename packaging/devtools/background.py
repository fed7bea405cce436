"""Running a program beside the one that has the terminal: what it prints is kept, and shown in one piece at its end."""

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from devtools.program import end_program


class BackgroundProgram:
    """Runs from the beginning; the end of the context ends it. Whatever it has printed by then is shown."""

    def __init__(self, argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it has been shown)
        self._began = time.monotonic()
        self.seconds = 0.0
        """What it took, once it has ended."""
        self._process = subprocess.Popen(
            argv,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        self._waiting = threading.Thread(target=self._wait, daemon=True)
        self._waiting.start()

    def wait(self) -> int:
        """Its exit code, as soon as there is one; what it printed is shown then."""
        while self._waiting.is_alive():
            self._waiting.join(0.5)  # on Windows, an interruption has to wait for a join
        self._show()
        return self._process.returncode

    def __enter__(self) -> "BackgroundProgram":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        end_program(self._process)
        self._waiting.join()
        self._show()

    def _wait(self) -> None:
        self._process.wait()
        self.seconds = time.monotonic() - self._began

    def _show(self) -> None:
        """Once: nothing is left to be shown again."""
        if self._output.closed:
            return
        with self._output:
            self._output.seek(0)
            sys.stdout.flush()
            shutil.copyfileobj(self._output, sys.stdout.buffer)
            sys.stdout.buffer.flush()
