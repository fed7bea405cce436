"""A SQLite file from outside: connections to it, and the files that lie beside it."""

import sqlite3
from pathlib import Path

BUSY_TIMEOUT = 2.0
"""Seconds to wait for another process's lock."""
LOG = "-wal"
COMPANIONS = (LOG, "-shm")


def connected(path: Path, mode: str = "rwc", timeout: float = BUSY_TIMEOUT) -> sqlite3.Connection:
    """In autocommit. `mode` is SQLite's: ro reads, rw also writes, rwc also makes the file.

    Bytes that are no UTF-8 come from damage; they are shown as such rather than refused.
    """
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def verdict_on(connection: sqlite3.Connection, pragma: str = "quick_check") -> str:
    """ "ok", or the first thing that SQLite finds wrong."""
    (verdict,) = connection.execute(f"PRAGMA {pragma}(1)").fetchone()
    return str(verdict)


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def remove_companions(path: Path) -> None:
    """SQLite would play an old log back into a new file. Raises OSError."""
    for companion in COMPANIONS:
        beside(path, companion).unlink(missing_ok=True)


def remove_all(path: Path) -> None:
    """The file too. Raises OSError."""
    path.unlink(missing_ok=True)
    remove_companions(path)
