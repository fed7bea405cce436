import sqlite3
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

from app.core.errors import UserError
from app.core.messages import Message, Role
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.file_errors import DamagedError
from app.storage.recovery import open_or_recover

LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode = " + sys.argv[2])
connection.execute(sys.argv[3])
print("locked", flush=True)
sys.stdin.read()
"""


def files(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_the_file_is_for_its_user_alone(path: Path, is_private: Callable[[Path], bool]) -> None:
    with Database.open(path) as database:
        ConversationStore(database).create("secret")
        assert all(is_private(each) for each in path.parent.iterdir())
    path.chmod(0o644)
    Database.open(path).close()
    assert is_private(path)


def test_a_closed_database_is_one_file(path: Path) -> None:
    with Database.open(path) as database:
        ConversationStore(database).create()
        assert "hearth.sqlite3-wal" in files(path.parent)
    assert files(path.parent) == {"hearth.sqlite3"}


def test_it_is_safe_against_crashes_and_quick(database: Database) -> None:
    assert database.query("PRAGMA journal_mode") == [("wal",)]
    assert database.query("PRAGMA synchronous") == [(1,)]
    assert database.query("PRAGMA foreign_keys") == [(1,)]
    assert database.query("PRAGMA secure_delete") == [(1,)]


def test_a_transaction_happens_whole_or_not_at_all(database: Database, store: ConversationStore) -> None:
    with pytest.raises(ZeroDivisionError), database.transaction():
        store.create("lost")
        _ = 1 / 0
    assert store.all() == ()
    with database.transaction():
        store.create("kept")
    assert [conversation.title for conversation in store.all()] == ["kept"]


def test_wrong_sql_is_a_bug_and_no_sentence(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError):
        database.query("SELECT nothing FROM nowhere")


@pytest.mark.parametrize(("mode", "statement"), [("EXCLUSIVE", "BEGIN EXCLUSIVE"), ("NORMAL", "BEGIN IMMEDIATE")])
def test_a_locked_file_is_told_and_left_alone(
    path: Path, child: Callable[..., "Popen[str]"], mode: str, statement: str
) -> None:
    with Database.open(path) as database:
        ConversationStore(database).create("mine")
    before = path.read_bytes()
    process = child(LOCK, path, mode, statement)
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    with pytest.raises(UserError, match="Another program is using") as caught:
        open_or_recover(path, busy_timeout=0.05)
    assert not isinstance(caught.value, DamagedError)
    assert path.read_bytes() == before
    assert files(path.parent) <= {"hearth.sqlite3", "hearth.sqlite3-wal", "hearth.sqlite3-shm"}
    process.kill()
    process.wait()
    opened = open_or_recover(path)
    with opened.database:
        assert [each.title for each in ConversationStore(opened.database).all()] == ["mine"]
    assert opened.notes == ()


def test_a_lock_that_comes_later_is_told(path: Path, child: Callable[..., "Popen[str]"]) -> None:
    with Database.open(path, busy_timeout=0.05) as database:
        process = child(LOCK, path, "NORMAL", "BEGIN IMMEDIATE")
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(UserError, match="Another program is using"):
            ConversationStore(database).create("late")


def test_a_folder_in_its_place_is_told(path: Path) -> None:
    path.mkdir()
    with pytest.raises(UserError, match="is a folder"):
        open_or_recover(path)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Hearth cannot use"):
        open_or_recover(tmp_path / "nowhere" / "hearth.sqlite3")


@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_folder_is_told(tmp_path: Path, read_only: Callable[[Path], None], exists: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / "hearth.sqlite3"
    if exists:
        Database.open(path).close()
    read_only(folder)
    with pytest.raises(UserError, match=r"yours to write|may not write"):
        open_or_recover(path)


def fill_up(store: ConversationStore) -> int:
    """Append until the disk is full; how many messages were accepted."""
    conversation = store.create("long")
    parent = None
    for count in range(10_000):
        try:
            parent = store.append(conversation.id, parent, Message.of(Role.USER, "x" * 5000)).id
        except UserError as error:
            assert "is full" in error.sentence or "space left" in error.sentence
            return count
    raise AssertionError("the disk never filled up")


def test_a_full_database_is_told_and_keeps_what_it_had(path: Path) -> None:
    with Database.open(path) as database:
        database.query("PRAGMA max_page_count = 60")
        count = fill_up(ConversationStore(database))
        assert len(ConversationStore(database).path(1)) == count > 0


def test_a_full_disk_is_told_and_keeps_what_it_had(small_disk: Path) -> None:
    path = small_disk / "hearth.sqlite3"
    with Database.open(path) as database:
        count = fill_up(ConversationStore(database))
        assert len(ConversationStore(database).path(1)) == count > 0
    opened = open_or_recover(path)
    with opened.database:
        assert len(ConversationStore(opened.database).path(1)) == count
    assert opened.notes == ()


def test_a_full_disk_at_the_first_start_leaves_nothing(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * ((1 << 20) - 4096))
    path = small_disk / "hearth.sqlite3"
    with pytest.raises(UserError):
        open_or_recover(path)
    ballast.unlink()
    opened = open_or_recover(path)
    opened.database.close()
    assert opened.notes == ()
