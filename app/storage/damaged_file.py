"""What SQLite can still read of a damaged database: by ranges of row numbers, around what raises.

It reads a copy, in which it may write: where the schema can't be read, another one's takes its place, since the
tables of a database and of its copies begin on the same pages.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from app.storage.copies import name_in
from app.storage.database import Row
from app.storage.migrations import user_version
from app.storage.sqlite_file import LOG, beside, connected

TABLES = ("folder", "conversation", "message", "draft", "options")
LARGEST_ID = 2**31 - 1
"""A number beyond it is damage. Kept, it would use up the numbers that are left to give out."""
_MAGIC = b"SQLite format 3\0"
_PAGE_SIZE = 4096
_STEP = 500
"""Rows that are read at once."""
_BARREN = 4
"""Times that a range is halved while neither end of it can be read: with 16 probes into it."""
_PATIENCE = 50_000
"""Questions that fail, of one table. What is left then counts as lost."""
_UNKNOWN = 10_000
"""Row numbers to look for beyond those that are known."""


SCHEMA = f"""
SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master
WHERE type = 'table' AND name IN {(*TABLES, "search_source")}
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column holds."""

    name: str
    """SQL's."""
    is_filled: bool
    """It always has a value."""


class DamagedFile:
    """A context manager. It is read once, table by table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.gaps: list[tuple[int, int]] = []
        """Numbers of the rows of the last table that could not be read, ends included."""
        self._patience = 0

    @classmethod
    def open(cls, scratch: Path, schema: Sequence[Row]) -> Self:
        """Read the copy at `scratch`; where its schema is damaged, with `schema`, what `SCHEMA` finds elsewhere."""
        if scratch.stat().st_size == 0:
            # SQLite removes the log of an empty file.
            scratch.write_bytes(bytes(_PAGE_SIZE))
        try:
            return cls(_connected(scratch))
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            _transplant(scratch, schema)
        try:
            return cls(_connected(scratch))
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            # The log's first page is damaged, and comes before that of the file.
            beside(scratch, LOG).unlink(missing_ok=True)
            return cls(_connected(scratch))

    def close(self) -> None:
        self._connection.close()

    @property
    def name(self) -> str | None:
        """What tells it from other databases, where that can be read."""
        return name_in(self._connection)

    @property
    def version(self) -> int:
        return user_version(self._connection)

    def query(self, sql: str) -> list[Row]:
        return self._connection.execute(sql).fetchall()

    def rows(self, table: str, columns: Sequence[str], known: int) -> Iterator[Row]:
        """Those that can be read, in any order; `gaps` holds the others at the end. `known` is the largest number
        that some row is known to have had.
        """
        self.gaps, self._patience = [], _PATIENCE
        if not columns:
            self.gaps.append((1, LARGEST_ID))
            return iter(())
        select = f"SELECT {', '.join(columns)} FROM {table}"
        if "id" not in columns:
            rows, is_whole = self._readable(select)
            if not is_whole:
                self.gaps.append((1, LARGEST_ID))
            return iter(rows)
        return self._numbered(select, self._last(table, known))

    def _numbered(self, select: str, last: int) -> Iterator[Row]:
        low = 1
        while True:
            chunk = f"{select} WHERE id BETWEEN ? AND {LARGEST_ID} ORDER BY id LIMIT {_STEP}"
            rows, is_whole = self._readable(chunk, low)
            yield from rows
            if is_whole and len(rows) < _STEP:
                # What is not there was deleted.
                return
            before, low = low, max([low, *(row[0] + 1 for row in rows)])
            if is_whole and low > before:
                continue
            yield from self._around(select, low, min(low + _STEP, max(last, low)))
            low += _STEP + 1
            if low > last or self._patience <= 0:
                self.gaps.append((low, LARGEST_ID))
                return

    def _around(self, select: str, low: int, high: int, n_barren: int = 0) -> Iterator[Row]:
        """From both ends to what can't be read, and then in halves, until they are small or give nothing."""
        n_rows = 0
        for order in ("", " DESC"):
            rows, is_whole = self._readable(f"{select} WHERE id BETWEEN ? AND ? ORDER BY id{order}", low, high)
            yield from rows
            if is_whole:
                return
            n_rows += len(rows)
            for row in rows:
                low, high = (low, min(high, row[0] - 1)) if order else (max(low, row[0] + 1), high)
        n_barren = 0 if n_rows else n_barren + 1
        if low >= high or n_barren > _BARREN or self._patience <= 0:
            self.gaps.append((low, max(low, high)))
            return
        middle = (low + high) // 2
        yield from self._around(select, low, middle, n_barren)
        yield from self._around(select, middle + 1, high, n_barren)

    def _readable(self, sql: str, *parameters: int) -> tuple[list[Row], bool]:
        rows: list[Row] = []
        try:
            with closing(self._connection.execute(sql, parameters)) as cursor:
                # One by one: those before the first that raises are kept.
                rows.extend(cursor)
        except sqlite3.DatabaseError:
            self._patience -= 1
            return rows, False
        return rows, True

    def _last(self, table: str, known: int) -> int:
        rows, is_whole = self._readable(f"SELECT max(id) FROM {table} WHERE id <= {LARGEST_ID}")
        return rows[0][0] or 0 if is_whole else known + _UNKNOWN


def copy_files(path: Path, scratch: Path) -> None:
    """The file and its log, either of which may be missing. Raises OSError."""
    for companion in ("", LOG):
        source, target = beside(path, companion), beside(scratch, companion)
        if source.exists():
            shutil.copyfile(source, target)
        else:
            target.unlink(missing_ok=True)
    scratch.touch(mode=0o600)


def version_told(path: Path) -> int:
    """The version in the file's header; 0 where that is none."""
    with path.open("rb") as file:
        header = file.read(100)
    return int.from_bytes(header[60:64], "big") if header.startswith(_MAGIC) and len(header) == 100 else 0


def columns_of(query: Callable[[str], Iterable[Row]], table: str) -> dict[str, Kind]:
    rows = query(f"PRAGMA table_info({table})")
    return {name: Kind(kind, bool(is_filled or key)) for _, name, kind, is_filled, _, key in rows}


def _connected(scratch: Path) -> sqlite3.Connection:
    connection = connected(scratch)
    try:
        # Reads a file that has fewer pages than its header says.
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        for table in ("conversation", "message"):
            connection.execute(f"SELECT id FROM {table} LIMIT 0").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _transplant(scratch: Path, schema: Sequence[Row]) -> None:
    """Write a first page that names the tables, without their indexes: they fit on it."""
    seed = beside(scratch, ".seed")
    seed.unlink(missing_ok=True)
    with closing(connected(seed)) as connection:
        connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
        connection.execute("PRAGMA writable_schema = ON")
        short = [(*row[:4], " ".join(row[4].split())) for row in schema]
        connection.executemany("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", short)
    page = bytearray(seed.read_bytes())
    seed.unlink()
    if len(page) != _PAGE_SIZE:
        raise sqlite3.DatabaseError("the schema does not fit on the first page")
    # The number of pages: none, so that the file's size tells.
    page[28:32] = bytes(4)
    with scratch.open("r+b") as file:
        file.write(page)
