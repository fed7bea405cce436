"""What people have begun to write and not sent yet, kept in the database for each conversation."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from app.core.messages import Attachment, Message, PassagePart, Role, TextPart
from app.storage.database import Database
from app.storage.message_rows import dump_json, dump_message, load_message, load_messages


@dataclass(frozen=True, slots=True)
class Draft:
    """One conversation's."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    queue: tuple[Message, ...] = ()
    """Messages that were sent while an answer was being written, in the order in which they will go."""

    @property
    def is_empty(self) -> bool:
        return not (self.text or self.attachments or self.queue)


class DraftStore:
    """Use it in the database's thread. A conversation's draft goes for good with it; None is the new conversation.

    The columns `attachments` and `queue` name files of the attachment store, as the messages do. Raises UserError.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def get(self, conversation_id: int | None) -> Draft:
        """Empty where nothing is kept; what damage made unreadable is left out."""
        rows = self._database.query(
            "SELECT text, attachments, queue FROM draft WHERE conversation_id IS ?", (conversation_id,)
        )
        if not rows:
            return Draft()
        text, attachments, queue = rows[0]
        kept = load_message(Role.USER, attachments, None, None).parts
        attached = tuple(each for each in kept if not isinstance(each, TextPart | PassagePart))
        return Draft(str(text), attached, load_messages(queue))

    def put(self, conversation_id: int | None, draft: Draft) -> None:
        """Replace it; an empty one is removed."""
        if draft.is_empty:
            self._database.execute("DELETE FROM draft WHERE conversation_id IS ?", (conversation_id,))
            return
        attachments = dump_message(Message(Role.USER, draft.attachments))
        queue = dump_json([dump_message(each) for each in draft.queue])
        self._write(conversation_id, text=_sound(draft.text), attachments=attachments, queue=queue)

    def put_text(self, conversation_id: int | None, text: str) -> None:
        """Replace the text alone: cheap enough for twice a second, however long the documents are."""
        self._write(conversation_id, text=_sound(text))

    def _write(self, conversation_id: int | None, **columns: object) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        values = (*columns.values(), self._clock())
        with self._database.transaction():
            changed = self._database.execute(
                f"UPDATE draft SET {names}, updated_at = ? WHERE conversation_id IS ?", (*values, conversation_id)
            )
            if changed.rowcount:
                return
            # A conversation that was removed for good meanwhile needs no draft.
            self._database.execute(
                f"INSERT INTO draft (conversation_id, {', '.join(columns)}, updated_at)"
                f" SELECT ?, {', '.join('?' * len(columns))}, ?"
                " WHERE ? IS NULL OR EXISTS (SELECT 1 FROM conversation WHERE id = ?)",
                (conversation_id, *values, conversation_id, conversation_id),
            )


def _sound(text: str) -> str:
    """As SQLite takes it: without NUL, and with question marks for lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
