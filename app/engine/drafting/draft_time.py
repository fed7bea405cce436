"""What a draft costs to make, by its number of tokens."""

_LATER = 0.5
"""Of the first token's time: what each further one takes, before that was measured."""
_LOOKED = 1.5
"""What the first token takes, of the time of a row that was looked back at."""
_QUICK, _FARTHEST = 0.1, 4.0
"""How fast it follows what is measured, and how far one measurement counts."""


class DraftTime:
    """Seconds. The first token takes longer: what little the drafter lacks is read with it."""

    def __init__(self, first: float, later: float = 0.0) -> None:
        """`later`: of each further token; 0 where none was measured."""
        self.first = first
        self.later = later

    @classmethod
    def of_row(cls, seconds: float) -> "DraftTime":
        """As far as the time of a row tells that was looked back at."""
        return cls(_LOOKED * seconds)

    def of(self, n: int) -> float:
        """Of a draft of `n` tokens; 0 for none."""
        return self.first + (n - 1) * (self.later or _LATER * self.first) if n else 0.0

    def add(self, n: int, seconds: float) -> None:
        """A draft of `n` tokens took so long."""
        if n > 1 and not self.later:
            self.later = min(_FARTHEST * self.first, max(self.first / _FARTHEST, (seconds - self.first) / (n - 1)))
            return
        expected = self.of(n)
        off = max(1 / _FARTHEST, min(_FARTHEST, seconds / expected)) if expected else 1.0
        self.first *= float(off**_QUICK)
        self.later *= float(off**_QUICK) if n > 1 else 1.0
