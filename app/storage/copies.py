"""Keeps up to three copies of the database beside it, for the day on which it is damaged.

While the program is open the newest is made anew each hour in which something was written; the second is replaced when
it is a day old, by what was the newest, and becomes the third. Each was checked, and was written beside its place and
renamed. They hold the pages of the database as they are, so that what is left of one can be read by the other's schema.
"""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.storage.database import Row, told_and_marked
from app.storage.file_errors import damaged, told_as_sentences
from app.storage.sqlite_file import LOG, beside, connected, verdict_on

KEPT = 3
_HOUR, _DAY = 3_600.0, 86_400.0
_LARGE = 256 << 20
"""Bytes. A larger database is copied once a day, and one copy of it is kept."""
_SPARE = 3
"""Copies that must have room on the disk before one is made: they never fill it."""


def copies(path: Path) -> list[Path]:
    """Those that are there, newest first."""
    return [each for each in _places(path) if each.exists()]


def keep_copy(path: Path, *, clock: Callable[[], float] = time.time) -> bool:
    """Copy the database at `path`, which may be in use, if that is due; whether a copy was made. For any thread.

    Raises DamagedError where the database proves not to be sound: the copies stay, and the next start looks closely.
    Raises UserError for what is wrong with the disk.
    """
    newest, log = _places(path)[0], beside(path, LOG)
    size = path.stat().st_size + (log.stat().st_size if log.exists() else 0)
    interval = _HOUR if size <= _LARGE else _DAY
    if newest.exists():
        is_old = _age(newest, clock()) >= interval and _changed_at(path) > newest.stat().st_mtime
        if not is_old and name_of(newest) == name_of(path):
            return False
    if shutil.disk_usage(path.parent).free < _SPARE * size:
        return False
    unfinished = beside(path, ".copying")
    try:
        with told_and_marked(path):
            _copy(path, unfinished)
            _rotate(path, unfinished, KEPT if size <= _LARGE else 1, clock())
    finally:
        unfinished.unlink(missing_ok=True)
    return True


def remove_copies(path: Path) -> None:
    """Something was deleted for good: it is to be nowhere. Raises UserError."""
    with told_as_sentences(path):
        for each in copies(path):
            each.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Copy:
    """One that is sound, open for reading."""

    connection: sqlite3.Connection
    made_at: float
    """Seconds since the epoch."""

    def rows(self, table: str, columns: Sequence[str], ranges: Iterable[tuple[int, int]]) -> Iterator[Row]:
        """Those whose number lies in one of the ranges, ends included; of tables without numbers all, for any range."""
        select = f"SELECT {', '.join(columns)} FROM {table}"
        for low, high in ranges:
            if "id" in columns:
                yield from self.connection.execute(f"{select} WHERE id BETWEEN ? AND ?", (low, high))
            else:
                yield from self.connection.execute(select)

    def last_id(self, table: str) -> int:
        (number,) = self.connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
        return int(number)


@contextmanager
def newest_good_copy(path: Path) -> Iterator[Copy | None]:
    """The newest copy that is sound; None where there is none."""
    for each in copies(path):
        with closing(connected(each, "ro")) as connection:
            if _is_good(connection):
                yield Copy(connection, each.stat().st_mtime)
                return
    yield None


def name_of(path: Path) -> str | None:
    """What tells the database from every other; None where that can't be read."""
    with closing(connected(path, "ro")) as connection:
        return name_in(connection)


def name_in(connection: sqlite3.Connection) -> str | None:
    try:
        found = connection.execute("SELECT name FROM search_source").fetchone()
    except sqlite3.DatabaseError:
        return None
    return None if found is None else str(found[0])


def _is_good(connection: sqlite3.Connection) -> bool:
    try:
        return verdict_on(connection) == "ok" and name_in(connection) is not None
    except sqlite3.DatabaseError:
        return False


def _copy(path: Path, unfinished: Path) -> None:
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    with closing(connected(path, "ro")) as source, closing(connected(unfinished)) as target:
        target.execute("PRAGMA synchronous = OFF")
        # In one step, in which others may write: Python's lock is not held, and SQLite's is a reader's.
        source.backup(target)
        if (verdict := verdict_on(target)) != "ok":
            raise damaged(path, verdict)
        # A copy is one file, which is read without making others beside it.
        target.execute("PRAGMA journal_mode = DELETE").fetchone()
    with unfinished.open("r+b") as file:
        os.fsync(file.fileno())


def _rotate(path: Path, made: Path, kept: int, now: float) -> None:
    first, second, third = _places(path)
    if first.exists() and (not second.exists() or _age(second, now) >= _DAY):
        if second.exists():
            second.replace(third)
        first.replace(second)
    made.replace(first)
    os.utime(first, (now, now))
    for each in _places(path)[kept:]:
        each.unlink(missing_ok=True)


def _places(path: Path) -> list[Path]:
    return [path.with_name(f"{path.stem}.copy{number}{path.suffix}") for number in range(1, KEPT + 1)]


def _age(path: Path, now: float) -> float:
    return now - path.stat().st_mtime


def _changed_at(path: Path) -> float:
    log = beside(path, LOG)
    has_log = log.exists() and log.stat().st_size
    return max(path.stat().st_mtime, log.stat().st_mtime if has_log else 0.0)
