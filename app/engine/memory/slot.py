"""The slot: a memory that is brought from one prompt to the next, and comes back to what was left."""

import logging
from collections.abc import Iterator
from dataclasses import replace

from app.core.events import SlotStatus
from app.core.messages import Message
from app.engine.binding.context import Context
from app.engine.binding.vocab import Vocab
from app.engine.memory.checkpoints import Checkpoints
from app.engine.memory.companion import Companion
from app.engine.memory.kept_memory import WORTH_KEEPING, KeptMemory
from app.engine.memory.rates import Rates
from app.engine.memory.reuse import NEARLY_FREE, Held, MemoryTraits, ReuseAction, ReusePlan, choose
from app.engine.memory.snapshot_disk import ModelSnapshots
from app.engine.memory.snapshot_format import StoredSnapshot
from app.engine.memory.snapshots import SequencePart, Snapshot, Snapshots
from app.engine.prompt.difference_sentence import describe
from app.engine.prompt.prompt import Prompt
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_RATIO = 4
"""Another version is kept where to read it again takes this many times as long as to save and to bring it back,
because most are never asked about again."""


class Slot(KeptMemory):
    """Decides what stays, what is kept aside, and what comes back. Nothing here evaluates."""

    def __init__(
        self,
        context: Context,
        traits: MemoryTraits,
        checkpoints: Checkpoints,
        on_disk: ModelSnapshots | None = None,
        entry_bytes: float = 0.0,
        block: int = 0,
        companion: Companion | None = None,
        *,
        snapshots: Snapshots | None = None,
        rates: Rates | None = None,
    ) -> None:
        """Without `on_disk` nothing is kept for the next start. `entry_bytes` is about what one entry takes of a whole
        state; 0 where that is not known. `block` and `companion` are `Memory`'s. `snapshots` and `rates` are
        those that it shares with others; without them it has its own.
        """
        super().__init__(context, traits, checkpoints, on_disk, entry_bytes, block, companion, snapshots, rates)
        self._room = context.n_ctx
        self._others: tuple[Slot, ...] = ()

    def beside(self, context: Context) -> "Slot":
        """An empty one with another sequence of its context, which shares all that is kept aside."""
        return Slot(
            context,
            self.traits,
            Checkpoints(self.checkpoints.settings, self.checkpoints.size),
            self.on_disk,
            self._entry_bytes,
            self.block,
            snapshots=self.snapshots,
            rates=self.rates,
        )

    def begin_beside(self, others: tuple["Slot", ...]) -> None:
        """These work beside it from now on; what they have read need not be read again."""
        self._others = others

    def end_beside(self) -> None:
        """No other works beside it any more, and it may hold all of the context's entries."""
        self._room, self._others = self._context.n_ctx, ()

    def allow(self, room: int) -> None:
        """It may hold so many entries; the others of the context are those of the slots beside it."""
        self._room = room

    def plan(self, prompt: PromptTokens) -> ReusePlan:
        """The fastest exact way to `prompt` from what is held, or from a snapshot where that saves more."""
        return choose(
            self._plan_here(prompt), self._held(prompt), prompt, self.traits, self.rates, self._entries, self.block
        )

    def settle(self, prompt: PromptTokens) -> ReusePlan:
        """`plan`, with what it needs from disk in memory. A file that is damaged costs another plan."""
        while True:
            chosen = self.plan(prompt)
            if self.on_disk is None or not isinstance(chosen.held, StoredSnapshot):
                return chosen
            snapshot = self._fetch(self.on_disk, chosen.held)
            if snapshot is not None:
                return replace(chosen, held=snapshot)

    def _held(self, prompt: PromptTokens) -> Iterator[Held]:
        # A whole state is brought back before it is trimmed, and a larger context may have written it.
        yield from (each for each in (*self.snapshots, *(self.on_disk or ())) if len(each.entries) <= self._room)
        yield from filter(None, (each.part_for(prompt) for each in self._others))

    def part_for(self, prompt: PromptTokens) -> SequencePart | None:
        """What another slot can have of this one without reading it; None where that is not worth it."""
        n, checkpoints = min(self._entries.common_prefix(prompt), len(prompt) - 1), self.checkpoints.all()
        if self.traits.needs_checkpoints:
            newest = self.checkpoints.newest(n)
            n = newest.n if newest is not None else 0
        n = self._entries.whole(n)
        worth = WORTH_KEEPING if self.traits.needs_checkpoints else NEARLY_FREE
        if n < worth or self._context.pos_max < self._entries.newest_positions(n).start:
            return None  # it may have stepped out
        entries = self._entries.copy()
        entries.truncate(n)
        return SequencePart(self._context, entries, tuple(each for each in checkpoints if each.n <= n))

    def divergence(self, prompt: Prompt, messages: tuple[Message, ...], chosen: ReusePlan, vocab: Vocab) -> str:
        """Where `prompt` leaves what is held, in a sentence. Holds what people said: never log it."""
        entries = chosen.held.entries if chosen.held is not None else self._entries
        return describe(entries, prompt, messages, chosen.common, vocab)

    def status(self) -> SlotStatus:
        kept = self.checkpoints
        return SlotStatus(len(self), self._context.n_ctx, kept.entries, kept.n_bytes)

    def apply(self, chosen: ReusePlan, conversation: str = "", *, keep_on_disk: bool = True) -> ReusePlan:
        """Bring the memory to where a plan that is settled starts; returns the plan as it was carried out.

        That is another one only when llama.cpp refuses what it should be able to do; all is read again then.
        A conversation that is left is kept as a snapshot first. From now on the slot is `conversation`'s.
        """
        held, tails = chosen.held, [each for each in chosen.tails if isinstance(each, Snapshot)]
        if not isinstance(held, Snapshot | SequencePart | None) or len(tails) < len(chosen.tails):
            raise TypeError("the plan is not settled")
        if self._leaves(chosen, conversation):
            self._leave()
        else:
            self._leave_version(self._shared_with(chosen))
        self._conversation, self._to_disk = conversation, keep_on_disk and bool(conversation)
        if conversation and not keep_on_disk and self.on_disk is not None:
            self.on_disk.disk.forget(conversation)
        done = held is None or (self._take_part(held) if isinstance(held, SequencePart) else self._return_to(held))
        done = done and all(map(self._put_on, tails))
        done = done and self._go_back(chosen)
        if not done:
            _log.warning("The memory refused to go back to entry %d; reading everything again.", chosen.keep)
            self.forget()
            why = "the memory refused to go back to where they differ"
            chosen = replace(chosen, action=ReuseAction.CLEAR, keep=0, why=why, held=None, tails=())
        self._cut(chosen.keep)
        self.checkpoints.drop_after(len(self))
        self.snapshots.drop_beginnings(self._entries)
        return self._accompanied(chosen)

    def _accompanied(self, chosen: ReusePlan) -> ReusePlan:
        """The plan, with an entry less kept where the companion wants to hear of that one again."""
        if self.companion is None:
            return chosen
        keep = self.companion.trim(len(self))
        trims = self.traits.trims and not self.traits.n_swa and not self.block
        if keep == len(self) or not trims or keep != self._entries.whole(keep) or not self._bring_to(keep, None):
            return chosen
        return replace(chosen, keep=keep)

    def _leaves(self, chosen: ReusePlan, conversation: str) -> bool:
        """Whether so much is lost of what is held that all of it is kept."""
        shared = self._shared_with(chosen)
        if shared < len(self) // 2:
            return True
        return conversation != self._conversation and shared + WORTH_KEEPING < len(self)

    def _shared_with(self, chosen: ReusePlan) -> int:
        """Entries of those that are held which the plan keeps or brings back."""
        if chosen.held is None and not chosen.tails:
            return chosen.keep
        last = chosen.tails[-1] if chosen.tails else chosen.held
        assert last is not None
        return min(chosen.keep, self._entries.common_prefix(last.entries))

    def _leave(self) -> None:
        """Keep what is held, if it is worth coming back to: in memory, and on disk where that is wanted."""
        settings, to_disk = self.checkpoints.settings, self._unkept(None)
        budget = settings.cache_ram if self._state_bytes() <= settings.cache_ram * _MIB else 0
        if len(self) >= WORTH_KEEPING and (budget or to_disk is not None):
            snapshot = self._snapshot()
            if snapshot is not None and budget:
                self.snapshots.add(snapshot, budget)
            if snapshot is not None and to_disk is not None:
                to_disk.put(snapshot)

    def _leave_version(self, shared: int) -> None:
        """Keep in memory what follows the first `shared` entries, if reading it again would cost much more."""
        lost, budget = len(self) - shared, self.checkpoints.settings.cache_ram
        n_bytes = self._entry_bytes * (lost if self.traits.splits else len(self))
        if lost < WORTH_KEEPING or n_bytes > budget * _MIB:
            return
        copying = 2 * n_bytes / self.rates.memory.per_second
        if lost / self.rates.reading.per_second > _RATIO * copying:
            snapshot = self._snapshot(shared if self.traits.splits else 0)
            if snapshot is not None:
                self.snapshots.add(snapshot, budget)

    def leave(self) -> None:
        """Be empty, and keep what is held where it is worth coming back to, as when another conversation comes."""
        self._leave()
        self.forget()
        self._conversation, self._to_disk = "", False

    def accompany(self, companion: Companion | None) -> None:
        """It goes along from now on, and no other; it knows nothing of what is held yet."""
        self.companion = companion
        if companion is not None:
            companion.reset()
            companion.restore(len(self), b"")

    def take_over(self, snapshot: Snapshot, conversation: str, *, keep_on_disk: bool) -> bool:
        """Hold a snapshot from now on, as `conversation`'s. What is held is kept first. False when llama.cpp refuses;
        the slot is empty then.
        """
        self._leave()
        done = self._return_to(replace(snapshot, conversation=conversation))
        if not done:
            self.forget()
        self._conversation, self._to_disk = conversation, keep_on_disk and bool(conversation) and done
        return done

    def try_checkpoints(self) -> None:
        """Go back to each, as a preflight must have survived; what is held is of no use then."""
        for each in reversed(self.checkpoints.all()):
            self._put_back(each)

    def _take_part(self, part: SequencePart) -> bool:
        """Hold the beginning of what another sequence holds. False when llama.cpp refuses."""
        self._context.become(part.context)
        newest = part.entries.newest_positions(len(part.entries))
        if self.traits.needs_checkpoints:
            # With a state of its own, for windows whose cells belong to two sequences are never free again.
            done = self._context.restore_partial(part.checkpoints[-1].data, newest)
        else:
            done = self._context.remove_from(newest.stop)
        if done:
            self._entries = part.entries.copy()
            self.checkpoints.replace_all(part.checkpoints)
        return done
