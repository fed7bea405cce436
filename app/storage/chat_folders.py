"""How conversations are put in order: folders, pins, the archive, and the places that they were dragged to."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.storage.database import Database
from app.storage.message_rows import plain_title

ADD_FOLDER = "INSERT INTO folder (name, place) SELECT ?, coalesce(max(place), 0) + 1 FROM folder"


@dataclass(frozen=True, slots=True)
class ChatFolder:
    id: int
    name: str
    collapsed: bool = False


@dataclass(frozen=True, slots=True)
class DeletedFolder:
    """What `restore` needs to bring a folder back as it was."""

    id: int
    name: str
    place: float
    collapsed: bool
    conversations: tuple[tuple[int, float | None], ...]
    """(conversation, its place)"""


class ChatFolders:
    """Use it in the database's thread. Every method raises UserError for what is wrong with the disk, and LookupError
    for an id that is not there.

    A conversation with a place stays where it was dragged to; the others stand before it, by time.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def all(self) -> tuple[ChatFolder, ...]:
        """In the user's order."""
        rows = self._database.query("SELECT id, name, collapsed FROM folder ORDER BY place, id")
        return tuple(ChatFolder(number, name, bool(collapsed)) for number, name, collapsed in rows)

    def create(self, name: str) -> ChatFolder:
        """A new folder, below all others."""
        name = plain_title(name)
        return ChatFolder(self._database.insert(ADD_FOLDER, (name,)), name)

    def rename(self, folder_id: int, name: str) -> None:
        self._database.change("UPDATE folder SET name = ? WHERE id = ?", plain_title(name), folder_id)

    def collapse(self, folder_id: int, collapsed: bool) -> None:
        self._database.change("UPDATE folder SET collapsed = ? WHERE id = ?", collapsed, folder_id)

    def order(self, folder_ids: Sequence[int]) -> None:
        """Put the folders in this order; those that are not named keep their places."""
        with self._database.transaction():
            self._database.execute_many(
                "UPDATE folder SET place = ? WHERE id = ?", [(place, each) for place, each in enumerate(folder_ids, 1)]
            )

    def delete(self, folder_id: int) -> DeletedFolder:
        """Remove a folder; what was in it is in none then."""
        with self._database.transaction():
            rows = self._database.query("SELECT id, name, place, collapsed FROM folder WHERE id = ?", (folder_id,))
            if not rows:
                raise LookupError(f"no such folder: {folder_id}")
            inside = self._database.query("SELECT id, place FROM conversation WHERE folder_id = ?", (folder_id,))
            self._database.execute(
                "UPDATE conversation SET folder_id = NULL, place = NULL WHERE folder_id = ?", (folder_id,)
            )
            self._database.execute("DELETE FROM folder WHERE id = ?", (folder_id,))
        number, name, place, collapsed = rows[0]
        return DeletedFolder(number, name, place, bool(collapsed), tuple((each, there) for each, there in inside))

    def restore(self, deleted: DeletedFolder) -> None:
        """Bring a folder back, with what was in it and has not been put into another since."""
        with self._database.transaction():
            self._database.execute(
                "INSERT INTO folder (id, name, place, collapsed) VALUES (?, ?, ?, ?)",
                (deleted.id, deleted.name, deleted.place, deleted.collapsed),
            )
            self._database.execute_many(
                "UPDATE conversation SET folder_id = ?, place = ? WHERE id = ? AND folder_id IS NULL",
                [(deleted.id, place, number) for number, place in deleted.conversations],
            )

    def move(self, conversation_id: int, folder_id: int | None) -> None:
        """Put a conversation into a folder (None: out of it), among those that are ordered by time.

        It leaves the pins and the archive: it is where it was put.
        """
        if folder_id is not None and not self._database.query("SELECT 1 FROM folder WHERE id = ?", (folder_id,)):
            raise LookupError(f"no such folder: {folder_id}")
        self._database.change(
            "UPDATE conversation SET folder_id = ?, place = NULL, pinned_at = NULL, archived_at = NULL WHERE id = ?",
            folder_id,
            conversation_id,
        )

    def pin(self, conversation_id: int, pinned: bool) -> None:
        """Show it at the top, or where it was before: its folder is kept. A pinned one is not archived."""
        self._database.change(
            "UPDATE conversation SET pinned_at = ?, place = NULL, archived_at = NULL WHERE id = ?",
            self._clock() if pinned else None,
            conversation_id,
        )

    def archive(self, conversation_id: int, archived: bool) -> None:
        """Put it aside, or bring it back to where it was: its folder is kept, its pin is not."""
        self._database.change(
            "UPDATE conversation SET archived_at = ?, place = NULL, pinned_at = NULL WHERE id = ?",
            self._clock() if archived else None,
            conversation_id,
        )

    def arrange(self, conversation_ids: Sequence[int]) -> None:
        """Keep the members of one folder, or the pinned ones, in this order from now on."""
        with self._database.transaction():
            self._database.execute_many(
                "UPDATE conversation SET place = ? WHERE id = ?",
                [(place, each) for place, each in enumerate(conversation_ids, 1)],
            )

    def sort_by_time(self, conversation_ids: Sequence[int]) -> None:
        """Forget where they were dragged to."""
        with self._database.transaction():
            self._database.execute_many(
                "UPDATE conversation SET place = NULL WHERE id = ?", [(each,) for each in conversation_ids]
            )
