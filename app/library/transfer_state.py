"""How far a download is: which blocks lie on the disk, kept beside them so that it goes on after anything."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.core.files import write_atomic

BLOCK = 4 << 20
"""Bytes. What is fetched again where something broke, at most."""
_READ = 1 << 20
_LINE = re.compile(rb"(\d{1,9}) ([0-9a-f]{64})")
_BEGUN = re.compile(rb"(\d{1,9}) ([0-9a-f]{64}) (\d{1,9})")
"""A block that has begun to come: the hash of so many bytes."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of the hub."""

    url: str
    size: int
    sha256: str = ""
    """Hex; empty for small files, of which the hub tells no hash."""


class Begun:
    """A block that is not whole: what came of it, by its hash and number of bytes."""

    def __init__(self, index: int = -1) -> None:
        """With nothing of it; -1 stands for no block."""
        self.index = index
        self.length = 0
        self.digest = hashlib.sha256()

    def add(self, data: bytes | memoryview) -> None:
        self.digest.update(data)
        self.length += len(data)


@dataclass(slots=True)
class TransferState:
    """Blocks that are there, with the sha256 that they had when they came.

    On disk it is one line of JSON, and then a line for each block that has come since. A file of 70 GB has 17,000
    blocks: each must cost a line, not all of them again.
    """

    remote: RemoteFile
    part: Path
    blocks: dict[int, str] = field(default_factory=dict)
    done: int = 0
    """Bytes of `blocks`."""
    etag: str = ""
    """Of a file without a hash: the hub's mark of the version that `blocks` are of; empty where there is none."""
    _begun: tuple[int, str, int] | None = None
    """A block that is not whole: which one, and the hash and number of its bytes."""

    @classmethod
    def open(cls, remote: RemoteFile, part: Path) -> "TransferState":
        """What an earlier run left, or a new beginning. What belongs to another file is forgotten."""
        state = cls(remote, part)
        try:
            head, _, lines = state.path.read_bytes().partition(b"\n")
            told = json.loads(head)
            same = (told["size"], told["sha256"]) == (remote.size, remote.sha256) and told["block"] == BLOCK
            if same and (remote.sha256 or told["url"] == remote.url) and part.stat().st_size == remote.size:
                for index, hashed in told["blocks"].items():
                    state._note(int(index), str(hashed))
                state.etag = str(told.get("etag", ""))
                if begun := told.get("begun"):
                    state._begun = int(begun[0]), str(begun[1]), int(begun[2])
                # What follows the last line's end was torn, and half a line may look like a whole one.
                for line in lines.split(b"\n")[:-1]:
                    if match := _LINE.fullmatch(line):
                        state._note(int(match[1]), match[2].decode())
                    elif match := _BEGUN.fullmatch(line):
                        state._begun = int(match[1]), match[2].decode(), int(match[3])
        except (OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError):
            pass
        return state

    @property
    def path(self) -> Path:
        return self.part.with_name(self.part.name + ".json")

    @property
    def n_blocks(self) -> int:
        return -(-self.remote.size // BLOCK)

    def start(self, index: int) -> int:
        """The place in the file of a block's first byte."""
        return index * BLOCK

    def length(self, index: int) -> int:
        return min(BLOCK, self.remote.size - index * BLOCK)

    def gaps(self) -> Iterator[tuple[int, int]]:
        """First and last block of each run that is missing."""
        first: int | None = None
        for index in range(self.n_blocks + 1):
            missing = index < self.n_blocks and index not in self.blocks
            if missing and first is None:
                first = index
            elif not missing and first is not None:
                yield first, index - 1
                first = None

    def keep(self, index: int, hashed: str) -> None:
        """A block has been written. Once `save` was called in this run. Raises OSError."""
        with self.path.open("ab") as file:
            file.write(f"{index} {hashed}\n".encode())
        self._note(index, hashed)

    def keep_begun(self, begun: Begun) -> None:
        """So much of a block has been written. Once `save` was called in this run. Raises OSError."""
        self._begun = begun.index, begun.digest.hexdigest(), begun.length
        with self.path.open("ab") as file:
            file.write("{} {} {}\n".format(*self._begun).encode())

    def begun(self) -> Begun:
        """The block that an earlier run left unfinished; none where it is not as it came. Raises OSError."""
        index, hashed, length = self._begun or (-1, "", 0)
        found = Begun(index)
        if not 0 <= index < self.n_blocks or index in self.blocks or not 0 < length < self.length(index):
            return Begun()
        for data in self._read(self.start(index), length, lambda: None):
            found.add(data)
        return found if found.digest.hexdigest() == hashed else Begun()

    def lose(self, indices: Iterable[int]) -> None:
        """These are to be fetched again. Raises OSError."""
        for index in indices:
            if self.blocks.pop(index, None) is not None:
                self.done -= self.length(index)
        self._begun = None
        self.save()

    def save(self) -> None:
        """Write all of it. Raises OSError."""
        told = {
            "url": self.remote.url, "size": self.remote.size, "sha256": self.remote.sha256, "block": BLOCK,
            "etag": self.etag, "blocks": self.blocks, "begun": self._begun,
        }  # fmt: skip
        write_atomic(self.path, json.dumps(told).encode() + b"\n")

    def forget(self) -> None:
        """Remove both files. Raises OSError."""
        self.part.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    def begin_anew(self, etag: str) -> None:
        """What is there is of another version than the one of this mark. Raises OSError."""
        self.etag = etag
        self.lose(list(self.blocks))

    def check(self, between: Callable[[], None] = lambda: None) -> tuple[bool, list[int]]:
        """Whether the file is the one that the hub promised, and which blocks are no longer as they came.

        Reads all of it, which takes minutes of a large one: `between` is called all the while, and may raise. Blocks
        are looked at where the whole is wrong, or nobody knows what it should be. Raises OSError.
        """
        if self.remote.sha256:
            whole = hashlib.sha256()
            for data in self._read(0, self.remote.size, between):
                whole.update(data)
            if whole.hexdigest() == self.remote.sha256:
                return True, []
        damaged = []
        for index in range(self.n_blocks):
            block = hashlib.sha256()
            for data in self._read(self.start(index), self.length(index), between):
                block.update(data)
            if block.hexdigest() != self.blocks.get(index):
                damaged.append(index)
        return not self.remote.sha256 and not damaged, damaged

    def _read(self, at: int, left: int, between: Callable[[], None]) -> Iterator[bytes]:
        with self.part.open("rb") as file:
            file.seek(at)
            while left and (data := file.read(min(_READ, left))):
                between()
                yield data
                left -= len(data)

    def _note(self, index: int, hashed: str) -> None:
        if 0 <= index < self.n_blocks:
            if index not in self.blocks:
                self.done += self.length(index)
            self.blocks[index] = hashed
