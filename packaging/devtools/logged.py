"""Running a command whose output goes to a log file, while its progress is shown."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devtools.console import Progress
from devtools.errors import SetUpError

Reading = Callable[[str], tuple[float, str] | None]
"""From a line of output to how much is done, 0 to 1, and what is being done; None where it tells neither."""

_TAIL = 20
_NO_NETWORK = re.compile(
    "NewConnectionError|NameResolutionError|name resolution|ConnectTimeoutError|Network is unreachable"
    "|Temporary failure resolving|Could not connect to"
)
_NOT_TRUSTED = re.compile("CERTIFICATE_VERIFY_FAILED|certificate verification failed", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Command:
    argv: Sequence[str]
    doing: str
    """Completes "... failed", so begin with a capital: "Installing the Python packages"."""
    log: Path
    expected: float
    """Seconds."""
    env: Mapping[str, str] | None = None


def run_logged(command: Command, reading: Reading | None = None) -> None:
    """Runs it to its end; raises `SetUpError` with the last lines and the log's path when it fails.

    An interruption stops the command and everything it started before it goes on upwards.
    """
    command.log.parent.mkdir(parents=True, exist_ok=True)
    progress = Progress(command.expected if reading is None else None)
    with command.log.open("w", encoding="utf-8", errors="replace") as log:
        log.write(f"$ {' '.join(command.argv)}\n")
        try:
            code = _follow(command, reading, progress, log.write)
        except OSError as error:
            raise SetUpError(f"{command.doing} failed: {error}.") from None
        finally:
            progress.end()
    if code != 0:
        raise _failure(command, code)


def _follow(command: Command, reading: Reading | None, progress: Progress, write: Callable[[str], int]) -> int:
    process = _start(command)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    try:
        while True:
            try:
                line = lines.get(timeout=0.5)
            except queue.Empty:
                progress.update()
                continue
            if line is None:
                return process.wait()
            write(line)
            if reading is not None and (found := reading(line)) is not None:
                progress.update(*found)
    except BaseException:
        _stop(process)
        raise


def _start(command: Command) -> "subprocess.Popen[str]":
    # A group of its own: then an interruption reaches all that the command started, compilers too.
    if sys.platform == "win32":
        flags, group = subprocess.CREATE_NEW_PROCESS_GROUP, None
    else:
        flags, group = 0, 0
    return subprocess.Popen(
        command.argv,
        env=None if command.env is None else dict(command.env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        creationflags=flags,
        process_group=group,
    )


def _read(process: "subprocess.Popen[str]", lines: "queue.SimpleQueue[str | None]") -> None:
    if process.stdout is not None:
        with process.stdout:
            for line in process.stdout:
                lines.put(line)
    lines.put(None)


def _stop(process: "subprocess.Popen[str]") -> None:
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        process.wait()
        return
    for how, patience in ((signal.SIGINT, 5.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 1.0)):
        with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or root's by sudo
            os.killpg(process.pid, how)
        if _group_ended(process, patience):
            return


def _group_ended(process: "subprocess.Popen[str]", patience: float) -> bool:
    """Whether the command and all its children are gone within `patience` seconds."""
    if sys.platform == "win32":
        return process.poll() is not None
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        process.poll()
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return process.poll() is not None
        time.sleep(0.05)
    return False


def _failure(command: Command, code: int) -> SetUpError:
    text = command.log.read_text(encoding="utf-8", errors="replace")
    tail = "\n".join(f"    {line}" for line in text.splitlines()[-_TAIL:])
    why = ""
    if _NO_NETWORK.search(text):
        why = " The network could not be reached."
    elif _NOT_TRUSTED.search(text):
        why = " The server's certificate is not trusted here: a proxy with one of its own has to be named in PIP_CERT."
    return SetUpError(
        f"{command.doing} failed with exit code {code}.{why} The whole log is {command.log}; it ends so:", tail
    )
