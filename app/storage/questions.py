"""What people have asked before, newest first, to be found again by the keyboard."""

from collections.abc import Iterator

from app.core.messages import Role
from app.storage.database import Database
from app.storage.message_rows import load_message

_PAGE = 32


class SentQuestions:
    """Use it in the database's thread. Raises UserError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def texts(self, conversation_id: int | None) -> Iterator[str]:
        """The texts of this conversation's questions, then of all others', read as far as they are asked for.

        Deleted conversations and messages are left out, and texts that are empty; nothing is told twice.
        """
        told: set[str] = set()
        for sign in ("=", "IS NOT"):
            if sign == "=" and conversation_id is None:
                continue
            for text in self._pages(sign, conversation_id):
                if text.strip() and text not in told:
                    told.add(text)
                    yield text

    def _pages(self, sign: str, conversation_id: int | None) -> Iterator[str]:
        before = 2**62
        while True:
            rows = self._database.query(
                "SELECT message.id, message.parts FROM message"
                " JOIN conversation ON conversation.id = message.conversation_id"
                f" WHERE message.role = 'user' AND message.id < ? AND message.conversation_id {sign} ?"
                " AND message.deleted_at IS NULL AND conversation.deleted_at IS NULL"
                " ORDER BY message.id DESC LIMIT ?",
                (before, conversation_id, _PAGE),
            )
            yield from (load_message(Role.USER, parts, None, None).text for _, parts in rows)
            if len(rows) < _PAGE:
                return
            before = rows[-1][0]
