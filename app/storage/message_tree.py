"""The versions of messages: which one is on screen, and what is deleted or copied with all that belongs to it."""

import time
from collections.abc import Callable

from app.storage.database import Database


class MessageTree:
    """Walks and prunes the trees that `ConversationStore` grows. Use it in the database's thread.

    The head of a conversation is always a message that is not deleted, without one that is deleted above it. Every
    method raises UserError for what is wrong with the disk, and LookupError for a message that is not there.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def versions(self, message_id: int) -> tuple[int, ...]:
        """The ids of the messages in the same place, itself included, oldest first; deleted ones are left out."""
        conversation_id, parent_id = self._place(message_id)
        rows = self._database.query(
            "SELECT id FROM message WHERE conversation_id = ? AND parent_id IS ? AND deleted_at IS NULL ORDER BY id",
            (conversation_id, parent_id),
        )
        return tuple(row[0] for row in rows)

    def show(self, message_id: int) -> None:
        """Lead the path through this message, and below it to where it led last: at first to the newest."""
        conversation_id, _ = self._place(message_id)
        with self._database.transaction():
            self._set_head(conversation_id, self._leaf(message_id))

    def remember(self, conversation_id: int) -> None:
        """Note at each message on the path which one follows it there. For use inside a transaction."""
        changed = self._database.query(_CHANGED, (conversation_id,))
        self._database.execute_many("UPDATE message SET next_id = ? WHERE id = ?", changed)

    def delete(self, message_id: int) -> None:
        """Hide a message and all below it; `restore` brings them back until `purge` removes them for good.

        A path that led through it leads through the version before it, or the one after it, or ends above it.
        """
        conversation_id, parent_id = self._place(message_id)
        versions = self.versions(message_id)
        with self._database.transaction():
            was_shown = self._is_shown(conversation_id, message_id)
            self._mark(message_id, self._clock())
            if was_shown:
                place = versions.index(message_id)
                others = versions[max(0, place - 1) : place] or versions[place + 1 : place + 2]
                self._set_head(conversation_id, self._leaf(others[0]) if others else parent_id)

    def restore(self, message_id: int) -> None:
        """Bring back what `delete` hid, and show it as it was."""
        conversation_id, _ = self._place(message_id)
        with self._database.transaction():
            self._mark(message_id, None)
            self._set_head(conversation_id, self._leaf(message_id))

    def purge(self, older_than: float) -> None:
        """Remove for good what was deleted more than `older_than` seconds ago."""
        self._database.execute(_PURGE, (self._clock() - older_than,))

    def copy(self, message_id: int, title: str) -> int:
        """The id of a new conversation that holds the path down to this message, as it is."""
        now = self._clock()
        line = self._database.query(_LINE_UP, (message_id,))
        if not line:
            raise LookupError(f"no such message: {message_id}")
        with self._database.transaction():
            made = self._database.insert(
                "INSERT INTO conversation (title, created_at, updated_at) VALUES (?, ?, ?)", (title, now, now)
            )
            last: int | None = None
            for (each,) in reversed(line):
                last = self._database.insert(_COPY, (made, last, each))
            self._set_head(made, last)
        return made

    def conversation_of(self, message_id: int) -> int:
        return self._place(message_id)[0]

    def _place(self, message_id: int) -> tuple[int, int | None]:
        """The message's conversation and parent."""
        rows = self._database.query("SELECT conversation_id, parent_id FROM message WHERE id = ?", (message_id,))
        if not rows:
            raise LookupError(f"no such message: {message_id}")
        return rows[0][0], rows[0][1]

    def _leaf(self, message_id: int) -> int:
        leaf: int = self._database.query(_LEAF, (message_id,))[0][0]
        return leaf

    def _is_shown(self, conversation_id: int, message_id: int) -> bool:
        rows = self._database.query("SELECT head_id FROM conversation WHERE id = ?", (conversation_id,))
        return (message_id,) in self._database.query(_LINE_UP, (rows[0][0],))

    def _set_head(self, conversation_id: int, head_id: int | None) -> None:
        self._database.execute("UPDATE conversation SET head_id = ? WHERE id = ?", (head_id, conversation_id))
        self.remember(conversation_id)

    def _mark(self, message_id: int, deleted_at: float | None) -> None:
        self._database.execute("UPDATE message SET deleted_at = ? WHERE id = ?", (deleted_at, message_id))


# Parents are older than their children; asking for that ends every walk even in a damaged tree.
_LINE_UP = """
WITH RECURSIVE line (id, parent_id) AS (
    SELECT id, parent_id FROM message WHERE id = ?
    UNION ALL
    SELECT message.id, message.parent_id
    FROM line JOIN message ON message.id = line.parent_id AND message.id < line.id
)
SELECT id FROM line ORDER BY id DESC
"""

_LEAF = """
WITH RECURSIVE line (id, next_id) AS (
    SELECT id, next_id FROM message WHERE id = ?
    UNION ALL
    SELECT child.id, child.next_id
    FROM line JOIN message AS child ON child.id > line.id AND child.id = coalesce(
        (
            SELECT last.id FROM message AS last
            WHERE last.id = line.next_id AND last.parent_id = line.id AND last.deleted_at IS NULL
        ),
        (SELECT max(newest.id) FROM message AS newest WHERE newest.parent_id = line.id AND newest.deleted_at IS NULL)
    )
)
SELECT max(id) FROM line
"""

_CHANGED = """
WITH RECURSIVE line (id, parent_id) AS (
    SELECT message.id, message.parent_id
    FROM conversation JOIN message ON message.id = conversation.head_id
    WHERE conversation.id = ?
    UNION ALL
    SELECT message.id, message.parent_id
    FROM line JOIN message ON message.id = line.parent_id AND message.id < line.id
)
SELECT line.id, line.parent_id
FROM line JOIN message AS parent ON parent.id = line.parent_id
WHERE parent.next_id IS NOT line.id
"""

_PURGE = """
WITH RECURSIVE gone (id) AS (
    SELECT id FROM message WHERE deleted_at <= ?
    UNION
    SELECT message.id FROM gone JOIN message ON message.parent_id = gone.id
)
DELETE FROM message WHERE id IN (SELECT id FROM gone)
"""

_COPY = """
INSERT INTO message (conversation_id, parent_id, role, parts, vocab, tokens, state, figures, created_at)
SELECT ?, ?, role, parts, vocab, tokens, state, figures, created_at FROM message WHERE id = ?
"""
