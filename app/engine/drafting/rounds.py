"""The steps in which an answer is evaluated: single tokens, or rounds that check a draft."""

from collections import Counter
from collections.abc import Generator
from typing import Protocol

from app.core.speculation import DrafterKind, DraftFigures, Rollback
from app.engine.binding.context import DecodeFailedError
from app.engine.binding.sequence_memory import State
from app.engine.drafting.controller import Option, Round
from app.engine.drafting.drafter import Drafter
from app.engine.drafting.drafting import Drafting
from app.engine.memory.slot import Slot
from app.engine.memory.turns import OWN, TokenTurn, Turn

Evaluating = Generator[Turn, int, bool]


class Steps(Protocol):
    """Evaluates what was drawn, and perhaps guesses that may follow it, until the draw disagrees.

    After `evaluate` the last `1 + len(draft)` rows of logits are those after the drawn token and after each of the
    draft. `settle` follows before anything else happens to the slot, and before anybody else gets to run.
    """

    @property
    def draft(self) -> list[int]:
        """What was evaluated beyond the token that was drawn."""

    @property
    def n_past(self) -> int:
        """Entries up to the token that was drawn, with it."""

    def evaluate(self, token: int, left: int) -> Evaluating:
        """`token` was drawn, and at most `left` more will be. False when it was aborted: the answer ends."""

    def settle(self, n_accepted: int) -> None:
        """Of the draft the first `n_accepted` tokens were drawn, and no others."""

    def figures(self) -> DraftFigures: ...


class PlainSteps:
    """One token at a time."""

    def __init__(self, slot: Slot, why: str) -> None:
        """`why`: a sentence, why nothing is drafted."""
        self._slot = slot
        self._why = why
        self._every = slot.checkpoints.every
        self.draft: list[int] = []

    @property
    def n_past(self) -> int:
        return len(self._slot)

    def evaluate(self, token: int, left: int) -> Evaluating:
        slot = self._slot
        if not (yield TokenTurn(slot, token)):
            return False
        if self._every and len(slot) % self._every == 0:
            slot.mark(matters=False)
        return True

    def settle(self, n_accepted: int) -> None:
        pass

    def figures(self) -> DraftFigures:
        return DraftFigures(off=self._why)


class DraftedSteps:
    """Drafts where that promises to be faster.

    `history` is what the answer follows. The memory may hold less of it: one that can't go back is put back to where it
    was before a draft that was wrong, and evaluates what was right together with the next one.
    """

    def __init__(self, slot: Slot, drafting: Drafting) -> None:
        self._slot = slot
        self._drafting = drafting
        self._clock = drafting.clock
        self._history = slot.ids()
        self._before: State | None = None
        """The memory's state at its end, where drafts can only be let go of by putting it back."""
        self._drafter: Drafter | None = None
        self._option: Option | None = None
        self.draft: list[int] = []
        self._size = self._largest = 0
        self._began = self._draft_seconds = self._seconds = 0.0
        self._rest, self._resting = 0, False
        """For how many tokens nothing is asked, and whether the last one was one of them."""
        self._rested, self._rested_seconds = 0, 0.0
        self._steps = self._rounds = self._accepted = 0
        self._drafted: Counter[DrafterKind] = Counter()
        every = slot.checkpoints.every
        self._every, self._marked = every, len(slot) // every if every else 0
        drafting.begin(self._history)

    @property
    def n_past(self) -> int:
        return len(self._history)

    def evaluate(self, token: int, left: int) -> Evaluating:
        self._began = self._clock()
        history, slot = self._history, self._slot
        if slot.companion is None and len(history) == len(slot):
            return (yield from self._beside_others(token))
        self._resting = self._rest > 0
        if self._resting:
            # As quick as can be: most tokens come by here where no draft pays.
            self._rest -= 1
            history.append(token)
            return bool((yield TokenTurn(slot, token)))
        yield OWN
        self._wake()
        if not self._caught_up():
            return False
        pending = history[len(slot) :]
        self._choose(token, left, len(pending))
        self._draft_seconds = self._clock() - self._began
        if self._option is None:
            self._rest = self._drafting.rest
        history.append(token)
        self._size = len(pending) + 1 + len(self.draft)
        if self._size == 1:
            self._before = None
            return slot.evaluate_one(token)
        if not self.draft:
            self._before = None
            return slot.evaluate([*pending, token])
        if not self._takes_back(len(self.draft)):
            self._before = self._before or slot.context.save_partial()
        return slot.evaluate_draft([*pending, token, *self.draft], len(pending), self._before)

    def _caught_up(self) -> bool:
        """Evaluate what is pending, where that is too much to go with the next batch."""
        slot = self._slot
        room = min(slot.context.n_ubatch, self._drafting.cap(self.n_past) or slot.context.n_ubatch)
        while len(self._history) - len(slot) >= room:
            self._before = None
            part = self._history[len(slot) : len(slot) + room]
            if min(part) < 0:
                raise DecodeFailedError("a picture is no longer in the memory")
            if not slot.evaluate(part):
                return False
        return True

    def _beside_others(self, token: int) -> Evaluating:
        """Drafts end where somebody else begins to write in the same context: what a step costs then says nothing of
        drafts, and these would have to gain more than sharing a batch does.
        """
        self._wake()
        self._size, self._resting, self.draft = 0, False, []
        self._history.append(token)
        done = bool((yield TokenTurn(self._slot, token)))
        if done:
            self._mark()
        return done

    def _takes_back(self, n: int) -> bool:
        """Whether the memory can let go of the last `n` entries of a batch by itself."""
        rollback = self._drafting.info.rollback
        return rollback is Rollback.TRIM or (rollback is Rollback.SNAPSHOT and n <= self._slot.context.n_rs_seq)

    def _choose(self, token: int, left: int, pending: int) -> None:
        context = self._slot.context
        room = min(
            context.n_ctx - self.n_past - 1,
            left - 1,
            context.n_rows - 1,
            (self._drafting.cap(self.n_past) or context.n_ubatch) - pending - 1,
            context.n_ubatch - pending - 1,
        )
        self._drafter, self._option, self.draft = None, None, []
        if self._slot.companion is None:
            room = 0
        chosen = self._drafting.choose(self._history, token, room, pending)
        if chosen is not None:
            self._drafter, self._option, self.draft = chosen

    def settle(self, n_accepted: int) -> None:
        if not self._size:
            return  # of the prompt
        slot, drafted = self._slot, len(self.draft)
        if self._resting:
            self._rested += 1
            self._rested_seconds += self._clock() - self._began
            if self._every:
                self._mark()
            return
        wrong = drafted - n_accepted
        if wrong and not self._takes_back(wrong):
            slot.take_back(self._size, self._before)
        else:
            self._before = None
            if wrong:
                slot.take_back(wrong)
        self._history += self.draft[:n_accepted]
        if self._drafter is not None and drafted:
            self._drafting.accept(self._drafter, drafted, n_accepted, len(slot))
        self._count(n_accepted)
        self._mark()

    def _wake(self) -> None:
        """Tell the policy of the tokens for which it was not asked."""
        if self._rested:
            self._steps += self._rested
            self._seconds += self._rested_seconds
            self._drafting.policy.saw(Round(None, 0, 0, 1, 0.0, self._rested_seconds, times=self._rested))
            self._rested, self._rested_seconds = 0, 0.0

    def _mark(self) -> None:
        slot = self._slot
        if self._every and len(slot) // self._every > self._marked:
            slot.mark(matters=False)
            self._marked = len(slot) // self._every

    def _count(self, n_accepted: int) -> None:
        seconds, drafted = self._clock() - self._began, len(self.draft)
        self._seconds += seconds
        self._steps += 1
        reading = self._drafting.prepared
        draft_seconds, seconds = self._draft_seconds - reading, seconds - reading
        if self._option is None:
            seconds, draft_seconds = seconds - draft_seconds, 0.0
        elif drafted:
            self._rounds += 1
            self._largest = max(self._largest, self._size)
            self._drafted[self._option.kind] += drafted
            self._accepted += n_accepted
        done = Round(self._option, drafted, n_accepted, self._size, draft_seconds, seconds, reading)
        self._drafting.policy.saw(done)

    def figures(self) -> DraftFigures:
        self._wake()
        drafted = self._drafted.total()
        plain = self._drafting.policy.plain_seconds(self._steps + self._accepted)
        return DraftFigures(
            tuple(kind for kind, _ in self._drafted.most_common()),
            self._rounds,
            drafted,
            self._accepted,
            plain / self._seconds if plain and self._seconds and drafted else 1.0,
            "" if drafted else self._drafting.why_off(),
            self._drafting.settings.exact or self._drafting.info.identical(self._largest),
            self._drafting.stats(),
        )
