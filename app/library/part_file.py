"""What has come of a file: its beginning, in a file beside its place, and a note of which version that is of."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from itertools import count
from pathlib import Path
from typing import Any

from app.core.files import write_atomic
from app.library.hub_stream import RemoteFile

SYNC = 16 << 20
"""Bytes. The disk has all before a multiple of it before anything is written behind.

So the size of the file tells how much of it is right after a power cut, which may leave zeros, or what lay there
before, of what was still on its way. It is also what a process that is killed loses at most.
"""
_READ = 1 << 20
_LARGE = (4 << 30) - 1
"""Bytes. FAT32 has no larger files."""


class PartFile:
    """One thread. Nothing is written before it is opened."""

    def __init__(self, remote: RemoteFile, target: Path) -> None:
        """Goes on with what an earlier run left."""
        self._remote = remote
        self._target = target
        self._path, self._note = part_paths(target)
        self.there, self.etag = self._left()
        """Bytes that are there; of a file without a hash, the hub's mark of the version that they are of."""
        self._digest = hashlib.sha256()
        self._file: FileIO | None = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """To be written in. The disk has all that is there when it ends. Raises OSError."""
        with self._path.open("ab", buffering=0) as self._file:
            if not self.there and self._remote.size > _LARGE:
                # A disk that can't hold it says so now, and not after hours.
                self._file.truncate(self._remote.size)
            self.cut(self.there, self.etag)
            try:
                yield
            finally:
                self._keep()

    def read(self, between: Callable[[int], None]) -> None:
        """Hash what an earlier run left, before the first `write`: of a large file it takes minutes. Nothing without a
        hash to compare. `between` is told how many bytes were read, and may raise. Raises OSError."""
        n = 0
        with self._path.open("rb") as file:
            while self._remote.sha256 and (data := file.read(_READ)):
                self._digest.update(data)
                between(n := n + len(data))

    def write(self, data: bytes) -> None:
        """What comes next, within `opened`. Raises OSError."""
        assert self._file is not None
        left = memoryview(data)
        while left:
            n = self._file.write(left[: SYNC - self.there % SYNC])
            self._digest.update(left[:n])
            left, self.there = left[n:], self.there + n
            if not self.there % SYNC:
                os.fsync(self._file.fileno())

    def cut(self, there: int, etag: str = "") -> None:
        """Only so many bytes are of use, of the version of this mark. Within `opened`. Raises OSError."""
        assert self._file is not None
        self._file.truncate(there)
        self.there, self.etag, self._digest = there, etag, hashlib.sha256()
        self._keep()

    def is_right(self) -> bool:
        """Whether all that was read and written is what the hub promised, as far as it did."""
        return self._remote.sha256 in ("", self._digest.hexdigest())

    def settle(self) -> None:
        """Give it its name. Raises OSError."""
        self._path.replace(self._target)
        self._note.unlink(missing_ok=True)

    def forget(self) -> None:
        """Raises OSError."""
        self._path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def _keep(self) -> None:
        assert self._file is not None
        # First: what was cut off must not come back under a new note.
        os.fsync(self._file.fileno())
        remote = self._remote
        told = {
            "url": remote.url, "size": remote.size, "sha256": remote.sha256, "etag": self.etag, "there": self.there,
        }  # fmt: skip
        write_atomic(self._note, json.dumps(told).encode())

    def _left(self) -> tuple[int, str]:
        """`there` and `etag` of an earlier run; nothing of another file, or where nobody knows."""
        remote = self._remote
        try:
            size = self._path.stat().st_size
            head, *lines = self._note.read_bytes().split(b"\n")
            told = json.loads(head)
            same = (told["size"], told["sha256"]) == (remote.size, remote.sha256)
            if not same or (not remote.sha256 and told["url"] != remote.url):
                return 0, ""
            there = _of_blocks(told, lines) if "blocks" in told else max(int(told["there"]), (size - 1) // SYNC * SYNC)
            return max(0, min(there, size, remote.size)), str(told.get("etag", ""))
        except (OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError):
            return 0, ""


def part_paths(target: Path) -> tuple[Path, Path]:
    """What has come of `target`, and the note of it."""
    return target.with_name(f"{target.name}.part"), target.with_name(f"{target.name}.part.json")


def _of_blocks(told: dict[str, Any], lines: list[bytes]) -> int:
    """Hearth noted each block with its hash once, in a file of full length: those from the beginning on are there."""
    known = {int(each) for each in told["blocks"]}
    # What follows the last line's end was torn; a block that had begun has three words.
    known.update(int(line.split()[0]) for line in lines[:-1] if line.count(b" ") == 1)
    return next(n for n in count() if n not in known) * int(told["block"])
