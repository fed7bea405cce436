"""What of the slot a new prompt may keep: a decision that is pure, and exact."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from app.engine.memory.rates import Rates
from app.engine.prompt.prompt_tokens import PromptTokens

_AGAIN = "what follows is read again in the batches of a cold start"
_WORTH = 32
"""Entries that are read again rather than leave what is held for another state."""
NEARLY_FREE = 3
"""The same where nothing is copied: another sequence of the context holds them, and cells may belong to several."""


@dataclass(frozen=True, slots=True)
class MemoryTraits:
    """What a context's memory can do, as found out by trying (`app.engine.memory.traits`), not by the model's name."""

    trims: bool = True
    """It can forget the end of the sequence. Recurrent and hybrid memories can't."""
    n_swa: int = 0
    """Sliding window in positions; 0 where every layer keeps every cell."""
    splits: bool = False
    """What stands at the end of the sequence can be saved, and put back, without its beginning."""
    last_alone: bool = False
    """Of a batch, this model gives the logits of another entry than the last (cogvlm's graph in llama.cpp), so the
    last entry of a prompt is evaluated by itself."""
    checkpoint_bytes: int = 0
    """About what a checkpoint takes at the most; 0 where none is needed, or that is not known."""

    @property
    def needs_checkpoints(self) -> bool:
        """Some of what it forgets a trim cannot bring back."""
        return not self.trims or self.n_swa > 0

    def reaches_back(self, position: int, pos_min: int) -> bool:
        """Whether what comes at `position` finds all that it attends to; `pos_min`: see `plan`."""
        return pos_min <= max(0, position - self.n_swa + 1 if self.n_swa else 0)

    def restored_min(self, position: int) -> int:
        """`pos_min` after a state was restored that was saved before `position`: of a window it holds the last cells,
        and no more."""
        return max(0, position - self.n_swa) if self.n_swa else 0


class ReuseAction(StrEnum):
    EXTEND = "extend"
    """The slot is the beginning of the prompt; only evaluate the rest."""
    TRIM = "trim"
    """Forget the slot's end first."""
    RESTORE = "restore"
    """Go back to a checkpoint, and forget what the other layers hold beyond it."""
    CLEAR = "clear"
    """Nothing can be kept."""


class Source(StrEnum):
    """Where a state that is brought back was kept."""

    MEMORY = "memory"
    DISK = "disk"


class Held(Protocol):
    """A state that was left, and can be brought back."""

    @property
    def source(self) -> Source: ...
    @property
    def entries(self) -> PromptTokens: ...
    @property
    def places(self) -> tuple[int, ...]:
        """Entries at which its checkpoints were taken, ascending."""

    @property
    def start(self) -> int:
        """Entries at its beginning that it lacks: the memory must hold them. 0 where it is whole."""

    @property
    def restore_bytes(self) -> int:
        """To be read from where it is kept."""


@dataclass(frozen=True, slots=True)
class ReusePlan:
    action: ReuseAction
    keep: int
    """Entries that stay."""
    total: int
    """Entries of the prompt; `total - keep` are evaluated."""
    common: int
    """Entries that are equal, whether or not they can be kept."""
    why: str = ""
    """Why equal entries are read again; empty where none are."""
    held: Held | None = field(default=None, compare=False, repr=False)
    """What is brought back first; None where the plan starts from the slot."""
    checkpoint: int = 0
    """Entries of the checkpoint that is restored; it may reach beyond what is kept, and is trimmed then."""
    tails: tuple[Held, ...] = field(default=(), compare=False, repr=False)
    """Put on after that, one upon the other, each in place of all that follows its start."""

    def logged(self, media: Mapping[str, int]) -> str:
        """One line for the log, without what anybody said. `media`: how many of each kind the prompt shows."""
        if self.action is ReuseAction.EXTEND or not self.common:
            cut = "need not be cut"
        else:
            cut = "could be cut" if self.action is ReuseAction.TRIM else "could not be cut"
        shown = ", ".join(f"{count} {kind}" for kind, count in sorted(media.items())) or "none"
        return f"{self} Equal: {self.common:,}; media: {shown}; the memory {cut} there ({self.action})"

    def __str__(self) -> str:
        told = f"Reused {self.keep:,} of {self.total:,} tokens"
        if self.held is not None:
            told += f", brought back from {self.held.source}"
        elif self.tails:
            told += f", brought back from {self.tails[0].source}"
        if self.action is ReuseAction.RESTORE:
            told += f", restored from the checkpoint at {self.checkpoint:,}"
        return f"{told}; {self.why}." if self.why else f"{told}."


def plan(
    slot: PromptTokens,
    prompt: PromptTokens,
    traits: MemoryTraits,
    pos_min: int,
    checkpoints: Sequence[int] = (),
    *,
    block: int = 0,
    read: int = 0,
) -> ReusePlan:
    """The cheapest exact way from `slot`, which the memory holds, to `prompt`.

    `checkpoints` are the entries at which the slot's own checkpoints were taken, ascending.
    At least one entry is always evaluated, because its logits are what the answer begins with; of a medium all or
    none. `pos_min` is the oldest position that every layer still holds. A trim to position p of a memory with a
    sliding window of n_swa is exact only while pos_min <= max(0, p - n_swa + 1): the trim itself says yes either way
    (measured over llama.cpp's 128 test architectures).

    With `block` no more is kept than what was evaluated in the batches in which a cold start would evaluate it: of the
    first `read` entries what fills batches that end at multiples of `block`, and at media.
    """
    common = slot.common_prefix(prompt)
    total = len(prompt)
    keep = prompt.whole(min(common, total - 1))
    again = ""
    if block:
        filled = prompt.block_end(prompt.whole(min(keep, read)), block)
        checkpoints = [each for each in checkpoints if prompt.block_end(prompt.whole(each), block) == each]
        keep, again = filled, _AGAIN if filled < keep else ""
    if keep <= 0:
        return ReusePlan(ReuseAction.CLEAR, 0, total, common, again)
    if keep == len(slot):
        return ReusePlan(ReuseAction.EXTEND, keep, total, common, again)
    if not traits.trims:
        why = "this model's memory cannot go back to where they differ"
    elif not traits.reaches_back(slot.position_at(keep), pos_min):
        why = "the sliding window has moved past where they differ"
    else:
        return ReusePlan(ReuseAction.TRIM, keep, total, common, again)
    index = bisect_right(checkpoints, keep)
    for later in checkpoints[index:]:
        if traits.trims and traits.reaches_back(slot.position_at(keep), traits.restored_min(slot.position_at(later))):
            return ReusePlan(ReuseAction.RESTORE, keep, total, common, again, checkpoint=later)
    if index:
        n = checkpoints[index - 1]
        return ReusePlan(ReuseAction.RESTORE, n, total, common, why if n < keep else again, checkpoint=n)
    return ReusePlan(ReuseAction.CLEAR, 0, total, common, why)


def choose(
    here: ReusePlan,
    others: Iterable[Held],
    prompt: PromptTokens,
    traits: MemoryTraits,
    rates: Rates,
    slot: PromptTokens | None = None,
    block: int = 0,
) -> ReusePlan:
    """The fastest of `here`, which starts from the slot, and of the ways to `prompt` from `others`.

    By what this machine needs to bring a state back and to read the rest. The slot is left only for what saves some
    entries. `slot` is what the memory holds; without it no tails are put on it.
    """
    whole: list[Held] = []
    tails: list[Held] = []
    for held in others:
        (tails if held.start else whole).append(held)
    bases: list[tuple[Held | None, PromptTokens]] = [(held, held.entries) for held in whole]
    if slot is not None:
        bases.append((None, slot))
    best, least = here, _seconds(here, rates)
    for found in _ways(bases, tails, prompt, traits, block):
        if found.keep > here.keep + _least_gain(found) and (seconds := _seconds(found, rates)) < least:
            best, least = found, seconds
    return best


def _least_gain(found: ReusePlan) -> int:
    is_copied = any(each is not None and each.restore_bytes for each in (found.held, *found.tails))
    return _WORTH if is_copied else NEARLY_FREE


def _ways(
    bases: Iterable[tuple[Held | None, PromptTokens]],
    tails: Sequence[Held],
    prompt: PromptTokens,
    traits: MemoryTraits,
    block: int,
) -> Iterator[ReusePlan]:
    """From each base alone, and with the tails that lead on from it."""
    for held, entries in bases:
        if held is not None:
            pos_min = traits.restored_min(entries.position)
            made = plan(entries, prompt, traits, pos_min, held.places, block=block, read=len(entries))
            yield replace(made, held=held)
        chain = tuple(_chain(entries, tails, prompt))
        if chain:
            last = chain[-1].entries
            made = plan(last, prompt, traits, 0, block=block, read=len(last))
            yield replace(made, held=held, tails=chain)


def _chain(entries: PromptTokens, tails: Sequence[Held], prompt: PromptTokens) -> Iterator[Held]:
    """Tails that bring `entries` ever nearer to `prompt`, the best of those that fit first."""
    common = entries.common_prefix(prompt)
    while True:
        fitting = [tail for tail in tails if entries.common_prefix(tail.entries) >= tail.start]
        best = max(fitting, key=lambda tail: tail.entries.common_prefix(prompt), default=None)
        if best is None or best.entries.common_prefix(prompt) <= common:
            return
        yield best
        entries, common = best.entries, best.entries.common_prefix(prompt)


def _seconds(made: ReusePlan, rates: Rates) -> float:
    seconds = (made.total - made.keep) / rates.reading.per_second
    for held in (made.held, *made.tails):
        if held is not None:
            seconds += held.restore_bytes / rates.memory.per_second
            if held.source is Source.DISK:
                seconds += held.restore_bytes / rates.disk.per_second
    return seconds
