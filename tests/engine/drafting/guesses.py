"""A drafter that knows the answer, and is wrong as often as it is told to be."""

import random
from collections.abc import Sequence

from app.core.speculation import DrafterKind, DraftingInfo, Speculation
from app.engine.drafting.drafter import Drafter
from app.engine.drafting.drafting import Drafting, rollback_of
from app.engine.reply.session import Session
from tests.engine.drafting.always import Always


class Guesser(Drafter):
    """Drafts up to `n_max` tokens of `truth`, which follows the prompt; in some of the drafts one token is wrong."""

    kind = DrafterKind.DRAFT_MODEL

    def __init__(self, truth: Sequence[int], *, seed: int = 0, wrong: float = 0.5, n_max: int = 8) -> None:
        super().__init__(n_max)
        self.drafted = self.accepted = self.rounds = 0
        self._truth = truth
        self._wrong = wrong
        self._random = random.Random(seed)
        self._began = 0

    def begin(self, history: Sequence[int]) -> None:
        self._began = len(history)

    def prospect(self, history: Sequence[int], last: int) -> int:
        return 1

    def draft(self, history: Sequence[int], last: int, n: int) -> list[int]:
        start = len(history) - self._began + 1
        size = min(n, self._random.randint(1, self.n_max))
        draft = list(self._truth[start : start + size])
        draft += [self._random.randrange(64) for _ in range(size - len(draft))]
        if self._random.random() < self._wrong:
            draft[self._random.randrange(size)] = self._random.randrange(64)
        self.rounds += 1
        self.drafted += size
        return draft

    def accept(self, n_accepted: int, n_past: int) -> None:
        self.accepted += n_accepted


def let_guess(session: Session, guesser: Guesser, *, exact: int = 1) -> Guesser:
    """From now on `guesser` drafts for `session`, whenever it can."""
    rollback = rollback_of(session.slot.context, session.slot.traits)
    info = DraftingInfo(Speculation(), (guesser.kind,), (), rollback, exact, exact)
    if session.drafting is not None:
        session.drafting.close()
    session.drafting = session.slot.companion = Drafting((guesser,), Always(), info)
    return guesser
