"""All that drafts for one session."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from app.core.speculation import DrafterKind, DraftingInfo, DraftLimits, Rollback, Speculation
from app.engine.binding.context import Context
from app.engine.drafting.costs import Clock
from app.engine.drafting.drafter import Drafter
from app.engine.drafting.policy import OFF_RUN, ON_RUN, Option, Policy
from app.engine.drafting.watch import Watch
from app.engine.memory.reuse import MemoryTraits
from app.engine.prompt.prompt_tokens import PromptTokens

_DEEP = 256
"""Entries beyond which llama.cpp's flash attention may compute a single token in another way (`exact_deep`)."""

Drafted = tuple[Drafter, Option, list[int]]


def rollback_of(context: Context, traits: MemoryTraits) -> Rollback:
    """How the memory of a context lets go of drafts."""
    if traits.trims:
        return Rollback.TRIM
    return Rollback.SNAPSHOT if context.n_rs_seq else Rollback.CHECKPOINT


class Drafting:
    """The drafters of a model, and the policy that decides when they are asked. Goes along with its slot."""

    def __init__(
        self,
        drafters: Sequence[Drafter],
        policy: Policy,
        info: DraftingInfo,
        clock: Clock = time.perf_counter,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        """The drafters that could be made, most promising kind first. `keep` saves what was learned, at the end."""
        self._keep = keep
        self.clock = clock
        self.settings = info.asked
        """Those in force; what needs a reload has no effect."""
        self.limits = DraftLimits()
        self.prepared = 0.0
        """Seconds that the last draft did not take, but what it needed before."""
        self.watched: Option | None = None
        """What was made last instead of a draft to check, if that took time."""
        self.policy = policy
        self.info = info
        self._drafters = tuple(drafters)
        for drafter in self._drafters:
            drafter.may_pay, drafter.pays = partial(self._may_pay, drafter), partial(self._pays, drafter)
        self._rest = 0
        """Tokens until drafting models are asked about again."""
        self._since = 1
        """Tokens since they were asked about, with this one."""
        self._watches: dict[DrafterKind, Watch] = {}
        self._made: dict[DrafterKind, tuple[int, list[int]]] = {}
        """The last draft of each kind, and where it began."""

    def close(self) -> None:
        self._keep()
        for drafter in self._drafters:
            drafter.close()

    @property
    def heads(self) -> tuple[Context, ...]:
        """Contexts that run a part of the target's own model."""
        return tuple(drafter.head for drafter in self._drafters if drafter.head is not None)

    def take(self, settings: Speculation) -> None:
        """These hold from now on. Not while an answer is written."""
        self.settings = settings
        self.limit(DraftLimits())

    def limit(self, limits: DraftLimits) -> None:
        """What the next answer's request says, over the settings. Not while an answer is written."""
        self.limits = limits
        for drafter in self._drafters:
            drafter.p_min = self.settings.draft_p_min if limits.p_min is None else limits.p_min

    def begin(self, history: Sequence[int]) -> None:
        """An answer begins, after the prompt `history`."""
        self._watches, self._made, self._rest = {}, {}, 0
        for drafter in self.active():
            self._watches[drafter.kind] = Watch()
            drafter.begin(history)

    def active(self) -> Iterator[Drafter]:
        """The drafters that are switched on."""
        for drafter in self._drafters:
            if drafter.kind is not DrafterKind.NGRAM or self.settings.ngram:
                yield drafter

    def rest(self) -> int:
        """For how many tokens `choose` need not be called: it would give nothing, and learn nothing."""
        if not self._rest or any(drafter.kind is DrafterKind.NGRAM for drafter in self.active()):
            return 0
        rest, self._rest = self._rest, 0
        return rest

    def rested(self, n: int) -> None:
        """For so many tokens it was not called."""
        self._since += n

    @property
    def is_on(self) -> bool:
        """Whether a draft may be made at all."""
        if self.limits.n_max == 0 or not any(True for _ in self.active()):
            return False
        return not self.settings.exact or self.cap(0) > 1

    def cap(self, n_past: int) -> int:
        """Tokens that one batch may have at the most; 0 for as many as fit."""
        if not self.settings.exact:
            return 0
        cap = self.info.exact_batch
        return cap if n_past + cap <= _DEEP else min(cap, self.info.exact_deep)

    def choose(self, history: Sequence[int], last: int, room: int, pending: int) -> Drafted | None:
        """A draft of up to `room` tokens that is worth checking."""
        self.prepared, self.watched = 0.0, None
        options: list[Option] = []
        drafters: list[Drafter] = []
        resting, self._rest = self._rest > 0, max(0, self._rest - 1)
        since, self._since = (1, self._since + 1) if resting else (self._since, 1)
        for drafter in self.active():
            if resting and drafter.kind is not DrafterKind.NGRAM:
                continue
            prospect = drafter.prospect(history, last)
            if prospect:
                if drafter.kind is not DrafterKind.NGRAM:
                    prospect = ON_RUN if self._is_on_run(drafter, history, last) else OFF_RUN
                most = min(room, self._most(drafter))
                behind, reveals, looks_back = drafter.behind(), drafter.reveals(), drafter.looks_back
                options.append(Option(drafter.kind, prospect, most, self._replays, behind, reveals, looks_back))
                drafters.append(drafter)
        for watch in self._watches.values():
            watch.follow(history, last, self.policy)
        chosen = self.policy.choose(options, pending, since) if options else None
        if chosen is None:
            for option, n in self.policy.watches(options) if options else ():
                watch = self._watches[option.kind]
                if not watch.is_open:
                    drafter = drafters[options.index(option)]
                    self.watched = option if option.kind is not DrafterKind.NGRAM else self.watched
                    draft = self._draft(drafter, history, last, n)
                    watch.open(self._look_back(drafter, option), history, draft)
            if self.watched is None and not resting and self.policy.plain_seconds(1):
                self._rest = self.policy.rests(options)
            return None
        option, n = chosen
        drafter = drafters[options.index(option)]
        draft = self._draft(drafter, history, last, n)
        option = self._look_back(drafter, option)
        if option.kind is not DrafterKind.NGRAM and len(draft) < self._least:
            draft = []
        return drafter, option, draft

    def _draft(self, drafter: Drafter, history: Sequence[int], last: int, n: int) -> list[int]:
        began = self.clock()
        drafter.prepare(history)
        self.prepared += self.clock() - began
        draft = drafter.draft(history, last, n)
        self._made[drafter.kind] = len(history) + 1, draft
        return draft

    def _look_back(self, drafter: Drafter, option: Option) -> Option:
        """Tell the policy what the drafter would have guessed before, and find out whether it is on a run."""
        before: bool | None = None
        for right in drafter.foreseen():
            if before is not None:
                prospect = ON_RUN if before else OFF_RUN
                self.policy.learned(replace(option, prospect=prospect), int(right), 1, goes_on=before)
            before = right
        return option if before is None else replace(option, prospect=ON_RUN if before else OFF_RUN)

    def _is_on_run(self, drafter: Drafter, history: Sequence[int], last: int) -> bool:
        """Whether its last draft ended right before, or at, `last`, and was right throughout.

        One that looks back is when an answer begins: otherwise it would have to be waited for, to know more.
        """
        if drafter.looks_back and drafter.kind not in self._made:
            return True
        start, draft = self._made.get(drafter.kind, (0, []))
        end = start + len(draft)
        if not draft or not len(history) - 1 <= end - 1 <= len(history):
            return False
        written = [*history[start:end], last] if end > len(history) else history[start:end]
        return list(written) == draft

    def _may_pay(self, drafter: Drafter) -> bool:
        return self.policy.may_pay(Option(drafter.kind, OFF_RUN, drafter.n_max, self._replays, drafter.behind()))

    def _pays(self, drafter: Drafter) -> bool:
        return self.policy.pays(Option(drafter.kind, ON_RUN, drafter.n_max, self._replays))

    @property
    def _replays(self) -> bool:
        return self.info.rollback is Rollback.CHECKPOINT

    @property
    def _least(self) -> int:
        return self.settings.draft_min if self.limits.n_min is None else self.limits.n_min

    def _most(self, drafter: Drafter) -> int:
        return drafter.n_max if self.limits.n_max is None else min(drafter.n_max, self.limits.n_max)

    def why_off(self) -> str:
        """One sentence: why nothing was drafted."""
        active = tuple(self.active())
        if self.limits.n_max == 0:
            return "The request asked for none."
        if not active and self.info.problems:
            return self.info.problems[0][1]
        if not active:
            return "Nothing guesses: all ways of it are switched off."
        if self.settings.exact and min(self.cap(0), self.cap(_DEEP)) < 2:
            return "Exact output was asked for, and checking a guess gives slightly other numbers on this computer."
        if self.policy.never_pays(max(drafter.n_max for drafter in active)):
            return "Checking several tokens at once takes this computer longer than writing them one by one."
        return "Guessing words ahead would not have been faster."

    def process(self, tokens: Sequence[int], entries: PromptTokens) -> None:
        for drafter in self._drafters:
            drafter.process(tokens, entries)

    def trim(self, keep: int) -> int:
        return min((drafter.trim(keep) for drafter in self._drafters), default=keep)

    def reset(self) -> None:
        for drafter in self._drafters:
            drafter.reset()

    def save(self, n: int, start: int) -> bytes:
        """Only one kind of drafter has anything to keep."""
        return next(filter(None, (drafter.save(n, start) for drafter in self._drafters)), b"")

    def restore(self, n: int, data: bytes) -> None:
        for drafter in self._drafters:
            drafter.restore(n, data)
