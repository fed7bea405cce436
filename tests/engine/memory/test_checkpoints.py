"""Which checkpoints are kept: within the limits always, and the useful ones first."""

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.core.checkpointing import Checkpointing
from app.engine.memory.checkpoints import Checkpoint, Checkpoints

MIB = 1 << 20
LARGE, FEW = bytes(64 << 10), {"budget": 1}
"""A state of which no more are kept within that budget than the number says, if that is 4 to 16."""


def store(size: int = 0, **limits: int) -> Checkpoints:
    return Checkpoints(Checkpointing(**{"min_prompt": 0, "min_step": 0, **limits}), size)


def test_small_ones_are_more_and_nearer_and_large_ones_as_many_as_asked_for() -> None:
    """What binds is memory: beyond the number they take a quarter of the budget at the most."""
    asked = Checkpointing()
    sizes = (100_000, MIB, 3 * MIB, 8 * MIB, 20 * MIB, 50 * MIB, 116 * MIB, 2000 * MIB)
    assert [asked.most(size) for size in sizes] == [256, 256, 85, 32, 32, 20, 8, 0]
    assert [store(size, min_step=64).every for size in sizes] == [32, 32, 64, 128, 128, 128, 128, 128]
    assert asked.most(20 * MIB, sharing=4) == 12
    assert Checkpointing(ctx_checkpoints=0).most(1) == 0
    assert store(ctx_checkpoints=0, size=1).every == asked.every
    assert store().every == asked.every, "how large they will be is not known"
    assert [store(1, every=each).every for each in (0, 16, 64)] == [0, 16, 32], "never nearer than pays"


def test_what_small_ones_take_is_bounded_by_the_quarter() -> None:
    kept = store(size=3 * MIB)
    for n in range(10, 3000, 10):
        kept.add(Checkpoint(n, bytes(3 * MIB)))
    assert len(kept.entries) == 85
    assert kept.n_bytes <= 256 * MIB
    kept.add(Checkpoint(3000, bytes(30 * MIB)))
    assert len(kept.entries) == 32, "one that is large tells that they were not small"
    kept.take(Checkpointing(ctx_checkpoints=9))
    assert len(kept.to_keep_aside()) == 9


def test_aside_no_more_are_kept_than_asked_for_and_the_useful_ones() -> None:
    kept = store(size=10, ctx_checkpoints=8)
    kept.begin_prompt(range(50, 3000, 100))
    for n in range(50, 3000, 50):
        kept.add(Checkpoint(n, b"x"))
    assert len(kept.entries) == 59
    aside = [each.n for each in kept.to_keep_aside()]
    assert len(aside) == 8
    assert (aside[0], aside[-1]) == (50, kept.entries[-1])
    assert kept.places.issuperset(aside[:-2])
    assert len(kept.entries) == 59


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(1, 3)), max_size=30), st.integers(1, 6), st.integers(0, 8))
def test_the_limits_always_hold(added: list[tuple[int, int]], number: int, budget: int) -> None:
    kept = store(ctx_checkpoints=number, budget=budget)
    for n, size in added:
        kept.add(Checkpoint(n, bytes(size * MIB)))
        assert len(kept.entries) <= number or kept.n_bytes <= budget * MIB // 4
        assert len(kept.entries) <= number * 8
        assert kept.n_bytes <= budget * MIB
        assert list(kept.entries) == sorted(set(kept.entries))


@given(st.lists(st.integers(1, 500), min_size=1, unique=True), st.integers(0, 500))
def test_the_newest_that_fits_is_found(places: list[int], n: int) -> None:
    kept = store(ctx_checkpoints=1000)
    for place in places:
        kept.add(Checkpoint(place, b"x"))
    found = kept.newest(n)
    wanted = max((place for place in places if place <= n), default=None)
    assert (found.n if found else None) == wanted
    assert (kept.at(n) is not None) == (n in places)


def test_the_newest_stays_and_the_rest_thin_out_towards_the_beginning() -> None:
    kept = store(ctx_checkpoints=8, **FEW)
    for n in range(100, 5001, 100):
        kept.add(Checkpoint(n, LARGE))
        assert kept.entries[-1] == n
    gaps = [after - before for before, after in pairwise(kept.entries)]
    assert gaps[0] > gaps[-1], "finer where changes are likelier"
    assert kept.entries[0] <= 2000, "an early edit does not mean the very beginning"


def test_a_place_is_wanted_for_its_distance_or_because_it_matters() -> None:
    kept = store(ctx_checkpoints=9, min_step=50, min_prompt=20)
    assert not kept.wants(10)
    assert not kept.lacks(10)
    kept.add(Checkpoint(100, b"x"))
    assert not kept.wants(120)
    assert kept.lacks(120)
    assert not kept.lacks(100)
    assert kept.wants(150)
    assert not store(ctx_checkpoints=0).lacks(100)


def test_what_messages_begin_at_outlasts_other_places_and_the_first_stays() -> None:
    kept = store(ctx_checkpoints=8, **FEW)
    kept.begin_prompt(range(50, 3000, 100))
    for n in range(50, 3000, 50):
        kept.add(Checkpoint(n, LARGE))
    assert kept.entries[0] == 50
    *older, _, _ = kept.entries
    assert kept.places.issuperset(older)


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=300, unique=True), st.integers(1, 40))
def test_batches_are_cut_for_about_as_many_places_as_can_be_kept(places: list[int], number: int) -> None:
    places.sort()
    chosen = store(ctx_checkpoints=number).worth_marking(places, places[-1] + 10)
    assert set(chosen) <= set(places)
    assert list(chosen) == sorted(chosen)
    assert {places[0], *places[-2:]} <= set(chosen)
    assert len(chosen) <= number + 3
    gaps = [after - before for before, after in pairwise(chosen[1:])]
    assert sum(gaps[: len(gaps) // 2]) >= sum(gaps[len(gaps) // 2 :]) or len(places) < 50


def test_what_lies_beyond_a_trim_is_dropped() -> None:
    kept = store(ctx_checkpoints=9)
    for n in (10, 20, 30):
        kept.add(Checkpoint(n, b"x"))
    kept.drop_after(20)
    assert kept.entries == (10, 20)
    kept.add(Checkpoint(20, b"yy"))
    assert kept.n_bytes == 3
    kept.clear()
    assert not kept.entries


def test_batches_are_cut_for_more_places_where_more_are_kept() -> None:
    places = range(20, 6000, 29)
    few, many = (store(size, min_step=64).worth_marking(places, 6010) for size in (20 * MIB, 100_000))
    assert len(few) <= 35
    assert len(many) > 60
    assert min(after - before for before, after in pairwise(many[1:-4])) >= 64, "no batch is shorter for it"


def test_what_is_kept_of_a_long_talk_makes_few_entries_be_read_again() -> None:
    """Of 200 messages that came one after the other, 150 entries each in the mean: to go back to any, and to the last.
    Uniform lengths would show what is kept of them by chance.
    """
    of_any, of_last = 0.0, 0.0
    for seed in range(5):
        lengths, kept = random.Random(seed), Checkpoints(Checkpointing(budget=16))
        starts = [100]
        for _ in range(200):
            size = 12 + int(lengths.expovariate(1 / 138))
            kept.begin_prompt(starts)
            for n in (starts[-1], starts[-1] + size * 2 // 3 - 4, starts[-1] + size * 2 // 3 - 1):
                kept.add(Checkpoint(n, bytes(256 << 10)))
            starts.append(starts[-1] + size)
        places = [(start, kept.newest(start)) for start in starts[:-1]]
        again = [start - place.n for start, place in places if place is not None]
        of_any, of_last = of_any + sum(again) / 1000, of_last + sum(again[-10:]) / 50
    assert of_any < 560
    assert of_last < 80
