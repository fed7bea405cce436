"""A bundle under examination: started away from the checkout, with next to nothing in its environment."""

import contextlib
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

from devtools.bundle_screen import CheckFailedError, Screen, until


class Subject:
    """The bundle in `folder`, run by somebody whose home is `home`."""

    def __init__(self, folder: Path, home: Path, system: Path | None = None) -> None:
        """With `system`, the root of another system, it runs in there; `folder` and `home` are as seen from here."""
        self.folder = folder
        self.home = home
        self._system = system

    @property
    def command(self) -> list[str]:
        change = [shutil.which("chroot") or "/usr/sbin/chroot", str(self._system)] if self._system else []
        return [*change, self._inside(self.folder / "hearth")]

    @property
    def log(self) -> str:
        path = self.home / ".local" / "state" / "Hearth" / "log" / "hearth.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def environment(self, screen: Screen | None = None) -> dict[str, str]:
        """HOME, so that whose files they are is known, and the screen. No PATH, no language, nothing of a session's."""
        return {"HOME": self._inside(self.home)} | ({"DISPLAY": screen.name} if screen else {})

    def run(self, *arguments: str, seconds: float = 300, **more: str) -> "subprocess.CompletedProcess[str]":
        """To its end; `more` is put into its environment."""
        return subprocess.run(
            [*self.command, *arguments],
            env=self.environment() | more,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )

    @contextlib.contextmanager
    def window(self, screen: Screen, **more: str) -> "Iterator[subprocess.Popen[bytes]]":
        """The program with its window open; killed at the end if it still runs."""
        before = len(self.log)
        process = subprocess.Popen(
            self.command, env=self.environment(screen) | more, cwd="/", stderr=subprocess.DEVNULL
        )
        try:
            until(lambda: _window(screen) or _gone(process), "the window opened")
            until(lambda: " is open" in self.log[before:] or _gone(process), "the window was filled")
            yield process
        finally:
            process.kill()
            process.wait()

    def ask(self, screen: Screen, question: str) -> None:
        """Types into the window and presses Enter."""
        screen.press("windowfocus", "--sync", _window(screen))
        screen.press("type", "--delay", "20", question)
        screen.press("key", "Return")

    def answers(self) -> list[tuple[str, ...]]:
        """State and parts (JSON) of every answer, from the user's own database, as another program reads it."""
        return self._rows("SELECT state, parts FROM message WHERE role = 'assistant' ORDER BY id")

    def drafts(self) -> str:
        """What stands in the composers, sent or not yet, with the names of the files there."""
        return " ".join(str(row) for row in self._rows("SELECT * FROM draft"))

    def _rows(self, query: str) -> list[tuple[str, ...]]:
        path = self.home / ".local" / "share" / "Hearth" / "hearth.sqlite3"
        with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(_connect(path)) as database:
            return database.execute(query).fetchall()
        return []

    def _inside(self, path: Path) -> str:
        return f"/{path.relative_to(self._system)}" if self._system else str(path)

    def copy_without(self, target: Path, *patterns: str) -> "Subject":
        """A copy (of links, so it costs nothing) that lacks what matches. Raises CheckFailedError if nothing does."""
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.folder, target, copy_function=_link, symlinks=True)
        for pattern in patterns:
            found = list(target.glob(pattern))
            if not found:
                raise CheckFailedError(f"nothing in the bundle is called {pattern}")
            for path in found:
                path.unlink()
        return Subject(target, self.home)


def end(process: "subprocess.Popen[bytes]") -> int:
    """Closes it as a session manager does. Its exit code."""
    process.send_signal(signal.SIGTERM)
    return process.wait(120)


def red_square(path: Path) -> Path:
    """A PNG that the built-in model knows what to say of."""
    white, red = bytes((255, 255, 255)), bytes((230, 20, 20))
    rows = [white * 128] * 32 + [white * 32 + red * 64 + white * 32] * 64 + [white * 128] * 32
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    head = struct.pack(">IIBBBBB", 128, 128, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b""))
    return path


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10)


def _window(screen: Screen) -> str:
    return screen.press("search", "--onlyvisible", "--name", "Hearth").partition("\n")[0]


def _gone(process: "subprocess.Popen[bytes]") -> bool:
    if process.poll() is not None:
        raise CheckFailedError(f"the program ended with code {process.returncode}")
    return False


def _link(source: str, target: str) -> None:
    os.link(source, target)
