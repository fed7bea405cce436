"""Copies of the database: made when they are due, rotated, checked, and what they give back after damage."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

from app.core.errors import UserError
from app.core.messages import Message, Role
from app.storage.conversations import ConversationStore
from app.storage.copies import copies, keep_copy, newest_good_copy, remove_copies
from app.storage.database import Database
from app.storage.file_errors import DamagedError
from app.storage.recovery import open_or_recover
from tests.storage.conftest import Fill
from tests.storage.test_recovery import PAGE, spoil, survivors

HOUR, DAY = 3_600.0, 86_400.0

COPIER = """
import sys, time
from pathlib import Path
from app.storage.copies import keep_copy
from app.storage.database import Database
path = Path(sys.argv[1])
with Database.open(path) as database:
    for number in range(10_000):
        database.execute("UPDATE conversation SET title = ?", (str(number),))
        keep_copy(path, clock=lambda: time.time() + number * 90_000)
        print(number, flush=True)
"""


def titles(copy: Path) -> list[str]:
    with Database.open(copy) as database:
        return sorted(each.title for each in ConversationStore(database).all())


def texts_in(path: Path) -> tuple[dict[int, str], str]:
    """Every message that a person can get to, and what was told at the start."""
    opened = open_or_recover(path)
    return survivors(opened), " ".join(opened.notes)


def test_a_copy_is_made_when_something_changed_and_an_hour_went_by(path: Path) -> None:
    now = time.time()
    with Database.open(path) as database:
        store = ConversationStore(database)
        store.create("first")
        assert keep_copy(path, clock=lambda: now - 2 * HOUR)
        assert not keep_copy(path, clock=lambda: now - 1.5 * HOUR)
        store.create("second")
        assert keep_copy(path, clock=lambda: now + HOUR)
        assert not keep_copy(path, clock=lambda: now + 5 * DAY)


def test_the_second_and_the_third_are_a_day_older_each(path: Path) -> None:
    Database.open(path).close()
    now = time.time()
    for _ in range(12):
        now += 7 * HOUR
        os.utime(path, (now - 1, now - 1))
        assert keep_copy(path, clock=lambda: now)  # noqa: B023 - called at once
    ages = [round((now - each.stat().st_mtime) / HOUR) for each in copies(path)]
    assert ages == [0, 14, 35]


def test_a_copy_is_for_its_user_alone_and_one_file(path: Path, is_private: Callable[[Path], bool]) -> None:
    with Database.open(path):
        keep_copy(path)
    assert {each.name for each in path.parent.iterdir()} == {"hearth.sqlite3", "hearth.copy1.sqlite3"}
    assert is_private(copies(path)[0])


def test_a_large_database_is_kept_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    with Database.open(path) as database:
        for day in range(3):
            ConversationStore(database).create(str(day))
            keep_copy(path, clock=lambda at=now - (3 - day) * DAY: at)  # type: ignore[misc]
        assert len(copies(path)) == 3
        monkeypatch.setattr("app.storage.copies._LARGE", 0)
        ConversationStore(database).create("large")
        assert keep_copy(path, clock=lambda: now + DAY)
    (copy,) = copies(path)
    assert "large" in titles(copy)


def test_a_full_disk_gets_no_copy(small_disk: Path) -> None:
    crowded = small_disk / "hearth.sqlite3"
    with Database.open(crowded) as database:
        store = ConversationStore(database)
        conversation, parent = store.create("long"), None
        for _ in range(15):
            parent = store.append(conversation.id, parent, Message.of(Role.USER, "x" * 5000)).id
        used = sum(each.stat().st_size for each in small_disk.iterdir())
        (small_disk / "ballast").write_bytes(b"x" * max(0, shutil.disk_usage(small_disk).free - used))
        assert not keep_copy(crowded)
        assert copies(crowded) == []
        store.append(conversation.id, parent, Message.of(Role.USER, "There is room still."))


def test_a_disk_that_fills_up_meanwhile_keeps_the_copy_before(
    small_disk: Path, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowded = small_disk / "hearth.sqlite3"
    with Database.open(crowded) as database:
        conversation = ConversationStore(database).create("long")
        assert keep_copy(crowded, clock=lambda: time.time() - DAY)
        ConversationStore(database).append(conversation.id, None, Message.of(Role.USER, "x" * 100_000))
        (small_disk / "ballast").write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 2 * PAGE))
        monkeypatch.setattr("app.storage.copies._SPARE", 0)
        with pytest.raises(UserError, match=r"full|space"):
            keep_copy(crowded)
    assert {each.name for each in small_disk.glob("*cop*")} == {"hearth.copy1.sqlite3"}
    (small_disk / "ballast").unlink()
    assert titles(copies(crowded)[0]) == ["long"]


def test_a_kill_in_the_middle_leaves_copies_that_are_sound(path: Path, child: Callable[..., "Popen[str]"]) -> None:
    with Database.open(path) as database:
        ConversationStore(database).create("0")
    process = child(COPIER, path)
    assert process.stdout is not None
    while int(process.stdout.readline()) < 4:
        pass
    process.kill()
    process.wait()
    for each in copies(path):
        (title,) = titles(each)
        assert title.isdigit()
    # What was left half made is nobody's copy, and in nobody's way.
    path.with_name("hearth.sqlite3.copying").write_bytes(b"half")
    remove_copies(path)
    assert copies(path) == []
    assert keep_copy(path)
    assert {each.name for each in path.parent.glob("*cop*")} == {"hearth.copy1.sqlite3"}


def test_damage_that_a_copy_finds_is_told_and_replaces_no_copy(path: Path, fill: Fill) -> None:
    with Database.open(path) as database:
        fill(ConversationStore(database))
    assert keep_copy(path, clock=lambda: time.time() - DAY)
    before = copies(path)[0].read_bytes()
    spoil(path, path.stat().st_size // PAGE // 2)
    with pytest.raises(DamagedError, match="start Hearth again"):
        keep_copy(path)
    assert [each.read_bytes() for each in copies(path)] == [before]
    assert path.with_name("hearth.sqlite3.check").exists()


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_a_damaged_copy_gives_way_to_the_next(path: Path, fill: Fill, content: bytes | None) -> None:
    with Database.open(path) as database:
        texts = fill(ConversationStore(database))
    keep_copy(path, clock=lambda: time.time() - 2 * DAY)
    path.touch()
    keep_copy(path, clock=lambda: time.time() - DAY)
    newest, second = copies(path)
    if content is None:
        spoil(newest, 20)
    else:
        newest.write_bytes(content)
    with newest_good_copy(path) as copy:
        assert copy is not None
        assert copy.made_at == second.stat().st_mtime
    path.write_bytes(b"")
    assert texts_in(path)[0] == texts


@pytest.mark.parametrize("share", [number / 8 for number in range(8)])
def test_one_bad_page_loses_nothing_that_is_in_the_copy(path: Path, fill: Fill, share: float) -> None:
    with Database.open(path) as database:
        texts = fill(ConversationStore(database))
    keep_copy(path)
    spoil(path, int(share * (path.stat().st_size // PAGE)))
    assert texts_in(path)[0] == texts


@pytest.mark.parametrize("size", [0, PAGE // 2, 3 * PAGE + 100, 60 * PAGE - 1])
def test_a_file_that_was_cut_off_is_filled_from_the_copy(path: Path, fill: Fill, size: int) -> None:
    with Database.open(path) as database:
        texts = fill(ConversationStore(database))
    keep_copy(path)
    path.write_bytes(path.read_bytes()[:size])
    found, told = texts_in(path)
    assert found == texts
    assert "from the copy of 20" in told


def test_without_its_first_page_nothing_new_is_lost(path: Path, fill: Fill) -> None:
    with Database.open(path) as database:
        store = ConversationStore(database)
        texts = fill(store)
        keep_copy(path)
        new = store.append(1, store.path(1)[-1].id, Message.of(Role.USER, "said since"))
    spoil(path, 0)
    found, told = texts_in(path)
    assert found == texts | {new.id: "said since"}
    assert "from the copy" not in told


def test_what_was_deleted_for_good_does_not_come_back(path: Path, fill: Fill) -> None:
    with Database.open(path) as database:
        store = ConversationStore(database)
        texts = fill(store)
        keep_copy(path)
        store.delete(1)
        store.remove(1)
    spoil(path, 0)
    found, _ = texts_in(path)
    assert set(found.values()) == {each for each in texts.values() if not each.startswith("Talk 0,")}


def test_the_copy_of_another_database_is_not_mixed_in(path: Path, tmp_path: Path, fill: Fill) -> None:
    other = tmp_path / "other" / "hearth.sqlite3"
    other.parent.mkdir()
    with Database.open(other) as database:
        store = ConversationStore(database)
        parent = None
        for _ in range(300):
            parent = store.append(
                store.create("Foreign").id if parent is None else 1, parent, Message.of(Role.USER, "x")
            ).id
    keep_copy(other)
    with Database.open(path) as database:
        fill(ConversationStore(database))
    shutil.copy(copies(other)[0], path.parent)
    spoil(path, path.stat().st_size // PAGE // 2)
    assert "x" not in texts_in(path)[0].values()
    assert keep_copy(path)
