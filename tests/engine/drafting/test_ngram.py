"""Drafts from the history."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.drafting.ngram import NgramDrafter


def drafted(history: list[int], last: int, n: int = 16, drafter: NgramDrafter | None = None) -> list[int]:
    drafter = drafter or NgramDrafter(16)
    drafter.begin(history)
    return drafter.draft(history, last, n) if drafter.prospect(history, last) else []


def test_what_followed_the_same_tokens_is_guessed_to_follow_them_again() -> None:
    assert drafted([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2], 3, 4) == [4, 5, 6, 7]


def test_nothing_is_guessed_after_tokens_that_are_new() -> None:
    assert drafted([1, 2, 3, 4, 5, 6], 7) == []
    assert drafted([1, 2, 3, 4, 9, 2], 3) == [], "two equal tokens are too few"
    assert drafted([], 3) == []


def test_the_longest_match_wins_and_of_equal_ones_the_newest() -> None:
    long = [10, 11, 12, 13, 14, 1, 2, 3, 70]
    short = [1, 2, 3, 80]
    newer = [1, 2, 3, 90]
    assert drafted([*long, *short, *newer, 12, 13, 14, 1, 2], 3, 1) == [70]
    assert drafted([*short, *newer, 99, 1, 2], 3, 1) == [90]


def test_the_prospect_is_the_length_of_the_match() -> None:
    drafter = NgramDrafter(16)
    history = [*range(100, 120), 5, *range(100, 119)]
    drafter.begin(history)
    assert drafter.prospect(history, 119) == 8, "more tokens are not compared"
    fresh = NgramDrafter(16)
    assert fresh.prospect([*range(100, 110), 7, 103, 104, 105], 106) == 4


def test_a_loop_that_is_shorter_than_the_draft_goes_on() -> None:
    history = [9, 1, 2, 3, 1, 2, 3, 1, 2]
    assert drafted(history, 3, 4) == [1, 2, 3, 1]
    assert drafted([5, 5, 5, 5], 5, 4) == [5, 5, 5, 5]


def test_a_draft_is_as_long_as_it_is_asked_to_be() -> None:
    history = [*range(200), *range(100)]
    assert [len(drafted(history, 100, n)) for n in (1, 7, 16, 40)] == [1, 7, 16, 16]
    assert drafted(history, 100) == list(range(101, 117))


def test_the_cells_of_a_picture_are_neither_matched_nor_drafted() -> None:
    picture = [-7] * 5
    assert drafted([1, 2, 3, *picture, 4, 5, 1, 2], 3) == []
    assert drafted([1, 2, 3, 8, *picture, 4, 5, 1, 2], 3) == [8]
    assert drafted([*picture, 9, *picture[:2]], 3) == []


def _plainly(history: list[int], last: int) -> tuple[int, int]:
    """The end of the longest match and its length, newest first: by looking at all places."""
    text, best = [*history, last], (-1, 0)
    for end in range(len(history) - 1, -1, -1):
        length = 0
        while length < min(8, end + 1, len(text)) and text[end - length] == text[len(text) - 1 - length] >= 0:
            length += 1
        if length >= 3 and length > best[1]:
            best = end, length
    return best


@given(st.lists(st.integers(-1, 3), max_size=60), st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_the_index_finds_what_looking_everywhere_finds(history: list[int], written: list[int]) -> None:
    drafter = NgramDrafter(16)
    drafter.begin(history)
    text = list(history)
    for token in written:
        assert drafter.prospect(text, token) == _plainly(text, token)[1]
        text.append(token)


@pytest.mark.parametrize("seed", range(20))
def test_the_index_follows_the_history_back_and_forth(seed: int) -> None:
    rng = random.Random(seed)
    drafter = NgramDrafter(16)
    history: list[int] = []
    for _ in range(30):
        history = history[: rng.randint(0, len(history))] + [rng.randrange(3) for _ in range(rng.randint(0, 20))]
        last = rng.randrange(3)
        fresh = NgramDrafter(16)
        assert drafted(history, last, drafter=drafter) == drafted(history, last, drafter=fresh)
        assert drafter.prospect(history, last) == fresh.prospect(history, last)
