"""Records into the database: all of them appear at once, or none does.

Until the last of them is written they are marked as deleted long ago, so that nobody sees them; then one statement
shows them all. What a crash leaves goes with the next import. So every transaction is short, and the
window, which writes to the same file, never waits for long.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from app.core.errors import UserError
from app.core.preset import from_json, to_json, unused_name
from app.storage.chat_folders import ADD_FOLDER
from app.storage.database import Database
from app.storage.exchange.reader import IMPORTED, PRESET
from app.storage.exchange.records import ConversationRecord, MessageRecord
from app.storage.message_rows import dump_content, dump_json, plain_title
from app.storage.options import OptionsStore, Scope

_HIDDEN = 0.0
"""Seconds since the epoch: when what is not shown yet was "deleted"."""
_PRESET_ID = re.compile("[0-9a-f]{32}")
_MOST_ROWS = 100
_MOST_CHARACTERS = 1 << 18
"""What one transaction writes at most, but for a single message that is longer."""
_LONGEST_PAUSE = 0.1
"""Seconds."""


def write(
    database: Database, records: Iterable[tuple[ConversationRecord, str]], check: Callable[[], None] = lambda: None
) -> tuple[int, ...]:
    """Add conversations, each with the digest of the record it came from; returns their ids.

    `check` is called between transactions, and may raise to stop. Whatever is raised, by it or by the disk (UserError),
    nothing of them is left.
    """
    # What a crash left of another import.
    database.execute("DELETE FROM conversation WHERE deleted_at = ?", (_HIDDEN,))
    made: list[int] = []
    folders: dict[int, str] = {}
    try:
        with _Steps(database, check) as steps:
            for record, source in records:
                made.append(_begin(database, record, source))
                if name := plain_title(record.folder):
                    folders[made[-1]] = name
                _fill(database, made[-1], record, steps)
        with database.transaction():
            _put_into_folders(database, folders)
            database.execute_many("UPDATE conversation SET deleted_at = NULL WHERE id = ?", [(each,) for each in made])
    except BaseException:
        for number in made:
            # What cannot be removed now is hidden, and goes with the next import.
            with suppress(UserError):
                database.execute("DELETE FROM conversation WHERE id = ?", (number,))
        raise
    return tuple(made)


class _Steps:
    """One short transaction after another, with pauses as long as they were, in which others may write."""

    def __init__(self, database: Database, check: Callable[[], None]) -> None:
        self._database = database
        self._check = check
        self._open = ExitStack()
        self._began = 0.0
        self._n_rows = self._n_characters = 0

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, traceback)

    def count(self, n_rows: int, n_characters: int) -> None:
        """So much was written: perhaps it is time for another transaction."""
        self._n_rows += n_rows
        self._n_characters += n_characters
        if self._n_rows >= _MOST_ROWS or self._n_characters >= _MOST_CHARACTERS:
            self._open.close()
            time.sleep(min(_LONGEST_PAUSE, time.monotonic() - self._began))
            self._begin()

    def _begin(self) -> None:
        self._check()
        self._n_rows = self._n_characters = 0
        self._open.enter_context(self._database.transaction())
        self._began = time.monotonic()


def _begin(database: Database, record: ConversationRecord, source: str) -> int:
    number = database.insert(
        "INSERT INTO conversation (title, created_at, updated_at, deleted_at, pinned_at, archived_at, titled_by)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            plain_title(record.title),
            record.created_at,
            record.updated_at,
            _HIDDEN,
            record.pinned_at,
            record.archived_at,
            record.titled_by.value,
        ),
    )
    options = OptionsStore(database)
    options.put(Scope.CONVERSATION, str(number), {**record.options, IMPORTED: source})
    _keep_preset(options, record)
    return number


def _keep_preset(options: OptionsStore, record: ConversationRecord) -> None:
    """The preset that came along, unless it is here already: it may have been changed here since."""
    preset_id = str(record.options.get(PRESET, ""))
    if not record.preset or not _PRESET_ID.fullmatch(preset_id) or options.get(Scope.PRESET, preset_id):
        return
    preset = from_json(record.preset)
    taken = {str(each.get("name", "")).casefold() for _, each in options.all(Scope.PRESET)}
    named = replace(preset, name=unused_name(preset.name or "Preset", taken))
    options.put(Scope.PRESET, preset_id, to_json(named))


def _put_into_folders(database: Database, folders: dict[int, str]) -> None:
    """Into the folders of these names, made where there are none."""
    found = {name: number for number, name in database.query("SELECT id, name FROM folder ORDER BY id DESC")}
    for name in dict.fromkeys(folders.values()):
        if name not in found:
            found[name] = database.insert(ADD_FOLDER, (name,))
    rows = [(found[name], number) for number, name in folders.items()]
    database.execute_many("UPDATE conversation SET folder_id = ? WHERE id = ?", rows)


def _fill(database: Database, conversation_id: int, record: ConversationRecord, steps: _Steps) -> None:
    ids: list[int] = []
    for group, n_characters in _groups(record.messages):
        first = _next_id(database)
        ids += range(first, first + len(group))
        rows = [_row(conversation_id, ids, ids[-len(group) + index], each) for index, each in enumerate(group)]
        database.execute_many(_INSERT, rows)
        steps.count(len(group), n_characters)
    following = [
        (ids[each.next], ids[place])
        for place, each in enumerate(record.messages)
        if each.next is not None and 0 <= each.next < len(ids)
    ]
    database.execute_many("UPDATE message SET next_id = ? WHERE id = ?", following)
    if record.head is not None:
        database.execute("UPDATE conversation SET head_id = ? WHERE id = ?", (ids[record.head], conversation_id))


def _groups(messages: Sequence[MessageRecord]) -> Iterator[tuple[Sequence[MessageRecord], int]]:
    """Parts that one transaction takes, each with its number of characters."""
    start = size = 0
    for place, each in enumerate(messages):
        if place > start and (place - start >= _MOST_ROWS or size >= _MOST_CHARACTERS):
            yield messages[start:place], size
            start, size = place, 0
        size += len(each.message.text) + len(each.message.reasoning)
    if start < len(messages):
        yield messages[start:], size


def _next_id(database: Database) -> int:
    """Inside a transaction, so that nobody else takes it. AUTOINCREMENT keeps the largest that ever was."""
    rows = database.query("SELECT seq FROM sqlite_sequence WHERE name = 'message'")
    return (rows[0][0] if rows else 0) + 1


def _row(conversation_id: int, ids: Sequence[int], number: int, record: MessageRecord) -> tuple[object, ...]:
    return (
        number,
        conversation_id,
        None if record.parent is None else ids[record.parent],
        record.message.role.value,
        *dump_content(record.message),
        record.state.value,
        None if record.figures is None else dump_json(dict(record.figures)),
        record.created_at,
    )


_INSERT = """
INSERT INTO message (id, conversation_id, parent_id, role, parts, vocab, tokens, state, figures, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
