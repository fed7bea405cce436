"""The database's shape, as a list of steps that only ever grows."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UserError
from app.storage.sqlite_file import beside, connected

_PLAUSIBLE = 1000
"""A version further ahead than this is damage, not the future."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step. Its number is its place in `MIGRATIONS`, from 1. Never change one that was released: add another."""

    name: str
    steps: tuple[str, ...] | Callable[[sqlite3.Connection], None]
    """SQL statements, or a function that neither commits nor rolls back."""


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "conversations as trees of messages",
        (
            # AUTOINCREMENT: the number of a purged conversation is never given out again.
            """
            CREATE TABLE conversation (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                title TEXT NOT NULL,
                head_id INTEGER REFERENCES message (id),
                created_at REAL NOT NULL,
                updated_at REAL NOT NULL,
                deleted_at REAL
            )
            """,
            """
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
            )
            """,
            "CREATE INDEX message_place ON message (conversation_id, parent_id)",
            "CREATE INDEX message_parent ON message (parent_id)",
            "CREATE INDEX message_writing ON message (id) WHERE state = 'writing'",
            "CREATE INDEX conversation_head ON conversation (head_id)",
        ),
    ),
    Migration(
        "options of conversations and models",
        (
            """
            CREATE TABLE options (
                scope TEXT NOT NULL,
                name TEXT NOT NULL,
                value TEXT NOT NULL,
                PRIMARY KEY (scope, name)
            ) WITHOUT ROWID
            """,
            """
            CREATE TRIGGER options_of_conversation AFTER DELETE ON conversation BEGIN
                DELETE FROM options WHERE scope = 'conversation' AND name = old.id;
            END
            """,
        ),
    ),
    Migration(
        "versions of messages",
        (
            "ALTER TABLE message ADD COLUMN deleted_at REAL",
            # The message that followed when it was last on screen; a number that is gone is as good as none.
            "ALTER TABLE message ADD COLUMN next_id INTEGER",
            "CREATE INDEX message_deleted ON message (deleted_at) WHERE deleted_at IS NOT NULL",
        ),
    ),
    Migration(
        "folders, pins, an archive, and what a search index has to read again",
        (
            """
            CREATE TABLE folder (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL,
                place REAL NOT NULL,
                collapsed INTEGER NOT NULL DEFAULT 0
            )
            """,
            "ALTER TABLE conversation ADD COLUMN folder_id INTEGER REFERENCES folder (id) ON DELETE SET NULL",
            # Where it was dragged to among its neighbours; without one it is ordered by time.
            "ALTER TABLE conversation ADD COLUMN place REAL",
            "ALTER TABLE conversation ADD COLUMN pinned_at REAL",
            "ALTER TABLE conversation ADD COLUMN archived_at REAL",
            "ALTER TABLE conversation ADD COLUMN titled_by TEXT NOT NULL DEFAULT 'program'",
            "CREATE INDEX conversation_folder ON conversation (folder_id) WHERE folder_id IS NOT NULL",
            # The last change of each message, so that an index elsewhere can catch up from any point.
            """
            CREATE TABLE message_change (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                message_id INTEGER NOT NULL UNIQUE
            )
            """,
            "INSERT INTO message_change (message_id) SELECT id FROM message ORDER BY id",
            *(
                f"""
                CREATE TRIGGER message_change_{name} AFTER {event} ON message BEGIN
                    DELETE FROM message_change WHERE message_id = {row}.id;
                    INSERT INTO message_change (message_id) VALUES ({row}.id);
                END
                """
                for name, event, row in (
                    ("insert", "INSERT", "new"),
                    ("update", "UPDATE OF parts", "new"),
                    ("delete", "DELETE", "old"),
                )
            ),
            # Tells this database from any other that its numbers of changes could be taken for.
            "CREATE TABLE search_source (name TEXT NOT NULL)",
            "INSERT INTO search_source VALUES (lower(hex(randomblob(16))))",
        ),
    ),
    Migration(
        "drafts of messages",
        (
            # No conversation: the draft of a new one.
            """
            CREATE TABLE draft (
                id INTEGER PRIMARY KEY,
                conversation_id INTEGER UNIQUE REFERENCES conversation (id) ON DELETE CASCADE,
                text TEXT NOT NULL DEFAULT '',
                attachments TEXT NOT NULL DEFAULT '[]',
                queue TEXT NOT NULL DEFAULT '[]',
                updated_at REAL NOT NULL
            )
            """,
        ),
    ),
)


def refuse_newer(version: int, path: Path, newest: int = len(MIGRATIONS)) -> None:
    """Raise UserError where a later version of the program wrote the database."""
    if newest < version <= newest + _PLAUSIBLE:
        raise UserError(
            "{path} was written by a newer version of Hearth; install that version again, or move the file away.",
            path=path,
            detail=f"database version {version}, this program's is {newest}",
        )


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the database at `path` to the newest shape, all of the way or not at all.

    An existing database is first copied to `path`.v<old version>.bak. `connection` must be in autocommit mode with
    foreign keys off, so that a step may rebuild a table. Raises UserError for a newer database, else what went wrong.
    """
    version = user_version(connection)
    refuse_newer(version, path, len(migrations))
    if version == len(migrations):
        return
    if version > 0:
        _keep_copy(connection, path.with_name(f"{path.name}.v{version}.bak"))
    # One transaction for all steps: after a failure the program that wrote the old shape can still open it.
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(user_version(connection) + 1, len(migrations) + 1):
            _apply(connection, migrations[number - 1])
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def user_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    if callable(migration.steps):
        migration.steps(connection)
    else:
        for statement in migration.steps:
            connection.execute(statement)
    broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise sqlite3.IntegrityError(f"migration {migration.name!r} leaves a broken reference in {broken[0]}")


def _keep_copy(connection: sqlite3.Connection, copy: Path) -> None:
    unfinished = beside(copy, ".part")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    with closing(connected(unfinished)) as target:
        connection.backup(target)
    unfinished.replace(copy)
