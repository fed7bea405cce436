"""The slot: a memory that is brought from one prompt to the next, and comes back to what was left."""

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

import psutil

from app.core.events import SlotStatus
from app.core.messages import Message
from app.engine.binding.context import Context
from app.engine.binding.sequence_memory import State
from app.engine.binding.vocab import Vocab
from app.engine.memory.aside import Aside, warm
from app.engine.memory.checkpoints import Checkpoints
from app.engine.memory.companion import Companion
from app.engine.memory.memory import Memory
from app.engine.memory.rates import Rates
from app.engine.memory.reuse import NEARLY_FREE, Held, MemoryTraits, ReuseAction, ReusePlan, Source, choose, plan
from app.engine.memory.snapshot_disk import ModelSnapshots
from app.engine.memory.snapshot_format import StoredSnapshot
from app.engine.memory.snapshots import WORTH_SHARING, SequencePart, Snapshot, Snapshots, shared_name
from app.engine.prompt.difference_sentence import describe
from app.engine.prompt.prompt import Prompt
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_WORTH = 32
"""Entries that reading again costs less than saving and bringing back a state."""
_RATIO = 4
"""Another version is kept where to read it again takes this many times as long as to save and to bring it back,
because most are never asked about again."""


class Slot(Memory):
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
        super().__init__(context, traits, checkpoints, block, companion)
        self.snapshots = Snapshots() if snapshots is None else snapshots
        self.on_disk = on_disk
        self.rates = Rates() if rates is None else rates
        self._conversation = ""
        self._to_disk = False
        self._entry_bytes = entry_bytes
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

    @property
    def conversation(self) -> str:
        """Whose entries these are; empty where nobody will ask for them by name."""
        return self._conversation

    def plan(self, prompt: PromptTokens) -> ReusePlan:
        """The fastest exact way to `prompt` from what is held, or from a snapshot where that saves more."""
        return choose(
            self._plan_here(prompt), self._held(prompt), prompt, self.traits, self.rates, self._entries, self.block
        )

    def _plan_here(self, prompt: PromptTokens) -> ReusePlan:
        pos_min, places = self._context.pos_min, self.checkpoints.entries
        return plan(self._entries, prompt, self.traits, pos_min, places, block=self.block, read=self._read)

    def settle(self, prompt: PromptTokens) -> ReusePlan:
        """`plan`, with what it needs from disk in memory. A file that is damaged costs another plan."""
        while True:
            chosen = self.plan(prompt)
            if self.on_disk is None or not isinstance(chosen.held, StoredSnapshot):
                return chosen
            snapshot = self._fetch(self.on_disk, chosen.held)
            if snapshot is not None:
                return replace(chosen, held=snapshot)

    def _fetch(self, on_disk: ModelSnapshots, stored: StoredSnapshot) -> Snapshot | None:
        began = time.perf_counter()
        snapshot = on_disk.fetch(stored)
        if snapshot is not None:
            self.rates.disk.add(snapshot.n_bytes, time.perf_counter() - began)
        return snapshot

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
        worth = _WORTH if self.traits.needs_checkpoints else NEARLY_FREE
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
        return conversation != self._conversation and shared + _WORTH < len(self)

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
        if len(self) >= _WORTH and (budget or to_disk is not None):
            snapshot = self._snapshot()
            if snapshot is not None and budget:
                self.snapshots.add(snapshot, budget)
            if snapshot is not None and to_disk is not None:
                to_disk.put(snapshot)

    def _leave_version(self, shared: int) -> None:
        """Keep in memory what follows the first `shared` entries, if reading it again would cost much more."""
        lost, budget = len(self) - shared, self.checkpoints.settings.cache_ram
        n_bytes = self._entry_bytes * (lost if self.traits.splits else len(self))
        if lost < _WORTH or n_bytes > budget * _MIB:
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

    def copied(self) -> State:
        """The whole state; empty where there is no room for a copy, or llama.cpp makes none."""
        return self._context.save() if self._has_room_for_copy() else b""

    def step_out(self) -> State:
        """Give all cells to others, until `step_in` gets what this returns. Empty where that can't be; the slot holds
        what it held then.
        """
        data = self.copied()
        if data:
            self._context.clear()
        return data

    def step_in(self, data: State) -> bool:
        """False when llama.cpp refuses; the slot is empty then."""
        done = self.put_back(data)
        if not done:
            self.forget()
        return done

    def put_back(self, data: State) -> bool:
        """Let the context have again what `copied` gave of what the slot holds. False when llama.cpp refuses."""
        return self._context.restore(data, self._entries.newest_positions(len(self)))

    def keep(self, within: float | None = None) -> None:
        """Keep what is held on disk, if that is wanted and it is not there; `within` that many seconds or not at all.

        The state is copied now and written later.
        """
        to_disk = self._unkept(within)
        snapshot = self._snapshot() if to_disk is not None else None
        if to_disk is not None and snapshot is not None:
            to_disk.put(snapshot)

    def lacks_prefix(self, prompt: PromptTokens, n: int) -> bool:
        """Whether the first `n` entries of a prompt are worth a file of their own, and have none yet."""
        if self.on_disk is None or not self._to_disk or n < WORTH_SHARING or not prompt.is_text(n):
            return False
        return not self.on_disk.has(shared_name(prompt, n, self._conversation))

    def keep_prefix(self) -> None:
        """Keep what is held on disk for every conversation that begins with it; it is written later."""
        if self.on_disk is not None and self.on_disk.disk.takes(self._state_bytes()):
            snapshot = self._snapshot()
            if snapshot is not None:
                name = shared_name(snapshot.entries, len(snapshot.entries), self._conversation)
                self.on_disk.put(replace(snapshot, conversation=name, checkpoints=()))

    def _unkept(self, within: float | None) -> ModelSnapshots | None:
        """Where to keep what is held; None where it is there already, is of no worth, or shall not."""
        if self.on_disk is None or not self._to_disk or len(self) < _WORTH:
            return None
        if not self.on_disk.disk.takes(self._state_bytes() + self.checkpoints.n_bytes, within):
            return None
        return None if self.on_disk.covers(self._conversation, self._entries) else self.on_disk

    def _snapshot(self, start: int = 0) -> Snapshot | None:
        """What is held from entry `start` on; None where there is no room for a copy, or llama.cpp makes none."""
        if not self._has_room_for_copy():
            return None
        if self.block:
            self._drop_unread()
            start = self._entries.block_end(min(start, len(self)), self.block)
            if start >= len(self):
                return None
        data = self._context.save_from(self._entries.position_at(start)) if start else self._context.save()
        if not data:
            return None
        if not start:
            self._entry_bytes = len(data) / len(self)
        extra = self.companion.save(len(self), start) if self.companion is not None else b""
        return Snapshot(
            self._entries.copy(), data, self.checkpoints.to_keep_aside(), self._conversation, start=start, extra=extra
        )

    def _has_room_for_copy(self) -> bool:
        fits = self._state_bytes() <= psutil.virtual_memory().available
        if not fits:
            _log.warning("There is no memory for a copy of what the context holds; it is not kept.")
        return fits

    def _drop_unread(self) -> None:
        """Forget what was not evaluated in the batches of a cold start: the next prompt would read it again anyway."""
        if self._read < len(self):
            back = self._plan_here(self._entries)
            if not self._go_back(back):
                self.forget()
            self._cut(min(back.keep, len(self)))
            self.checkpoints.drop_after(len(self))
            if self.companion is not None:
                self.companion.trim(len(self))

    def erase(self) -> int:
        """Forget what is held, and keep nothing of it in memory; how many entries that were."""
        n = len(self)
        self.forget()
        return n

    def snapshot_of(self, conversation: str) -> Snapshot | None:
        """A copy of all that is held of a conversation (empty: of whichever holds the context), wherever it is kept.

        None where that is nothing, and where there is no memory for a copy.
        """
        if len(self) and conversation in ("", self._conversation):
            return self._snapshot()
        if not conversation:
            return None
        kept = next((each for each in self.snapshots if each.conversation == conversation and not each.start), None)
        if kept is None and self.on_disk is not None:
            found = self.on_disk.newest(conversation)
            kept = self._fetch(self.on_disk, found) if isinstance(found, StoredSnapshot) else found
        return kept

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

    def bring_back(self, conversation: str) -> bool:
        """Fill an empty slot with what was kept last of a conversation, before anybody asks. False where nothing is."""
        if len(self) or self.on_disk is None:
            return False
        kept = self.on_disk.newest(conversation)
        if kept is None or len(kept.entries) > self._context.n_ctx:
            return False
        snapshot = kept if isinstance(kept, Snapshot) else self._fetch(self.on_disk, kept)
        if snapshot is None:
            return False
        if not self._return_to(snapshot):
            self.forget()
            return False
        self._conversation, self._to_disk = conversation, True
        return True

    def forget_conversation(self, conversation: str) -> None:
        """Forget all that is known of it, everywhere, for good."""
        self.snapshots.forget(conversation)
        if self.on_disk is not None:
            self.on_disk.disk.forget(conversation)
        if conversation == self._conversation:
            self.forget()
            self._conversation, self._to_disk = "", False

    def renew(self, on_disk: ModelSnapshots | None) -> None:
        """From now on the model works otherwise, with other adapters: keep what is held as it was, and begin empty.

        `on_disk` is what was kept of conversations with the model as it is now.
        """
        self.keep()
        self.forget()
        self.snapshots.clear()
        self._conversation, self._to_disk, self.on_disk = "", False, on_disk

    def _state_bytes(self) -> int:
        """About what a whole state would take now."""
        return int(self._entry_bytes * len(self))

    def empty_snapshots(self) -> None:
        """Forget all but what is held, which is not written to disk before the next reply."""
        self.snapshots.clear()
        if self.on_disk is not None:
            self.on_disk.disk.clear()
        self._to_disk = False

    @property
    def kept_bytes(self) -> int:
        """In memory, beside the context."""
        return self.snapshots.n_bytes

    def warm_conversations(self) -> dict[str, Source]:
        """Where each conversation would come back from; the one that is held counts as in memory."""
        return warm(self.snapshots, self.on_disk, self._conversation if len(self) else "")

    def set_aside(self) -> Aside:
        """All that is warm, for the slot of this model's next context; this one is to be closed. What shall lie on disk
        is written later.
        """
        to_disk = self._unkept(None)
        held = self._snapshot() if len(self) else None
        if held is not None and to_disk is not None:
            to_disk.put(held)
        return Aside(self.snapshots, held, self._to_disk, self.rates, self.on_disk)

    def take_up(self, aside: Aside) -> None:
        """Let an empty slot hold what one held that the same model had, with the same settings."""
        self.snapshots, self.rates = aside.snapshots, aside.rates
        held = aside.held
        if held is not None and len(held.entries) <= self._context.n_ctx:
            if self._return_to(held):
                self._conversation, self._to_disk = held.conversation, aside.to_disk
            else:
                self.forget()

    def _return_to(self, snapshot: Snapshot) -> bool:
        """Make `snapshot` what is held. False when llama.cpp refuses; it is of no use then."""
        entries, began = snapshot.entries, time.perf_counter()
        if not self._context.restore(snapshot.data, entries.newest_positions(len(entries))):
            self.snapshots.take(snapshot)
            if self.on_disk is not None:
                self.on_disk.reject(snapshot)
            return False
        self._take_over(snapshot, time.perf_counter() - began)
        self.checkpoints.replace_all(snapshot.checkpoints)
        return True

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

    def _put_on(self, tail: Snapshot) -> bool:
        """Make a tail what follows its start. False when llama.cpp refuses; it is of no use then."""
        entries, began = tail.entries, time.perf_counter()
        position = entries.position_at(tail.start)
        done = self._context.remove_from(position)
        if not (done and self._context.restore_from(position, tail.data, entries.newest_positions(len(entries)))):
            self.snapshots.take(tail)
            return False
        self._take_over(tail, time.perf_counter() - began)
        return True

    def _take_over(self, restored: Snapshot, seconds: float) -> None:
        self.rates.memory.add(len(restored.data), seconds)
        # A copy: what waits to be written must stay as it is.
        self._entries = restored.entries.copy()
        self._read, self._begun = len(self._entries), -1  # snapshots hold nothing else, where it matters
        if self.companion is not None:
            self.companion.restore(len(restored.entries), restored.extra)

    def _go_back(self, chosen: ReusePlan) -> bool:
        match chosen.action:
            case ReuseAction.CLEAR:
                self.forget()
                return True
            case ReuseAction.TRIM:
                return self._context.remove_from(self._entries.position_at(chosen.keep))
            case ReuseAction.RESTORE:
                return self._restore(chosen)
            case ReuseAction.EXTEND:
                return True
            case _:
                assert_never(chosen.action)

    def _restore(self, chosen: ReusePlan) -> bool:
        kept = self.checkpoints.at(chosen.checkpoint)
        if kept is None or not self._put_back(kept):
            return False
        if chosen.keep == chosen.checkpoint:
            return True
        position = self._entries.position_at(chosen.keep)
        return self._context.remove_from(position) and self.traits.reaches_back(position, self._context.pos_min)
