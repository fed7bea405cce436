"""All that drafts for one session."""

import time
from collections.abc import Iterator, Sequence
from functools import partial

from app.core.loading import CacheType, FlashAttention
from app.core.speculation import DrafterKind, DrafterStats, DraftingInfo, DraftLimits, Rollback, Speculation
from app.engine.binding.context import Context
from app.engine.binding.context_params import ContextParams
from app.engine.drafting.controller import Controller, Option
from app.engine.drafting.costs import Clock
from app.engine.drafting.drafter import Drafter
from app.engine.drafting.tally import Tally
from app.engine.memory.reuse import MemoryTraits
from app.engine.prompt.prompt_tokens import PromptTokens

_DEEP = 256
"""Entries beyond which llama.cpp's flash attention may compute a single token in another way."""
_SPLIT = frozenset((CacheType.F32, CacheType.F16))
"""KV types for which flash attention shares out a single token's cells among threads, from 512 on, empty ones included
(ggml-cpu/ops.cpp). Measured with two threads: logits differ by 0.2 from there on, and by nothing before."""

Drafted = tuple[Drafter, Option, list[int]]


def rollback_of(context: Context, traits: MemoryTraits) -> Rollback:
    """How the memory of a context lets go of drafts."""
    if traits.trims:
        return Rollback.TRIM
    return Rollback.SNAPSHOT if context.n_rs_seq else Rollback.CHECKPOINT


def exact_deep(exact_batch: int, params: ContextParams, *, on_device: bool) -> int:
    """The largest exact batch where the context holds more than 256 entries, of which nothing was tried."""
    if on_device:
        return 1
    flash = params.flash_attn is not FlashAttention.OFF and params.n_threads > 1
    return 1 if flash and params.type_k == params.type_v and params.type_k in _SPLIT else exact_batch


class Drafting:
    """The drafters of a model, and the policy that decides when they are asked. Goes along with its slot."""

    def __init__(
        self,
        drafters: Sequence[Drafter],
        policy: Controller,
        info: DraftingInfo,
        clock: Clock = time.perf_counter,
    ) -> None:
        """The drafters that could be made, most promising kind first."""
        self.clock = clock
        self.settings = info.asked
        """Those in force; what needs a reload has no effect."""
        self.limits = DraftLimits()
        self.prepared = 0.0
        """Seconds that the last draft did not take, but what was read for it, or instead of one."""
        self.rest = 0
        """For how many tokens `choose` need not be called again: it would give nothing."""
        self.policy = policy
        self.info = info
        self._drafters = tuple(drafters)
        self._tallies: dict[DrafterKind, Tally] = {}
        """Of the answer that is being written."""
        for drafter in self._drafters:
            drafter.ask_first(partial(self._wants, drafter))

    def close(self) -> None:
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
            drafter.take(self.settings.draft_p_min if limits.p_min is None else limits.p_min)

    def begin(self, history: Sequence[int]) -> None:
        """An answer begins, after the prompt `history`."""
        self._tallies = {drafter.kind: Tally(drafter.kind, self.clock) for drafter in self.active()}
        for drafter in self.active():
            self._tallies[drafter.kind].timed("begin", partial(drafter.begin, history))

    def accept(self, drafter: Drafter, drafted: int, n_accepted: int, n_past: int) -> None:
        """Tell a drafter what came of its draft; see `Drafter.accept`."""
        tally = self._tallies[drafter.kind]
        tally.timed("accept", partial(drafter.accept, n_accepted, n_past))
        tally.saw(drafted, n_accepted)

    def stats(self) -> tuple[DrafterStats, ...]:
        return tuple(tally.stats() for tally in self._tallies.values())

    def active(self) -> Iterator[Drafter]:
        """The drafters that are switched on."""
        for drafter in self._drafters:
            if drafter.kind is not DrafterKind.NGRAM or self.settings.ngram:
                yield drafter

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
        self.prepared, self.rest = 0.0, 0
        if room < 1:
            return None
        options: list[Option] = []
        drafters: list[Drafter] = []
        for drafter in self.active():
            prospect = drafter.prospect(history, last)
            if prospect:
                options.append(self._after_look(drafter, prospect, min(room, self._most(drafter)), history, last))
                drafters.append(drafter)
        chosen = self.policy.choose(options, pending) if options else None
        if chosen is None:
            if all(drafter.is_steady for drafter in self.active()):
                self.rest = self.policy.rests(options)
            return None
        option, n = chosen
        drafter = drafters[options.index(option)]
        began, tally = self.clock(), self._tallies[drafter.kind]
        tally.timed("begin", partial(drafter.prepare, history), counts=False)
        self.prepared += self.clock() - began
        draft = tally.timed("draft", partial(drafter.draft, history, last, n))
        if option.kind is not DrafterKind.NGRAM and len(draft) < self._least:
            draft = []
        return drafter, option, draft

    def _option(self, drafter: Drafter, prospect: int, most: int) -> Option:
        replays = self.info.rollback is Rollback.CHECKPOINT
        return Option(drafter.kind, prospect, most, replays, drafter.behind(), drafter.waits())

    def _after_look(self, drafter: Drafter, prospect: int, most: int, history: Sequence[int], last: int) -> Option:
        """What it could draft, after it has looked back if the policy wants that."""
        option = self._option(drafter, prospect, most)
        if not self.policy.looks(option):
            return option
        began = self.clock()
        look = partial(drafter.look_back, history, last)
        foreseen = self._tallies[drafter.kind].timed("begin", look, counts=False)
        seconds = self.clock() - began
        self.prepared += seconds
        self.policy.looked(option, foreseen, seconds)
        return self._option(drafter, prospect, most)

    def _wants(self, drafter: Drafter) -> bool:
        return self.policy.wants(self._option(drafter, 1, drafter.n_max))

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
