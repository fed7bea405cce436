"""How many tokens to draft: as many as make the answer faster, which may be none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.core.speculation import DrafterKind
from app.engine.drafting.acceptance import Acceptance
from app.engine.drafting.costs import Costs
from app.engine.drafting.draft_time import DraftTime
from app.engine.drafting.experience import DrafterStats, Experience
from app.engine.drafting.policy import OFF_RUN, ON_RUN, Option, Round

_WORTH = 1.03
"""A draft must promise to be so many times as fast as plain decoding."""
_SHARE = 0.005
"""Of the time spent, what may be lost by trying."""
_START, _DEBT, _RICHES = 0.8, 4.0, 16.0
"""In single tokens: what may be lost by trying at once, what may be lost beyond that by drafts that should have paid,
and how much of what was gained can be spent on trying."""
_DEAR = 0.6
"""In single tokens: drafts that cost more than this if they are wrong are watched before they are checked."""
_GUESSED_COST = 0.05
"""In single tokens: what a drafted token costs a drafting model, at least, before one was measured."""
_AHEAD = 256
"""Tokens, in which what a drafting model has to read first must be regained."""
_KNOWN = {OFF_RUN: 1 / 3, ON_RUN: 0.45}
"""Below this `Acceptance.unsure` counts as known: four guesses are, and one while the model is on a run, if it does not
look back, which tells of more than one anyhow."""
_RARE = 0.25
"""Guesses that are not even hoped to be right so often are not watched."""
_WATCHED_DEBT = 3.0
"""In single tokens: how far watching may overdraw the account, where guesses were seen to be right; `_TRUST` where the
drafts pay by all that was seen."""
_BUNCH = {DrafterKind.MTP: 5, DrafterKind.DRAFT_MODEL: 15}
"""Guesses of one that looks back are watched so many at a time. Of a draft model as many as its context gives rows for:
a wrong draft of four costs as much as four such looks (F16, one thread)."""
_UNSEEN = 1.0
"""In single tokens: what a draft model may always read that tells nothing of its guesses."""
_BUNCH_DEBT = 0.3
"""In single tokens: how far a head that looks back may overdraw."""
_REST = 16
"""Tokens for which drafting models are not asked about again, where they were found not to be worth it: while nothing
is drafted little changes, and to ask costs a hundredth of a small model's token."""
_ROUNDS = 3
"""A watched guess may cost what so many rounds promise to gain."""
_HOPE = 1.0
"""In single tokens: until the account is overdrawn so far, guesses are checked if they may well be good enough."""
_TRUST = 9.0
"""In single tokens: how far drafts may overdraw the account that are good enough by all that was seen."""


class Controller:
    """Reckons with what batches cost here and how often drafts were right, and never loses more than a small share.

    Gains and losses against plain decoding are kept as an account. No draft is made that could overdraw it by more than
    `_DEBT` if all of it were wrong; by `_TRUST`, where all that was seen promises a gain, for bad luck at first would
    end good drafts otherwise. To check a draft that is wrong costs many times what it costs to make one of a single
    token: so where it is not known how often a drafting model is right, its guesses are watched first, and the credit
    pays for that. While little was seen, and the account allows it (`_HOPE`), guesses are taken for as good as they may
    be where checking some tells most: a draft model is looked back at instead. Right guesses come in runs, so those
    after a right one have an acceptance of their own: a model that was wrong is watched until it is right again, where
    that promises more than checking. Credit also pays for checks where batches may be quicker than they were measured.
    What a drafting model reads first is nobody's loss the first time. Later it must promise to be regained, and
    goes on the account while it is not known how often the drafts are right.
    """

    def __init__(self, costs: Costs, guessed_costs: Mapping[DrafterKind, float] | None = None) -> None:
        """`guessed_costs`: what a drafted token should cost, in single tokens, as far as anything tells beforehand."""
        self.costs = costs
        self._guessed_costs = guessed_costs or {}
        self._acceptances: dict[tuple[DrafterKind, int], Acceptance] = {}
        self._draft_times: dict[DrafterKind, DraftTime] = {}
        self._per_entry: dict[DrafterKind, float] = {}
        """Seconds of reading what a drafter lacked."""
        self._credit: float | None = None
        """Seconds; None before a single token was measured."""
        self._unwatched: dict[DrafterKind, int] = {}
        """Rounds since a drafter was watched."""

    def choose(self, options: Sequence[Option], pending: int, since: int = 1) -> tuple[Option, int] | None:
        chosen = self._best(options, pending)
        for option in options:
            if (chosen is None or option is not chosen[0]) and not _is_free(option):
                self._acceptance(option).age(since)
        if chosen is None and options:
            self.costs.age(since)
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
            reading, known = self._reading(option), self._is_known(option)
            hopes = self._is_hoped_for(option) and acceptance.is_seen and credit > -_HOPE * one and not reading
            if not known:
                room = min(credit + _DEBT * one - reading, _DEAR * one)
            else:
                room = credit + (_DEBT if hopes or _is_free(option) else _TRUST) * one
            for n, expected in enumerate(self._expectations(option, first=hopes, later=hopes), 1):
                seconds = self._seconds(option, n, pending)
                if seconds - 1 / plain > room:
                    break
                if option.replays:
                    seconds += (1 - acceptance.throughout(n)) * (self.costs.seconds(1 + round(expected)) - one)
                loss = seconds - expected / plain
                if expected / seconds > best_rate and reading <= -loss / expected * _AHEAD:
                    best, best_rate = (option, n), expected / seconds
                elif best is None and not _is_free(option) and loss + reading < tried_loss:
                    least = seconds - self.costs.seconds(pending + 1 + n) + self.costs.least(pending + 1 + n)
                    if expected / least > _WORTH * plain:
                        tried, tried_loss = (option, n), loss + reading
        return best or tried

    def watches(self, options: Sequence[Option]) -> Sequence[tuple[Option, int]]:
        free = next(((option, option.most) for option in options if _is_free(option)), None)
        dear = [option for option in options if not _is_free(option) and self._may_be_watched(option)]
        found = [free] if free is not None else []
        if dear:
            found.append((max(dear, key=lambda option: self._acceptance(option).unsure), 1))
        return found

    def rests(self, options: Sequence[Option]) -> int:
        unknown = (_BUNCH[each.kind] for each in options if each.looks_back and not self._is_known(each))
        return min(unknown, default=_REST)

    def _may_be_watched(self, option: Option) -> bool:
        """Whether it could pay, for all that is known, and there is credit for making a draft and what it needs."""
        one, reading, on_run = self.costs.one, self._reading(option), replace(option, prospect=ON_RUN)
        credit = self._worth(one) - self._making(option, 1)
        if option.looks_back and option.kind is DrafterKind.MTP:
            most = _BUNCH_DEBT * one
        else:
            most = (_TRUST if option.looks_back and self.pays(on_run) else _WATCHED_DEBT) * one
        seen = self._acceptance(on_run).is_seen or option.prospect == ON_RUN
        if option.looks_back and option.reveals < _BUNCH[option.kind] and not self._is_known(on_run):
            return False
        if not one or credit + seen * most < 0 or credit + most < reading:
            return False
        if option.looks_back and option.kind is DrafterKind.DRAFT_MODEL and not self.pays(on_run):
            # What tells nothing of its guesses, as prompts do, is read for what was saved.
            unseen = max(0, option.behind - option.reveals) * self._per_entry.get(option.kind, 0.0)
            if unseen > max(credit, _UNSEEN * one):
                return False
        return self._promises(option, reading)

    def may_pay(self, option: Option) -> bool:
        return not self.costs.one or self._promises(option, 0.0)

    def pays(self, option: Option) -> bool:
        one = self.costs.one
        sure = enumerate(self._expectations(option, first=False), 1)
        return self._is_known(option) and any(tokens * one > _WORTH * self._seconds(option, n, 0) for n, tokens in sure)

    def _promises(self, option: Option, reading: float) -> bool:
        """Whether drafts could pay so much that watching a guess is worth it, and the `reading` for it is regained."""
        one, making = self.costs.one, self._making(option, 1)
        run, likely = replace(option, prospect=ON_RUN), self._acceptance(option).hoped
        if likely < _RARE:
            return False
        few, many = self._expectations(run, first=True), self._expectations(run, first=True, later=True)
        for n, (hoped, most_hoped) in enumerate(zip(few, many, strict=True), 1):
            drafting = self._making(option, n)
            # Guesses may be better than they were seen to be, or batches cheaper than they were measured: that is
            # unlikely, so there all counts that has to be read.
            better = most_hoped * one - _WORTH * (self.costs.seconds(1 + n) + drafting)
            cheaper = hoped * one - _WORTH * (self.costs.least(1 + n) + drafting)
            worth = likely * better * _ROUNDS > making
            worth |= likely * cheaper * _ROUNDS > making + (reading or self._guessed_reading(option))
            if worth and reading <= max(better, cheaper) / most_hoped * _AHEAD:
                return True
        return False

    def _is_hoped_for(self, option: Option) -> bool:
        """Whether only drafts tell what they are worth, or watching tells that dearly."""
        return not _is_free(option) and (option.kind is DrafterKind.MTP or not option.looks_back)

    def _is_known(self, option: Option) -> bool:
        if _is_free(option):
            return True
        return self._acceptance(option).unsure < _KNOWN[OFF_RUN if option.looks_back else option.prospect]

    def _worth(self, one: float) -> float:
        """What is on the account, in seconds; `one`: of a single token."""
        return _START * one if self._credit is None else self._credit

    def _reading(self, option: Option) -> float:
        """Seconds; none where the drafter was never tried, for nothing else tells what it is worth."""
        return option.behind * self._per_entry.get(option.kind, 0.0)

    def saw(self, done: Round) -> None:
        costs, made = self.costs, done.option or done.watched
        costs.add(done.size, (done.seconds - done.draft_seconds) / done.times)
        one = costs.one
        # What such a batch takes on the whole: by its own time, a machine with other work would use the account up.
        seconds = costs.seconds(done.size) * done.times + done.draft_seconds
        gained = _SHARE * seconds
        if done.option is not None:
            self._acceptance(done.option).add(done.accepted, done.drafted)
        if made is not None:
            on_account = self._read(made, done.reading)
            gained -= on_account if done.option is None or not self._is_known(made) else 0.0
            self._drafted(made.kind, done)
        for kind in self._unwatched:
            self._unwatched[kind] += done.times
        if made is not None:
            self._unwatched[made.kind] = 0
        if done.size > 1:  # also where tokens are evaluated again, which drafts are to blame for
            gained += (done.accepted + 1) * one - seconds
        else:
            gained -= done.draft_seconds
        self._credit = max(-_TRUST * one, min(_RICHES * one, self._worth(one) + gained))

    def _drafted(self, kind: DrafterKind, done: Round) -> None:
        """Learn what drafts cost. A guess after many others were left out pays for reading these too."""
        known, n, made = self._draft_times.get(kind), max(1, done.drafted), done.option or done.watched
        if made is not None and made.kind is DrafterKind.MTP and made.looks_back and made.reveals:
            if known is None:
                # The rows are a batch, and cost what batches do.
                each = done.draft_seconds / (n - 1 + self.costs.times(1 + made.reveals))
                self._draft_times[kind] = DraftTime.of_row(each)
            return
        if done.watched is not None and self._unwatched.get(kind, 0) > 1:
            return
        if known is None:
            self._draft_times[kind] = DraftTime(done.draft_seconds / n)
        else:
            known.add(n, done.draft_seconds)

    def _read(self, option: Option, seconds: float) -> float:
        """The drafter read what it lacked. Returns how many of the `seconds` count: none the first time."""
        if not seconds or not option.behind:
            return 0.0
        first = option.kind not in self._per_entry
        self._per_entry[option.kind] = seconds / option.behind
        return 0.0 if first else seconds

    def learned(self, option: Option, n_accepted: int, n_drafted: int, *, goes_on: bool = False) -> None:
        # A head had the target's rows here.
        chained = goes_on and option.kind is not DrafterKind.MTP
        self._acceptance(option).add(n_accepted, n_drafted, goes_on=chained)

    def plain_seconds(self, tokens: int) -> float:
        return tokens * self.costs.one

    @property
    def experience(self) -> Experience:
        """What holds another time too. What n-grams are worth depends on the conversation."""
        one = self.costs.one
        if not one:
            return Experience()
        stats: dict[DrafterKind, DrafterStats] = {
            kind: DrafterStats(
                self._acceptance(Option(kind, OFF_RUN, 1)).state,
                self._acceptance(Option(kind, ON_RUN, 1)).state,
                known.first / one,
                known.later / one,
                self._per_entry.get(kind, 0.0) / one,
            )
            for kind, known in self._draft_times.items()
            if kind is not DrafterKind.NGRAM
        }
        return Experience(stats, self.costs.state)

    def remember(self, known: Experience) -> None:
        """Begin with what was learned another time; after the costs of single tokens were measured."""
        self.costs.remember(known.batches)
        one = self.costs.one
        for kind, habit in known.stats.items() if one else ():
            self._acceptance(Option(kind, OFF_RUN, 1)).remember(habit.off_run)
            self._acceptance(Option(kind, ON_RUN, 1)).remember(habit.on_run)
            self._draft_times[kind] = DraftTime(habit.first_token * one, habit.later_token * one)
            if habit.per_entry:
                self._per_entry[kind] = habit.per_entry * one

    def never_pays(self, most: int) -> bool:
        return all(n + 1 < _WORTH * self.costs.times(n + 1) for n in range(1, most + 1))

    def _seconds(self, option: Option, n: int, pending: int) -> float:
        return self.costs.seconds(pending + 1 + n) + self._making(option, n)

    def _making(self, option: Option, n: int) -> float:
        """Seconds of making a draft of `n` tokens."""
        known = self._draft_times.get(option.kind)
        if known is not None:
            return known.of(n)
        return 0.0 if _is_free(option) else n * self._guessed_cost(option) * self.costs.one

    def _guessed_reading(self, option: Option) -> float:
        """Seconds of reading what it lacks, before that was measured."""
        return self._guessed_cost(option) * self.costs.seconds(option.behind) if option.behind else 0.0

    def _guessed_cost(self, option: Option) -> float:
        return max(_GUESSED_COST, self._guessed_costs.get(option.kind, 0.0))

    def _expectations(self, option: Option, *, first: bool, later: bool = False) -> list[float]:
        """See `Acceptance.expectations`. A head guesses on from its own rows: no better than from the target's."""
        limit = self._acceptance(replace(option, prospect=ON_RUN)) if option.kind is DrafterKind.MTP else None
        return self._acceptance(option).expectations(option.most, first=first, later=later, limit=limit)

    def _acceptance(self, option: Option) -> Acceptance:
        key = option.kind, option.prospect
        found = self._acceptances.get(key)
        if found is None:
            beside = self._acceptances.get((option.kind, ON_RUN + OFF_RUN - option.prospect))
            found = self._acceptances[key] = _expected(option, None if _is_free(option) else beside)
        return found


def _is_free(option: Option) -> bool:
    """Drafts cost nothing, so those that are not checked are watched instead of tried."""
    return option.kind is DrafterKind.NGRAM


def _expected(option: Option, beside: Acceptance | None) -> Acceptance:
    """Before anything was seen. The longer the match of an n-gram, the likelier it goes on."""
    if option.kind is DrafterKind.NGRAM:
        return Acceptance(min(0.8, 0.2 + 0.1 * (option.prospect - 2)), 0.85)
    return Acceptance(0.8 if option.prospect == ON_RUN else 0.6, 0.8, beside)
