"""What drafts cost to make: the first token is dearer, and says little of those after it."""

import pytest

from app.engine.drafting.draft_time import DraftTime


def test_the_first_token_and_the_later_ones_are_told_apart() -> None:
    known = DraftTime(0.4)
    for _ in range(3):
        known.add(1, 0.4)
        known.add(3, 0.9)
    assert known.of(1) == pytest.approx(0.4)
    assert known.of(3) == pytest.approx(0.9)
    assert known.of(4) == pytest.approx(1.15)
    assert known.of(0) == 0


def test_later_tokens_are_not_reckoned_as_dear_as_the_first_before_they_were_measured() -> None:
    assert 0.4 < DraftTime(0.4).of(2) < 0.8
    assert 0.3 < DraftTime.of_row(0.2).of(2) < 2 * DraftTime.of_row(0.2).of(1)


def test_it_follows_what_is_measured() -> None:
    known = DraftTime(0.1, 0.1)
    for _ in range(60):
        known.add(1, 0.3)
        known.add(3, 0.7)
    assert known.first == pytest.approx(0.3, rel=0.05)
    assert known.of(3) == pytest.approx(0.7, rel=0.05)


def test_a_machine_that_was_busy_once_changes_little() -> None:
    known = DraftTime(0.1, 0.1)
    known.add(4, 10.0)
    assert known.of(4) < 0.47
    new = DraftTime(0.1)
    new.add(2, 10.0)
    assert new.of(2) <= 0.5


def test_a_clock_that_shows_nothing_breaks_nothing() -> None:
    known = DraftTime(0.0)
    known.add(1, 0.0)
    known.add(3, 0.0)
    known.add(3, 0.0)
    assert known.of(3) == 0
