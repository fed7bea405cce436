"""A screen of its own for a program under examination: Xvfb, with its picture in a file that can be looked into."""

import contextlib
import mmap
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT = 1280, 900
_PATIENCE = 120.0
"""Seconds for anything to happen; a busy machine takes its time."""


class CheckFailedError(Exception):
    """Something of the bundle does not work; the text says what."""


@dataclass(frozen=True, slots=True)
class Screen:
    name: str
    """What DISPLAY has to say."""
    framebuffer: Path

    def first_paint(self, argv: list[str], environment: Mapping[str, str], folder: Path) -> float:
        """Seconds from starting a program to the first pixel that it draws on the black screen. Kills it then."""
        with self.framebuffer.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as seen:
            begin = len(seen) - WIDTH * HEIGHT * 4
            # A cross of one row and one column: cheap to look at, and no window in the middle misses it.
            row = slice(begin + HEIGHT // 2 * WIDTH * 4, begin + (HEIGHT // 2 + 1) * WIDTH * 4)
            until(lambda: not any(seen[row]), "the screen became black", 0.02)
            began = time.monotonic()
            process = subprocess.Popen(
                argv, env=dict(environment), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                until(lambda: any(seen[row]), "the window was painted", 0.002)
                return time.monotonic() - began
            finally:
                process.kill()
                process.wait()

    def press(self, *words: str) -> str:
        """xdotool on this screen."""
        done = subprocess.run(
            ["xdotool", *words], env={**os.environ, "DISPLAY": self.name}, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def photograph(self, path: Path) -> None:
        """The whole screen as a PNG, where ImageMagick is there to make one."""
        with contextlib.suppress(OSError):
            environment = {**os.environ, "DISPLAY": self.name}
            subprocess.run(["import", "-window", "root", str(path)], env=environment, check=False, capture_output=True)


@contextlib.contextmanager
def screen() -> Iterator[Screen]:
    """Raises CheckFailedError without Xvfb."""
    with tempfile.TemporaryDirectory(prefix="hearth-screen-") as folder:
        reader, writer = os.pipe()
        size = f"{WIDTH}x{HEIGHT}x24"
        argv = ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-fbdir", folder, "-br", "-nolisten", "tcp"]
        try:
            server = subprocess.Popen(argv, pass_fds=[writer], stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            raise CheckFailedError("Xvfb is not here: install xvfb, xauth and xdotool") from None
        finally:
            os.close(writer)
        try:
            with os.fdopen(reader) as number:
                yield Screen(f":{number.readline().strip()}", Path(folder) / "Xvfb_screen0")
        finally:
            server.terminate()
            server.wait()


def until(holds: Callable[[], object], what: str, pause: float = 0.2, patience: float = _PATIENCE) -> None:
    """Waits for it; raises CheckFailedError when it does not come."""
    end = time.monotonic() + patience
    while not holds():
        if time.monotonic() > end:
            raise CheckFailedError(f"{patience:.0f} seconds passed before {what}")
        time.sleep(pause)
