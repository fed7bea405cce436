"""How many tokens to draft: as many as make the answer faster, which may be none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.core.speculation import DrafterKind
from app.engine.drafting.acceptance import Acceptance
from app.engine.drafting.costs import Costs

_WORTH = 1.03
"""A draft must promise to be so many times as fast as plain decoding."""
_SHARE = 0.0075
"""Of the time spent, what may be lost by trying."""
_START, _DEBT, _RICHES = 1.0, 1.0, 16.0
"""In single tokens: what may be lost by trying at once, what may be lost beyond that by drafts that should have paid,
and how much of what was gained can be spent on trying."""
_GUESSED_COST = 0.05
"""In single tokens: what a drafted token costs a drafting model, before one was measured."""
_AHEAD = 256
"""Tokens, in which what a drafting model has to read first must be regained."""
_KNOWN = 1 / 3
"""Below this `Acceptance.unsure` counts as known."""


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


class Policy(Protocol):
    """Decides on drafts, and learns from what came of them."""

    def choose(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        """Which draft to make and how many tokens of it, at least 1; None decodes plainly.

        `pending` tokens come before the draft and the token that was drawn last, in the same batch.
        """

    def saw(self, done: Round) -> None: ...

    def learned(self, option: Option, n_accepted: int, n_drafted: int) -> None:
        """A draft that was not checked would have been right so far."""

    def plain_seconds(self, tokens: int) -> float:
        """What as many single tokens would have taken; 0 where that is not known."""

    def never_pays(self, most: int) -> bool:
        """Whether not even perfect drafts of up to `most` tokens would make anything faster."""


class Controller:
    """Reckons with what batches cost here and how often drafts were right, and never loses more than a small share.

    Gains and losses against plain decoding are kept as an account. No draft is made that could overdraw it by more than
    `_DEBT` if all of it were wrong; where there is credit, drafts are tried that may pay although they don't seem to.
    What a drafting model reads first is nobody's loss the first time. Later it must promise to be regained, and
    goes on the account while it is not known how often the drafts are right.
    """

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._acceptances: dict[tuple[DrafterKind, int], Acceptance] = {}
        self._per_token: dict[DrafterKind, float] = {}
        """Seconds of drafting."""
        self._per_entry: dict[DrafterKind, float] = {}
        """Seconds of reading what a drafter lacked."""
        self._credit: float | None = None
        """Seconds; None before a single token was measured."""

    def choose(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        chosen = self._best(options, pending)
        for option in options:
            if (chosen is None or option is not chosen[0]) and not _is_free(option):
                self._acceptance(option).age()
        if chosen is None and options:
            self.costs.age()
        return chosen

    def _best(self, options: Sequence[Option], pending: int) -> tuple[Option, int] | None:
        one = self.costs.one
        if not one or not options:
            return None
        credit = self._worth(one)
        plain = 1 / self.costs.seconds(pending + 1)
        best, best_rate, tried, tried_loss = None, _WORTH * plain, None, credit
        for option in options:
            acceptance = self._acceptance(option)
            reading, known = self._reading(option), acceptance.unsure < _KNOWN
            room = credit + _DEBT * one - (0.0 if known else reading)
            expectations = acceptance.expectations(option.most)
            hopes = [] if _is_free(option) else acceptance.expectations(option.most, hope=acceptance.unsure)
            for n, expected in enumerate(expectations, 1):
                seconds = self._seconds(option, n, pending)
                if seconds - 1 / plain > room:
                    break
                if option.replays:
                    seconds += (1 - acceptance.throughout(n)) * (self.costs.seconds(1 + round(expected)) - one)
                loss = seconds - expected / plain
                if expected / seconds > best_rate and reading <= -loss / expected * _AHEAD:
                    best, best_rate = (option, n), expected / seconds
                elif best is None and hopes and loss + reading < tried_loss and hopes[n - 1] / seconds > _WORTH * plain:
                    tried, tried_loss = (option, n), loss + reading
        return best or tried

    def _worth(self, one: float) -> float:
        """What is on the account, in seconds; `one`: of a single token."""
        return _START * one if self._credit is None else self._credit

    def _reading(self, option: Option) -> float:
        """Seconds; none where the drafter was never tried, for nothing else tells what it is worth."""
        return option.behind * self._per_entry.get(option.kind, 0.0)

    def saw(self, done: Round) -> None:
        costs, decoding = self.costs, done.seconds - done.draft_seconds
        costs.add(done.size, decoding)
        seconds = costs.believable(done.size, decoding) + done.draft_seconds
        one = costs.one
        gained = _SHARE * seconds
        if done.option is not None:
            kind = done.option.kind
            gained -= self._read(done.option, done.reading)
            self._acceptance(done.option).add(done.accepted, done.drafted)
            each = done.draft_seconds / max(1, done.drafted)
            before = self._per_token.get(kind, each)
            self._per_token[kind] = before + 0.1 * (min(each, 4 * before) - before)
        if done.size > 1:  # also where tokens are evaluated again, which drafts are to blame for
            gained += (done.accepted + 1) * one - seconds
        else:
            gained -= done.draft_seconds
        self._credit = max(-2 * _DEBT * one, min(_RICHES * one, self._worth(one) + gained))

    def _read(self, option: Option, seconds: float) -> float:
        """The drafter read what it lacked. Returns how many of the `seconds` go on the account."""
        if not seconds or not option.behind:
            return 0.0
        first, each = option.kind not in self._per_entry, seconds / option.behind
        self._per_entry[option.kind] = each
        return 0.0 if first or self._acceptance(option).unsure < _KNOWN else seconds

    def learned(self, option: Option, n_accepted: int, n_drafted: int) -> None:
        self._acceptance(option).add(n_accepted, n_drafted)

    def plain_seconds(self, tokens: int) -> float:
        return tokens * self.costs.one

    def never_pays(self, most: int) -> bool:
        return all(n + 1 < _WORTH * self.costs.times(n + 1) for n in range(1, most + 1))

    def _seconds(self, option: Option, n: int, pending: int) -> float:
        each = self._per_token.get(option.kind, 0.0 if _is_free(option) else _GUESSED_COST * self.costs.one)
        return self.costs.seconds(pending + 1 + n) + n * each

    def _acceptance(self, option: Option) -> Acceptance:
        key = option.kind, option.prospect
        found = self._acceptances.get(key)
        if found is None:
            found = self._acceptances[key] = _expected(option)
        return found


def _is_free(option: Option) -> bool:
    """Drafts cost nothing, so those that are not checked are watched instead of tried."""
    return option.kind is DrafterKind.NGRAM


def _expected(option: Option) -> Acceptance:
    """Before anything was seen. The longer the match of an n-gram, the likelier it goes on."""
    if option.kind is DrafterKind.NGRAM:
        return Acceptance(min(0.8, 0.2 + 0.1 * (option.prospect - 2)), 0.85)
    return Acceptance(0.7, 0.75)
