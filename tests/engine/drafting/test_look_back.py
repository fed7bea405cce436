"""What a drafter would have guessed, as it finds out when it reads what was written without it."""

from collections.abc import Sequence

import pytest

from app.core.speculation import DraftingInfo, Rollback, Speculation
from app.engine.drafting.drafting import Drafting
from app.engine.drafting.policy import OFF_RUN, ON_RUN, Option
from tests.engine.drafting.always import Always
from tests.engine.drafting.guesses import Guesser

HISTORY, LAST = [1, 2, 3, 4, 5], 6


class Seer(Guesser):
    def __init__(self, seen: Sequence[bool]) -> None:
        super().__init__([7] * 20, wrong=0.0)
        self._seen = seen

    def reveals(self) -> int:
        return len(self._seen)

    def foreseen(self) -> Sequence[bool]:
        return self._seen


class Pupil(Always):
    """Only watches, if it is told to."""

    def __init__(self, *, watching: bool) -> None:
        self.told: list[tuple[int, int, int, bool]] = []
        self.offered: list[Option] = []
        self._watching = watching

    def choose(self, options: Sequence[Option], pending: int, since: int = 1) -> tuple[Option, int] | None:
        self.offered += options
        return None if self._watching else super().choose(options, pending, since)

    def watches(self, options: Sequence[Option]) -> Sequence[tuple[Option, int]]:
        return [(options[0], 1)]

    def learned(self, option: Option, n_accepted: int, n_drafted: int, *, goes_on: bool = False) -> None:
        self.told.append((option.prospect, n_accepted, n_drafted, goes_on))


def drafting(seen: Sequence[bool], pupil: Pupil) -> Drafting:
    seer = Seer(seen)
    made = Drafting((seer,), pupil, DraftingInfo(Speculation(), (seer.kind,), (), Rollback.TRIM, 1, 1))
    made.begin(HISTORY)
    return made


@pytest.mark.parametrize("watching", [True, False])
def test_each_guess_is_told_by_what_the_one_before_was(watching: bool) -> None:
    pupil = Pupil(watching=watching)
    drafting([False, True, True, False, True], pupil).choose(HISTORY, LAST, 8, 0)
    assert pupil.told == [(OFF_RUN, 1, 1, False), (ON_RUN, 1, 1, True), (ON_RUN, 0, 1, True), (OFF_RUN, 1, 1, False)]
    assert pupil.offered[0].reveals == 5


@pytest.mark.parametrize(("seen", "prospect"), [([False, True], ON_RUN), ([True, False], OFF_RUN), ([], OFF_RUN)])
def test_a_draft_after_a_guess_that_would_have_been_right_is_on_a_run(seen: list[bool], prospect: int) -> None:
    chosen = drafting(seen, Pupil(watching=False)).choose(HISTORY, LAST, 8, 0)
    assert chosen is not None
    assert chosen[1].prospect == prospect
    pupil = Pupil(watching=True)
    watching = drafting(seen, pupil)
    watching.choose(HISTORY, LAST, 8, 0)
    watching.choose([*HISTORY, LAST], 7, 8, 0)
    watching.choose([*HISTORY, LAST, 7], 8, 8, 0)
    assert pupil.told[max(0, len(seen) - 1)][0] == prospect, "the draft that was watched"


def test_one_that_looks_back_begins_an_answer_on_a_run() -> None:
    class Patient(Seer):
        @property
        def looks_back(self) -> bool:
            return True

    pupil = Pupil(watching=True)
    made = Drafting((Patient([]),), pupil, DraftingInfo(Speculation(), (), (), Rollback.TRIM, 1, 1))
    for _ in range(2):
        made.begin(HISTORY)
        for n in range(3):
            made.choose([*HISTORY, LAST, 8, 9][: 5 + n], [LAST, 8, 9][n], 8, 0)
    assert [option.prospect for option in pupil.offered] == 2 * [ON_RUN, OFF_RUN, OFF_RUN]
    assert all(option.looks_back for option in pupil.offered)
