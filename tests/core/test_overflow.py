"""Which turns stay when a conversation has outgrown its context."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.messages import Role
from app.core.overflow import Overflow, kept_messages

DROPPING = st.sampled_from([Overflow.DROP_OLDEST, Overflow.DROP_MIDDLE])
sizes = st.lists(st.integers(1, 30), min_size=1, max_size=24)


def conversation(n: int, *, system: bool) -> list[Role]:
    talk = [Role.USER if index % 2 == 0 else Role.ASSISTANT for index in range(n)]
    return [Role.SYSTEM, *talk] if system else talk


@pytest.mark.parametrize("policy", [Overflow.DROP_OLDEST, Overflow.DROP_MIDDLE])
def test_where_nobody_asks_anything_all_stays(policy: Overflow) -> None:
    assert kept_messages([Role.SYSTEM, Role.ASSISTANT], [30, 30], 40, policy) == (0, 1)


@given(sizes, st.booleans(), st.integers(1, 200), DROPPING)
def test_what_stays_fits_or_is_the_least_there_can_be(
    given_sizes: list[int], system: bool, room: int, policy: Overflow
) -> None:
    roles = conversation(len(given_sizes), system=system)
    all_sizes = [5, *given_sizes] if system else given_sizes
    kept = kept_messages(roles, all_sizes, room, policy)
    assert list(kept) == sorted(set(kept))
    last_turn = max(index for index, role in enumerate(roles) if role is Role.USER)
    assert set(range(last_turn, len(roles))) <= set(kept), "the last turn is never dropped"
    assert not system or 0 in kept
    dropped = set(range(len(roles))) - set(kept)
    assert all(index in dropped or roles[index + 1] is not Role.ASSISTANT or index + 1 in kept for index in kept[:-1])
    fixed = {0} if system else set()
    if policy is Overflow.DROP_MIDDLE:
        fixed |= {index for index in (int(system), int(system) + 1) if index < len(roles)}
    least = fixed | set(range(last_turn, len(roles)))
    assert sum(all_sizes[index] for index in kept) <= room or set(kept) == least


@given(sizes, st.integers(1, 200))
def test_the_policy_to_stop_keeps_everything(given_sizes: list[int], room: int) -> None:
    roles = conversation(len(given_sizes), system=False)
    assert kept_messages(roles, given_sizes, room, Overflow.STOP) == tuple(range(len(roles)))


def test_the_beginning_of_the_prompt_stays_the_same_for_many_turns() -> None:
    """A prompt whose beginning moves with every turn would have to be read again each time."""
    room, size = 200, 10
    firsts = []
    for n in range(1, 101, 2):
        kept = kept_messages(conversation(n, system=False), [size] * n, room, Overflow.DROP_OLDEST)
        firsts.append(kept[0])
    changes = sum(before != after for before, after in pairwise(firsts))
    assert changes <= 100 * size / (room // 2) + 1


def test_the_middle_goes_and_both_ends_stay() -> None:
    roles = conversation(11, system=True)
    kept = kept_messages(roles, [10] * 12, 60, Overflow.DROP_MIDDLE)
    assert kept[:3] == (0, 1, 2)
    assert kept[-1] == 11
    assert len(kept) < 8
