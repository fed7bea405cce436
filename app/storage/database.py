"""The SQLite file: opened safely, spoken to in transactions, its failures told as sentences."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from app.core.errors import UserError
from app.storage.file_errors import DamagedError, damaged, told_as_sentences
from app.storage.message_rows import MESSAGE_COLUMNS, PLACE_COLUMNS
from app.storage.migrations import MIGRATIONS, migrate, refuse_newer, user_version
from app.storage.sqlite_file import BUSY_TIMEOUT, LOG, beside, connected, verdict_on

_ALWAYS_CHECKED = 16 << 20
"""Bytes. The check reads about 1 GiB a second, so that up to here nobody notices it."""

Row = tuple[Any, ...]


class Database:
    """An open database of this version's shape. Use it in the thread that opened it, and close it there.

    Every method raises UserError for what is wrong with the file or its disk, DamagedError where it is damaged.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    @classmethod
    def open(cls, path: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> Self:
        """Open, create or migrate the file at `path`. A refused file is left as it was."""
        with told_and_marked(path):
            doubts = _Doubts.about(path)
            is_new = _make_private(path)
            connection = connected(path, timeout=busy_timeout)
            try:
                _set_up(connection, path, doubts)
            except BaseException:
                connection.close()
                if is_new and _size(path) == 0:
                    path.unlink()
                raise
            doubts.settle()
        return cls(connection, path)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        with told_and_marked(self.path):
            return self._connection.execute(sql, parameters).fetchall()

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run one statement that returns no rows; the cursor tells `rowcount`."""
        with told_and_marked(self.path):
            return self._connection.execute(sql, parameters)

    def insert(self, sql: str, parameters: Sequence[object]) -> int:
        """Run one statement that adds a row, and return its number."""
        number = self.execute(sql, parameters).lastrowid
        assert number is not None
        return number

    def change(self, sql: str, *parameters: object) -> None:
        """Run one statement that changes a row, whose number is the last parameter. Raises LookupError for none."""
        if self.execute(sql, parameters).rowcount == 0:
            raise LookupError(f"no such row: {parameters[-1]}")

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Run one statement for each row, and return how many rows it changed in all."""
        with told_and_marked(self.path):
            return self._connection.executemany(sql, rows).rowcount

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what happens inside, or nothing of it. Not to be nested."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            # SQLite has rolled back by itself after some errors, such as a full disk.
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
            raise


class _Doubts:
    """Whether the file deserves a check before it is trusted, which takes seconds on a large one."""

    def __init__(self, pragma: str, marker: Path) -> None:
        self.pragma = pragma
        """The check to make, or nothing."""
        self._marker = marker

    @classmethod
    def about(cls, path: Path) -> Self:
        """Look before SQLite touches the files: it would take an empty one for a new database."""
        if path.is_dir():
            raise UserError(
                "{path} is a folder, where Hearth keeps its conversations in a file; move it away.", path=path
            )
        marker, log, size = _marker(path), beside(path, LOG), _size(path)
        if size == 0 and (path.exists() or _size(log) > 0):
            raise damaged(path, "the file is empty")
        if marker.exists():
            return cls("integrity_check", marker)
        # SQLite removes its log when it closes: one that is there was left by a crash.
        return cls("quick_check" if log.exists() or 0 < size <= _ALWAYS_CHECKED else "", marker)

    def settle(self) -> None:
        self._marker.unlink(missing_ok=True)


def _set_up(connection: sqlite3.Connection, path: Path, doubts: _Doubts) -> None:
    with _in_doubt_damaged(path):
        _check(connection, path, doubts.pragma)
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is deleted is overwritten: it is gone, and recovery cannot bring it back by mistake.
    connection.execute("PRAGMA secure_delete = ON").fetchone()
    # Fails now, with a sentence, where another process holds the lock or the file cannot be written.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")
    migrate(connection, path)
    connection.execute("PRAGMA foreign_keys = ON")
    # The list of conversations is read once here, so that damage to it is met now and not as an empty window.
    with _in_doubt_damaged(path):
        connection.execute("SELECT count(deleted_at) FROM conversation").fetchone()
        connection.execute(f"SELECT {', '.join((*MESSAGE_COLUMNS, *PLACE_COLUMNS))} FROM message LIMIT 0").fetchone()


def _check(connection: sqlite3.Connection, path: Path, pragma: str) -> None:
    version = user_version(connection)
    refuse_newer(version, path)
    (n_objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if version not in range(len(MIGRATIONS) + 1) or (version == 0) != (n_objects == 0):
        raise damaged(path, f"version {version} with {n_objects} tables and indexes")
    if pragma and (verdict := verdict_on(connection, pragma)) != "ok":
        raise damaged(path, verdict)


@contextmanager
def _in_doubt_damaged(path: Path) -> Iterator[None]:
    """Statements that always work on a sound file: where SQLite finds them wrong, the file's schema is."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR:
            raise
        raise damaged(path, str(error)) from error
    except UnicodeDecodeError as error:
        # SQLite's message cites the schema, which is no text any more.
        raise damaged(path, str(error)) from error


@contextmanager
def told_and_marked(path: Path) -> Iterator[None]:
    """As `told_as_sentences`; damage is also remembered beside the file, so that the next start looks closely."""
    try:
        with told_as_sentences(path):
            yield
    except DamagedError:
        with suppress(OSError):
            _marker(path).touch(mode=0o600)
        raise


def _make_private(path: Path) -> bool:
    """Whether the file was made just now. SQLite gives its log and its shared memory the same mode."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        return True
    if path.stat().st_mode & 0o077:
        with suppress(OSError):
            path.chmod(0o600)
    return False


def _marker(path: Path) -> Path:
    return beside(path, ".check")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
