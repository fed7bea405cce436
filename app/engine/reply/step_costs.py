"""What it takes to let several sequences write at once."""

from collections import defaultdict, deque
from statistics import median


class StepCosts:
    """What a step takes in which n sequences write, by the last few of that size.

    On processors two at once often take longer than one after the other, and four at once do not.
    """

    _ENOUGH = 3
    _AGAIN = 128
    """Steps after which a size that is not in use is tried again: with the depth of what is held costs change."""

    def __init__(self) -> None:
        self._seconds: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=5))
        self._tried: defaultdict[int, int] = defaultdict(int)
        self._n = 0

    def add(self, size: int, seconds: float) -> None:
        self._n += 1
        self._seconds[size].append(seconds)
        self._tried[size] = self._n

    def cheapest(self, n: int) -> int:
        """How many of `n` who want to write shall do so in the next step."""
        sizes = range(n, 0, -1)
        for size in sizes:
            if len(self._seconds[size]) < self._ENOUGH or self._n - self._tried[size] > self._AGAIN:
                return size
        return min(sizes, key=lambda size: median(self._seconds[size]) / size)
