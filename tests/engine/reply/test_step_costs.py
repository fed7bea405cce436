"""How many write in one step, by what steps took."""

import random

from app.engine.reply.step_costs import StepCosts

# Milliseconds of steps of one to eight sequences on one thread: two at once take longer than twice one.
F16 = {1: 19.0, 2: 46.9, 3: 74.0, 4: 59.7, 5: 88.0, 6: 98.0, 7: 99.0, 8: 100.0}
EVEN = {size: 8.0 * size for size in range(1, 9)}


def steps(costs: StepCosts, takes: dict[int, float], n: int, number: int, noise: random.Random) -> list[int]:
    """The sizes of so many steps, each of which takes up to an eighth longer than it should, and now and then more."""
    sizes = []
    for _ in range(number):
        size = costs.cheapest(n)
        sizes.append(size)
        late = 2.0 if noise.random() < 0.1 else noise.random() / 8
        costs.add(size, takes[size] * (1 + late))
    return sizes


def test_two_take_turns_and_four_and_eight_write_together_where_that_is_cheaper() -> None:
    for n, best in ((2, 1), (3, 1), (4, 4), (5, 4), (8, 8)):
        sizes = steps(StepCosts(), F16, n, 120, random.Random(n))
        assert sizes.count(best) > 0.75 * len(sizes), (n, sizes)


def test_little_is_tried_of_what_gains_nothing() -> None:
    """All write together where it makes no difference, however much what is timed varies."""
    for n in (2, 4, 8):
        sizes = [size for seed in range(20) for size in steps(StepCosts(), EVEN, n, 120, random.Random(seed))]
        assert sizes.count(n) > 0.75 * len(sizes), n


def test_a_tenth_is_worth_taking_turns() -> None:
    """As with 1,000 M in Q8_0: 61 ms for one, 135 for two."""
    q8 = {1: 61.0, 2: 135.0}
    sizes = [size for seed in range(20) for size in steps(StepCosts(), q8, 2, 120, random.Random(seed))]
    assert sizes.count(1) > 0.85 * len(sizes)


def test_a_size_is_tried_again_after_a_while() -> None:
    costs = StepCosts()
    assert steps(costs, F16, 2, 40, random.Random(1))[-1] == 1
    deeper = {1: 60.0, 2: 80.0}
    assert 2 in steps(costs, deeper, 2, 200, random.Random(2))[100:]
    assert steps(costs, deeper, 2, 100, random.Random(3)).count(2) > 75


def test_another_context_is_measured_anew() -> None:
    costs = StepCosts()
    assert steps(costs, F16, 2, 40, random.Random(1))[-1] == 1
    costs.clear()
    assert steps(costs, EVEN, 2, 40, random.Random(1))[-1] == 2
