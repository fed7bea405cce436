"""How many tokens to draft: as many as make the answer faster, which may be none."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.speculation import DrafterKind
from app.engine.drafting.costs import Costs, RunningMean

_WORTH = 1.03
"""A draft must promise to be so many times as fast as plain decoding."""
_DEBT = 3.0
"""In single tokens: what each drafter may owe for drafts on trial."""
_SHARE = 0.005
"""Of the time: what of its debt it is let off."""


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
    waits: int | None = None
    """Tokens after which it can look back (`Drafter.look_back`), 0 for now; None where it never can."""


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
        self.owed = 0.0
        """What was lost by finding out what it is worth; never less than 0."""
        self.gained = 0.0
        """By all of its drafts."""

    def owe(self, tokens: float) -> None:
        self.owed += tokens

    def pay(self, tokens: float) -> None:
        """No more than it owes."""
        self.owed = max(0.0, self.owed - tokens)

    def earn(self, tokens: float, *, on_trial: bool) -> None:
        """A draft gained so many, or lost them where they are less than 0; what is on trial adds to its debt."""
        self.gained += tokens
        if on_trial:
            self.pay(tokens)


class Controller:
    """Makes the draft that promises most tokens in a second, by what batches and guesses cost and how often guesses
    were right, where that is `_WORTH` times as fast as plain decoding.

    Where none promises that, what it costs to find out what a drafter is worth is its debt. One that can look back does
    so when it owes nothing, or by what it was seen to guess may well pay, and is tried no other way. Others draft on
    trial, as short as pays if all of it is right, until they owe `_DEBT`, with what has to be read but for the first
    time.
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

    def looks(self, option: Option) -> bool:
        """Whether a drafter should look back now."""
        if option.waits != 0 or not self.costs.one or self.costs.is_stale or self._best([option], 0) is not None:
            return False
        if self._drafters[option.kind].owed:
            return self._is_hoped_for(option)
        return self._shortest(option, 0, 1.0) > 0

    def _is_hoped_for(self, option: Option) -> bool:
        return self._shortest(option, 0, self._drafters[option.kind].right[option.prospect].hoped) > 0

    def looked(self, option: Option, foreseen: Sequence[bool], seconds: float) -> None:
        """It looked back: which of the answer's last tokens it would have guessed, and how long that took."""
        drafter = self._drafters[option.kind]
        if not drafter.owed:
            # What was known before was long ago, and is no reason not to believe this.
            drafter.right.pop(option.prospect, None)
        for right in foreseen:
            drafter.right[option.prospect].add(float(right))
        self._read(option, seconds)
        drafter.owe(seconds / self.costs.one)

    def _best(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        best, best_rate = None, _WORTH / self.costs.seconds(pending + 1)
        for option in options:
            drafter = self._drafters[option.kind]
            if self._reading(option) > max(0.0, _DEBT - drafter.owed) + max(0.0, drafter.gained):
                continue
            for n, rate in self._rates(option, pending, drafter.right[option.prospect].value):
                if rate > best_rate:
                    best, best_rate = (option, n), rate
        return best

    def _trial(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        for option in options:
            owed = self._drafters[option.kind].owed
            may_be_tried = option.waits is None and owed + self._reading(option) < _DEBT
            if may_be_tried and (n := self._shortest(option, pending, 1.0)):
                return option, n
        return None

    def _shortest(self, option: Option, pending: int, likely: float) -> int:
        """Tokens of the shortest draft that pays if each is `likely` right; 0 where none does."""
        least = _WORTH / self.costs.seconds(pending + 1)
        return next((n for n, rate in self._rates(option, pending, likely) if rate > least), 0)

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
        return int(min(map(self._waits, options), default=1 / _SHARE))

    def _waits(self, option: Option) -> float:
        owed = self._drafters[option.kind].owed
        if option.waits is None:
            owed -= _DEBT
        if option.waits:
            return option.waits if self._is_hoped_for(option) else max(option.waits, owed / _SHARE)
        # One that owes little could not pay, or lacks too much: that changes slowly.
        return (owed if owed > 0 else 1.0) / _SHARE

    def saw(self, done: Round) -> None:
        costs, option = self.costs, done.option
        costs.add(done.size, (done.seconds - done.draft_seconds) / done.times, done.times)
        if not costs.one:
            return
        for each in self._drafters.values():
            each.pay(_SHARE * done.seconds / costs.one)
        if option is not None:
            self._drafters[option.kind].earn(self._learn(option, done), on_trial=self._on_trial)

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
        spent += self._read(option, done.reading)
        if option.replays and done.accepted < done.drafted:
            spent += costs.seconds(1 + done.accepted) - costs.one
        return done.accepted + 1 - spent / costs.one

    def _read(self, option: Option, seconds: float) -> float:
        """It read what it lacked. Returns how many of the seconds count: none the first time, when nobody knew."""
        entry = self._drafters[option.kind].entry
        if not (option.behind and seconds):
            return 0.0
        counted = seconds if entry.value else 0.0
        entry.add(seconds / option.behind)
        return counted

    def plain_seconds(self, tokens: int) -> float:
        """What as many single tokens would have taken; 0 where that is not known."""
        return tokens * self.costs.one

    def never_pays(self, most: int) -> bool:
        """Whether not even perfect drafts of up to `most` tokens would make anything faster."""
        return all(n + 1 < _WORTH * self.costs.times(n + 1) for n in range(1, most + 1))
