"""Drafts that are compared with what was written without them."""

import pytest

from app.core.speculation import DrafterKind
from app.engine.drafting.policy import Option
from app.engine.drafting.watch import Watch
from tests.engine.drafting.always import Always

OPTION = Option(DrafterKind.NGRAM, 5, 16)


class Pupil(Always):
    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []
        self.going_on: list[bool] = []

    def learned(self, option: Option, n_accepted: int, n_drafted: int, *, goes_on: bool = False) -> None:
        assert option is OPTION
        self.told.append((n_accepted, n_drafted))
        self.going_on.append(goes_on)


@pytest.mark.parametrize(
    ("draft", "told"), [([4, 5, 6], (3, 3)), ([4, 5, 9], (2, 3)), ([9, 5, 6], (0, 3)), ([4], (1, 1))]
)
@pytest.mark.parametrize("step", [1, 2, 5])
def test_it_is_told_how_much_of_a_draft_was_right(draft: list[int], told: tuple[int, int], step: int) -> None:
    """Whether tokens come one by one or several at once."""
    text, pupil, watch = [1, 2, 3, 4, 5, 6, 7, 8], Pupil(), Watch()
    watch.open(OPTION, text[:2], draft)
    for n in range(3, len(text), step):
        watch.follow(text[:n], text[n], pupil)
    watch.follow(text[:-1], text[-1], pupil)
    assert pupil.told == [told]
    assert not watch.is_open


def test_nothing_is_told_before_it_is_clear() -> None:
    pupil, watch = Pupil(), Watch()
    watch.open(OPTION, [1, 2], [4, 5])
    watch.follow([1, 2], 3, pupil)
    watch.follow([1, 2, 3], 4, pupil)
    assert watch.is_open
    assert pupil.told == []


def test_an_empty_draft_is_not_watched() -> None:
    watch = Watch()
    watch.open(OPTION, [1, 2], [])
    assert not watch.is_open


def test_a_draft_that_begins_where_a_right_one_ended_goes_on() -> None:
    text, pupil, watch = [1, 2, 3, 4, 5, 6, 7, 8], Pupil(), Watch()
    for n, guess in enumerate([3, 4, 0, 6, 7], 1):
        watch.follow(text[:n], text[n], pupil)
        watch.open(OPTION, text[:n], [guess])
    watch.follow(text[:6], text[6], pupil)
    watch.open(OPTION, text[:7], [0])
    assert pupil.told == [(1, 1), (1, 1), (0, 1), (1, 1), (1, 1)]
    assert pupil.going_on == [False, True, True, False, True]
    watch.follow(text, 9, pupil)
    assert not pupil.going_on[-1], "a token was left out between them"
