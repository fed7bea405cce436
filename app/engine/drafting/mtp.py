"""Drafting with the multi-token-prediction head (MTP) that a model was trained with.

The head reads pairs: the token at position p with the hidden row that the target gave at p-1, and tells the token at
p+1. The rows come from the target's own batches. Pairs that have become certain are read by the head with the first
guess of a draft; or before it, where many have gathered; or when there is no room for more, if drafts are wanted. Each
further guess reads one pair more, with the head's own row in place of the target's. What is missing is zeros, as before
the first entry: it may cost a draft, never a word.
"""

import logging
from collections.abc import Sequence
from itertools import takewhile

from app.core.speculation import DrafterKind
from app.engine.binding import nextn
from app.engine.binding.context import Context, DecodeFailedError
from app.engine.binding.model import Model
from app.engine.binding.nextn import NextnContext
from app.engine.binding.sequence_memory import State
from app.engine.drafting.drafter import Drafter
from app.engine.drafting.hidden_rows import HiddenRows
from app.engine.drafting.mtp_state import MtpState
from app.engine.drafting.pair_reader import PairReader
from app.engine.drafting.shifts import Shifts
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_TOGETHER = 16
"""Pairs that are read with the one that is guessed from, at the most."""
_CAPACITY = 256
"""Pairs that may gather before the head reads them."""


class MtpDrafter(Drafter):
    """Owns the head's context, and the switch in the target's that makes it give hidden rows."""

    kind = DrafterKind.MTP

    def __init__(
        self,
        context: NextnContext,
        target: Context,
        *,
        n_max: int,
        heads: int = 1,
        allows_gaps: bool = False,
        has_window: bool = False,
        identity: bytes = b"",
        p_min: float = 0.0,
        model: Model | None = None,
    ) -> None:
        """`heads` is how many follow one upon the other, each for one token of a draft; 1 where one does for all.

        `allows_gaps`: see `Model.allows_gaps`. `has_window`: the head forgets what lies beyond a sliding window.
        `identity` says whose states `save` gives. `model`: the head's, where it is closed with the drafter.
        """
        super().__init__(n_max if heads == 1 else min(n_max, heads), p_min=p_min)
        self._context = context
        self._model = model
        self._target = target
        self._pairs = PairReader(context, heads, target.n_vocab)
        self._allows_gaps = allows_gaps
        self._has_window = has_window and not context.shares_memory
        self._identity = identity
        self._rows = HiddenRows(max(_CAPACITY, context.n_batch), context.width)
        self._shifts = Shifts()
        self._read = self._end = 0
        """Positions: of the next pair that the head wants, and behind the last entry that was told."""
        self._failed = False
        nextn.give_rows(target, wanted=True)

    @property
    def head(self) -> Context | None:
        return self._context if self._model is None else None

    def close(self) -> None:
        nextn.give_rows(self._target, wanted=False)
        self._context.close()
        if self._model is not None:
            self._model.close()

    def process(self, tokens: Sequence[int], entries: PromptTokens) -> None:
        position = entries.position
        self._shifts.note(len(entries), position)
        if len(tokens) == 1 and self._read <= position == self._end < self._read + self._rows.capacity - 1:
            # Most often so, while an answer is written.
            self._rows.put_one(position, tokens[0], nextn.first_row(self._target))
            self._end = position + 1
            return
        rows = nextn.rows(self._target, len(tokens), self._context.width)
        if position > self._end:
            self._leap(position)
        else:
            self._compare(tokens, position)
        piece = self._rows.capacity // 2
        for start in range(0, len(tokens), piece):
            told, first = tokens[start : start + piece], position + start
            # One more must stay than is missing: the row before it.
            full = first + len(told) - self._read >= self._rows.capacity
            if full and not (self._keeps_up() and self._catch_up(first)):
                self._begin_at(first)
            self._rows.put(first, told, rows[start : start + piece])
        self._end = position + len(tokens)

    def prospect(self, history: Sequence[int], last: int) -> int:
        return 0 if self._failed else 1

    def behind(self) -> int:
        # What it lacks after a round is a part of drafting.
        lacks = 0 if self._context.shares_memory else self._end - self._read
        return lacks if lacks > self.n_max else 0

    def prepare(self, history: Sequence[int]) -> None:
        if self.behind() and self._follow(history):
            self._catch_up(self._end)

    def draft(self, history: Sequence[int], last: int, n: int) -> list[int]:
        n = min(n, self.n_max)
        if n < 1 or not self._follow(history):
            return []
        position = self._end
        # One batch costs less than two.
        together = min(_TOGETHER, self._context.n_batch - 1) if self._pairs.reads_on else 0
        if position - self._read > together and not self._catch_up(position):
            return []
        start = min(self._read, position)
        tokens, rows = [*self._rows.tokens(start, position), last], self._rows.rows_before(start, position + 1)
        try:
            guess = self._pairs.guess(tokens, rows, start, n, self.p_min)
        except DecodeFailedError:
            self._give_up()
            return []
        if guess.stays:
            self._read = position + 1
            self._rows.put_token(position, last)
        return guess.tokens

    def _follow(self, history: Sequence[int]) -> bool:
        """Forget what is not in the history. False where it is not all known, or the head failed."""
        position = self._shifts.position(len(history))
        if self._failed or position > self._end:
            return False
        self._end = position
        self._rows.cut(position)
        self._go_back(position)
        return True

    def trim(self, keep: int) -> int:
        position = self._shifts.position(keep)
        self._shifts.truncate(keep)
        if position < self._end:
            self._end = position
            self._rows.cut(position)
            self._go_back(position)
        if keep and not self._shifts.begins(keep) and self._rows.row(position - 1) is None:
            return keep - 1
        return keep

    def reset(self) -> None:
        self._failed = False
        self._shifts.truncate(0)
        self._rows.cut(0)
        self._begin_at(0)
        self._end = 0

    def save(self, n: int, start: int) -> bytes:
        position = self._shifts.position(n)
        row = self._rows.row(position - 1)
        state: State = b""
        if self._has_window or (start < n and not self._context.shares_memory):
            lacks = 0 if self._context.shares_memory else position - self._read
            # Checkpoints are taken in the middle of answers.
            worth = (start == n and lacks <= _TOGETHER) or self._keeps_up()
            if self._failed or position > self._end or not (worth and self._catch_up(position)):
                return b""
            self._go_back(position)
            state = self._saved(n, start)
        return MtpState(self._identity, n, start, self._shifts.pairs(n), row, state).to_bytes()

    def _saved(self, n: int, start: int) -> State:
        if start == n:
            return self._context.save_partial()
        return self._context.save_from(self._shifts.position(start)) if start else self._context.save()

    def restore(self, n: int, data: bytes) -> None:
        state = MtpState.from_bytes(data, self._identity, self._context.width)
        if state is None or state.n != n or not self._put_back(state):
            self.reset()

    def _put_back(self, state: MtpState) -> bool:
        """False when it does not fit what is known, or llama.cpp refuses it; all must be forgotten then."""
        start = 0
        if state.start:
            # What comes before it has stayed, so it is known already.
            start = self._shifts.position(state.start)
            if start > self._end or (state.data and not self._catch_up(start)):
                return False
            self._go_back(start)
            self._rows.cut(start)
        else:
            self.reset()
        if state.start == state.n:
            self._shifts.truncate(state.n)
        else:
            self._shifts = Shifts(state.shifts)
        self._end = self._shifts.position(state.n)
        if state.data:
            self._read = self._end
            if not self._filled(state, start):
                return False
        if state.row is not None:
            self._rows.put_row(self._end - 1, state.row)
        return True

    def _filled(self, state: MtpState, start: int) -> bool:
        newest = range(self._end)
        if state.start == state.n:
            return self._context.restore_partial(state.data, newest)
        if start:
            return self._context.restore_from(start, state.data, newest)
        return self._context.restore(state.data, newest)

    def _compare(self, tokens: Sequence[int], position: int) -> None:
        """Forget what `tokens`, which stand from `position` on, contradict."""
        again = range(position, min(self._end, position + len(tokens)) + 1)
        known = ((place, self._rows.token(place)) for place in again[: len(tokens)])
        right = takewhile(lambda each: each[1] in (None, tokens[each[0] - position]), known)
        end = position + sum(1 for _ in right)
        self._rows.cut(end)
        self._go_back(end)

    def _leap(self, position: int) -> None:
        """There are entries before `position` that have no rows here: a picture's, or what stood here before."""
        if self._allows_gaps and self._catch_up(self._end):
            self._read = position
        else:
            self._begin_at(position)

    def _begin_at(self, position: int) -> None:
        """The head knows nothing of what comes before `position`."""
        if not self._context.shares_memory:
            self._context.clear()
        self._read = position

    def _go_back(self, position: int) -> None:
        """The head must not hold pairs from `position` on."""
        if self._read > position:
            self._read = position
            if not self._context.shares_memory:
                self._context.remove_from(position)

    def _catch_up(self, stop: int) -> bool:
        """Let the head read the certain pairs up to position `stop`. False when it was cancelled, or failed."""
        if self._context.shares_memory:
            self._read = max(self._read, stop)
            return True
        try:
            while self._read < stop and not self._failed:
                end = min(stop, self._read + self._context.n_batch)
                tokens, rows = self._rows.tokens(self._read, end), self._rows.rows_before(self._read, end)
                if not self._pairs.read(tokens, rows, self._read):
                    return False
                self._read = end
        except DecodeFailedError:
            self._give_up()
        return not self._failed

    def _keeps_up(self) -> bool:
        """Whether it reads what no guess was asked of: one that is never wanted would take 2 % of the time."""
        return self._context.shares_memory or self.is_wanted()

    def _give_up(self) -> None:
        """Until all is read anew."""
        _log.warning("The multi-token-prediction head failed; nothing is drafted with it for now.")
        self._failed = True
