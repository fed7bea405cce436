"""Conversations as trees of messages, kept in the database."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.messages import Message
from app.storage.database import Database, Row
from app.storage.message_rows import (
    MESSAGE_COLUMNS,
    dump_content,
    dump_json,
    load_figures,
    load_message,
    plain_title,
)
from app.storage.message_tree import MessageTree


class MessageState(StrEnum):
    COMPLETE = "complete"
    WRITING = "writing"
    INTERRUPTED = "interrupted"
    """Cut off by a crash or a kill."""
    CANCELLED = "cancelled"
    """Stopped by the user."""
    FAILED = "failed"


class TitledBy(StrEnum):
    """Who made a title. What the user typed is never replaced."""

    PROGRAM = "program"
    MODEL = "model"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Conversation:
    id: int
    title: str
    head_id: int | None
    """The last message of the version on screen; None while there are no messages."""
    created_at: float
    """Seconds since the epoch, as all times here."""
    updated_at: float
    """When a message was last appended."""
    folder_id: int | None = None
    place: float | None = None
    """Among its neighbours in the folder, or among the pinned ones; None: ordered by time, before all that have one."""
    pinned_at: float | None = None
    """None for one that is not pinned."""
    archived_at: float | None = None
    """None for one that is not archived."""
    titled_by: TitledBy = TitledBy.PROGRAM
    deleted_at: float | None = None
    """When it was put into the trash; None for one that is not there."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    id: int
    conversation_id: int
    parent_id: int | None
    """The message before this one, whose id is always smaller; None for the first."""
    message: Message
    state: MessageState
    created_at: float
    figures: Mapping[str, object] | None
    """What `save_answer` was given, as far as JSON can say it."""
    version: int = field(default=1, compare=False)
    """Its number among the messages in the same place, from 1, as it was when this was read."""
    n_versions: int = field(default=1, compare=False)


class ConversationStore:
    """Reads and writes conversations. Use it in the database's thread.

    Every method raises UserError for what is wrong with the disk, and LookupError for an id that is not there.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self.tree = MessageTree(database, clock)

    def create(self, title: str = "") -> Conversation:
        now = self._clock()
        title = plain_title(title)
        number = self._database.insert(
            "INSERT INTO conversation (title, created_at, updated_at) VALUES (?, ?, ?)", (title, now, now)
        )
        return Conversation(number, title, None, now, now)

    def get(self, conversation_id: int) -> Conversation | None:
        """None for one that is not there or is deleted."""
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM conversation WHERE id = ? AND deleted_at IS NULL", (conversation_id,)
        )
        return _conversation(rows[0]) if rows else None

    def all(self) -> tuple[Conversation, ...]:
        """Newest updated first, without deleted ones."""
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM conversation WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC"
        )
        return tuple(_conversation(row) for row in rows)

    def deleted(self) -> tuple[Conversation, ...]:
        """What is in the trash, deleted last first."""
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM conversation WHERE deleted_at > 0 ORDER BY deleted_at DESC, id DESC"
        )
        return tuple(_conversation(row) for row in rows)

    def rename(self, conversation_id: int, title: str, by: TitledBy = TitledBy.USER) -> None:
        self._database.change(
            "UPDATE conversation SET title = ?, titled_by = ? WHERE id = ?",
            plain_title(title),
            by.value,
            conversation_id,
        )

    def delete(self, conversation_id: int) -> None:
        """Hide it; `restore` brings it back until `purge_deleted` removes it for good."""
        self._database.change("UPDATE conversation SET deleted_at = ? WHERE id = ?", self._clock(), conversation_id)

    def restore(self, conversation_id: int) -> None:
        self._database.change("UPDATE conversation SET deleted_at = NULL WHERE id = ?", conversation_id)

    def purge_deleted(self, older_than: float) -> int:
        """Remove for good what was deleted more than `older_than` seconds ago; returns how many conversations."""
        self.tree.purge(older_than)
        limit = self._clock() - older_than
        return self._database.execute(
            "DELETE FROM conversation WHERE deleted_at > 0 AND deleted_at <= ?", (limit,)
        ).rowcount

    def remove(self, conversation_id: int) -> None:
        """Remove one for good that is in the trash."""
        self._database.change("DELETE FROM conversation WHERE deleted_at IS NOT NULL AND id = ?", conversation_id)

    def append(
        self,
        conversation_id: int,
        parent_id: int | None,
        message: Message,
        state: MessageState = MessageState.COMPLETE,
    ) -> StoredMessage:
        """Add a message below `parent_id` (None: at the root), and make it the head."""
        (stored,) = self.append_versions(conversation_id, parent_id, message, 1, state)
        return stored

    def append_versions(
        self,
        conversation_id: int,
        parent_id: int | None,
        message: Message,
        n: int,
        state: MessageState = MessageState.COMPLETE,
    ) -> list[StoredMessage]:
        """Add a message so many times in one place, and make the first of them the head: all of them, or none."""
        now = self._clock()
        with self._database.transaction():
            if parent_id is not None:
                self._require_in(conversation_id, parent_id)
            self._database.change("UPDATE conversation SET updated_at = ? WHERE id = ?", now, conversation_id)
            numbers = [
                self._database.insert(
                    "INSERT INTO message (conversation_id, parent_id, role, parts, vocab, tokens, state, created_at)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (conversation_id, parent_id, message.role.value, *dump_content(message), state.value, now),
                )
                for _ in range(n)
            ]
            self._database.change("UPDATE conversation SET head_id = ? WHERE id = ?", numbers[0], conversation_id)
            self.tree.remember(conversation_id)
        count = len(self.children(parent_id, conversation_id))
        return [
            StoredMessage(
                number, conversation_id, parent_id, message, state, now, None, version=version, n_versions=count
            )
            for version, number in enumerate(numbers, count - n + 1)
        ]

    def save_answer(
        self, message_id: int, message: Message, state: MessageState, figures: Mapping[str, object] | None = None
    ) -> None:
        """Replace a message's content, state and figures. Changes one row: cheap enough for twice a second."""
        self._database.change(
            "UPDATE message SET parts = ?, vocab = ?, tokens = ?, state = ?, figures = ? WHERE id = ?",
            *dump_content(message),
            state.value,
            None if figures is None else dump_json(dict(figures)),
            message_id,
        )

    def path(self, conversation_id: int) -> tuple[StoredMessage, ...]:
        """The messages on screen, root to head."""
        rows = self._database.query(_PATH, (conversation_id,))
        return tuple(_stored(row) for row in rows)

    def set_head(self, conversation_id: int, message_id: int) -> None:
        """Show the version that ends with `message_id`."""
        with self._database.transaction():
            self._require_in(conversation_id, message_id)
            self._database.change("UPDATE conversation SET head_id = ? WHERE id = ?", message_id, conversation_id)
            self.tree.remember(conversation_id)

    def children(self, message_id: int | None, conversation_id: int) -> tuple[int, ...]:
        """The ids of the messages that follow `message_id` (None: of the first messages), oldest first.

        Deleted ones are left out.
        """
        rows = self._database.query(
            "SELECT id FROM message WHERE conversation_id = ? AND parent_id IS ? AND deleted_at IS NULL ORDER BY id",
            (conversation_id, message_id),
        )
        return tuple(row[0] for row in rows)

    def mark_interrupted(self) -> int:
        """Call once at the start: what is still being written then was cut off. Returns how many messages."""
        return self._database.execute("UPDATE message SET state = 'interrupted' WHERE state = 'writing'").rowcount

    def _require_in(self, conversation_id: int, message_id: int) -> None:
        found = self._database.query(
            "SELECT 1 FROM message WHERE id = ? AND conversation_id = ?", (message_id, conversation_id)
        )
        if not found:
            raise LookupError(f"message {message_id} is not in conversation {conversation_id}")


_COLUMNS = "id, title, head_id, created_at, updated_at, folder_id, place, pinned_at, archived_at, titled_by, deleted_at"
_MAKERS = {each.value: each for each in TitledBy}
_SAME_PLACE = (
    "other.conversation_id = message.conversation_id AND other.parent_id IS message.parent_id"
    " AND other.deleted_at IS NULL"
)

# Parents are older than their children; asking for that ends the walk even in a damaged tree.
_PATH = f"""
WITH RECURSIVE line (id, parent_id, depth) AS (
    SELECT message.id, message.parent_id, 0
    FROM conversation JOIN message ON message.id = conversation.head_id
    WHERE conversation.id = ?
    UNION ALL
    SELECT message.id, message.parent_id, line.depth + 1
    FROM line JOIN message ON message.id = line.parent_id AND message.id < line.id
)
SELECT {", ".join(f"message.{name}" for name in MESSAGE_COLUMNS)},
    (SELECT count(*) FROM message AS other WHERE {_SAME_PLACE} AND other.id <= message.id),
    (SELECT count(*) FROM message AS other WHERE {_SAME_PLACE})
FROM line JOIN message ON message.id = line.id
ORDER BY line.depth DESC
"""


def _conversation(row: Row) -> Conversation:
    number, title, head_id, created, updated, folder_id, place, pinned, archived, titled_by, deleted = row
    # What damage or a later version wrote there counts as the user's: it is left alone.
    made_by = _MAKERS.get(titled_by, TitledBy.USER)
    return Conversation(number, title, head_id, created, updated, folder_id, place, pinned, archived, made_by, deleted)


def _stored(row: Row) -> StoredMessage:
    message_id, conversation_id, parent_id, role, parts, vocab, tokens, state, figures, created_at, *versions = row
    known = MessageState(state) if state in set(MessageState) else MessageState.INTERRUPTED
    message = load_message(role, parts, vocab, tokens)
    return StoredMessage(
        message_id, conversation_id, parent_id, message, known, created_at, load_figures(figures), *versions
    )
