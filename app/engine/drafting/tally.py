"""What one drafter did for an answer, counted and timed while it is written."""

from collections.abc import Callable
from typing import TypeVar

from app.core.speculation import DrafterKind, DrafterStats
from app.engine.drafting.costs import Clock

Result = TypeVar("Result")


class Tally:
    def __init__(self, kind: DrafterKind, clock: Clock) -> None:
        self._kind = kind
        self._clock = clock
        self._calls = dict.fromkeys(("begin", "draft", "accept"), 0)
        self._seconds = dict.fromkeys(self._calls, 0.0)
        self._guessed: list[int] = []
        self._right: list[int] = []
        """By place in a draft."""

    def timed(self, what: str, act: Callable[[], Result], *, counts: bool = True) -> Result:
        """What `act` returns; without `counts` its time belongs to a call that is counted elsewhere."""
        began = self._clock()
        result = act()
        self._seconds[what] += self._clock() - began
        self._calls[what] += counts
        return result

    def saw(self, drafted: int, accepted: int) -> None:
        """Of a draft of so many tokens that many were right."""
        self._guessed += [0] * (drafted - len(self._guessed))
        self._right += [0] * (drafted - len(self._right))
        for place in range(drafted):
            self._guessed[place] += 1
            self._right[place] += place < accepted

    def stats(self) -> DrafterStats:
        calls, ms = self._calls, {name: seconds * 1000 for name, seconds in self._seconds.items()}
        return DrafterStats(
            self._kind,
            *(calls["begin"], ms["begin"], calls["draft"], ms["draft"], calls["accept"], ms["accept"]),
            tuple(zip(self._guessed, self._right, strict=True)),
        )
