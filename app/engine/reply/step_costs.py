"""What it takes to let several sequences write at once."""

from collections import defaultdict, deque

_TILE = 4
"""Columns that processors multiply together; what is beyond a multiple of it costs nearly as much again."""
_WORTH = 0.96
"""Fewer at once are worth it where that takes less than this share of the time: what is timed here varies."""


class StepCosts:
    """What a step takes in which n sequences write, by the quickest of the last few of that size.

    On processors two at once often take longer than one after the other, and four at once do not.
    """

    _ENOUGH = 5
    """Steps of all who write; of fewer at once three will do."""
    _AGAIN = 128
    """Steps after which a size that is not in use is tried again: with the depth of what is held costs change."""

    def __init__(self) -> None:
        self._seconds: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=9))
        self._tried: defaultdict[int, int] = defaultdict(int)
        self._n = 0

    def clear(self) -> None:
        """The context is another one."""
        self._seconds.clear()

    def add(self, size: int, seconds: float) -> None:
        self._n += 1
        self._seconds[size].append(seconds)
        self._tried[size] = self._n

    def cheapest(self, n: int) -> int:
        """How many of `n` who want to write shall do so in the next step: all, as many as fill tiles, or one."""
        if n == 1:
            return 1
        sizes = sorted({n, (n - 1) // _TILE * _TILE or 1, 1}, reverse=True)
        for size in sizes:
            enough = self._ENOUGH if size == n else 3
            if len(self._seconds[size]) < enough or self._n - self._tried[size] > self._AGAIN:
                return size
        least = min(sizes, key=self._each)
        return least if self._each(least) < _WORTH * self._each(n) else n

    def _each(self, size: int) -> float:
        return min(self._seconds[size]) / size
