"""Snapshots in files: what comes back is what was written, and anything else is noticed, ignored and removed."""

import os
import random
import stat
import time
from array import array
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from app.core.snapshot_settings import PROGRAMS
from app.engine.binding.mtmd_chunks import MediaChunk
from app.engine.memory import snapshot_format
from app.engine.memory.checkpoints import Checkpoint
from app.engine.memory.snapshot_files import SnapshotFiles
from app.engine.memory.snapshot_format import DamagedError, StoredSnapshot
from app.engine.memory.snapshots import Snapshot
from app.engine.prompt.prompt_tokens import PromptTokens
from tests.work import assert_quick

MIB = 1 << 20
MODEL, OTHER = bytes(range(32)), bytes(32)
GO_ON = lambda: True  # noqa: E731


def entries(*tokens: int) -> PromptTokens:
    return PromptTokens(tokens)


def with_picture() -> PromptTokens:
    made = PromptTokens(range(5))
    for ordinal in range(2):
        made.append_media(MediaChunk(bytes([ordinal]) * 32, 6, 3, "a picture", ordinal, ordinal == 1, b"\0grid"))
    made.extend([7, 8])
    return made


def snapshot(
    held: PromptTokens | None = None, size: int = 1000, conversation: str = "1", compressible: bool = False
) -> Snapshot:
    data = bytes(size) if compressible else random.Random(size).randbytes(size)
    checkpoints = (Checkpoint(2, b"two" * 9), Checkpoint(4, b""))
    return Snapshot(held or entries(*range(50)), data, checkpoints, conversation)


def only(files: SnapshotFiles, identity: bytes = MODEL) -> StoredSnapshot:
    (found,) = files.stored([identity])
    return found


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "snapshots"


@pytest.fixture
def files(folder: Path) -> SnapshotFiles:
    return SnapshotFiles(folder, 100 * MIB)


def again(folder: Path, identity: bytes = MODEL, quota: int = 100 * MIB) -> SnapshotFiles:
    """As the next start sees the folder."""
    made = SnapshotFiles(folder, quota)
    made.open(identity)
    return made


@pytest.mark.parametrize("compressible", [False, True])
@pytest.mark.parametrize("size", [0, 1, 1000, 9 * MIB])
def test_what_comes_back_is_what_was_written(size: int, compressible: bool, folder: Path, files: SnapshotFiles) -> None:
    written = snapshot(with_picture(), size, "ä conversation", compressible)
    assert files.write(written, MODEL, GO_ON)
    for store in (files, again(folder)):
        stored = only(store)
        assert (stored.conversation, stored.places, stored.n_bytes) == ("ä conversation", (2, 4), size + 27)
        read = store.read(stored)
        assert read is not None
        assert (read.data, read.checkpoints, read.conversation) == (written.data, written.checkpoints, "ä conversation")
        assert read.entries == written.entries
        assert read.entries.groups == written.entries.groups
        assert [group.chunk.saved for group in read.entries.groups] == [b"\0grid"] * 2
        assert read.entries.position == written.entries.position


def test_it_is_compressed_only_where_that_pays(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(size=MIB, compressible=True), MODEL, GO_ON)
    assert files.n_bytes < MIB // 10
    files.write(snapshot(entries(9, 9), size=MIB), MODEL, GO_ON)
    assert not files.stored([MODEL])[0].compressed
    assert files.n_bytes == sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_only_the_user_may_read_them(folder: Path, files: SnapshotFiles) -> None:
    folder.mkdir(mode=0o755)
    files.write(snapshot(), MODEL, GO_ON)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600]


@pytest.mark.parametrize("compressible", [False, True])
def test_a_flipped_byte_anywhere_is_noticed(compressible: bool, folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(with_picture(), 20_000, compressible=compressible), MODEL, GO_ON)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    places = {0, 8, len(whole) - 1, *random.Random(1).sample(range(len(whole)), 50)}
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        store = again(folder)
        for stored in store.stored([MODEL]):
            assert store.read(stored) is None, place
        assert not names(folder), f"byte {place}: it is removed"
    path.write_bytes(whole)
    assert again(folder).read(only(again(folder))) is not None


def test_a_truncated_or_a_longer_file_is_noticed(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(size=5000), MODEL, GO_ON)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    for length in [0, 1, 19, 20, 100, 2000, len(whole) - 33, len(whole) - 32, len(whole) - 1]:
        path.write_bytes(whole[:length])
        store = again(folder)
        assert all(store.read(stored) is None for stored in store.stored([MODEL])), length
        assert not names(folder)
    path.write_bytes(whole + b"x")
    store = again(folder)
    assert store.read(only(store)) is None


def test_a_file_that_changes_after_its_head_was_read_is_noticed(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(entries(1, 2)), MODEL, GO_ON)
    stored = only(files)
    (path,) = folder.iterdir()
    elsewhere = SnapshotFiles(folder.parent / "other", MIB)
    elsewhere.write(snapshot(entries(3, 4)), MODEL, GO_ON)
    path.write_bytes(next((folder.parent / "other").iterdir()).read_bytes())
    assert files.read(stored) is None
    assert not files.stored([MODEL])


def test_another_version_is_removed(folder: Path, files: SnapshotFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_format, "_VERSION", 99)
    files.write(snapshot(), MODEL, GO_ON)
    monkeypatch.undo()
    assert not again(folder).stored([MODEL])
    assert not names(folder)


def test_a_file_that_is_gone_is_no_error(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(), MODEL, GO_ON)
    stored = only(files)
    (folder / stored.name).unlink()
    assert files.read(stored) is None
    assert not files.stored([MODEL])


def test_files_of_other_models_are_left_alone_until_their_room_is_wanted(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(size=MIB), OTHER, GO_ON)
    assert not again(folder, MODEL).stored([MODEL])
    assert len(names(folder)) == 1
    small = again(folder, MODEL, quota=2 * MIB)
    small.write(snapshot(entries(1, 2), size=MIB, conversation="2"), MODEL, GO_ON)
    assert [stored.conversation for stored in small.stored([MODEL, OTHER])] == ["2"]
    assert len(names(folder)) == 1
    assert not again(folder, OTHER).stored([OTHER])


def test_an_identity_that_only_begins_alike_is_another(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(), MODEL, GO_ON)
    alike = MODEL[:8] + bytes(24)
    assert not again(folder, alike).stored([alike])
    assert len(names(folder)) == 1


def test_the_one_used_longest_ago_goes_first_also_after_a_restart(folder: Path, files: SnapshotFiles) -> None:
    for index, conversation in enumerate("abc"):
        files.write(snapshot(entries(index, index), MIB, conversation), MODEL, GO_ON)
    for age, stored in enumerate(files.stored([MODEL])):
        past = time.time() - 100 * (age + 1)
        os.utime(folder / stored.name, (past, past))
    store = again(folder)
    oldest = store.stored([MODEL])[-1]
    assert oldest.conversation == "a"
    assert store.read(oldest) is not None
    assert [stored.conversation for stored in store.stored([MODEL])] == ["a", "c", "b"]
    last = again(folder, quota=2 * MIB + 10_000)
    assert {stored.conversation for stored in last.stored([MODEL])} == {"a", "c"}


def test_one_that_exceeds_the_quota_drives_nobody_out(folder: Path) -> None:
    files = SnapshotFiles(folder, 2 * MIB)
    files.write(snapshot(size=MIB), MODEL, GO_ON)
    assert not files.write(snapshot(entries(1), 3 * MIB, "2"), MODEL, GO_ON)
    assert only(files).conversation == "1"
    files.set_quota(0)
    assert not names(folder)


def test_programs_drive_out_their_own_conversations_alone(folder: Path) -> None:
    files = SnapshotFiles(folder, 4 * MIB, 2 * MIB)
    held = {name: snapshot(entries(ord(name[-1])), MIB - 10_000, name) for name in ("1", "2", *map(_program, "abcd"))}
    for name, kept in held.items():
        assert files.write(kept, MODEL, GO_ON), name
    assert kept_names(files) == {"1", "2", _program("c"), _program("d")}
    assert not files.write(snapshot(entries(9), 3 * MIB, _program("e")), MODEL, GO_ON), "more than all of theirs"
    files.forget(_program("c"))
    assert kept_names(again(folder)) == {"1", "2", _program("d")}
    files.set_quotas(4 * MIB, 0)
    assert kept_names(files) == {"1", "2"}
    assert not files.write(held[_program("a")], MODEL, GO_ON)


def _program(name: str) -> str:
    return PROGRAMS + name


def kept_names(files: SnapshotFiles) -> set[str]:
    return {each.conversation for each in files.stored([MODEL])}


def test_a_longer_one_of_the_same_conversation_takes_its_place(files: SnapshotFiles) -> None:
    files.write(snapshot(entries(*range(40))), MODEL, GO_ON)
    files.write(snapshot(entries(*range(40)), conversation="2"), MODEL, GO_ON)
    files.write(snapshot(entries(*range(60))), MODEL, GO_ON)
    assert sorted(len(stored.entries) for stored in files.stored([MODEL])) == [40, 60]
    files.write(snapshot(entries(*range(30), *range(500, 530))), MODEL, GO_ON)
    assert len(files.stored([MODEL])) == 3, "another branch is no longer one"


def test_a_replaced_file_goes_when_the_new_one_is_there(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(entries(*range(40))), MODEL, GO_ON)
    assert not files.write(snapshot(entries(*range(60))), MODEL, lambda: False)
    assert len(only(files).entries) == 40
    assert len(names(folder)) == 1, "and nothing of the abandoned one is left"


def test_what_is_forgotten_at_the_last_moment_is_not_there(folder: Path, files: SnapshotFiles) -> None:
    answers = [True, True, False]
    assert not files.write(snapshot(), MODEL, lambda: answers.pop(0))
    assert not answers, "asked at each of two pieces, and once more"
    assert not names(folder)
    assert not files.stored([MODEL])


def test_forgetting_removes_a_conversation_under_every_model(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(), MODEL, GO_ON)
    files.write(snapshot(), OTHER, GO_ON)
    files.write(snapshot(conversation="2"), MODEL, GO_ON)
    store = again(folder)
    store.forget("1")
    assert only(store).conversation == "2"
    assert len(names(folder)) == 1
    store.clear()
    assert not names(folder)


def test_what_a_crash_left_half_written_is_removed(folder: Path, files: SnapshotFiles) -> None:
    files.write(snapshot(), MODEL, GO_ON)
    (folder / f".{names(folder)[0]}.x7").write_bytes(b"half")
    (folder / "notes.txt").write_text("not ours")
    only(again(folder))
    assert len(names(folder)) == 2
    assert "notes.txt" in names(folder)


def test_a_full_disk_leaves_what_was_there(folder: Path, files: SnapshotFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(snapshot(), MODEL, GO_ON)
    monkeypatch.setattr(os, "fsync", _no_space)
    with pytest.raises(OSError, match="No space"):
        files.write(snapshot(entries(*range(80))), MODEL, GO_ON)
    assert len(names(folder)) == 1
    assert files.read(only(files)) is not None


def _no_space(_handle: int) -> None:
    raise OSError(28, "No space left on device")


def test_a_hundred_files_are_listed_at_once(folder: Path, files: SnapshotFiles) -> None:
    for index in range(100):
        files.write(snapshot(entries(*range(index, 4000 + index)), conversation=str(index)), MODEL, GO_ON)
    assert len(again(folder).stored([MODEL])) == 100
    assert_quick(0.1, lambda: again(folder).stored([MODEL]))


def test_heads_that_lie_are_refused() -> None:
    """With a digest that fits: whatever else they say, no more than an error of ours comes of it."""
    for change in _LIES:
        with pytest.raises(DamagedError):
            snapshot_format.read_head(BytesIO(_lying(change)), "x")


_LIES: list[Callable[[dict[str, object]], object]] = [
    lambda facts: facts.pop("sizes"),
    lambda facts: facts.update(identity="no digits"),
    lambda facts: facts.update(groups=[[0, "00", 3, 3, "", 0, True, ""]]),
    lambda facts: facts.update(groups=[[1]]),
    lambda facts: facts.update(groups=7),
]


def _lying(change: Callable[[dict[str, object]], object]) -> bytes:
    import hashlib
    import json

    facts: dict[str, object] = {
        "identity": "00", "conversation": "1", "sizes": [1], "places": [], "compressed": False, "groups": []
    }  # fmt: skip
    change(facts)
    told = json.dumps(facts).encode()
    ids = array("i", [1, 2]).tobytes()
    head = snapshot_format._START.pack(b"HEARTHSS", 1, len(told), len(ids)) + told + ids
    return head + hashlib.sha256(head).digest() + bytes(33)
