"""Running a program in the foreground: it has the terminal, and its exit code is ours."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from devtools.layout import Layout

_PATIENCE = 20.0
"""Seconds that a program has to end after an interruption."""


def become_hearth(layout: Layout, arguments: Sequence[str]) -> NoReturn:
    """Runs `python -m app` in the caller's folder, so that file names given to it mean what they say."""
    argv = [str(layout.python), "-P", "-m", "app", *arguments]
    if sys.platform != "win32":
        sys.stdout.flush()
        os.execv(argv[0], argv)
    sys.exit(windows_code(run_program(argv, Path.cwd(), os.environ)))


def run_program(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> int:
    """Its exit code; negative for the signal that ended it. An interruption is the program's first, then ours."""
    process = subprocess.Popen(argv, cwd=folder, env=dict(environment))
    try:
        return process.wait()
    except KeyboardInterrupt:
        # A terminal has told the program too; who only told us is obeyed after a while.
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(_PATIENCE if sys.stdin is not None and sys.stdin.isatty() else 1.0)
        end_program(process)
        raise


def windows_code(code: int) -> int:
    """Windows' codes are unsigned, and `sys.exit` takes signed ones: 0xC0000005 stays what it is."""
    return code - 2**32 if code >= 2**31 else code


def end_program(process: "subprocess.Popen[bytes]") -> None:
    """Asked politely at first, and not for ever; nothing happens where it has ended."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
    if process.poll() is None:
        process.kill()
        process.wait()
