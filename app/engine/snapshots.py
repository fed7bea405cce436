"""Snapshots: what the slot held of other conversations, to come back to.

A snapshot is llama.cpp's whole sequence state, the entries that it stands for, and the checkpoints that go with
it, because a whole state keeps no more of a sliding window than its last cells.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from app.engine.checkpoints import Checkpoint
from app.engine.prompt_tokens import PromptTokens
from app.engine.reuse import Source

_MIB = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    entries: PromptTokens
    data: bytes
    checkpoints: tuple[Checkpoint, ...] = ()
    conversation: str = ""
    """Whose it is; empty where nobody will ask for it by name."""
    source: Source = Source.MEMORY

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(each.n for each in self.checkpoints)

    @property
    def restore_bytes(self) -> int:
        """Checkpoints stay where they are."""
        return len(self.data)

    @property
    def n_bytes(self) -> int:
        return len(self.data) + sum(len(each.data) for each in self.checkpoints)


class Snapshots:
    """Those in memory, within a budget of bytes; the one that was left longest ago goes first."""

    def __init__(self) -> None:
        self._kept: list[Snapshot] = []

    def __iter__(self) -> Iterator[Snapshot]:
        """Last left first."""
        return reversed(self._kept)

    @property
    def n_bytes(self) -> int:
        return sum(each.n_bytes for each in self._kept)

    def add(self, snapshot: Snapshot, budget: int) -> None:
        """Keep it within `budget` MiB. What is only the beginning of it is dropped: the new one serves for both."""
        self._kept = [each for each in self._kept if each.entries.common_prefix(snapshot.entries) < len(each.entries)]
        self._kept.append(snapshot)
        while self._kept and self.n_bytes > budget * _MIB:
            del self._kept[0]

    def take(self, snapshot: object) -> None:
        """It is in the slot again, and no longer here."""
        self._kept = [each for each in self._kept if each is not snapshot]

    def forget(self, conversation: str) -> None:
        self._kept = [each for each in self._kept if each.conversation != conversation]

    def clear(self) -> None:
        self._kept.clear()
