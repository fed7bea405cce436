"""How many tokens to draft: as many as make the answer faster, which may be none."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.speculation import DrafterKind
from app.engine.drafting.costs import Costs, RunningMean

_WORTH = 1.03
"""A draft must promise to be so many times as fast as plain decoding."""
_CREDIT = 3.0
"""In single tokens: what each drafter may lose on trials at once."""
_SHARE = 0.005
"""Of the time: what it may lose on them after that."""


@dataclass(frozen=True, slots=True)
class Option:
    """A draft that could be made."""

    kind: DrafterKind
    prospect: int
    """A class of drafts with an acceptance of its own; see `Drafter.prospect`."""
    most: int
    """Tokens."""
    replays: bool = False
    """What was right of a draft that was not right throughout is evaluated again."""
    behind: int = 0
    """Entries of the history that have to be read first; see `Drafter.prepare`."""


@dataclass(frozen=True, slots=True)
class Round:
    """A batch that was decoded, with a draft or without."""

    option: Option | None
    drafted: int
    accepted: int
    size: int
    """Tokens of the batch."""
    draft_seconds: float
    """Also of a draft that came to nothing."""
    seconds: float
    """Of all of it, with the drafting."""
    reading: float = 0.0
    """Seconds, not among the others, in which the drafter read what it lacked of the history."""
    times: int = 1
    """So many such batches, of single tokens, were decoded one after the other: `seconds` is of all of them."""


class _Drafter:
    """What was learned of one. Its account is in single tokens."""

    def __init__(self) -> None:
        self.right: defaultdict[int, RunningMean] = defaultdict(lambda: RunningMean(0.5, weight=1.0))
        """By prospect: how likely a guess is right, if those before it in its draft were."""
        self.guess, self.entry = RunningMean(), RunningMean()
        """Seconds of a drafted token, and of reading an entry that it lacked; 0 before they were measured."""
        self.credit = _CREDIT
        """What it may lose on trials now."""
        self.gained = 0.0
        """By all of its drafts."""


class Controller:
    """Makes the draft that promises most tokens in a second, by what batches and guesses cost and how often guesses
    were right, where that is `_WORTH` times as fast as plain decoding.

    Where none promises that, one that could pay is made on trial: as short as pays if all of it is right, and while its
    drafter has credit. What has to be read for a draft is paid from credit and gains, but for the first time.
    """

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._drafters: defaultdict[DrafterKind, _Drafter] = defaultdict(_Drafter)
        self._on_trial = False
        """The draft that was chosen last."""

    def choose(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        """Which draft to make and how many tokens of it, at least 1; None decodes plainly.

        `pending` tokens come before the draft and the token that was drawn last, in the same batch.
        """
        if not self.costs.one or self.costs.is_stale:
            return None
        best = self._best(options, pending)
        self._on_trial = best is None
        return best or self._trial(options, pending)

    def wants(self, option: Option) -> bool:
        """Whether such a draft would be made now, with all that has to be read for it."""
        return not self.costs.one or (self._best([option], 0) or self._trial([option], 0)) is not None

    def _best(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        best, best_rate = None, _WORTH / self.costs.seconds(pending + 1)
        for option in options:
            drafter = self._drafters[option.kind]
            if self._reading(option) > max(0.0, drafter.credit) + max(0.0, drafter.gained):
                continue
            for n, rate in self._rates(option, pending, drafter.right[option.prospect].value):
                if rate > best_rate:
                    best, best_rate = (option, n), rate
        return best

    def _trial(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        least = _WORTH / self.costs.seconds(pending + 1)
        for option in options:
            if self._drafters[option.kind].credit > self._reading(option):
                for n, rate in self._rates(option, pending, 1.0):
                    if rate > least:
                        return option, n
        return None

    def _rates(self, option: Option, pending: int, likely: float) -> Iterator[tuple[int, float]]:
        """Tokens in a second with drafts of 1, 2 and more tokens, of which each is `likely` right."""
        costs, guess = self.costs, self._drafters[option.kind].guess.value
        tokens = throughout = 1.0
        for n in range(1, option.most + 1):
            throughout *= likely
            tokens += throughout
            seconds = costs.seconds(pending + 1 + n) + n * guess
            if option.replays:
                seconds += (1 - throughout) * (costs.seconds(1 + round(tokens)) - costs.one)
            yield n, tokens / seconds

    def _reading(self, option: Option) -> float:
        """In single tokens; 0 before any reading was measured."""
        return option.behind * self._drafters[option.kind].entry.value / self.costs.one

    def rests(self, options: Sequence[Option]) -> int:
        """Where none of these was chosen: for how many tokens none will be, as far as is known."""
        if not self.costs.one or self.costs.is_stale:
            return 0
        # One with credit could not pay, or lacks too much: that changes slowly.
        owed = (-self._drafters[option.kind].credit for option in options)
        return int(min((each if each > 0 else 1.0 for each in owed), default=1.0) / _SHARE)

    def saw(self, done: Round) -> None:
        costs, option = self.costs, done.option
        costs.add(done.size, (done.seconds - done.draft_seconds) / done.times, done.times)
        if not costs.one:
            return
        for each in self._drafters.values():
            each.credit = min(_CREDIT, each.credit + _SHARE * done.seconds / costs.one)
        if option is not None:
            gained = self._learn(option, done)
            drafter = self._drafters[option.kind]
            drafter.gained += gained
            drafter.credit = min(_CREDIT, drafter.credit + gained * self._on_trial)

    def _learn(self, option: Option, done: Round) -> float:
        """Returns the single tokens that the draft gained, less than 0 where it lost some."""
        drafter, costs = self._drafters[option.kind], self.costs
        right = drafter.right[option.prospect]
        if done.accepted:
            right.add(1.0, done.accepted)
        if done.accepted < max(1, done.drafted):
            right.add(0.0)
        drafter.guess.add(done.draft_seconds / max(1, done.drafted))
        # By its own time, a machine with other work would use the account up.
        spent = costs.seconds(done.size) + done.draft_seconds
        if option.behind and done.reading:
            spent += done.reading if drafter.entry.value else 0.0
            drafter.entry.add(done.reading / option.behind)
        if option.replays and done.accepted < done.drafted:
            spent += costs.seconds(1 + done.accepted) - costs.one
        return done.accepted + 1 - spent / costs.one

    def plain_seconds(self, tokens: int) -> float:
        """What as many single tokens would have taken; 0 where that is not known."""
        return tokens * self.costs.one

    def never_pays(self, most: int) -> bool:
        """Whether not even perfect drafts of up to `most` tokens would make anything faster."""
        return all(n + 1 < _WORTH * self.costs.times(n + 1) for n in range(1, most + 1))
