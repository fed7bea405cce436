"""Further connections to the database, for threads that read or write it while the window goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.storage.database import Database
from app.storage.file_errors import told_as_sentences
from app.storage.sqlite_file import connected


@contextmanager
def reading(path: Path) -> Iterator[Database]:
    """The database as it is now, whatever is written meanwhile. Raises UserError."""
    with _opened(path, "ro") as database:
        database.execute("BEGIN")
        # The state that a transaction sees is fixed by its first reading.
        database.query("SELECT 1 FROM conversation LIMIT 1")
        yield database


@contextmanager
def writing(path: Path) -> Iterator[Database]:
    """For short transactions: each makes the window's own wait. Raises UserError."""
    with _opened(path, "rw") as database:
        database.execute("PRAGMA synchronous = NORMAL")
        database.query("PRAGMA secure_delete = ON")
        database.execute("PRAGMA foreign_keys = ON")
        yield database


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[Database]:
    with told_as_sentences(path):
        connection = connected(path, mode)
    with Database(connection, path) as database:
        yield database
