import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.storage.conversations import ConversationStore, TitledBy
from app.storage.database import Database
from app.storage.migrations import MIGRATIONS, Migration, migrate
from app.storage.recovery import open_or_recover

VERSION_1 = """
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    head_id INTEGER REFERENCES message (id),
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    deleted_at REAL
);
CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    parent_id INTEGER REFERENCES message (id),
    role TEXT NOT NULL,
    parts TEXT NOT NULL,
    vocab TEXT,
    tokens BLOB,
    state TEXT NOT NULL,
    figures TEXT,
    created_at REAL NOT NULL
);
CREATE INDEX message_place ON message (conversation_id, parent_id);
CREATE INDEX message_parent ON message (parent_id);
CREATE INDEX message_writing ON message (id) WHERE state = 'writing';
CREATE INDEX conversation_head ON conversation (head_id);
INSERT INTO conversation VALUES (4, 'About ants', NULL, 100.5, 200.5, NULL);
INSERT INTO message VALUES (7, 4, NULL, 'user', '[{"type":"text","text":"How many legs?"},'
    || '{"type":"image","content_hash":"ab12","name":"ant.png"}]', NULL, NULL, 'complete', NULL, 150.0);
INSERT INTO message VALUES (9, 4, 7, 'assistant', '[{"type":"text","text":"Six."}]', 'v1', x'01000000FFFFFF7F',
    'complete', '{"cache_n":3}', 151.0);
UPDATE conversation SET head_id = 9;
PRAGMA user_version = 1;
"""
"""A file as the first version wrote it. Never generated from the program, and never changed."""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


@pytest.fixture
def old_file(path: Path) -> Path:
    with opened(path) as connection:
        connection.executescript(VERSION_1)
    return path


def dump(path: Path) -> list[str]:
    with opened(path) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()
        return [str(version), *connection.iterdump()]


def schema(path: Path) -> list[tuple[str, str]]:
    with opened(path) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    return [(name, " ".join(sql.split())) for name, sql in rows]


def test_a_file_of_version_1_is_read(old_file: Path) -> None:
    with Database.open(old_file) as database:
        store = ConversationStore(database)
        (conversation,) = store.all()
        question, answer = store.path(conversation.id)
    assert (conversation.title, conversation.head_id, conversation.updated_at) == ("About ants", 9, 200.5)
    assert question.message.text == "How many legs?"
    assert answer.message.generation is not None
    assert answer.message.generation.tokens == (1, 2**31 - 1)
    assert answer.figures == {"cache_n": 3}


def test_conversations_of_an_old_file_are_in_no_folder_and_wait_to_be_searched(old_file: Path) -> None:
    with Database.open(old_file) as database:
        (conversation,) = ConversationStore(database).all()
        changes = database.query("SELECT message_id FROM message_change ORDER BY number")
    assert (conversation.folder_id, conversation.pinned_at, conversation.archived_at) == (None, None, None)
    assert conversation.titled_by is TitledBy.PROGRAM
    assert changes == [(7,), (9,)]


def test_an_old_file_gets_the_shape_of_a_new_one(old_file: Path, tmp_path: Path) -> None:
    new_file = tmp_path / "new.sqlite3"
    Database.open(new_file).close()
    Database.open(old_file).close()
    assert schema(old_file) == schema(new_file)


def test_an_existing_file_is_copied_before_it_is_migrated(old_file: Path, is_private: Callable[[Path], bool]) -> None:
    before = dump(old_file)
    later = (*MIGRATIONS, Migration("notes", ("CREATE TABLE note (id INTEGER PRIMARY KEY)",)))
    with opened(old_file) as connection:
        migrate(connection, old_file, later)
    copy = old_file.with_name("hearth.sqlite3.v1.bak")
    assert dump(copy) == before
    assert is_private(copy)
    assert ("note", "CREATE TABLE note (id INTEGER PRIMARY KEY)") in schema(old_file)
    assert dump(old_file)[0] == f"({len(later)},)"


def test_a_migration_may_rebuild_a_table(old_file: Path) -> None:
    rebuild = Migration(
        "rebuild",
        (
            "CREATE TABLE other AS SELECT * FROM conversation",
            "DROP TABLE conversation",
            "ALTER TABLE other RENAME TO conversation",
            "CREATE UNIQUE INDEX conversation_id ON conversation (id)",
        ),
    )
    with opened(old_file) as connection:
        migrate(connection, old_file, (*MIGRATIONS, rebuild))
        assert connection.execute("SELECT count(*) FROM message").fetchone() == (2,)


def drop_everything(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM message")
    raise RuntimeError("half-way")


@pytest.mark.parametrize(
    "failing",
    [
        Migration("wrong SQL", ("DELETE FROM message", "ALTER TABLE nowhere RENAME TO anywhere")),
        Migration("a function", drop_everything),
        Migration("a broken reference", ("DELETE FROM conversation",)),
    ],
    ids=lambda migration: migration.name,
)
def test_a_failing_migration_leaves_everything_unchanged(old_file: Path, failing: Migration) -> None:
    before = dump(old_file)
    good = Migration("good", ("CREATE TABLE note (id INTEGER PRIMARY KEY)",))
    with opened(old_file) as connection, pytest.raises((sqlite3.Error, RuntimeError)):
        migrate(connection, old_file, (*MIGRATIONS, good, failing))
    assert dump(old_file) == before
    with Database.open(old_file) as database:
        assert len(ConversationStore(database).path(4)) == 2


@pytest.mark.parametrize("open_file", [Database.open, open_or_recover])
def test_a_newer_file_is_refused_and_left_alone(old_file: Path, open_file: object) -> None:
    with opened(old_file) as connection:
        connection.execute("PRAGMA user_version = 9")
    before = old_file.read_bytes()
    assert callable(open_file)
    with pytest.raises(UserError, match="newer version of Hearth"):
        open_file(old_file)
    assert old_file.read_bytes() == before
    assert [each.name for each in old_file.parent.iterdir()] == [old_file.name]


@pytest.mark.parametrize(("good", "bad"), [(100, 20000), (4096, 20000), (4096, 0)])
def test_a_damaged_newer_file_is_refused_too(old_file: Path, good: int, bad: int) -> None:
    with opened(old_file) as connection:
        connection.execute("PRAGMA user_version = 9")
    old_file.write_bytes(old_file.read_bytes()[:good] + b"\xff" * bad)
    before = old_file.read_bytes()
    with pytest.raises(UserError, match="newer version of Hearth"):
        open_or_recover(old_file)
    assert old_file.read_bytes() == before
