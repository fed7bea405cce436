"""Where the batches of a prompt end: full micro-batches, cut where a checkpoint is wanted."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count


@dataclass(frozen=True, slots=True)
class Marks:
    """Entries after which a checkpoint is wanted."""

    places: tuple[int, ...] = ()
    """Those that matter by themselves."""
    every: int = 0
    """And each multiple of this; 0 for none. Multiples of the position, so that they stay where they are."""
    apart: int = 0
    """Multiples that are nearer to a place than this are left out."""

    def next_after(self, n: int) -> int | None:
        """The first place beyond `n`."""
        beyond = [place for place in self.places if place > n]
        if self.every:
            multiples = count((n // self.every + 1) * self.every, self.every)
            beyond.append(next(each for each in multiples if not self._is_near_a_place(each)))
        return min(beyond, default=None)

    def _is_near_a_place(self, n: int) -> bool:
        return any(abs(place - n) < self.apart for place in self.places)


class Mark(Enum):
    """Whether a checkpoint is wanted where a batch ends."""

    NONE = auto()
    REGULAR = auto()
    """For its distance from the others."""
    PLACE = auto()
    """For the place, such as the start of a message."""


BLOCK = 128
"""Entries of a batch where all batches are cut as a cold start would cut them (`Loading.exact`): small, because what
does not fill one is read again, and large enough to read at nearly full speed."""
_FIRST = 64
"""Entries of the first batch where several follow: a slow machine takes a minute for a full one, and people want to
know early how long it will be."""


def batch_ends(start: int, total: int, step: int, marks: Marks) -> Iterator[tuple[int, Mark]]:
    """The end of each batch from `start` to `total`, each at most `step` entries long, and what is wanted there.

    For a stretch of text; a medium's group is evaluated as a whole. What one batch holds comes in one; of more, the
    first batch is short.
    """
    done = start
    size = step if total - start <= step else min(_FIRST, step)
    while done < total:
        wanted = marks.next_after(done)
        done = min(done + size, total, total if wanted is None else wanted)
        size = step
        if done in marks.places:
            yield done, Mark.PLACE
        else:
            # What ends a batch anyway may be kept as well.
            yield done, Mark.REGULAR if marks.every else Mark.NONE


def block_ends(start: int, total: int, block: int, marks: Marks, alone: int | None) -> Iterator[tuple[int, Mark]]:
    """`batch_ends` where they depend on the prompt alone: at multiples of `block`, and before an entry that comes
    `alone`. Nothing is cut for a checkpoint: it is taken where a batch ends."""
    done = start
    while done < total:
        began, done = done, min((done // block + 1) * block, total)
        if alone is not None and began < alone < done:
            done = alone
        if done in marks.places:
            yield done, Mark.PLACE
        else:
            yield done, Mark.REGULAR if marks.every and done // marks.every > began // marks.every else Mark.NONE
