"""How much of a prompt is read at a time while others write."""

GAP, WAIT, LEAST = 0.15, 0.19, 0.06
"""Seconds that those who write wait for one who reads: less where it takes them long to get a token each, so that they
wait no longer than `WAIT` for both, but no less than the last. Fewer entries at a time take longer each.
"""
SHORTEST, TILE = 8, 64
"""Entries: the least that is read at a time, and what flash attention on a processor computes together. On one thread
eight take about twice as long each as many do, sixteen a third longer.
"""
_FINE, _SMALL = 4, 16
"""Below so many the next size is a few more, for what the processor multiplies at once."""
_ROOMY = 0.75
"""A slice that takes less than this share of its time may grow: the next size takes half as long again at the most."""
_AGAIN = 32
"""Slices after which a size is tried again that took too long: that may have been something else's fault."""
_BESIDE = 0.4
"""Of the pace of whole prompts, what the first slice is reckoned by."""


class SliceSize:
    """Entries that are read at a time: as many as take about `GAP` seconds, or less, found by trying."""

    def __init__(self, per_second: float, most: int) -> None:
        """`per_second`: entries of whole prompts; `most`: of a batch."""
        self._most = most
        self._n = self._whole(per_second * GAP * _BESIDE)
        self._too_many, self._took, self._since = most + 1, 0.0, 0
        """A size that took too long, how long that was, and slices since then."""

    def __int__(self) -> int:
        return self._n

    def add(self, n: int, seconds: float, writing: float = 0.0) -> None:
        """`n` entries took so long, and to write a token for each of the others takes `writing` seconds. More at a time
        take less for each, so what is left of the time is tried out.
        """
        gap = min(GAP, max(WAIT - writing, LEAST))
        fitting = self._whole(n * gap / max(seconds, 1e-6))
        self._since += 1
        if seconds > gap:
            self._n = fitting
            self._too_many, self._took, self._since = n, seconds, 0
        elif n == self._n and seconds < _ROOMY * gap:
            larger = max(fitting, self._whole(n + self._unit(n)) if n < TILE else n)
            if larger < self._too_many or self._took <= gap or self._since > _AGAIN:
                self._n = larger

    def _unit(self, n: float) -> int:
        return _FINE if n < _SMALL else SHORTEST if n < TILE else TILE

    def _whole(self, size: float) -> int:
        unit = self._unit(size)
        return min(max(int(size) // unit * unit, SHORTEST), self._most)
