"""The slot: what the context's memory holds, and how it is brought from one prompt to the next."""

import logging
import time
from dataclasses import replace
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from app.core.events import SlotStatus
from app.core.messages import Message
from app.engine.binding.context import Context, DecodeOutcome
from app.engine.binding.vision import Vision
from app.engine.binding.vision_chunks import ImageChunk
from app.engine.binding.vocab import Vocab
from app.engine.checkpoints import Checkpoint, Checkpoints
from app.engine.divergence import describe
from app.engine.prompt import Prompt
from app.engine.prompt_tokens import PromptTokens
from app.engine.reuse import MemoryTraits, ReuseAction, ReusePlan, plan
from app.engine.snapshots import Snapshot, Snapshots

_log = logging.getLogger(__name__)

_WORTH = 32
"""Entries that reading again costs less than saving and bringing back a state."""
_COSTLY = 0.005
_SHARE = 0.05
"""A regular checkpoint that takes longer than `_COSTLY` seconds is taken only while all of them together take less
than this share of the time spent on reading."""


class Slot:
    """Owns a context and the record of its entries, and keeps the two true to each other, whatever goes wrong."""

    def __init__(self, context: Context, traits: MemoryTraits, checkpoints: Checkpoints) -> None:
        self._context = context
        self._entries = PromptTokens()
        self.snapshots = Snapshots()
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
        return self._context.logits()

    def plan(self, prompt: PromptTokens) -> ReusePlan:
        """The cheapest exact way to `prompt` from what is held, or from a snapshot where that saves more."""
        here = plan(self._entries, prompt, self.traits, self._context.pos_min, self.checkpoints.entries)
        snapshot, kept = self._best_snapshot(prompt)
        return kept if snapshot is not None and kept.keep > here.keep + _WORTH else here

    def _best_snapshot(self, prompt: PromptTokens) -> tuple[Snapshot | None, ReusePlan]:
        best: Snapshot | None = None
        chosen = ReusePlan(ReuseAction.CLEAR, 0, len(prompt), 0)
        for snapshot in self.snapshots:
            entries, places = snapshot.entries, tuple(each.n for each in snapshot.checkpoints)
            # A restored window holds its last cells and no more.
            pos_min = max(0, entries.position - self.traits.n_swa) if self.traits.n_swa else 0
            found = plan(entries, prompt, self.traits, pos_min, places)
            if found.keep > chosen.keep:
                best, chosen = snapshot, replace(found, from_memory=True)
        return best, chosen

    def divergence(self, prompt: Prompt, messages: tuple[Message, ...], chosen: ReusePlan, vocab: Vocab) -> str:
        """Where `prompt` leaves what is held, in a sentence. Holds what people said: never log it."""
        snapshot = self._best_snapshot(prompt.tokens)[0] if chosen.from_memory else None
        return describe(snapshot.entries if snapshot else self._entries, prompt, messages, chosen.common, vocab)

    def status(self) -> SlotStatus:
        kept = self.checkpoints
        return SlotStatus(len(self), self._context.n_ctx, kept.entries, kept.n_bytes)

    def apply(self, chosen: ReusePlan, prompt: PromptTokens) -> ReusePlan:
        """Bring the memory to where the plan for `prompt` starts; returns the plan as it was carried out.

        That is another one only when llama.cpp refuses what it should be able to do; all is read again then.
        A conversation that is left is kept as a snapshot first.
        """
        snapshot = self._best_snapshot(prompt)[0] if chosen.from_memory else None
        if snapshot is not None or chosen.keep < len(self) // 2:
            self._leave()
        done = snapshot is None or self._return_to(snapshot)
        done = done and self._go_back(chosen)
        if not done:
            _log.warning("The memory refused to go back to entry %d; reading everything again.", chosen.keep)
            self.forget()
            why = "the memory refused to go back to where they differ"
            chosen = replace(chosen, action=ReuseAction.CLEAR, keep=0, why=why, from_memory=False)
        self._entries.truncate(chosen.keep)
        self.checkpoints.drop_after(len(self))
        return chosen

    def _leave(self) -> None:
        """Keep what is held, if it is worth coming back to."""
        budget = self.checkpoints.settings.cache_ram
        if budget and self.traits.keeps and len(self) >= _WORTH:
            self.snapshots.add(Snapshot(self._entries.copy(), self._context.save(), self.checkpoints.all()), budget)

    def _return_to(self, snapshot: Snapshot) -> bool:
        self.snapshots.take(snapshot)
        self.forget()
        entries = snapshot.entries
        if not self._context.restore(snapshot.data, entries.newest_positions(len(entries))):
            return False
        self._entries = snapshot.entries
        self.checkpoints.replace_all(snapshot.checkpoints)
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
        return kept is not None and self._context.restore_partial(kept.data, self._entries.newest_positions(n))

    def forget(self) -> None:
        """Empty the memory."""
        self._context.clear()
        self._entries.truncate(0)
        self.checkpoints.clear()

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
        if outcome is DecodeOutcome.DONE:
            self._entries.append_image(chunk)
            return True
        self._after_abort([])
        return False

    def _record(self, outcome: DecodeOutcome, tokens: list[int]) -> bool:
        if outcome is DecodeOutcome.DONE:
            self._entries.extend(tokens)
            return True
        self._after_abort(tokens)
        return False

    def _after_abort(self, tokens: list[int]) -> None:
        """Make the record true again after llama.cpp stopped inside a batch of `tokens`, or (none) inside a picture.

        Attention memories keep whole micro-batches, and pos_max tells how many; of a picture all are taken out again.
        Recurrent parts are half updated, while pos_max pretends otherwise: only a checkpoint brings them back.
        """
        entries, held = self._entries, self._context.pos_max
        newest = self.checkpoints.newest(len(self))
        if self.traits.trims and held >= entries.newest_positions(len(self)).start:
            if tokens:
                entries.extend(tokens[: max(0, held + 1 - entries.position)])
            elif not self._context.remove_from(entries.position):
                self.forget()
        elif newest is not None and self._context.restore_partial(newest.data, entries.newest_positions(newest.n)):
            entries.truncate(newest.n)
            self.checkpoints.drop_after(newest.n)
        else:
            self.forget()

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
        self.checkpoints.add(Checkpoint(n, self._context.save_partial()))
        self._last_cost = time.perf_counter() - began
        self._saving += self._last_cost

    def _affordable(self) -> bool:
        return self._last_cost < _COSTLY or self._saving < _SHARE * self._working
