"""Drafts that are compared with what was written without them."""

import pytest

from app.core.speculation import DrafterKind
from app.engine.drafting.controller import Option
from app.engine.drafting.watch import Watch
from tests.engine.drafting.always import Always

OPTION = Option(DrafterKind.NGRAM, 5, 16)


class Pupil(Always):
    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def learned(self, option: Option, n_accepted: int, n_drafted: int) -> None:
        assert option is OPTION
        self.told.append((n_accepted, n_drafted))


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
