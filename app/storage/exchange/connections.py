"""Further connections to the database, for threads that read or write it while the window goes on."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.storage.database import BUSY_TIMEOUT, Database
from app.storage.file_errors import told_as_sentences


@contextmanager
def reading(path: Path) -> Iterator[Database]:
    """The database as it is now, whatever is written meanwhile. Raises UserError."""
    with _connected(f"{path.absolute().as_uri()}?mode=ro", path) as database:
        database.execute("BEGIN")
        # The state that a transaction sees is fixed by its first reading.
        database.query("SELECT 1 FROM conversation LIMIT 1")
        yield database


@contextmanager
def writing(path: Path) -> Iterator[Database]:
    """For short transactions: each makes the window's own wait. Raises UserError."""
    with _connected(f"{path.absolute().as_uri()}?mode=rw", path) as database:
        database.execute("PRAGMA synchronous = NORMAL")
        database.query("PRAGMA secure_delete = ON")
        database.execute("PRAGMA foreign_keys = ON")
        yield database


@contextmanager
def _connected(address: str, path: Path) -> Iterator[Database]:
    with told_as_sentences(path):
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT, isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    with Database(connection, path) as database:
        yield database
