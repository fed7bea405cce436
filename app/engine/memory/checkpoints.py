"""Checkpoints: what a memory that cannot go back looked like at earlier entries.

Recurrent layers and sliding windows overwrite what they knew. A checkpoint is llama.cpp's partial sequence
state (`LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY`) after n entries; restoring it and trimming the rest gives exactly
the memory of that moment, as long as the other layers still hold their first n cells.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.checkpointing import Checkpointing
from app.engine.binding.sequence_memory import State

_MIB = 1 << 20
_AT_END = 3
"""Checkpoints at the end of a prompt and of its answer, beside those at messages."""
_RETURNED = 256
"""People go back to the start of a message as often as to so many other places together."""
_NEAR = 0.75
"""How fast it becomes rarer that people go back, the farther back that is: its power, by which spacing grows, too."""
_NEAREST, _LEAST = 4, 32
"""Times as often as asked for, and entries: on a processor batches of 32 take 2 % longer in all than those of 128."""
_LAST = 4
"""Messages whose starts are always marked, where so many can be kept."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    n: int
    """Entries that were in the slot."""
    data: State
    extra: bytes = b""
    """What the slot's companion had to keep with it."""

    @property
    def n_bytes(self) -> int:
        return len(self.data) + len(self.extra)


class Checkpoints:
    """Those of one sequence, as many as `Checkpointing.most` says, and within its budget of bytes.

    When there are too many, the one goes whose loss costs least: the entries from the one before it, which would have
    to be read again, times the places that it serves, up to the next one. The start of a message counts for many, and
    each for the less the farther back it lies, because changes are most often made near the end. The place before the
    first question stays: people begin anew there.
    """

    def __init__(self, settings: Checkpointing, size: int = 0) -> None:
        """`size`: about the bytes that one will take, where batches may be cut for as many as are kept; 0: for no more
        than the number, and no nearer than asked for.
        """
        self.settings = settings
        self.size = size
        self.places: frozenset[int] = frozenset()
        """Entries before each question and tool result of the prompt: what people go back to."""
        self._kept: list[Checkpoint] = []
        self._sharing = 1

    def take(self, settings: Checkpointing) -> None:
        """Keep by these from now on."""
        self.settings = settings

    def begin_prompt(self, places: Iterable[int]) -> None:
        """A prompt is read that people go back to at these places: what is kept there costs most to lose."""
        self.places = frozenset(places)

    def share(self, n: int) -> None:
        """The budget of bytes is that of so many sequences together, of which each may use as much."""
        self._sharing = n
        self._shrink()

    @property
    def _budget(self) -> int:
        return self.settings.budget * _MIB // self._sharing

    @property
    def _most(self) -> int:
        return self.settings.most(max((each.n_bytes for each in self._kept), default=self.size or _MIB), self._sharing)

    @property
    def _nearness(self) -> int:
        """Times as often as asked for that one is taken: the smaller, the more can be kept, and the less it costs."""
        number = self.settings.ctx_checkpoints
        return max(1, min(_NEAREST, self._most // number)) if self.size and number else 1

    @property
    def every(self) -> int:
        """Entries after which one is taken while texts are read and written."""
        asked = self.settings.every
        return max(asked // self._nearness, min(asked, _LEAST))

    @property
    def entries(self) -> tuple[int, ...]:
        """Where they are, ascending."""
        return tuple(each.n for each in self._kept)

    @property
    def n_bytes(self) -> int:
        return sum(each.n_bytes for each in self._kept)

    def wants(self, n: int) -> bool:
        """Whether a checkpoint after `n` entries is worth taking: none is near, and the prompt is not too short."""
        settings = self.settings
        if not settings.ctx_checkpoints or n < max(1, settings.min_prompt):
            return False
        return all(abs(n - each.n) * self._nearness >= settings.min_step for each in self._kept)

    def lacks(self, n: int) -> bool:
        """As `wants`, for a place that matters by itself: nearness does not count against it."""
        settings = self.settings
        return bool(settings.ctx_checkpoints) and n >= max(1, settings.min_prompt) and self.at(n) is None

    def worth_marking(self, places: Sequence[int], end: int) -> tuple[int, ...]:
        """Of ascending places in a prompt of `end` entries, about as many as can be kept: the first, the last few, and
        others the denser the nearer to the end. No batch is cut for what would go before anybody needs it.
        """
        room = max(1, (self._most if self.size else min(self._most, self.settings.ctx_checkpoints)) - _AT_END)
        always = max(2, min(_LAST, room))
        grows = _NEAR / 2  # gaps cost their square
        chosen: list[int] = []
        for place in reversed(places):
            apart = math.pow(end - places[0], 1 - grows) * math.pow(end - place, grows) / (1 - grows) / room
            if len(chosen) < always or place == places[0] or chosen[-1] - place >= max(apart, self.settings.min_step):
                chosen.append(place)
        return tuple(reversed(chosen))

    def all(self) -> tuple[Checkpoint, ...]:
        return tuple(self._kept)

    def to_keep_aside(self) -> tuple[Checkpoint, ...]:
        """As many of them as the number says: of what is left all else may have to be read again."""
        kept = list(self._kept)
        while len(kept) > self.settings.ctx_checkpoints:
            del kept[self._least_useful([each.n for each in kept])]
        return tuple(kept)

    def replace_all(self, checkpoints: Iterable[Checkpoint]) -> None:
        """These belong to the memory now, ascending."""
        self._kept = list(checkpoints)
        self._shrink()

    def at(self, n: int) -> Checkpoint | None:
        newest = self.newest(n)
        return newest if newest is not None and newest.n == n else None

    def newest(self, n: int) -> Checkpoint | None:
        """The one with the most entries that has at most `n`."""
        index = bisect_right(self.entries, n)
        return self._kept[index - 1] if index else None

    def add(self, checkpoint: Checkpoint) -> None:
        """Keep it, and drop others until all fit. One that alone exceeds the budget is not kept."""
        if checkpoint.n_bytes > self._budget:
            return
        self._kept = sorted([*(each for each in self._kept if each.n != checkpoint.n), checkpoint], key=lambda c: c.n)
        self._shrink()

    def drop_after(self, n: int) -> None:
        """Forget those with more than `n` entries: what they continue is gone."""
        self._kept = [each for each in self._kept if each.n <= n]

    def clear(self) -> None:
        """The memory was cleared: partial states mean nothing without the other layers' cells."""
        self._kept.clear()

    def _shrink(self) -> None:
        while len(self._kept) > self._most or self.n_bytes > self._budget:
            del self._kept[self._least_useful(self.entries)]

    def _least_useful(self, entries: Sequence[int]) -> int:
        """The newest is never chosen while there is another: it serves the next edit."""
        if len(entries) == 1:
            return 0
        bounds = [0, *entries]
        first, end = min(self.places, default=0), bounds[-1]

        def loss(index: int) -> float:
            before, n, after = bounds[index : index + 3]
            if n == first:
                return math.inf
            served = after - n + (_RETURNED if n in self.places else 0)
            return (n - before) * served / math.pow(end - n, _NEAR)

        return min(range(len(entries) - 1), key=loss)
