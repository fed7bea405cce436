"""The slot: what the context's memory holds, and how it is brought from one prompt to the next."""

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

import numpy as np
import psutil
from numpy.typing import NDArray

from app.core.events import SlotStatus
from app.core.messages import Message
from app.engine.binding.context import Context, DecodeOutcome, State
from app.engine.binding.vision import Vision
from app.engine.binding.vision_chunks import ImageChunk
from app.engine.binding.vocab import Vocab
from app.engine.checkpoints import Checkpoint, Checkpoints
from app.engine.divergence import describe
from app.engine.drafting.drafter import Companion
from app.engine.prompt import Prompt
from app.engine.prompt_tokens import PromptTokens
from app.engine.rates import Rates
from app.engine.reuse import Held, MemoryTraits, ReuseAction, ReusePlan, Source, choose, plan
from app.engine.snapshot_disk import ModelSnapshots
from app.engine.snapshot_format import StoredSnapshot
from app.engine.snapshots import Snapshot, Snapshots

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_WORTH = 32
"""Entries that reading again costs less than saving and bringing back a state."""
_RATIO = 4
"""Another version is kept where to read it again takes this many times as long as to save and to bring it back,
because most are never asked about again."""
_COSTLY = 0.005
_SHARE = 0.05
"""A regular checkpoint that takes longer than `_COSTLY` seconds is taken only while all of them together take less
than this share of the time spent on reading."""


class Slot:
    """Owns a context and the record of its entries, and keeps the two true to each other, whatever goes wrong."""

    def __init__(
        self,
        context: Context,
        traits: MemoryTraits,
        checkpoints: Checkpoints,
        on_disk: ModelSnapshots | None = None,
        entry_bytes: float = 0.0,
    ) -> None:
        """Without `on_disk` nothing is kept for the next start. `entry_bytes` is about what one entry takes of a whole
        state; 0 where that is not known.
        """
        self._context = context
        self._entries = PromptTokens()
        self._row = -1
        """Of the last batch: whose logits are those after the last entry."""
        self.companion: Companion | None = None
        """Told what the memory holds."""
        self.snapshots = Snapshots()
        self.on_disk = on_disk
        self.rates = Rates()
        self._conversation = ""
        self._to_disk = False
        self._entry_bytes = entry_bytes
        self._working = self._saving = self._last_cost = 0.0
        self.traits = traits
        self.checkpoints = checkpoints

    def __len__(self) -> int:
        """Entries that the memory holds."""
        return len(self._entries)

    @property
    def context(self) -> Context:
        return self._context

    def close(self) -> None:
        self._context.close()

    def logits(self) -> NDArray[np.float32]:
        """Logits after the entry that was evaluated last, float32 of shape (n_vocab,); a copy."""
        return self._context.logits(self._row)

    def ids(self) -> list[int]:
        """Of the entries that are held; those of pictures are negative."""
        return list(self._entries)

    @property
    def conversation(self) -> str:
        """Whose entries these are; empty where nobody will ask for them by name."""
        return self._conversation

    def plan(self, prompt: PromptTokens) -> ReusePlan:
        """The fastest exact way to `prompt` from what is held, or from a snapshot where that saves more."""
        here = plan(self._entries, prompt, self.traits, self._context.pos_min, self.checkpoints.entries)
        return choose(here, self._held(), prompt, self.traits, self.rates, self._entries)

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

    def _held(self) -> Iterator[Held]:
        yield from self.snapshots
        if self.on_disk is not None and self.traits.keeps:
            # A whole state is brought back before it is trimmed, and a larger context may have written it.
            yield from (each for each in self.on_disk if len(each.entries) <= self._context.n_ctx)

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
        if (held is not None and not isinstance(held, Snapshot)) or len(tails) < len(chosen.tails):
            raise TypeError("the plan is not settled")
        if self._leaves(chosen, conversation):
            self._leave()
        else:
            self._leave_version(self._shared_with(chosen))
        self._conversation, self._to_disk = conversation, keep_on_disk and bool(conversation)
        if conversation and not keep_on_disk and self.on_disk is not None:
            self.on_disk.disk.forget(conversation)
        done = held is None or self._return_to(held)
        done = done and all(map(self._put_on, tails))
        done = done and self._go_back(chosen)
        if not done:
            _log.warning("The memory refused to go back to entry %d; reading everything again.", chosen.keep)
            self.forget()
            why = "the memory refused to go back to where they differ"
            chosen = replace(chosen, action=ReuseAction.CLEAR, keep=0, why=why, held=None, tails=())
        self._entries.truncate(chosen.keep)
        self.checkpoints.drop_after(len(self))
        self.snapshots.drop_beginnings(self._entries)
        return self._accompanied(chosen)

    def _accompanied(self, chosen: ReusePlan) -> ReusePlan:
        """The plan, with an entry less kept where the companion wants to hear of that one again."""
        if self.companion is None:
            return chosen
        keep = self.companion.trim(len(self))
        trims = self.traits.trims and not self.traits.n_swa
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
        if self.traits.keeps and len(self) >= _WORTH and (budget or to_disk is not None):
            snapshot = self._snapshot()
            if snapshot is not None and budget:
                self.snapshots.add(snapshot, budget)
            if snapshot is not None and to_disk is not None:
                to_disk.put(snapshot)

    def _leave_version(self, shared: int) -> None:
        """Keep in memory what follows the first `shared` entries, if reading it again would cost much more."""
        lost, budget = len(self) - shared, self.checkpoints.settings.cache_ram
        n_bytes = self._entry_bytes * (lost if self.traits.splits else len(self))
        if not self.traits.keeps or lost < _WORTH or n_bytes > budget * _MIB:
            return
        copying = 2 * n_bytes / self.rates.memory.per_second
        if lost / self.rates.reading.per_second > _RATIO * copying:
            snapshot = self._snapshot(shared if self.traits.splits else 0)
            if snapshot is not None:
                self.snapshots.add(snapshot, budget)

    def keep(self, within: float | None = None) -> None:
        """Keep what is held on disk, if that is wanted and it is not there; `within` that many seconds or not at all.

        The state is copied now and written later.
        """
        to_disk = self._unkept(within)
        snapshot = self._snapshot() if to_disk is not None else None
        if to_disk is not None and snapshot is not None:
            to_disk.put(snapshot)

    def _unkept(self, within: float | None) -> ModelSnapshots | None:
        """Where to keep what is held; None where it is there already, is of no worth, or shall not."""
        if self.on_disk is None or not self._to_disk or not self.traits.keeps or len(self) < _WORTH:
            return None
        if not self.on_disk.disk.takes(self._state_bytes() + self.checkpoints.n_bytes, within):
            return None
        return None if self.on_disk.covers(self._conversation, self._entries) else self.on_disk

    def _snapshot(self, start: int = 0) -> Snapshot | None:
        """What is held from entry `start` on; None where there is no room for a copy."""
        if self._state_bytes() > psutil.virtual_memory().available:
            _log.warning("There is no memory for a copy of what the context holds; it is not kept.")
            return None
        if start:
            data = self._context.save_from(self._entries.position_at(start))
        else:
            data = self._context.save()
            self._entry_bytes = len(data) / len(self)
        extra = self.companion.save(len(self), start) if self.companion is not None else b""
        return Snapshot(
            self._entries.copy(), data, self.checkpoints.all(), self._conversation, start=start, extra=extra
        )

    def bring_back(self, conversation: str) -> bool:
        """Fill an empty slot with what was kept last of a conversation, before anybody asks. False where nothing is."""
        if len(self) or self.on_disk is None or not self.traits.keeps:
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

    def warm_conversations(self) -> dict[str, Source]:
        """Where each conversation would come back from; the one that is held counts as in memory."""
        found = dict.fromkeys(self.on_disk.conversations() if self.on_disk is not None else (), Source.DISK)
        whole = (each for each in self.snapshots if not each.start)
        found |= dict.fromkeys((each.conversation for each in whole), Source.MEMORY)
        if len(self):
            found[self._conversation] = Source.MEMORY
        found.pop("", None)
        return found

    def _return_to(self, snapshot: Snapshot) -> bool:
        """Make `snapshot` what is held. False when llama.cpp refuses; it is of no use then."""
        entries, began = snapshot.entries, time.perf_counter()
        if not self._context.restore(snapshot.data, entries.newest_positions(len(entries))):
            self.snapshots.take(snapshot)
            if self.on_disk is not None:
                self.on_disk.reject(snapshot)
            return False
        self.rates.memory.add(len(snapshot.data), time.perf_counter() - began)
        # A copy: what waits to be written must stay as it is.
        self._entries = entries.copy()
        if self.companion is not None:
            self.companion.restore(len(entries), snapshot.extra)
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
        self.rates.memory.add(len(tail.data), time.perf_counter() - began)
        self._entries = entries.copy()
        if self.companion is not None:
            self.companion.restore(len(entries), tail.extra)
        return True

    def _go_back(self, chosen: ReusePlan) -> bool:
        match chosen.action:
            case ReuseAction.CLEAR:
                self.forget()
                return True
            case ReuseAction.TRIM:
                return self._context.remove_from(self._entries.position_at(chosen.keep))
            case ReuseAction.RESTORE:
                return self._restore(chosen.keep)
            case ReuseAction.EXTEND:
                return True
            case _:
                assert_never(chosen.action)

    def _restore(self, n: int) -> bool:
        kept = self.checkpoints.at(n)
        return kept is not None and self._put_back(kept)

    def _put_back(self, kept: Checkpoint) -> bool:
        if not self._context.restore_partial(kept.data, self._entries.newest_positions(kept.n)):
            return False
        if self.companion is not None:
            self.companion.restore(kept.n, kept.extra)
        return True

    def forget(self) -> None:
        """Empty the memory."""
        self._context.clear()
        self._entries.truncate(0)
        self.checkpoints.clear()
        if self.companion is not None:
            self.companion.reset()

    def evaluate(self, tokens: list[int]) -> bool:
        """Decode a batch and record it; False when it was aborted. Raises what decoding raises, with all forgotten."""
        began = time.perf_counter()
        try:
            if self.traits.keeps:
                outcome = self._context.decode(tokens, self._entries.position)
            else:
                # Without a memory every step sees the whole text anew.
                outcome = self._context.decode([*self._entries, *tokens], 0)
        except Exception:
            self.forget()
            raise
        self._working += time.perf_counter() - began
        return self._record(outcome, tokens)

    def evaluate_rows(self, tokens: list[int]) -> NDArray[np.float32] | None:
        """`evaluate` for up to `context.n_rows` tokens; the logits after each, float32 of shape (len(tokens), n_vocab).

        None when it was aborted. Only for memories that keep.
        """
        try:
            outcome = self._context.decode_rows(tokens, self._entries.position)
        except Exception:
            self.forget()
            raise
        return self._context.rows(len(tokens)) if self._record(outcome, tokens) else None

    def evaluate_draft(self, tokens: list[int], first: int, before: State | None = None) -> bool:
        """`evaluate` with logits after each token from the `first` on; what is wrong of it is taken back then.

        False when it was aborted: nothing of it stays. `before` is as for `take_back`. Only for memories that keep.
        """
        held = len(self)
        try:
            outcome = self._context.decode_rows(tokens, self._entries.position, first)
        except Exception:
            self.forget()
            raise
        if outcome is not DecodeOutcome.DONE and before is not None and self._bring_to(held, before):
            return False
        done = self._record(outcome, tokens)
        if not done and len(self) > held:
            self.take_back(len(self) - held)
        return done

    def take_back(self, n: int, before: State | None = None) -> None:
        """Forget the last `n` entries, all of them of the last batch. The logits are those after the entry before them.

        With `before`, what `context.save_partial` gave when the memory held the others and nothing else, also where it
        can't trim. Should llama.cpp refuse, less is held than that.
        """
        self._row -= n
        keep = len(self) - n
        if not self._bring_to(keep, before):
            _log.warning("The memory refused to take back %d entries; reading everything again.", n)
            self.forget()

    def _bring_to(self, keep: int, before: State | None) -> bool:
        entries = self._entries
        if before is not None:
            done = self._context.restore_partial(before, entries.newest_positions(keep))
        else:
            done = self._context.remove_from(entries.position_at(keep))
        if done:
            entries.truncate(keep)
        return done

    def evaluate_one(self, token: int) -> bool:
        """`evaluate` for the token that was just sampled, without the cost of a batch."""
        if not self.traits.keeps:
            return self.evaluate([token])
        try:
            outcome = self._context.decode_one(token, self._entries.position)
        except Exception:
            self.forget()
            raise
        return self._record(outcome, [token])

    def evaluate_image(self, vision: Vision, chunk: ImageChunk, embedding: NDArray[np.float32], *, last: bool) -> bool:
        """`evaluate` for a picture's group; `last`: its logits are what comes next.

        `embedding` is float32 of shape (chunk.n_tokens, vision.n_embd).
        """
        began = time.perf_counter()
        try:
            outcome = vision.decode(self._context, chunk, embedding, self._entries.position, last=last)
        except Exception:
            self.forget()
            raise
        self._working += time.perf_counter() - began
        self._row = -1
        if outcome is DecodeOutcome.DONE:
            self._entries.append_image(chunk)
            return True
        self._after_abort([])
        return False

    def _record(self, outcome: DecodeOutcome, tokens: list[int]) -> bool:
        self._row = -1
        if outcome is DecodeOutcome.DONE:
            if self.companion is not None:
                self.companion.process(tokens, self._entries)
            self._entries.extend(tokens)
            return True
        self._after_abort(tokens)
        return False

    def _after_abort(self, tokens: list[int]) -> None:
        """Make the record true again after llama.cpp stopped inside a batch of `tokens`, or (none) inside a picture.

        Attention memories keep whole micro-batches, and pos_max tells how many; of a picture all are taken out again.
        Recurrent parts are half updated, while pos_max pretends otherwise: only a checkpoint brings them back.
        """
        entries, held, before = self._entries, self._context.pos_max, len(self)
        newest = self.checkpoints.newest(len(self))
        if self.traits.trims and held >= entries.newest_positions(len(self)).start:
            if tokens:
                entries.extend(tokens[: max(0, held + 1 - entries.position)])
            elif not self._context.remove_from(entries.position):
                self.forget()
        elif newest is not None and self._put_back(newest):
            entries.truncate(newest.n)
            self.checkpoints.drop_after(newest.n)
        else:
            self.forget()
        if self.companion is not None:
            self.companion.trim(min(before, len(self)))

    def mark(self, *, matters: bool) -> None:
        """Take a checkpoint here if this memory needs one and it is worth its room.

        `matters`: a place that prompts return to, such as the start of a message.
        """
        if not self.traits.needs_checkpoints:
            return
        n = len(self)
        if not (self.checkpoints.lacks(n) if matters else self.checkpoints.wants(n) and self._affordable()):
            return
        began = time.perf_counter()
        extra = self.companion.save(n, n) if self.companion is not None else b""
        self.checkpoints.add(Checkpoint(n, self._context.save_partial(), extra))
        self._last_cost = time.perf_counter() - began
        self._saving += self._last_cost

    def _affordable(self) -> bool:
        return self._last_cost < _COSTLY or self._saving < _SHARE * self._working
