"""How long a download goes on trying, and how long it rests in between."""

import random
from dataclasses import dataclass
from time import monotonic

from app.library.transfer_errors import BrokenError

_PROGRESS = 1 << 18
"""Bytes that count as something new."""
_PATIENCE = 20.0
"""Seconds without a byte, before a connection counts as broken."""
_ENDURANCE = 12 * 3600.0
_LONGEST_WAIT = 300.0
"""Seconds between two tries, of a hub that wants to be left alone."""
_LONGEST_AWAY = 30.0
"""Seconds between two tries, of a network that is away: it may be back at any time."""
_LONGEST_TRY = 2 * _LONGEST_WAIT
"""Seconds between two failures. Beyond that the computer slept, which some systems' clocks count."""
_SPARE = 64 << 20
"""Bytes that stay free on the disk."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a transfer behaves; tests have less time."""

    first_wait: float = 1.0
    """Seconds after the first failure; doubled after each further one."""
    tries: int = 6
    """In a row without anything new, before it may be given up."""
    endurance: float = _ENDURANCE
    """Seconds without anything new, before it may be given up: networks and hubs come back."""
    patience: float = _PATIENCE
    spare: int = _SPARE


class Retries:
    """Counts failures; whatever is new makes it count from the beginning."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._failures = 0
        self._reached = 0
        """Bytes that were there when failures were last counted from the beginning."""
        self._failing = 0.0
        """Seconds since then."""
        self._failed_at = 0.0
        """By the monotonic clock."""

    def begin(self, there: int) -> None:
        """So many bytes are there already."""
        self._failures, self._reached = 0, there

    def count(self, there: int) -> None:
        """It failed again, with so many bytes there."""
        now = monotonic()
        if not self._failures or there - self._reached >= _PROGRESS:
            self._failures, self._reached, self._failing = 0, there, 0.0
        else:
            self._failing += min(now - self._failed_at, _LONGEST_TRY)
        self._failures, self._failed_at = self._failures + 1, now

    def is_over(self, broken: BrokenError) -> bool:
        is_long = broken.is_lasting or self._failing >= self._policy.endurance
        return is_long and self._failures >= self._policy.tries

    def rest(self, broken: BrokenError) -> float:
        """Seconds until the next try."""
        longest = _LONGEST_AWAY if broken.is_away else _LONGEST_WAIT
        backoff = self._policy.first_wait * 2.0 ** min(self._failures - 1, 30) * random.uniform(0.8, 1.2)
        return min(_LONGEST_WAIT, max(broken.after, min(longest, backoff)))
