"""What a walk writes down, and what it must not touch."""

import errno
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

UNABLE = "This plugin does not support "
"""What Qt says of a screen that nobody sees, whatever the program does."""
_NO_FOLDER = -1
"""The last argument of such calls, where a path is not told within an open folder."""
_HERE = ("127.", "::1", "localhost")


class Trail(logging.Handler):
    """One line for each step, written before it is done, so that the last one is known whatever happens."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self.home = home
        self._began = time.monotonic()
        self._file = (home / "walk.txt").open("a", encoding="utf-8")

    def listen(self) -> None:
        """Take what is logged: errors, and Qt's warnings, are faults."""
        logging.getLogger().addHandler(self)

    def say(self, what: str) -> None:
        line = what.replace("\n", "\\n")
        self._file.write(f"{time.monotonic() - self._began:8.2f}  {line}\n")
        self._file.flush()

    def measure(self, rss: int, n_widgets: int) -> None:
        """Memory of the process in bytes, and how many widgets there are."""
        self.say(f"MEASURED {rss} {n_widgets}")

    def fault(self, what: str) -> None:
        self._file.write("FAULT\n" + "".join(f"    {line}\n" for line in what.splitlines()))
        self._file.flush()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        is_warning = record.name == "qt" and record.levelno >= logging.WARNING and not message.startswith(UNABLE)
        # llama.cpp speaks of files, and of loads that were cancelled.
        if (record.levelno >= logging.ERROR and record.name != "llama.cpp") or is_warning:
            self.fault(logging.Formatter("%(name)s: %(message)s").format(record))


def guard(trail: Trail) -> None:
    """Let nothing out of this machine, and nothing be written beside the walk's own folder: that is a fault, too."""
    rules: dict[str, Callable[[tuple[object, ...]], None]] = {
        "socket.connect": lambda arguments: _stay_here(arguments[1]),
        "socket.bind": lambda arguments: _stay_here(arguments[1]),
        "socket.getaddrinfo": lambda arguments: _stay_here((arguments[0], 0)),
    }
    writes = {"os.remove": 1, "os.mkdir": 1, "os.rename": 2, "os.rmdir": 1}
    home = os.path.realpath(trail.home)

    def inside(path: object) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return True
        whole = os.path.realpath(os.fsdecode(path))
        return whole.startswith((home, "/dev/", "/proc/"))

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if (rule := rules.get(event)) is not None:
            rule(arguments)
        elif event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
            note(event, arguments[:1])
        elif event in writes and arguments[-1] == _NO_FOLDER:
            note(event, arguments[: writes[event]])

    def note(event: str, paths: tuple[object, ...]) -> None:
        if not all(inside(each) for each in paths):
            trail.fault(f"{event} outside of its folder: {paths!r}")

    sys.addaudithook(hear)


def _stay_here(address: object) -> None:
    host = str(address[0]) if isinstance(address, tuple) and address else "localhost"
    if not host.startswith(_HERE):
        raise OSError(errno.ENETUNREACH, "A walk has no network")
