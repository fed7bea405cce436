"""Batches cover the prompt, never exceed a micro-batch, and end where a checkpoint is wanted."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.reply.batches import Mark, Marks, batch_ends, block_ends

marks = st.builds(Marks, st.lists(st.integers(0, 60), max_size=3).map(tuple), st.integers(0, 20))


@given(st.integers(0, 50), st.integers(1, 60), st.integers(1, 16), marks)
def test_batches_cover_all_and_end_at_every_mark(start: int, more: int, step: int, wanted: Marks) -> None:
    total = start + more
    ends = list(batch_ends(start, total, step, wanted))
    stops = [stop for stop, _ in ends]
    assert stops[-1] == total
    assert all(0 < after - before <= step for before, after in zip([start, *stops], stops, strict=False))
    for place in wanted.places:
        assert (place, Mark.PLACE) in ends or not start < place <= total
    regular = range(0, total + 1, wanted.every) if wanted.every else ()
    assert all(n in stops for n in regular if start < n <= total)
    for stop, mark in ends:
        assert (mark is Mark.PLACE) == (stop in wanted.places)
        assert (mark is Mark.REGULAR) == (bool(wanted.every) and stop not in wanted.places)


def test_no_multiple_beside_a_place() -> None:
    marks = Marks((90, 260), 128, 64)
    ends = [end for end, mark in batch_ends(0, 600, 1000, marks) if mark is not Mark.NONE]
    assert ends == [90, 260, 384, 512, 600]


def test_without_marks_the_batches_are_full() -> None:
    assert list(batch_ends(5, 30, 10, Marks())) == [(15, Mark.NONE), (25, Mark.NONE), (30, Mark.NONE)]


def test_a_long_stretch_begins_with_a_short_batch() -> None:
    """So that it is known early how long the reading takes."""
    assert [end for end, _ in batch_ends(10, 1100, 512, Marks())] == [74, 586, 1098, 1100]
    assert [end for end, _ in batch_ends(10, 522, 512, Marks())] == [522]
    assert [end for end, _ in batch_ends(0, 1100, 512, Marks((32,), 256))] == [32, 256, 512, 768, 1024, 1100]


@given(st.integers(0, 60), st.integers(1, 60), st.integers(1, 9), st.lists(st.integers(1, 60)), st.integers(0, 9))
def test_blocks_end_where_they_would_from_the_beginning(
    start: int, more: int, block: int, places: list[int], every: int
) -> None:
    """Whatever was kept, and wherever checkpoints are wanted."""
    total, marks = start + more, Marks(tuple(places), every)
    ends = [end for end, _ in block_ends(start, total, block, marks, None)]
    assert ends == [end for end in range(start + 1, total + 1) if end % block == 0 or end == total]
    assert [end for end, mark in block_ends(start, total, block, marks, None) if mark is Mark.PLACE] == [
        end for end in ends if end in places
    ]
    alone = [end for end, _ in block_ends(start, total, block, marks, total - 1)]
    assert set(alone) == {*ends, *([total - 1] if total - 1 > start else [])}
