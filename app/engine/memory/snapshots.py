"""Snapshots: what the slot held of other conversations and other versions, to come back to.

A snapshot is llama.cpp's sequence state, the entries that it stands for, and the checkpoints that go with it, because
a state keeps no more of a sliding window than its last cells. It is whole, or a tail: what followed a place at which
a conversation went another way. A tail is put on a memory that holds the entries before it. What many conversations
begin with, such as a system prompt with its tools, is on disk as a snapshot of nobody's, so that it outlives them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.core.snapshot_settings import PROGRAMS
from app.engine.binding.context import Context
from app.engine.binding.sequence_memory import State
from app.engine.memory.checkpoints import Checkpoint
from app.engine.memory.reuse import Source
from app.engine.prompt.prompt_tokens import PromptTokens

_MIB = 1 << 20
_SHARED = "prefix "
WORTH_SHARING = 1024
"""Entries before the first question that are kept for all conversations that begin with them: below that, to read them
takes seconds."""


def shared_name(entries: PromptTokens, n: int, conversation: str = "") -> str:
    """What stands for a conversation where the first `n` entries are kept for all that begin with them; those of a
    program's conversation take of the programs' room.
    """
    owner = PROGRAMS if conversation.startswith(PROGRAMS) else ""
    return owner + _SHARED + hashlib.sha256(entries.tokens(0, n).tobytes()).hexdigest()


def is_shared(conversation: str) -> bool:
    return conversation.removeprefix(PROGRAMS).startswith(_SHARED)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    entries: PromptTokens
    """With those before a tail."""
    data: State
    checkpoints: tuple[Checkpoint, ...] = ()
    conversation: str = ""
    """Whose it is; empty where nobody will ask for it by name."""
    source: Source = Source.MEMORY
    start: int = 0
    """Entries before a tail; 0 for a whole state."""
    extra: bytes = b""
    """What the slot's companion had to keep with it."""

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(each.n for each in self.checkpoints)

    @property
    def restore_bytes(self) -> int:
        """Checkpoints stay where they are."""
        return len(self.data) + len(self.extra)

    def without_extras(self) -> "Snapshot":
        """The same without what the companion kept, which has to begin anew then."""
        return replace(self, extra=b"", checkpoints=tuple(replace(each, extra=b"") for each in self.checkpoints))

    @property
    def n_bytes(self) -> int:
        return self.restore_bytes + sum(each.n_bytes for each in self.checkpoints)

    def is_served_by(self, other: "Snapshot") -> bool:
        """Whether `other` leads to all that this one leads to."""
        return other.start <= self.start and self.is_beginning_of(other.entries)

    def is_beginning_of(self, entries: PromptTokens) -> bool:
        return self.entries.common_prefix(entries) == len(self.entries)


@dataclass(frozen=True, slots=True, eq=False)
class SequencePart:
    """The beginning of what another sequence of the context holds just now."""

    context: Context
    """That sequence."""
    entries: PromptTokens
    checkpoints: tuple[Checkpoint, ...] = ()
    """Those within the entries. Where the memory needs any, the last one stands at their end."""
    source: Source = Source.MEMORY
    start: int = 0
    places: tuple[int, ...] = ()
    restore_bytes: int = 0


class Snapshots:
    """Those in memory, within a budget of bytes.

    The one that was left longest ago goes first, but other versions of the conversation that was just left go before
    other conversations.
    """

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
        self._kept = [each for each in self._kept if not each.is_served_by(snapshot)]
        self._kept.append(snapshot)
        while self._kept and self.n_bytes > budget * _MIB:
            own = (each for each in self._kept[:-1] if each.conversation and each.conversation == snapshot.conversation)
            self.take(next(own, self._kept[0]))

    def take(self, snapshot: object) -> None:
        """It is no longer of use."""
        self._kept = [each for each in self._kept if each is not snapshot]

    def drop_beginnings(self, entries: PromptTokens) -> None:
        """The slot holds `entries` now, and serves for what is their beginning."""
        self._kept = [each for each in self._kept if not each.is_beginning_of(entries)]

    def forget(self, conversation: str) -> None:
        self._kept = [each for each in self._kept if each.conversation != conversation]

    def clear(self) -> None:
        self._kept.clear()
