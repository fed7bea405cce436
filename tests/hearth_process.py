"""Runs the program as its users do: in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).resolve().parents[1]
NO_QT = Path(__file__).with_name("no_qt")
_INHERITED = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "LLAMA_CPP_LIB_PATH", "QT_QPA_PLATFORM")
_START = "import sys\nfrom app.__main__ import main\nsys.exit(main())"
_LIMIT = 120
"""Seconds after which a child has failed; each takes less than one."""


class HearthProcess:
    """Starts `hearth` with a home of its own, from the repository's root."""

    def __init__(self, home: Path, *, qt: bool = False) -> None:
        self.home = home
        self._qt = qt

    @property
    def log(self) -> str:
        return (self.home / "logs" / "hearth.log").read_text("utf-8")

    def run(
        self,
        *arguments: str | Path,
        prologue: str = "",
        text: bytes | None = None,
        output: IO[bytes] | int = subprocess.PIPE,
        environ: Mapping[str, str] | None = None,
        python: tuple[str, ...] = (),
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run to the end. `prologue` is Python that runs first, `text` is standard input."""
        return subprocess.run(
            self.command(*arguments, prologue=prologue, python=python),
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            stdout=output,
            stderr=subprocess.PIPE,
            cwd=REPOSITORY,
            env={**self.environment(), **(environ or {})},
            timeout=_LIMIT,
            check=False,
        )

    def start(self, *arguments: str | Path) -> "subprocess.Popen[bytes]":
        """Start it, with pipes at its output and errors."""
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=REPOSITORY,
            env=self.environment(),
            bufsize=0,
        )

    def command(self, *arguments: str | Path, prologue: str = "", python: tuple[str, ...] = ()) -> list[str]:
        return [sys.executable, *python, "-c", f"{prologue}\n{_START}", *map(str, arguments)]

    def environment(self) -> dict[str, str]:
        """What a user's shell would give, and nothing of the test run's own Python settings."""
        made = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        made |= {"HEARTH_HOME": str(self.home), "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"}
        return made if self._qt else made | {"PYTHONPATH": str(NO_QT)}
