"""The memory of a context and the record of its entries, kept true to each other, whatever goes wrong."""

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from app.core.errors import ContextFullError
from app.engine.binding.context import Context, DecodeFailedError, DecodeOutcome
from app.engine.binding.mtmd_chunks import MediaChunk
from app.engine.binding.mtmd_context import MtmdContext
from app.engine.binding.sequence_memory import State
from app.engine.memory.checkpoints import Checkpoint, Checkpoints
from app.engine.memory.companion import Companion
from app.engine.memory.reuse import MemoryTraits
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_COSTLY = 0.005
_SHARE = 0.05
"""A regular checkpoint that takes longer than `_COSTLY` seconds is taken only while all of them together take less
than this share of the time spent on reading."""


class Memory:
    """Owns a context, the record of its entries, and its checkpoints. Grows by batches, and shrinks from its end."""

    def __init__(
        self,
        context: Context,
        traits: MemoryTraits,
        checkpoints: Checkpoints,
        block: int = 0,
        companion: Companion | None = None,
    ) -> None:
        """`block`: prompts are read in batches that end at its multiples and at media; 0 where it doesn't matter.

        `companion` is told what the memory holds.
        """
        self._context = context
        self.block = block
        self._read = 0
        """Entries at the beginning that were evaluated in such batches, as a cold start would."""
        self._begun = -1
        """Where the batch ended that followed them, before a medium."""
        self._entries = PromptTokens()
        self._row = -1
        """Of the last batch: whose logits are those after the last entry."""
        self.companion = companion
        self._working = self._saving = 0.0
        self._costs: deque[float] = deque(maxlen=3)
        """Seconds that the last checkpoints took."""
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

    @property
    def row(self) -> int:
        """Of the last batch: whose logits are those after the last entry, with -1 for the last one of all."""
        return self._row

    def logits(self) -> NDArray[np.float32]:
        """Logits after the entry that was evaluated last, float32 of shape (n_vocab,); a copy."""
        return self._context.logits(self._row)

    @property
    def position(self) -> int:
        """Of the entry that comes next."""
        return self._entries.position

    def ids(self) -> list[int]:
        """Of the entries that are held; those of media are negative."""
        return list(self._entries)

    @property
    def worked(self) -> float:
        """Seconds that was evaluated for prompts."""
        return self._working

    def evaluate(self, tokens: list[int], *, waits: bool = False) -> bool:
        """Decode a batch and record it; False when it was aborted. With `waits` it is done when this returns, not only
        begun. Raises ContextFullError, with nothing changed, where there is no room for it, and what decoding raises,
        with all forgotten.
        """
        began = time.perf_counter()
        outcome = self._decoded(lambda: self._context.decode(tokens, self._entries.position))
        if waits:
            self._context.synchronize()
        self._working += time.perf_counter() - began
        return self._record(outcome, tokens)

    def evaluate_one(self, token: int) -> bool:
        """`evaluate` for the token that was just sampled, without the cost of a batch."""
        return self._record(self._decoded(lambda: self._context.decode_one(token, self._entries.position)), [token])

    def evaluate_with(self, others: Sequence[tuple["Memory", list[int]]]) -> bool:
        """`evaluate` for each of these memories, which have sequences of one context and no companions, in one batch:
        the logits of each are at its `row`. False where there is no room for all; nothing has changed then.
        """
        each, began = [(memory.context, tokens, memory.position) for memory, tokens in others], time.perf_counter()
        try:
            outcome = self._context.decode_each(each)
            if outcome is DecodeOutcome.ABORTED:
                raise DecodeFailedError("a batch of several sequences was stopped, and may have left all of them wrong")
        except Exception:
            for memory, _ in others:
                memory.forget()
            raise
        if outcome is DecodeOutcome.FULL:
            return False
        row, n = -1, sum(len(tokens) for _, tokens in others)
        if n > len(others):
            self._context.synchronize()
        seconds = (time.perf_counter() - began) / n
        for memory, tokens in others:
            row += len(tokens)
            if n > len(others):
                memory._working += seconds * len(tokens)
            memory._record(outcome, tokens, row)
        return True

    def evaluate_rows(self, tokens: list[int]) -> NDArray[np.float32] | None:
        """`evaluate` for up to `context.n_rows` tokens; the logits after each, float32 of shape (len(tokens), n_vocab).

        None when it was aborted.
        """
        outcome = self._decoded(lambda: self._context.decode_rows(tokens, self._entries.position))
        return self._context.rows(len(tokens)) if self._record(outcome, tokens) else None

    def evaluate_draft(self, tokens: list[int], first: int, before: State | None = None) -> bool:
        """`evaluate` with logits after each token from the `first` on; what is wrong of it is taken back then.

        False when it was aborted: nothing of it stays. `before` is as for `take_back`.
        """
        held = len(self)
        outcome = self._decoded(lambda: self._context.decode_rows(tokens, self._entries.position, first))
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

    def evaluate_media(
        self, mtmd: MtmdContext, chunk: MediaChunk, embedding: NDArray[np.float32], *, last: bool
    ) -> bool:
        """`evaluate` for a medium's group; `last`: its logits are what comes next.

        `embedding` is float32 of shape (chunk.n_tokens, mtmd.n_embd).
        """
        began = time.perf_counter()
        place = self._entries.position
        try:
            outcome = self._decoded(lambda: mtmd.decode(self._context, chunk, embedding, place, last=last))
        except ContextFullError:
            self._after_abort([])  # there may have been room for a part of it
            raise
        self._working += time.perf_counter() - began
        self._row = -1
        if outcome is DecodeOutcome.DONE:
            start = len(self)
            self._entries.append_media(chunk)
            self._grown(start, media=True)
            return True
        self._after_abort([])
        return False

    def mark(self, *, matters: bool) -> None:
        """Take a checkpoint here if this memory needs one and it is worth its room.

        `matters`: a place that prompts return to, such as the start of a message.
        """
        n = len(self)
        if not self.traits.needs_checkpoints or (self.block and n != self._read):
            return
        if not (self.checkpoints.lacks(n) if matters else self.checkpoints.wants(n) and self._affordable()):
            return
        began = time.perf_counter()
        extra = self.companion.save(n, n) if self.companion is not None else b""
        data = self._context.save_partial()
        self._costs.append(time.perf_counter() - began)
        self._saving += self._costs[-1]
        if data:
            self.checkpoints.add(Checkpoint(n, data, extra))
        else:
            _log.warning("There is no checkpoint at entry %d: what follows the last one is read anew if need be.", n)

    def forget(self) -> None:
        """Empty the memory."""
        self._context.clear()
        self._cut(0)
        self.checkpoints.clear()
        if self.companion is not None:
            self.companion.reset()

    def _bring_to(self, keep: int, before: State | None) -> bool:
        entries = self._entries
        if before is not None:
            done = self._context.restore_partial(before, entries.newest_positions(keep))
        else:
            done = self._context.remove_from(entries.position_at(keep))
        if done:
            self._cut(keep)
        return done

    def _cut(self, n: int) -> None:
        """Let the record end after `n` entries."""
        self._entries.truncate(n)
        if self.block and n < max(self._read, self._begun):
            self._read, self._begun = self._entries.block_end(min(self._read, n), self.block), -1

    def _grown(self, start: int, *, media: bool = False) -> None:
        """A batch was evaluated from entry `start` on."""
        end = len(self)
        if media and start in (self._read, self._begun):
            self._read = end
        elif self.block and start == self._read and end - start <= self.block:
            if end % self.block:
                self._begun = end
            else:
                self._read = end

    def _put_back(self, kept: Checkpoint) -> bool:
        if not self._context.restore_partial(kept.data, self._entries.newest_positions(kept.n)):
            return False
        if self.companion is not None:
            self.companion.restore(kept.n, kept.extra)
        return True

    def _decoded(self, decode: Callable[[], DecodeOutcome]) -> DecodeOutcome:
        """Done, or aborted."""
        try:
            outcome = decode()
        except Exception:
            self.forget()
            raise
        if outcome is DecodeOutcome.FULL:
            raise ContextFullError("There is no room for this in the context. Ask again when other answers have ended.")
        return outcome

    def _record(self, outcome: DecodeOutcome, tokens: list[int], row: int = -1) -> bool:
        self._row = row
        if outcome is DecodeOutcome.DONE:
            if self.companion is not None:
                self.companion.process(tokens, self._entries)
            start = len(self)
            self._entries.extend(tokens)
            self._grown(start)
            return True
        self._after_abort(tokens)
        return False

    def _after_abort(self, tokens: list[int]) -> None:
        """Make the record true again after llama.cpp stopped inside a batch of `tokens`, or (none) inside a medium.

        Attention memories keep whole micro-batches, and pos_max tells how many; of a medium all are taken out again,
        and a sliding window may have let go of what stood before it. Recurrent parts are half updated, while pos_max
        pretends otherwise. Only a checkpoint brings these back.
        """
        before = len(self)
        if not self._keeps_what_is_whole(tokens):
            newest = self.checkpoints.newest(before)
            if newest is not None and self._put_back(newest):
                self._cut(newest.n)
                self.checkpoints.drop_after(newest.n)
            else:
                self.forget()
        if self.companion is not None:
            self.companion.trim(min(before, len(self)))

    def _keeps_what_is_whole(self, tokens: list[int]) -> bool:
        entries, context = self._entries, self._context
        if not self.traits.trims or context.pos_max < entries.newest_positions(len(self)).start:
            return False
        if tokens:
            entries.extend(tokens[: max(0, context.pos_max + 1 - entries.position)])
            return True
        return context.remove_from(entries.position) and self.traits.reaches_back(entries.position, context.pos_min)

    def _affordable(self) -> bool:
        # The least of a few: a busy machine may stop anything for a while.
        known = len(self._costs) == self._costs.maxlen
        return not known or min(self._costs) < _COSTLY or self._saving < _SHARE * self._working
