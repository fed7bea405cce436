"""The time between two figures of a prompt that is being read."""

from collections.abc import Callable
from time import monotonic

from app.core.events import PromptProgress


class ReadingClock:
    """Figures come once a micro-batch, which may take a minute on a slow machine; what is left gets less meanwhile.

    It counts no further than to where the micro-batch that is being read ought to end, at the speed of those before and
    as long as the last: further on nobody knows whether it gets on.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._progress: PromptProgress | None = None
        self._last: PromptProgress | None = None
        self._heard = 0.0
        self._batch = 0

    def hear(self, progress: PromptProgress | None) -> None:
        """Figures that have just come; None when nothing is being read."""
        now, self._progress = self._progress, progress
        if progress is None or progress == now:
            return
        # Beyond a picture that was looked at in between.
        last, self._last = self._last, progress
        self._heard = self._clock()
        goes_on = last is not None and last.total == progress.total and last.read < progress.read
        self._batch = progress.read - (last.read if last is not None and goes_on else 0)

    @property
    def counts(self) -> bool:
        """Whether the figures say how long it takes."""
        return self._progress is not None and self._progress.read > 0 and self._progress.elapsed > 0

    @property
    def since(self) -> float:
        """Seconds by which less is left than the figures say."""
        if self._progress is None or not self.counts:
            return 0.0
        left = max(0, self._progress.total - self._progress.reused - self._progress.read)
        most = min(self._batch, left) * self._progress.elapsed / self._progress.read
        return max(0.0, min(self._clock() - self._heard, most))
