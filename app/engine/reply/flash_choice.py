"""With flash attention or without: what a context on a processor loses by being as it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.engine.binding.context import Context

_WITH = 1.5
"""Times as long as without it one row's attention to a cell takes with it."""
_STEP = 256
"""Cells up to whose multiple all are visited without it, empty ones and other sequences', once for each batch of few
rows. With it every row visits its own sequence's.
"""
_LARGE = 64
"""Rows of a batch that is computed in tiles with it, which is as quick as without up to `_EVEN` entries."""
_EVEN = 512
_MAKING, _MAKING_EACH = 4000, 3.5
"""What making a context anew takes, in visits of a cell, and what it takes for each entry that it has room for."""
_CARRYING = 4
"""The same for each entry that goes over, but `_LEAVING` where several wrote without it."""
_LEAVING = 40
"""By how much longer, in visits of a cell, it takes without it to copy away what was written beside others, for each
entry, whose cell lies among theirs: V lies otherwise then, and each of its numbers is copied by itself.
"""


@dataclass(frozen=True, slots=True)
class Worked:
    """What a sequence took part in a batch with."""

    rows: int
    held: int
    """Entries afterwards."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is left of a prompt that is read in slices, beside others that write."""

    first: Worked
    """The next slice."""
    left: int
    """Entries to read, those of the next slice among them."""
    writing: Sequence[Worked]
    """What the others do between two slices."""
    longest: float
    """Seconds that they may wait for a context that is made anew."""


class FlashChoice:
    """Reckons by what every batch would have taken otherwise, in visits of a cell without flash attention: both ways
    and a new context's making take longer the larger a cell is, so that this holds for models of all sizes.

    A change pays as soon as it would have paid already: whatever comes then, no more than twice the least is lost.
    Measured with 240 million parameters, Q4_K_M, heads of 128, and one thread.
    """

    def __init__(self) -> None:
        self._lost = 0.0
        self._visit = 0.0
        """Seconds that one takes; 0 where that is not known."""

    def add(self, context: Context, batch: Sequence[Worked], held: int) -> bool:
        """A batch was evaluated, and all sequences hold `held` entries together. Whether a change pays now."""
        more = self._more_with(batch, held)
        self._lost = max(0.0, self._lost + (more if context.has_flash else -more))
        among_others = not context.has_flash and held > max((each.held for each in batch), default=0)
        pays = self._lost > self._making(context, held) + among_others * _LEAVING * held
        if pays:
            self._lost = 0.0
        return pays

    def pays_ahead(self, context: Context, reading: Reading, held: int) -> bool:
        """Before a slice is read: whether to do without it until the prompt is, for which it goes and comes back."""
        making = self._making(context, held)
        if not context.has_flash or not 0 < self._visit * making <= reading.longest:
            return False
        half = reading.left // 2
        slice_, n = replace(reading.first, held=reading.first.held + half), reading.left / reading.first.rows
        # What they wait for each time: a slice, and a token for each of them.
        more = self._more_with([slice_], held + half) + self._more_with(reading.writing, held + half)
        pays = more * n > 2 * making
        if pays:
            self._lost = 0.0
        return pays

    def made(self, context: Context, held: int, seconds: float) -> None:
        """A context that holds `held` entries was made anew, which took the processor so long."""
        self._visit = seconds / self._making(context, held)

    def _making(self, context: Context, held: int) -> float:
        return _MAKING + _MAKING_EACH * context.n_ctx + _CARRYING * held

    def left(self, context: Context, n: int) -> None:
        """A sequence that had written `n` entries was copied away, while others wrote."""
        self._lost = max(0.0, self._lost + (-_LEAVING * n if context.has_flash else _LEAVING * n))

    def _more_with(self, batch: Sequence[Worked], held: int) -> float:
        """By how much it takes longer with it."""
        if all(each.rows == 1 for each in batch):
            return _WITH * sum(each.held for each in batch) - -(-held // _STEP) * _STEP
        return sum(
            each.rows * ((each.held - _EVEN) / 12 if each.rows >= _LARGE else each.held / 2) for each in batch
        )  # fmt: skip
