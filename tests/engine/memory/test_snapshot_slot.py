"""What the slot keeps, whose it is, and when it takes the trouble."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from app.core.checkpointing import Checkpointing
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.engine.memory.rates import Rate
from app.engine.memory.reuse import Source
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import session_on
from tests.engine.reply.test_session import GREEDY, answered, user
from tests.engine.reply.test_session import ask as ask_for

SYSTEM = Message.of(Role.SYSTEM, "You are a river that runs through the valley and over the stones. " * 6)
FIRST = user("what does the mountain say, when the evening comes in and the others are on the hill? " * 2)
OTHER = user("something else altogether, about a ship and a whale on the sea. " * 2)

ask = partial(ask_for, conversation="1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "snapshots"


@pytest.fixture
def disk(folder: Path) -> Iterator[SnapshotDisk]:
    made = SnapshotDisk(folder, 1 << 30)
    yield made
    made.close(30)


@pytest.fixture
def session(disk: SnapshotDisk, tiny_models: dict[str, Path]) -> Iterator[Session]:
    with session_on(tiny_models["llama"], snapshots=disk) as (session, _):
        yield session


def files(disk: SnapshotDisk, folder: Path) -> int:
    """After all is written; nothing is later."""
    disk.close(30)
    return len(list(folder.glob("*")))


def test_another_conversation_under_the_same_system_prompt_is_left_properly(session: Session) -> None:
    first = ask(session, SYSTEM, FIRST)
    shared = ask(session, SYSTEM, OTHER, conversation="2")
    assert counted(shared.timings.cache_n) > len(session.slot) // 2, "most of the slot went on to be used"
    back = ask(session, SYSTEM, FIRST, answered(first), user("and then?"))
    assert back.timings.cache_n == first.n_past, back.reuse
    assert session.slot.warm_conversations() == {"1": Source.MEMORY, "2": Source.MEMORY}


def test_of_a_late_edit_only_what_differs_is_kept_and_in_memory(
    session: Session, disk: SnapshotDisk, folder: Path
) -> None:
    first = ask(session, SYSTEM, FIRST)
    other = ask(session, SYSTEM, OTHER)
    (kept,) = session.slot.snapshots
    assert (kept.start, len(kept.entries)) == (other.timings.cache_n, first.n_past)
    assert kept.n_bytes < len(session.slot.context.save()) // 2
    assert files(disk, folder) == 0


def test_what_would_be_read_again_in_no_time_is_not_kept(session: Session) -> None:
    ask(session, SYSTEM, FIRST)
    session.slot.rates.memory = Rate(1000, 1000)
    ask(session, SYSTEM, OTHER)
    assert not list(session.slot.snapshots)


def test_what_is_on_disk_is_not_written_again(session: Session, disk: SnapshotDisk, folder: Path) -> None:
    ask(session, SYSTEM, FIRST)
    for _ in range(3):
        session.slot.keep()
    assert len(disk.pending()) + len(list(folder.glob("*"))) > 0
    ask(session, OTHER, conversation="2", keep_on_disk=False)
    session.slot.keep()
    assert files(disk, folder) == 1


def test_a_few_entries_more_are_worth_no_file(session: Session) -> None:
    ask(session, SYSTEM, FIRST)
    session.slot.keep()
    assert session.slot.on_disk is not None
    kept = session.slot.on_disk.newest("1")
    assert kept is not None
    for more, n in ((3, len(kept.entries)), (30, len(session.slot) + 33)):
        session.slot.evaluate([5] * more)
        session.slot.keep()
        newest = session.slot.on_disk.newest("1")
        assert newest is not None
        assert len(newest.entries) == n


def test_nothing_is_kept_of_a_short_prompt_or_without_a_name(
    session: Session, disk: SnapshotDisk, folder: Path
) -> None:
    ask(session, SYSTEM, FIRST, conversation="")
    session.slot.keep()
    session.slot.forget()
    list(session.reply(ChatRequest((user("hi"),), replace(GREEDY, max_tokens=2), conversation="1")))
    assert 0 < len(session.slot) < 32
    session.slot.keep()
    assert files(disk, folder) == 0


def test_without_memory_for_a_copy_nothing_is_kept(
    session: Session, disk: SnapshotDisk, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(session, SYSTEM, FIRST)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=1000))
    session.slot.keep()
    assert counted(ask(session, OTHER, conversation="2").timings.cache_n) < 40
    assert not list(session.slot.snapshots)
    assert files(disk, folder) == 0


def test_what_exceeds_the_memory_budget_still_goes_to_disk(session: Session, disk: SnapshotDisk, folder: Path) -> None:
    session.slot.checkpoints.settings = Checkpointing(cache_ram=0)
    first = ask(session, SYSTEM, FIRST)
    ask(session, OTHER, conversation="2", keep_on_disk=False)
    assert not list(session.slot.snapshots)
    back = ask(session, SYSTEM, FIRST, answered(first), user("and then?"))
    assert back.timings.cache_n == first.n_past, "from disk, or from what waits to be written"
    assert "brought back from" in back.reuse


def test_an_unsettled_plan_is_a_bug(session: Session, disk: SnapshotDisk, tiny_models: dict[str, Path]) -> None:
    ask(session, SYSTEM, FIRST)
    session.slot.keep()
    disk.close(30)
    prompt = session._prompts.fitting(ChatRequest((SYSTEM, FIRST), GREEDY))[0].tokens
    session.slot.forget()
    chosen = session.slot.plan(prompt)
    assert chosen.held is not None
    with pytest.raises(TypeError):
        session.slot.apply(chosen)
    assert session.slot.settle(prompt).keep == chosen.keep
