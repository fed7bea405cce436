"""How often guesses were right."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

_DECAY = 0.97
"""What an earlier guess counts less with each later one."""
_WEIGHT = 3.0
"""Guesses that the expectation counts for at first."""
_AGEING = 0.9992
"""What is known with each guess that is not made."""
_REMEMBERED = 12.0
"""Guesses that what is known from another time counts for at the most."""


@dataclass(slots=True)
class _Share:
    expected: float
    right: float
    of: float

    @property
    def value(self) -> float:
        return self.right / self.of

    @property
    def hoped(self) -> float:
        """What it may well be: the mean and a standard deviation, less of which is hoped for the more was seen."""
        doubt = max(0.0, 1 - self.of * (1 - _DECAY))
        return min(1.0, self.value + doubt * sqrt(self.value * (1 - self.value) / self.of))

    def add(self, right: int, of: int) -> None:
        self.right, self.of = self.right * _DECAY + right, self.of * _DECAY + of

    def remember(self, value: float, of: float) -> None:
        self.of = max(_WEIGHT, min(_REMEMBERED, of))
        self.right = value * self.of

    def age(self, n: int) -> None:
        """What was seen long ago may no longer hold: back towards what was expected."""
        kept = _AGEING**n
        back = (1 - kept) * _WEIGHT
        self.right, self.of = self.right * kept + back * self.expected, self.of * kept + back


class Acceptance:
    """Of the drafts of one kind: how likely the first token is right, and how likely each one after a right one."""

    def __init__(self, first: float, later: float, beside: "Acceptance | None" = None) -> None:
        """Both as expected before anything was seen. What is learned of later tokens is shared with `beside`."""
        self._first = _Share(first, first * _WEIGHT, _WEIGHT)
        self._later: _Share = beside._later if beside is not None else _Share(later, later * _WEIGHT, _WEIGHT)

    def add(self, n_accepted: int, n_drafted: int, *, goes_on: bool = False) -> None:
        """It is known how much of a draft was right. `goes_on`: it began where one ended that was right throughout."""
        if not n_drafted:
            return
        if goes_on:
            # Its first token might have been the later one of a longer draft.
            self._later.add(min(1, n_accepted), 1)
        self._first.add(min(1, n_accepted), 1)
        if n_accepted and n_drafted > 1:
            self._later.add(n_accepted - 1, min(n_accepted, n_drafted - 1))

    def age(self, n: int = 1) -> None:
        """`n` drafts could have been made, and were not."""
        self._first.age(n)
        self._later.age(n)

    def expected(self, n: int) -> float:
        """Tokens that a round with `n` drafted ones gives: the right ones and the one that is drawn after them."""
        return self.expectations(n)[-1] if n else 1.0

    def expectations(
        self, most: int, *, first: bool = False, later: bool = False, limit: "Acceptance | None" = None
    ) -> list[float]:
        """The same of rounds with 1 to `most` drafted tokens; if the first token of a draft is right as often as it may
        be (`first`), and those after a right one are (`later`), but not oftener than the first ones of `limit`."""
        run = self._first.hoped if first else self._first.value
        each = self._later.hoped if later else self._later.value
        if limit is not None:
            each = min(each, limit._first.hoped if later else limit._first.value)
        total, found = 1.0, []
        for _ in range(most):
            total += run
            found.append(total)
            run *= each
        return found

    def throughout(self, n: int) -> float:
        """How likely all of `n` tokens are right."""
        return float(self._first.value * self._later.value ** (n - 1))

    @property
    def unsure(self) -> float:
        """0 to 1: how little was seen."""
        return _WEIGHT / (_WEIGHT + self._first.of)

    @property
    def hoped(self) -> float:
        """How likely the first token may well be right."""
        return self._first.hoped

    @property
    def is_seen(self) -> bool:
        return self._first.of > _WEIGHT

    @property
    def state(self) -> tuple[float, float, float, float]:
        """Of the first token and of later ones: the share that was right, and how many guesses tell it."""
        return self._first.value, self._first.of, self._later.value, self._later.of

    def remember(self, state: Sequence[float]) -> None:
        """Begin with what was known another time: that is a `state`, and counts for less than it did."""
        first, first_of, later, later_of = state
        self._first.remember(first, first_of)
        self._later.remember(later, later_of)
