"""How far a download is: which blocks lie on the disk, kept beside them so that it goes on after anything."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.core.files import write_atomic

BLOCK = 4 << 20
"""Bytes. What is fetched again where something broke, at most."""
_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of the hub."""

    url: str
    size: int
    sha256: str = ""
    """Hex; empty for small files, of which the hub tells no hash."""


@dataclass(slots=True)
class TransferState:
    """Blocks that are there, with the sha256 that they had when they came."""

    remote: RemoteFile
    part: Path
    blocks: dict[int, str] = field(default_factory=dict)

    @classmethod
    def open(cls, remote: RemoteFile, part: Path) -> "TransferState":
        """What an earlier run left, or a new beginning. What belongs to another file is forgotten."""
        state = cls(remote, part)
        try:
            told = json.loads(state.path.read_bytes())
            same = (told["size"], told["sha256"]) == (remote.size, remote.sha256) and told["block"] == BLOCK
            if same and (remote.sha256 or told["url"] == remote.url) and part.stat().st_size == remote.size:
                blocks = {int(index): str(hashed) for index, hashed in told["blocks"].items()}
                state.blocks = {index: hashed for index, hashed in blocks.items() if 0 <= index < state.n_blocks}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        return state

    @property
    def path(self) -> Path:
        return self.part.with_name(self.part.name + ".json")

    @property
    def n_blocks(self) -> int:
        return -(-self.remote.size // BLOCK)

    @property
    def done(self) -> int:
        """Bytes."""
        return sum(self.length(index) for index in self.blocks)

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

    def save(self) -> None:
        """Raises OSError."""
        told = {
            "url": self.remote.url, "size": self.remote.size, "sha256": self.remote.sha256, "block": BLOCK,
            "blocks": self.blocks,
        }  # fmt: skip
        write_atomic(self.path, json.dumps(told).encode())

    def forget(self) -> None:
        """Remove both files. Raises OSError."""
        self.part.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    def check(self) -> tuple[bool, list[int]]:
        """Whether the file is the one that the hub promised, and which blocks are no longer as they came.

        Reads all of it. Raises OSError.
        """
        whole, damaged = hashlib.sha256(), []
        with self.part.open("rb") as file:
            for index in range(self.n_blocks):
                block, left = hashlib.sha256(), self.length(index)
                while left and (data := file.read(min(_READ, left))):
                    block.update(data)
                    whole.update(data)
                    left -= len(data)
                if block.hexdigest() != self.blocks.get(index):
                    damaged.append(index)
        is_right = not self.remote.sha256 or whole.hexdigest() == self.remote.sha256
        return is_right and not damaged, damaged
