"""What a batch costs on this machine, by its number of tokens."""

import time
from bisect import bisect_left
from collections.abc import Callable, Mapping

Clock = Callable[[], float]
"""Seconds."""


def clock_for(*, on_device: bool) -> Clock:
    """What batches are timed by: this thread's own time, in which other programs have no part, if that tells enough."""
    fine = time.get_clock_info("thread_time").resolution < 1e-5
    return time.thread_time if fine and not on_device else time.perf_counter


_GROWTH = 0.7
"""A batch that was never measured is reckoned to cost its size to this power: less than most do, so it is tried."""
_SLOW, _QUICK = 0.05, 0.2
_AGEING = 0.999
"""What a measurement counts less with each token for which a draft was refused, for the machine may have been busy."""
_FARTHEST = 2.0
"""A measurement that is so many times what was expected tells of the machine's other work, and counts as that much."""


class Costs:
    """Seconds of single tokens, and how many times as long batches take; both follow what is measured.

    Two numbers, because a conversation that grows makes all batches slower, and their proportions change little.
    """

    def __init__(self, measured: Mapping[int, float] | None = None) -> None:
        """`measured`: seconds of batches by size, with that of 1."""
        self._one = 0.0
        self._sizes = [1]
        self._times = [1.0]
        """As many times as long as a single token, for each of `_sizes`, as measured."""
        self._trust = 1.0
        """In what was measured of larger batches, 0 to 1."""
        for size, seconds in sorted((measured or {}).items()):
            self.add(size, seconds)

    @property
    def one(self) -> float:
        """Seconds of a single token; 0 before one was measured."""
        return self._one

    def times(self, size: int) -> float:
        """How many times as long as a single token a batch of `size` takes."""
        measured = self._measured(size)
        if self._trust == 1.0:
            return measured
        return measured - (1 - self._trust) * max(0.0, measured - float(size**_GROWTH))

    def _measured(self, size: int) -> float:
        sizes, times = self._sizes, self._times
        at = bisect_left(sizes, size)
        if at == len(sizes):
            return times[-1] * float((size / sizes[-1]) ** _GROWTH)
        if sizes[at] == size:
            return times[at]
        share = (size - sizes[at - 1]) / (sizes[at] - sizes[at - 1])
        return times[at - 1] + share * (times[at] - times[at - 1])

    def age(self) -> None:
        """A draft was refused."""
        self._trust *= _AGEING

    def seconds(self, size: int) -> float:
        return self._one * self.times(size)

    def believable(self, size: int, seconds: float) -> float:
        """`seconds` of a batch, within what can be its own."""
        expected = self.seconds(size)
        return max(expected / _FARTHEST, min(expected * _FARTHEST, seconds)) if expected else seconds

    def add(self, size: int, seconds: float) -> None:
        """A batch was measured."""
        if seconds <= 0:
            return
        if size == 1:
            self._one += _QUICK * (self.believable(1, seconds) - self._one) if self._one else seconds
            return
        if not self._one:
            return
        at = bisect_left(self._sizes, size)
        if at == len(self._sizes) or self._sizes[at] != size:
            self._sizes.insert(at, size)
            # Larger batches are not cheaper: a smaller time is chance.
            self._times.insert(at, max(self._times[at - 1], seconds / self._one))
            return
        if self._trust < 0.5:
            # Nothing larger was measured for long: this one says what the others are worth.
            off = seconds / self._one / self._times[at]
            self._times[1:] = [max(1.0, each * off) for each in self._times[1:]]
        else:
            off = float((self.believable(size, seconds) / self.seconds(size)) ** _SLOW)
            self._one *= off
            self._times[at] *= off
        self._trust = 1.0
