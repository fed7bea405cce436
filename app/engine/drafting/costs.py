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
_STEP = 0.4
"""The power of a batch's share of the way from one token to the smallest batch that is known: most of the cost comes at
once, when a product of vectors becomes one of matrices."""
_SLOW, _QUICK = 0.05, 0.2
_GUESSED, _MEASURED, _MOST = 0.5, 2.0, 20.0
"""Measurements that count for: what was never measured, what was measured at load, and what is known at the most."""
_TOGETHER = 1 / 3
"""How far batches that were measured at load alone are as wrong as the one that is measured again."""
_DOUBT = 0.5
"""What a batch may cost less, after one measurement."""
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
        self._weights = [1.0]
        """How many measurements each of `_times` counts for."""
        self._trust = 1.0
        """In what was measured of larger batches, 0 to 1."""
        for size, seconds in sorted((measured or {}).items()):
            if size == 1:
                self._one = seconds
            elif self._one and seconds > 0:
                # Larger batches are not cheaper: a smaller time is chance.
                self._insert(len(self._sizes), size, max(self._times[-1], seconds / self._one), _MEASURED)

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
        if at == 1:
            share **= _STEP
        return times[at - 1] + share * (times[at] - times[at - 1])

    def _insert(self, at: int, size: int, times: float, weight: float) -> None:
        self._sizes.insert(at, size)
        self._times.insert(at, times)
        self._weights.insert(at, weight)

    def least(self, size: int) -> float:
        """Seconds that a batch of `size` may well take, if it was measured on a bad day."""
        at = min(bisect_left(self._sizes, size), len(self._sizes) - 1)
        return self._one * max(1.0, self.times(size) / (1 + _DOUBT / self._weights[at]))

    @property
    def state(self) -> dict[int, tuple[float, float]]:
        """Of each size but 1 that was measured: how many single tokens it costs, and how many measurements tell it."""
        each = zip(self._sizes, self._times, self._weights, strict=True)
        return {size: (times, weight) for size, times, weight in each if size > 1}

    def remember(self, state: Mapping[int, tuple[float, float]]) -> None:
        """Add what was known another time, to what was measured since then."""
        for size, (times, weight) in sorted(state.items()):
            at = bisect_left(self._sizes, size)
            if at == len(self._sizes) or self._sizes[at] != size:
                self._insert(at, size, times, min(weight, _MEASURED))
            else:
                known, kept = self._weights[at], min(weight, 2 * _MEASURED)
                self._times[at] = (known * self._times[at] + kept * times) / (known + kept)
                self._weights[at] = known + kept

    def age(self, n: int = 1) -> None:
        """`n` drafts were refused."""
        self._trust *= _AGEING**n

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
            self._insert(at, size, self._measured(size), _GUESSED)
        if self._trust < 0.5:
            # Nothing larger was measured for long: this one says what the others are worth.
            off = seconds / self._one / self._times[at]
            self._times[1:] = [max(1.0, each * off) for each in self._times[1:]]
        else:
            off = max(1 / _FARTHEST, min(_FARTHEST, seconds / (self._one * self._times[at])))
            share = max(_SLOW, 1 / (self._weights[at] + 1))
            self._one *= float(off**_SLOW)
            self._times[at] *= float(off**share)
            self._weights[at] = min(_MOST, self._weights[at] + 1)
            for other in range(1, len(self._times)):
                # What was measured at load alone was measured on the same day.
                if other != at and self._weights[other] <= _MEASURED:
                    self._times[other] = max(1.0, self._times[other] * float(off ** min(share, _TOGETHER)))
        self._trust = 1.0
