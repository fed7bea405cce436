"""How often guesses were right."""

from dataclasses import dataclass

_DECAY = 0.97
"""What an earlier guess counts less with each later one."""
_WEIGHT = 3.0
"""Guesses that the expectation counts for at first."""


_AGEING = 0.998
"""What is known with each guess that is not made."""


@dataclass(slots=True)
class _Share:
    expected: float
    right: float
    of: float

    @property
    def value(self) -> float:
        return self.right / self.of

    def add(self, right: int, of: int) -> None:
        self.right, self.of = self.right * _DECAY + right, self.of * _DECAY + of

    def age(self) -> None:
        """What was seen long ago may no longer hold: back towards what was expected."""
        back = (1 - _AGEING) * _WEIGHT
        self.right, self.of = self.right * _AGEING + back * self.expected, self.of * _AGEING + back


class Acceptance:
    """Of the drafts of one kind: how likely the first token is right, and how likely each one after a right one."""

    def __init__(self, first: float, later: float) -> None:
        """Both as expected before anything was seen."""
        self._first = _Share(first, first * _WEIGHT, _WEIGHT)
        self._later = _Share(later, later * _WEIGHT, _WEIGHT)

    def add(self, n_accepted: int, n_drafted: int) -> None:
        """A draft was checked."""
        if not n_drafted:
            return
        self._first.add(min(1, n_accepted), 1)
        if n_accepted and n_drafted > 1:
            self._later.add(n_accepted - 1, min(n_accepted, n_drafted - 1))

    def age(self) -> None:
        """A draft could have been made, and was not."""
        self._first.age()
        self._later.age()

    def expected(self, n: int) -> float:
        """Tokens that a round with `n` drafted ones gives: the right ones and the one that is drawn after them."""
        return self.expectations(n)[-1] if n else 1.0

    def expectations(self, most: int, *, hope: float = 0.0) -> list[float]:
        """The same of rounds with 1 to `most` drafted tokens.

        `hope`, 0 to 1, moves both shares towards certainty.
        """
        first, later = self._first.value, self._later.value
        run, later = first + hope * (1 - first), later + hope * (1 - later)
        total, found = 1.0, []
        for _ in range(most):
            total += run
            found.append(total)
            run *= later
        return found

    def throughout(self, n: int) -> float:
        """How likely all of `n` tokens are right."""
        return float(self._first.value * self._later.value ** (n - 1))

    @property
    def unsure(self) -> float:
        """0 to 1: how little was seen."""
        return _WEIGHT / (_WEIGHT + self._first.of)
