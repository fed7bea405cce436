"""How much is read at a time while others write: as much as they hardly feel."""

from collections.abc import Callable

import pytest

from app.engine.reply.slice_size import GAP, LEAST, SHORTEST, TILE, WAIT, SliceSize


def sizes(took: Callable[[int], float], n: int = 40, per_second: float = 200, writing: float = 0.0) -> list[int]:
    """Those of the slices that are read one after the other, where one of so many entries takes that long, and so does
    a token for each of those who write.
    """
    size, read = SliceSize(per_second, 512), []
    for _ in range(n):
        read.append(int(size))
        size.add(int(size), took(int(size)), writing)
    return read


TOOK = pytest.mark.parametrize(
    "took",
    [
        pytest.param(lambda n: 0.0145 * n, id="each takes as long as the one before"),
        pytest.param(lambda n: 0.030 + 0.0055 * n, id="eight take twice as long each as many do"),
        pytest.param(lambda n: 0.1 + 0.0001 * n, id="many cost next to nothing more"),
        pytest.param(lambda n: 0.012 * n if n < 12 else 0.0145 * n, id="more cost more each"),
    ],
)


@TOOK
def test_no_slice_takes_much_longer_than_it_may(took: Callable[[int], float]) -> None:
    read = sizes(took)
    assert max(map(took, read)) <= 1.2 * GAP
    settled = read[20:]
    # Nor does it stay small where there is room.
    assert min(settled) == SHORTEST or min(map(took, settled)) > 0.5 * GAP


@TOOK
@pytest.mark.parametrize("writing", [0.02, 0.05, 0.07, 0.1, 0.13])
def test_nobody_waits_much_longer_than_a_fifth_of_a_second(took: Callable[[int], float], writing: float) -> None:
    """For a slice, and for those who write to get a token each. What can be made shorter is."""
    read = sizes(took, writing=writing)
    allowed = max(WAIT - writing, LEAST)
    assert all(took(n) + writing <= 0.24 or n == SHORTEST for n in read[1:])
    too_long = [n for n in read[8:] if took(n) > allowed and n != SHORTEST]
    assert len(too_long) <= 1, "what took too long is not tried again soon"


def test_what_took_too_long_is_tried_again_where_there_is_more_time() -> None:
    size = SliceSize(200, 512)
    for writing in (0.1, 0.1, 0.0, 0.0, 0.0, 0.0):
        size.add(int(size), int(size) * 0.008, writing)
    assert int(size) * 0.008 > 0.5 * GAP


def test_a_fast_machine_reads_whole_micro_batches() -> None:
    assert sizes(lambda n: 0.0001 * n)[-1] == 512


def test_the_first_slice_is_reckoned_by_less_than_half_the_pace_of_whole_prompts() -> None:
    assert sizes(lambda n: 1.0, 1, per_second=400) == [24]
    assert sizes(lambda n: 1.0, 1, per_second=10) == [SHORTEST]
    assert sizes(lambda n: 1.0, 1, per_second=2200) == [2 * TILE]


def test_it_follows_a_context_that_gets_slower() -> None:
    size = SliceSize(200, 512)
    took = [0.0]
    for depth in range(200):
        n = int(size)
        took.append(n * 0.004 * (1 + depth / 100))
        size.add(n, took[-1])
    assert max(took) <= 1.2 * GAP


def test_it_is_smaller_where_those_who_write_are_slow() -> None:
    size = SliceSize(2000, 512)
    for _ in range(20):
        size.add(int(size), int(size) * 0.001, 0.15)
    assert 0.5 * 0.1 < int(size) * 0.001 <= 0.1


def test_what_was_cut_short_says_nothing_of_what_may_grow() -> None:
    size = SliceSize(200, 512)
    before = int(size)
    size.add(before - 4, 0.001)
    assert int(size) == before
