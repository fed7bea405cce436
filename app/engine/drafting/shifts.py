"""Positions of entries, as a companion of a slot learns of them batch by batch."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable


class Shifts:
    """How far positions run ahead of, or behind, the number of entries: they differ after pictures."""

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        """`pairs`: an entry from which on the position is that much more than the entry's number; ascending."""
        self._pairs = list(pairs) or [(0, 0)]

    def note(self, entry: int, position: int) -> None:
        """A text entry, the `entry`th counted from 0, stands at `position`. No later one is known."""
        since, shift = self._pairs[-1]
        if since < entry and shift == position - entry:
            return
        del self._pairs[max(1, bisect_left(self._pairs, entry, key=_entry)) :]
        if self._pairs[-1][1] != position - entry:
            self._pairs.append((entry, position - entry))

    def position(self, entry: int) -> int:
        return entry + self._pairs[bisect_right(self._pairs, entry, key=_entry) - 1][1]

    def begins(self, entry: int) -> bool:
        """Whether a picture ends right before `entry`, as far as is known."""
        return any(each == entry for each, _ in self._pairs[1:])

    def truncate(self, n: int) -> None:
        """Only the first `n` entries are there. Where the next one stands is still known, if it was."""
        del self._pairs[max(1, bisect_right(self._pairs, n, key=_entry)) :]

    def pairs(self, n: int) -> tuple[tuple[int, int], ...]:
        """Those of the first `n` entries and of the one that follows."""
        return tuple(self._pairs[: bisect_right(self._pairs, n, key=_entry)])


def _entry(pair: tuple[int, int]) -> int:
    return pair[0]
