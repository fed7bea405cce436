"""Drafts from the conversation itself: what followed the same few tokens before is guessed to follow them again."""

from collections.abc import Sequence

from app.core.speculation import DrafterKind
from app.engine.drafting.drafter import Drafter

_SHORTEST, _LONGEST = 3, 8
"""Tokens that must be equal for a guess, and beyond which more of them say nothing."""
_LOOKED_AT = 32
"""Earlier places that are compared; newer ones first."""


class NgramDrafter(Drafter):
    """Longest match first, the newest of those. The index follows the history, forwards and back."""

    kind = DrafterKind.NGRAM
    is_steady = False

    def __init__(self, n_max: int) -> None:
        super().__init__(n_max)
        self._known: list[int] = []
        self._last: dict[tuple[int, ...], int] = {}
        """Of each run of `_SHORTEST` tokens: where its newest occurrence ends."""
        self._earlier: list[int] = []
        """For each entry: where the run that ends there ended before; -1 where it never did."""
        self._match = -1, 0
        """Where it ends, and its length."""

    def begin(self, history: Sequence[int]) -> None:
        pairs = enumerate(zip(self._known, history, strict=False))
        common = next((n for n, (mine, theirs) in pairs if mine != theirs), min(len(self._known), len(history)))
        self._forget_from(common)
        self._learn(history)

    def prospect(self, history: Sequence[int], last: int) -> int:
        """The length of the match: the more tokens are equal, the likelier it goes on."""
        self._learn(history)
        self._match = self._find(last)
        return self._match[1]

    def draft(self, history: Sequence[int], last: int, n: int) -> list[int]:
        end, length = self._match
        if not length:
            return []
        known, n = self._known, min(n, self.n_max)
        # What follows the match, then `last`, then the draft itself: so a loop that is shorter than the draft goes on.
        text = [*known[end + 1 : end + 1 + n], last]
        while len(text) < n:
            text += text[: n - len(text)]
        guess = text[:n]
        stop = next((index for index, token in enumerate(guess) if token < 0), n)
        return guess[:stop]

    def _find(self, last: int) -> tuple[int, int]:
        """Where the longest match of what `last` ends has its end in the history, and its length; (-1, 0) for none."""
        known = self._known
        recent = [*known[-_LONGEST + 1 :], last]
        if len(recent) < _SHORTEST or min(recent[-_SHORTEST:]) < 0:
            return -1, 0
        best, longest = -1, 0
        end = self._last.get(tuple(recent[-_SHORTEST:]), -1)
        for _ in range(_LOOKED_AT):
            if end < 0:
                break
            length = _SHORTEST
            while length < len(recent) and length <= end and known[end - length] == recent[-1 - length] >= 0:
                length += 1
            if length > longest:
                best, longest = end, length
                if longest == len(recent):
                    break
            end = self._earlier[end]
        return best, longest

    def _learn(self, history: Sequence[int]) -> None:
        known, last, earlier = self._known, self._last, self._earlier
        start = len(known)
        known += history[start:]
        for end in range(start, len(known)):
            run = tuple(known[end - _SHORTEST + 1 : end + 1]) if end >= _SHORTEST - 1 else ()
            if run and min(run) >= 0:
                earlier.append(last.get(run, -1))
                last[run] = end
            else:
                earlier.append(-1)

    def _forget_from(self, n: int) -> None:
        known, last = self._known, self._last
        for end in range(len(known) - 1, n - 1, -1):
            run = tuple(known[end - _SHORTEST + 1 : end + 1]) if end >= _SHORTEST - 1 else ()
            before = self._earlier.pop()
            if not run or min(run) < 0:
                continue
            if before >= 0:
                last[run] = before
            else:
                del last[run]
        del known[n:]
