"""Opens the database, and saves what is left of a damaged one: never an empty list without a word."""

import math
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.messages import Role
from app.storage.database import BUSY_TIMEOUT, Database
from app.storage.file_errors import DamagedError, told_as_sentences
from app.storage.message_rows import MESSAGE_COLUMNS, PLACE_COLUMNS
from app.storage.migrations import refuse_newer
from app.storage.options import Scope
from app.storage.sqlite_pages import PageFile, Value

_CONVERSATION_COLUMNS = ("id", "title", "head_id", "created_at", "updated_at", "deleted_at")
_ORGANISED_COLUMNS = ("folder_id", "place", "pinned_at", "archived_at", "titled_by")
"""What later versions added to a conversation; it is kept where all of it makes sense."""
_FOLDER_COLUMNS = ("id", "name", "place", "collapsed")
_DRAFT_COLUMNS = ("id", "conversation_id", "text", "attachments", "queue", "updated_at")
_OPTION_COLUMNS = ("scope", "name", "value")
_SCOPES = frozenset(scope.value for scope in Scope)
_MESSAGE_COLUMNS = (*MESSAGE_COLUMNS, PLACE_COLUMNS[0])
_ROLES = frozenset(role.value for role in Role)
_LARGEST_ID = 2**31 - 1
"""A number beyond it is damage. Kept, it would use up the numbers that are left to give out."""
_COMPANIONS = ("-wal", "-shm")


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


def _recover(path: Path) -> str:
    rebuilt = path.with_name(path.name + ".recovering")
    _remove(rebuilt)
    try:
        n_conversations, n_messages = _salvage(path, rebuilt)
        backup = _keep(path)
        # The old log goes first: SQLite would play it back into the new file.
        for companion in _COMPANIONS:
            _beside(path, companion).unlink(missing_ok=True)
        rebuilt.replace(path)
    finally:
        _remove(rebuilt)
    if not n_conversations:
        return f"The conversations were damaged and none could be read; the damaged file is kept as {backup}."
    return (
        f"The conversations were damaged: {_count(n_conversations, 'conversation')} and "
        f"{_count(n_messages, 'message')} were recovered, and the damaged file is kept as {backup}."
    )


def _salvage(path: Path, rebuilt: Path) -> tuple[int, int]:
    """Fill the new database; how many conversations and messages it shows."""
    with Database.open(rebuilt) as database:
        # Without a log: closing would only try to empty it, and on a full disk leave rows behind in it.
        database.query("PRAGMA journal_mode = MEMORY")
        with PageFile.open(path) as pages:
            if pages.user_version is not None:
                refuse_newer(pages.user_version, path)
            _fill(database, pages)
        n_conversations, n_messages = database.query(_COUNT)[0]
    return n_conversations, n_messages


def _fill(database: Database, pages: PageFile) -> None:
    with database.transaction():
        # References are looked at when the transaction ends, after the repairs.
        database.execute("PRAGMA defer_foreign_keys = ON")
        for table, columns, row in _known_rows(pages):
            marks = ", ".join("?" * len(columns))
            database.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", row)
        for repair in _REPAIRS:
            database.execute(repair)


def _known_rows(pages: PageFile) -> Iterator[tuple[str, tuple[str, ...], tuple[Value, ...]]]:
    """The table, its columns and their values, for each row that looks like one of ours."""
    for keyed in pages.keyed_rows():
        if _is_option(keyed):
            yield "options", _OPTION_COLUMNS, keyed
    for rowid, values in pages.rows():
        if not values or values[0] is not None:
            continue
        row = (rowid, *values[1:])
        if _is_message(row):
            # Rows from before the last column was added are shorter.
            yield "message", _MESSAGE_COLUMNS, (*row, None)[: len(_MESSAGE_COLUMNS)]
        elif _is_conversation(row):
            n_known = len(_CONVERSATION_COLUMNS)
            if _is_organised(row[n_known:]):
                n_known += len(_ORGANISED_COLUMNS)
            yield "conversation", (*_CONVERSATION_COLUMNS, *_ORGANISED_COLUMNS)[:n_known], row[:n_known]
        elif _is_folder(row):
            yield "folder", _FOLDER_COLUMNS, row
        elif _is_draft(row):
            yield "draft", _DRAFT_COLUMNS, row


def _is_message(row: tuple[Value, ...]) -> bool:
    if len(row) < len(MESSAGE_COLUMNS):
        return False
    message_id, conversation_id, parent_id, role, parts, vocab, tokens, state, figures, created_at = row[:10]
    deleted_at = row[10] if len(row) > 10 else None
    return (
        _is_id(message_id)
        and _is_id(conversation_id)
        and (parent_id is None or isinstance(parent_id, int))
        and role in _ROLES
        and isinstance(parts, str)
        and (vocab is None or isinstance(vocab, str))
        and (tokens is None or isinstance(tokens, bytes))
        and isinstance(state, str)
        and (figures is None or isinstance(figures, str))
        and _is_time(created_at)
        and (deleted_at is None or _is_time(deleted_at))
    )


def _is_conversation(row: tuple[Value, ...]) -> bool:
    if len(row) < len(_CONVERSATION_COLUMNS):
        return False
    conversation_id, title, head_id, created_at, updated_at, deleted_at = row[:6]
    return (
        _is_id(conversation_id)
        and isinstance(title, str)
        and (head_id is None or isinstance(head_id, int))
        and _is_time(created_at)
        and _is_time(updated_at)
        and (deleted_at is None or _is_time(deleted_at))
    )


def _is_organised(more: tuple[Value, ...]) -> bool:
    if len(more) < len(_ORGANISED_COLUMNS):
        return False
    folder_id, place, pinned_at, archived_at, titled_by = more[:5]
    return (
        (folder_id is None or _is_id(folder_id))
        and all(value is None or _is_time(value) for value in (place, pinned_at, archived_at))
        and isinstance(titled_by, str)
    )


def _is_folder(row: tuple[Value, ...]) -> bool:
    if len(row) != len(_FOLDER_COLUMNS):
        return False
    folder_id, name, place, collapsed = row
    return _is_id(folder_id) and isinstance(name, str) and _is_time(place) and collapsed in (0, 1)


def _is_draft(row: tuple[Value, ...]) -> bool:
    if len(row) != len(_DRAFT_COLUMNS):
        return False
    draft_id, conversation_id, text, attachments, queue, updated_at = row
    return (
        _is_id(draft_id)
        and (conversation_id is None or _is_id(conversation_id))
        and all(isinstance(each, str) for each in (text, attachments, queue))
        and _is_time(updated_at)
    )


def _is_option(row: tuple[Value, ...]) -> bool:
    return len(row) == len(_OPTION_COLUMNS) and row[0] in _SCOPES and all(isinstance(each, str) for each in row)


def _is_id(value: Value) -> bool:
    return isinstance(value, int) and 0 < value <= _LARGEST_ID


def _is_time(value: Value) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


_COUNT = """
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
    for companion in ("", "-wal"):
        source = _beside(path, companion)
        if source.exists():
            _link_or_copy(source, _beside(backup, companion))
    return backup


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Some file systems have no hard links.
        shutil.copy2(source, target)


def _remove(path: Path) -> None:
    for companion in ("", *_COMPANIONS):
        _beside(path, companion).unlink(missing_ok=True)


def _beside(path: Path, companion: str) -> Path:
    return path.with_name(path.name + companion)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
