"""A memory whose whole state is kept for the conversation that it is of, aside or on disk, and brought back."""

import logging
import time
from dataclasses import replace
from typing import assert_never

import psutil

from app.engine.binding.context import Context
from app.engine.binding.sequence_memory import State
from app.engine.memory.aside import Aside, warm
from app.engine.memory.checkpoints import Checkpoints
from app.engine.memory.companion import Companion
from app.engine.memory.memory import Memory
from app.engine.memory.rates import Rates
from app.engine.memory.reuse import MemoryTraits, ReuseAction, ReusePlan, Source, plan
from app.engine.memory.snapshot_disk import ModelSnapshots
from app.engine.memory.snapshot_format import StoredSnapshot
from app.engine.memory.snapshots import WORTH_SHARING, Snapshot, Snapshots, shared_name
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

WORTH_KEEPING = 32
"""Entries that reading again costs less than saving and bringing back a state."""


class KeptMemory(Memory):
    """It is asked to keep and to come back; when that pays `Slot` decides."""

    def __init__(
        self,
        context: Context,
        traits: MemoryTraits,
        checkpoints: Checkpoints,
        on_disk: ModelSnapshots | None,
        entry_bytes: float,
        block: int,
        companion: Companion | None,
        snapshots: Snapshots | None,
        rates: Rates | None,
    ) -> None:
        """As of `Slot`."""
        super().__init__(context, traits, checkpoints, block, companion)
        self.snapshots = Snapshots() if snapshots is None else snapshots
        self.on_disk = on_disk
        self.rates = Rates() if rates is None else rates
        self._conversation = ""
        self._to_disk = False
        self._entry_bytes = entry_bytes

    @property
    def conversation(self) -> str:
        """Whose entries these are; empty where nobody will ask for them by name."""
        return self._conversation

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

    def erase(self) -> int:
        """Forget what is held, and keep nothing of it in memory; how many entries that were."""
        n = len(self)
        self.forget()
        return n

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

    def _unkept(self, within: float | None) -> ModelSnapshots | None:
        """Where to keep what is held; None where it is there already, is of no worth, or shall not."""
        if self.on_disk is None or not self._to_disk or len(self) < WORTH_KEEPING:
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

    def _state_bytes(self) -> int:
        """About what a whole state would take now."""
        return int(self._entry_bytes * len(self))

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

    def _fetch(self, on_disk: ModelSnapshots, stored: StoredSnapshot) -> Snapshot | None:
        began = time.perf_counter()
        snapshot = on_disk.fetch(stored)
        if snapshot is not None:
            self.rates.disk.add(snapshot.n_bytes, time.perf_counter() - began)
        return snapshot

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

    def _plan_here(self, prompt: PromptTokens) -> ReusePlan:
        pos_min, places = self._context.pos_min, self.checkpoints.entries
        return plan(self._entries, prompt, self.traits, pos_min, places, block=self.block, read=self._read)

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
