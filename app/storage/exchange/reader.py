"""Conversations out of the database, as records."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.storage.conversations import MessageState, TitledBy
from app.storage.database import Database, Row
from app.storage.exchange.records import ConversationRecord, MessageRecord
from app.storage.message_rows import MESSAGE_COLUMNS, load_figures, load_message
from app.storage.options import OptionsStore, Scope

IMPORTED = "imported"
"""The option that says which record a conversation came from, as its digest; it is never exported."""
PRESET = "preset"
"""The option that names the conversation's preset."""


def conversation_ids(database: Database) -> tuple[int, ...]:
    """Of all conversations that are not deleted, oldest first."""
    rows = database.query("SELECT id FROM conversation WHERE deleted_at IS NULL ORDER BY created_at, id")
    return tuple(row[0] for row in rows)


def records(database: Database, conversation_ids: Sequence[int]) -> Iterator[ConversationRecord]:
    """One by one; conversations that are gone by then are left out."""
    options = OptionsStore(database)
    for number in conversation_ids:
        rows = database.query(
            "SELECT title, created_at, updated_at, head_id, folder.name, pinned_at, archived_at, titled_by"
            " FROM conversation LEFT JOIN folder ON folder.id = folder_id"
            " WHERE conversation.id = ? AND deleted_at IS NULL",
            (number,),
        )
        if rows:
            set_here = options.get(Scope.CONVERSATION, str(number))
            set_here.pop(IMPORTED, None)
            record = _record(rows[0], database.query(_TREE, (number,)), set_here)
            yield replace(record, preset=options.get(Scope.PRESET, str(set_here.get(PRESET, ""))))


def _record(conversation: Row, rows: Sequence[Row], options: dict[str, object]) -> ConversationRecord:
    title, created_at, updated_at, head_id, folder, pinned_at, archived_at, titled_by = conversation
    places = {row[0]: place for place, row in enumerate(rows)}
    messages = tuple(_message(row, places) for row in rows)
    last = len(messages) - 1 if messages else None
    return ConversationRecord(
        title, created_at, updated_at, messages, places.get(head_id, last), options, folder or "", pinned_at,
        archived_at, TitledBy(titled_by) if titled_by in set(TitledBy) else TitledBy.USER,
    )  # fmt: skip


def _message(row: Row, places: dict[int, int]) -> MessageRecord:
    _, _, parent_id, role, parts, vocab, tokens, state, figures, created_at, next_id = row
    # What is being written will be as cut off in the file as after a crash.
    known = MessageState(state) if state in set(MessageState) else MessageState.INTERRUPTED
    return MessageRecord(
        places.get(parent_id),
        load_message(role, parts, vocab, tokens),
        MessageState.INTERRUPTED if known is MessageState.WRITING else known,
        created_at,
        load_figures(figures),
        places.get(next_id),
    )


# Whatever hangs below a deleted message is deleted with it.
_TREE = f"""
WITH RECURSIVE hidden (id) AS (
    SELECT id FROM message WHERE conversation_id = ?1 AND deleted_at IS NOT NULL
    UNION
    SELECT message.id FROM hidden JOIN message ON message.parent_id = hidden.id
)
SELECT {", ".join(MESSAGE_COLUMNS)}, next_id FROM message
WHERE conversation_id = ?1 AND id NOT IN (SELECT id FROM hidden)
ORDER BY id
"""
