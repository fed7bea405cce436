"""What is kept of other conversations: within the budget, last left first, nothing twice."""

from dataclasses import replace

from app.engine.memory.checkpoints import Checkpoint
from app.engine.memory.snapshots import Snapshot, Snapshots
from app.engine.prompt.prompt_tokens import PromptTokens

MIB = 1 << 20


def snapshot(*tokens: int, size: int = 1) -> Snapshot:
    return Snapshot(PromptTokens(tokens), bytes(size * MIB - 10), (Checkpoint(1, bytes(10)),))


def test_the_one_left_longest_ago_goes_first() -> None:
    kept = Snapshots()
    one, two, three = snapshot(1, 1), snapshot(2, 2), snapshot(3, 3)
    for each in (one, two, three):
        kept.add(each, 2)
    assert list(kept) == [three, two]
    assert kept.n_bytes == 2 * MIB, "checkpoints count"


def test_one_that_exceeds_the_budget_alone_is_not_kept() -> None:
    kept = Snapshots()
    kept.add(snapshot(1, size=3), 2)
    assert not list(kept)


def test_the_beginning_of_another_is_not_kept_twice() -> None:
    kept = Snapshots()
    kept.add(snapshot(1, 2), 10)
    other = snapshot(9, 9)
    kept.add(other, 10)
    longer = snapshot(1, 2, 3)
    kept.add(longer, 10)
    assert list(kept) == [longer, other]
    kept.take(longer)
    assert list(kept) == [other]


def test_another_version_makes_room_before_another_conversation() -> None:
    kept = Snapshots()
    other, version = replace(snapshot(1), conversation="other"), replace(snapshot(2), conversation="own")
    newest = replace(snapshot(3), conversation="own")
    for each in (other, version, newest):
        kept.add(each, 2)
    assert list(kept) == [newest, other]
    for number in (4, 5):
        kept.add(replace(snapshot(number), conversation=""), 2)
    assert [each.conversation for each in kept] == ["", ""], "what has no name is nobody's version"


def test_a_tail_does_not_serve_for_what_is_whole() -> None:
    kept = Snapshots()
    whole, tail = snapshot(1, 2), replace(snapshot(1, 2, 3), start=1)
    for each in (whole, tail):
        kept.add(each, 10)
    assert list(kept) == [tail, whole]
    longer = replace(snapshot(1, 2, 3, 4), start=1)
    kept.add(longer, 10)
    assert list(kept) == [longer, whole]
    kept.add(snapshot(1, 2, 3, 4), 10)
    assert [each.start for each in kept] == [0]


def test_what_the_slot_holds_is_not_kept_twice() -> None:
    kept = Snapshots()
    one, other = snapshot(1, 2), snapshot(1, 3)
    for each in (one, other):
        kept.add(each, 10)
    kept.drop_beginnings(PromptTokens([1, 2, 3]))
    assert list(kept) == [other]


def test_a_forgotten_conversation_is_not_kept() -> None:
    kept = Snapshots()
    one, two = Snapshot(PromptTokens([1]), b"", (), "1"), Snapshot(PromptTokens([2]), b"", (), "2")
    for each in (one, two, Snapshot(PromptTokens([3]), b"", (), "1")):
        kept.add(each, 10)
    kept.forget("1")
    assert list(kept) == [two]
    kept.clear()
    assert not list(kept)
