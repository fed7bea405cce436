"""How far the reading of a prompt is between two figures of it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from time import monotonic

from app.core.events import PromptProgress

_BATCH = 512
"""Tokens of a micro-batch, while nobody has seen one."""
_TELLING = 32
"""Tokens; how long fewer take says little about reading."""
_EASE = 0.8
"""Share of a batch from which on the count slows down, so that it neither stops nor runs ahead."""


@dataclass(frozen=True, slots=True)
class PrefillNow:
    read: int
    """Tokens, as far as they are read by now or ought to be."""
    to_read: int
    left: float | None
    """Seconds; None where nobody knows."""
    elapsed: float
    """Seconds."""


class PrefillClock:
    """Figures come once a micro-batch, which may take a minute on a slow machine; what is left gets less meanwhile.

    It counts no further than to where the micro-batch that is being read ought to end, at the speed of those before and
    as long as the last: further on nobody knows whether it gets on. Before the first one ends, it goes by the speed of
    the last prompt.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._progress: PromptProgress | None = None
        self._last: PromptProgress | None = None
        self._began = 0.0
        self._heard = 0.0
        self._batch = 0
        self._pace = 0.0
        """Seconds for each token; 0 for not known."""

    def hear(self, progress: PromptProgress | None) -> None:
        """Figures that have just come; None when nothing is being read."""
        now, self._progress = self._progress, progress
        if progress is None or progress == now:
            return
        # Beyond a picture that was looked at in between.
        last, self._last = self._last, progress
        self._heard = self._clock()
        if not progress.read:
            self._began = self._heard
        else:
            self._began = self._heard - progress.elapsed
        goes_on = last is not None and last.total == progress.total and last.read < progress.read
        self._batch = progress.read - (last.read if last is not None and goes_on else 0) or _BATCH
        if progress.read >= _TELLING and progress.elapsed > 0:
            self._pace = progress.elapsed / progress.read

    def now(self) -> PrefillNow | None:
        """None while nothing is being read."""
        progress = self._progress
        if progress is None:
            return None
        to_read = max(0, progress.total - progress.reused)
        left = max(0, to_read - progress.read)
        pace = progress.elapsed / progress.read if progress.read and progress.elapsed > 0 else self._pace
        elapsed = max(0.0, self._clock() - self._began)
        if not pace:
            return PrefillNow(progress.read, to_read, None, elapsed)
        ahead = _eased((self._clock() - self._heard) / pace, min(self._batch, left))
        return PrefillNow(progress.read + int(ahead), to_read, (left - ahead) * pace, elapsed)


def _eased(reckoned: float, most: int) -> float:
    """`reckoned` tokens, or nearly `most` where that is less."""
    slow = _EASE * most
    if reckoned <= slow or not most:
        return max(0.0, reckoned) if most else 0.0
    rest = most - slow
    return most - rest * exp(-(reckoned - slow) / rest)
