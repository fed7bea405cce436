"""What a batch costs on this machine, by its number of tokens."""

import time
from bisect import bisect_left, insort
from collections.abc import Callable, Mapping
from math import sqrt

Clock = Callable[[], float]
"""Seconds."""

_MEMORY = 0.98
"""What an observation counts less with each later one: a mean is about the last fifty."""
_STALE = round(1 / (1 - _MEMORY))
"""Batches."""
_SURE = 4
"""Batches of a size. Before, it is its proportion that is wrong: one that was measured while the model was loaded."""


def clock_for(*, on_device: bool) -> Clock:
    """What batches are timed by: this thread's own time, in which other programs have no part, if that tells enough."""
    fine = time.get_clock_info("thread_time").resolution < 1e-5
    return time.thread_time if fine and not on_device else time.perf_counter


class RunningMean:
    """Of what was seen; older observations count less."""

    def __init__(self, value: float = 0.0, weight: float = 0.0) -> None:
        """`weight`: observations that `value` counts for, which was expected before anything was seen."""
        self.value = value
        self.weight = weight

    @property
    def hoped(self) -> float:
        """What a share may well be: a standard deviation more, and the less of it the more was seen."""
        doubt = max(0.0, 1 - self.weight * (1 - _MEMORY))
        return self.value + doubt * sqrt(self.value * (1 - self.value) / self.weight)

    def add(self, value: float, times: int = 1) -> None:
        """`value` was seen so many times."""
        self.weight = self.weight * _MEMORY**times + times
        self.value += (value - self.value) * times / self.weight


class Costs:
    """Seconds of single tokens, and how many times as long batches take; both follow what is measured.

    Two numbers, because a conversation that grows makes all batches slower, and their proportions change little.
    """

    def __init__(self, measured: Mapping[int, float] | None = None) -> None:
        """`measured`: seconds of batches by size, with that of 1."""
        self._one, self._times, self._sizes = RunningMean(), {1: RunningMean(1.0)}, [1]
        self._since = 0
        for size, seconds in sorted((measured or {}).items()):
            self.add(size, seconds)
        # At load, what an answer spends on each token beside its batch was not in it.
        self._since = _STALE
        """Batches since a single token was measured in an answer."""

    @property
    def one(self) -> float:
        """Seconds of a single token; 0 before one was measured."""
        return self._one.value

    @property
    def is_stale(self) -> bool:
        """No single token was measured in an answer yet, or for so long that the conversation may have slowed them."""
        return self._since >= _STALE

    def seconds(self, size: int) -> float:
        return self.one * self.times(size)

    def times(self, size: int) -> float:
        """How many times as long as a single token a batch of `size` takes.

        On the straight line between sizes that were measured. One that is larger than all of them is hoped to cost no
        more: so it is tried, and measured.
        """
        sizes, times = self._sizes, self._times
        at = bisect_left(sizes, size)
        if at == len(sizes):
            return times[sizes[-1]].value
        above = times[sizes[at]].value
        if sizes[at] == size:
            return above
        below, share = times[sizes[at - 1]].value, (size - sizes[at - 1]) / (sizes[at] - sizes[at - 1])
        return below + share * (above - below)

    def add(self, size: int, seconds: float, times: int = 1) -> None:
        """A batch took so long, or each of so many."""
        if size == 1:
            mean, value, times, self._since = self._one, seconds, times + self._since, 0
        elif self.one:
            if size not in self._times:
                insort(self._sizes, size)
                self._times[size] = RunningMean()
            elif not self.is_stale and self._times[size].weight > _SURE:
                # The machine may have become slower or faster: the proportion alone would learn that otherwise.
                self._one.add(min(seconds / self._times[size].value, 2 * self.one), size)
            mean, value, self._since = self._times[size], seconds / self.one, self._since + 1
        else:
            return
        # A hiccup of the machine counts as twice the time at most.
        mean.add(min(value, 2 * mean.value or value), times)
