"""Opens the database, and saves what is left of a damaged one: never an empty list without a word.

What SQLite can still read of the damaged file comes first; what is missing there comes from the newest good copy.
"""

import math
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.core.sentence import Sentence
from app.storage.copies import Copy, name_in, newest_good_copy
from app.storage.damaged_file import LARGEST_ID, SCHEMA, TABLES, DamagedFile, Kind, columns_of, copy_files, version_told
from app.storage.database import Database, Row
from app.storage.file_errors import DamagedError, told_as_sentences
from app.storage.migrations import refuse_newer
from app.storage.sqlite_file import BUSY_TIMEOUT, LOG, beside, remove_all, remove_companions

_TYPES: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (int, float), "TEXT": (str,), "BLOB": (bytes,)}


@dataclass(frozen=True, slots=True)
class Opened:
    database: Database
    notes: tuple[str, ...] = ()
    """Sentences to show: what was damaged, what was saved, and where the damaged file lies now."""


def open_or_recover(path: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> Opened:
    """Open the database; where it is damaged, build a new one from the rows that can be read and keep the old file.

    Raises UserError where neither can be done; then the files are as they were.
    """
    try:
        return Opened(Database.open(path, busy_timeout=busy_timeout))
    except DamagedError:
        with told_as_sentences(path):
            note = _recover(path)
    return Opened(Database.open(path, busy_timeout=busy_timeout), (note,))


@dataclass(frozen=True, slots=True)
class _Saved:
    n_conversations: int
    n_messages: int
    n_copied: int
    """Of the messages, those that came from a copy."""
    copied_at: float
    """Seconds since the epoch."""

    def told(self, kept: Path) -> str:
        if not self.n_conversations:
            return Sentence(
                "The conversations were damaged and none could be read; the damaged file is kept as {copy}.", copy=kept
            )
        counts = f"{_count(self.n_conversations, 'conversation')} and {_count(self.n_messages, 'message')}"
        if not self.n_copied:
            return Sentence(
                "The conversations were damaged: {counts} were recovered, and the damaged file is kept as {copy}.",
                counts=counts,
                copy=kept,
            )
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.copied_at))
        return Sentence(
            "The conversations were damaged: {counts} were recovered, {copied} of them from "
            "the copy of {when}, and the damaged file is kept as {copy}.",
            counts=counts,
            copied=_count(self.n_copied, "message"),
            when=when,
            copy=kept,
        )


def _recover(path: Path) -> str:
    rebuilt, scratch = beside(path, ".recovering"), beside(path, ".reading")
    remove_all(rebuilt)
    try:
        refuse_newer(version_told(path), path)
        copy_files(path, scratch)
        saved = _salvage(path, scratch, rebuilt)
        kept = _keep(path)
        remove_companions(path)
        rebuilt.replace(path)
    finally:
        remove_all(rebuilt)
        remove_all(scratch)
    return saved.told(kept)


def _salvage(path: Path, scratch: Path, rebuilt: Path) -> _Saved:
    with Database.open(rebuilt) as database, newest_good_copy(path) as copy:
        # Without a log: closing would only try to empty it, and on a full disk leave rows behind in it.
        database.query("PRAGMA journal_mode = MEMORY")
        schema = database.query(SCHEMA) if copy is None else copy.connection.execute(SCHEMA).fetchall()
        with closing(DamagedFile.open(scratch, schema)) as damaged:
            refuse_newer(damaged.version, path)
            # Another database's, as after a restore, has other rows of the same numbers.
            is_of_it = copy is not None and damaged.name in (None, name_in(copy.connection))
            n_copied = _fill(database, damaged, copy if is_of_it else None)
        n_conversations, n_messages = database.query(COUNT)[0]
    return _Saved(n_conversations, n_messages, n_copied, 0.0 if copy is None else copy.made_at)


def _fill(database: Database, damaged: DamagedFile, copy: Copy | None) -> int:
    """How many messages came from the copy."""
    n_copied = 0
    with database.transaction():
        # References are looked at when the transaction ends, after the repairs.
        database.execute("PRAGMA defer_foreign_keys = ON")
        for table in TABLES:
            n_rows = _fill_table(database, table, damaged, copy)
            n_copied += n_rows if table == "message" else 0
        for repair in _REPAIRS:
            database.execute(repair)
    return n_copied


def _fill_table(database: Database, table: str, damaged: DamagedFile, copy: Copy | None) -> int:
    """How many rows came from the copy."""
    shape = columns_of(database.query, table)

    def insert(columns: Sequence[str], rows: Iterable[Row]) -> int:
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        return database.execute_many(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", rows)

    columns = [each for each in shape if each in columns_of(damaged.query, table)]
    known = 0 if copy is None or "id" not in shape else copy.last_id(table)
    rows = _Sound(damaged.rows(table, columns, known), [shape[each] for each in columns])
    if columns:
        insert(columns, rows)
    n_copied = 0
    if copy is not None:
        of_copy = [each for each in shape if each in columns_of(copy.connection.execute, table)]
        n_copied = insert(of_copy, copy.rows(table, of_copy, (*damaged.gaps, *rows.gaps)))
    insert(columns, rows.doubtful)
    return n_copied


class _Sound:
    """Of rows that were read, those that make sense. What does not is a gap, as what could not be read."""

    def __init__(self, rows: Iterable[Row], kinds: Sequence[Kind]) -> None:
        self._rows = rows
        self._kinds = kinds
        self.gaps: list[tuple[int, int]] = []
        self.doubtful: list[Row] = []
        """With bytes that are no text: better than nothing."""

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            fits = all(_fits(value, kind) for value, kind in zip(row, self._kinds, strict=True))
            if fits and not any(isinstance(each, str) and "\ufffd" in each for each in row):
                yield row
                continue
            if fits:
                self.doubtful.append(row)
            self.gaps.append((row[0], row[0]) if isinstance(row[0], int) else (1, LARGEST_ID))


def _fits(value: object, kind: Kind) -> bool:
    if value is None:
        return not kind.is_filled
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, _TYPES[kind.name]) and not (isinstance(value, int) and abs(value) > LARGEST_ID)


COUNT = """
SELECT count(DISTINCT conversation.id), count(message.id)
FROM conversation LEFT JOIN message ON message.conversation_id = conversation.id
WHERE conversation.deleted_at IS NULL
"""

_REPAIRS = (
    # Messages whose conversation is lost get one again.
    """
    INSERT INTO conversation (id, title, created_at, updated_at)
    SELECT conversation_id, 'Recovered conversation', min(created_at), max(created_at)
    FROM message
    WHERE conversation_id NOT IN (SELECT id FROM conversation)
    GROUP BY conversation_id
    """,
    "UPDATE conversation SET folder_id = NULL WHERE folder_id NOT IN (SELECT id FROM folder)",
    # What was begun to write in a conversation that is lost is offered in the new one, if nothing stands there.
    """
    UPDATE draft SET conversation_id = NULL
    WHERE conversation_id NOT IN (SELECT id FROM conversation)
    """,
    """
    DELETE FROM draft WHERE conversation_id IS NULL
    AND id NOT IN (SELECT id FROM draft WHERE conversation_id IS NULL ORDER BY updated_at DESC LIMIT 1)
    """,
    "DELETE FROM options WHERE scope = 'conversation' AND name NOT IN (SELECT id FROM conversation)",
    # A message whose parent is lost follows the one that was written before it.
    """
    UPDATE message SET parent_id = (
        SELECT max(earlier.id) FROM message AS earlier
        WHERE earlier.conversation_id = message.conversation_id AND earlier.id < message.id
    )
    WHERE parent_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM message AS parent
        WHERE parent.id = message.parent_id AND parent.id < message.id
        AND parent.conversation_id = message.conversation_id
    )
    """,
    # A conversation whose last message is lost ends with the newest that is left and was not deleted.
    """
    CREATE TEMP TABLE hidden AS
    WITH RECURSIVE hidden (id) AS (
        SELECT id FROM message WHERE deleted_at IS NOT NULL
        UNION
        SELECT message.id FROM hidden JOIN message ON message.parent_id = hidden.id
    )
    SELECT id FROM hidden
    """,
    """
    UPDATE conversation SET head_id = (
        SELECT max(message.id) FROM message
        WHERE message.conversation_id = conversation.id AND message.id NOT IN (SELECT id FROM hidden)
    )
    WHERE head_id IS NULL OR NOT EXISTS (
        SELECT 1 FROM message
        WHERE message.id = conversation.head_id AND message.conversation_id = conversation.id
        AND message.id NOT IN (SELECT id FROM hidden)
    )
    """,
    "DROP TABLE hidden",
)


def _keep(path: Path) -> Path:
    """Give the damaged file and its log a second name; the first stays until the new file takes it."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    backup = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    number = 1
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.stem}.damaged-{stamp}-{number}{path.suffix}")
    for companion in ("", LOG):
        source = beside(path, companion)
        if source.exists():
            _link_or_copy(source, beside(backup, companion))
    return backup


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Some file systems have no hard links.
        shutil.copy2(source, target)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
