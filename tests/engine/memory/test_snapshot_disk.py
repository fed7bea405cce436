"""Writing behind the user's back: in order, within its bounds, and never in the way of the end."""

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from app.engine.memory import snapshot_disk, snapshot_format
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.memory.snapshot_format import StoredSnapshot
from app.engine.memory.snapshot_identity import SnapshotIdentity
from app.engine.memory.snapshots import Snapshot
from app.engine.prompt.prompt_tokens import PromptTokens

MIB = 1 << 20
MODEL = SnapshotIdentity(bytes(32), bytes(31) + b"p")
WAIT = 30


def snapshot(*tokens: int, conversation: str = "1", size: int = MIB) -> Snapshot:
    return Snapshot(PromptTokens(tokens), bytes(size), (), conversation)


class SlowDisk:
    """Holds every file after its first piece until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()
        self._write = snapshot_format.write
        monkeypatch.setattr(snapshot_format, "write", self.write)

    def write(
        self, file: BinaryIO, snapshot: Snapshot, identity: bytes, go_on: Callable[[int], bool]
    ) -> StoredSnapshot | None:
        def slowly(n_bytes: int) -> bool:
            self.begun.set()
            assert self.let_go.wait(WAIT)
            return go_on(n_bytes)

        return self._write(file, snapshot, identity, slowly)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowDisk:
    return SlowDisk(monkeypatch)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SnapshotDisk]:
    made = SnapshotDisk(tmp_path / "snapshots", 100 * MIB)
    yield made
    made.close(WAIT)
    assert not [each for each in threading.enumerate() if each.name == "snapshot writer"]


def files(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "snapshots").glob("*"))


def test_what_was_put_is_on_disk_after_closing(tmp_path: Path) -> None:
    changed = threading.Event()
    disk = SnapshotDisk(tmp_path / "snapshots", 100 * MIB, changed.set)
    shelf = disk.of_model(MODEL)
    shelf.put(snapshot(1, 2))
    assert changed.wait(WAIT)
    shelf.put(snapshot(3, 4, conversation="2"))
    disk.close(WAIT)
    again = SnapshotDisk(tmp_path / "snapshots", 100 * MIB).of_model(MODEL)
    assert again.conversations() == {"1", "2"}
    disk.put(snapshot(5), MODEL.text)
    assert len(files(tmp_path)) == 2, "after the end nothing is written"


def test_what_waits_can_be_had_already(disk: SnapshotDisk, slow: SlowDisk) -> None:
    shelf = disk.of_model(MODEL)
    waiting = snapshot(1, 2)
    shelf.put(waiting)
    assert list(shelf) == [waiting]
    assert shelf.covers("1", PromptTokens([1, 2, 3]))
    assert not shelf.covers("2", PromptTokens([1, 2, 3]))
    assert not shelf.covers("1", PromptTokens([1, 2, *range(9)])), "so much more is worth a file"
    other = disk.of_model(SnapshotIdentity(b"x" * 32, b"y" * 32))
    assert not list(other), "another model must not see it"
    slow.let_go.set()


def test_closing_waits_a_second_at_most_and_leaves_nothing_torn(
    tmp_path: Path, slow: SlowDisk, caplog: pytest.LogCaptureFixture
) -> None:
    disk = SnapshotDisk(tmp_path / "snapshots", 100 * MIB)
    disk.put(snapshot(1, size=20 * MIB), MODEL.text)
    assert slow.begun.wait(WAIT)
    closed = threading.Event()

    def close() -> None:
        disk.close(0.3)
        closed.set()

    closing = threading.Thread(target=close)
    closing.start()
    assert closed.wait(WAIT), "it does not wait for a disk that hangs"
    closing.join()
    assert "will be read again" in caplog.text
    writer = next(each for each in threading.enumerate() if each.name == "snapshot writer")
    slow.let_go.set()
    writer.join(WAIT)
    assert not files(tmp_path), "the file in the making is gone"


def test_a_newer_one_of_the_same_conversation_replaces_what_waits(
    tmp_path: Path, disk: SnapshotDisk, slow: SlowDisk
) -> None:
    shelf = disk.of_model(MODEL)
    shelf.put(snapshot(1, 2))
    assert slow.begun.wait(WAIT)
    shelf.put(snapshot(1, 2, 3))
    shelf.put(snapshot(1, 2, 3, 4))
    assert [len(each.entries) for each in shelf] == [4]
    slow.let_go.set()
    disk.close(WAIT)
    assert len(files(tmp_path)) == 1


def test_what_waits_is_bounded(disk: SnapshotDisk, slow: SlowDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_disk, "_MAX_PENDING_BYTES", 2 * MIB)
    shelf = disk.of_model(MODEL)
    for number in range(5):
        shelf.put(snapshot(number, conversation=str(number)))
    assert sorted(each.restore_bytes for each in shelf) == [MIB, MIB]
    slow.let_go.set()
    disk.close(WAIT)
    assert shelf.conversations() == {"3", "4"}


def test_forgetting_reaches_what_waits_and_what_is_being_written(
    tmp_path: Path, disk: SnapshotDisk, slow: SlowDisk
) -> None:
    shelf = disk.of_model(MODEL)
    shelf.put(snapshot(1, 2))
    assert slow.begun.wait(WAIT)
    shelf.put(snapshot(3, 4))
    shelf.put(snapshot(5, 6, conversation="2"))
    disk.forget("1")
    slow.let_go.set()
    disk.close(WAIT)
    assert shelf.conversations() == {"2"}
    assert len(files(tmp_path)) == 1


def test_a_disk_that_refuses_costs_one_line_and_some_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried: list[int] = []

    def full(*_: object) -> None:
        tried.append(1)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(snapshot_format, "write", full)
    disk = SnapshotDisk(tmp_path / "snapshots", 100 * MIB)
    disk.put(snapshot(1), MODEL.text)
    for thread in threading.enumerate():
        if thread.name == "snapshot writer":
            thread.join(WAIT)
    disk.put(snapshot(2), MODEL.text)
    disk.close(WAIT)
    assert len(tried) == 1
    assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == 1
    assert not files(tmp_path)


def test_what_cannot_be_done_in_time_is_not_begun(disk: SnapshotDisk) -> None:
    assert disk.takes(MIB, within=1.0)
    assert not disk.takes(90 * MIB, within=0.1)
    assert disk.takes(90 * MIB)
    assert not disk.takes(101 * MIB)
    disk.set_quota(0)
    assert not disk.takes(0)
