"""What happens to a conversation that no longer fits into the context."""

from collections.abc import Sequence
from enum import StrEnum

from app.core.messages import Role


class Overflow(StrEnum):
    STOP = "stop"
    """Nothing is dropped; the answer says that the context is full."""
    DROP_OLDEST = "drop_oldest"
    """The oldest turns are left out; the system prompt stays."""
    DROP_MIDDLE = "drop_middle"
    """The system prompt, the first turns and the last ones stay."""


def reckoned(text: str) -> int:
    """About how many tokens a text has: three and a half bytes each, which is near for words, code and CJK alike."""
    return round(len(text.encode("utf-8", "replace")) / 3.5)


def kept_messages(roles: Sequence[Role], sizes: Sequence[int], room: int, policy: Overflow) -> tuple[int, ...]:
    """The indices of the messages that stay, ascending; all of them where they fit, or where the policy is to stop.

    `sizes` are entries, `room` what all of them together may take. Whole turns go, from a question to the next one,
    and never the last; where nobody asks anything, all stays. Turns are dropped until half of the room is free again,
    and the decision is made as it would have been made turn by turn: so the beginning of the prompt stays the same for
    many turns, and stays warm.
    """
    everything = tuple(range(len(roles)))
    if policy is Overflow.STOP or sum(sizes) <= room:
        return everything
    turns = _turns(roles)
    if not turns:
        return everything
    fixed = [index for index in everything if index < turns[0][0]]
    if policy is Overflow.DROP_MIDDLE and len(turns) > 1:
        fixed += turns.pop(0)
    taken = sum(sizes[index] for index in fixed)
    first = _first_turn([sum(sizes[index] for index in turn) for turn in turns], room - taken)
    return tuple(sorted([*fixed, *(index for turn in turns[first:] for index in turn)]))


def _turns(roles: Sequence[Role]) -> list[list[int]]:
    """Groups of messages, each from a question to before the next; what stands before the first is in none."""
    turns: list[list[int]] = []
    for index, role in enumerate(roles):
        if role is Role.USER:
            turns.append([index])
        elif turns:
            turns[-1].append(index)
    return turns


def _first_turn(sizes: Sequence[int], room: int) -> int:
    """The first turn that stays, as the conversation grew turn by turn."""
    first, taken = 0, 0
    for last, size in enumerate(sizes):
        taken += size
        if taken > room:
            # The size of the turn that is added last is not known yet where its answer is missing.
            while first < last and (taken - size > room // 2 or taken > room):
                taken -= sizes[first]
                first += 1
    return first
