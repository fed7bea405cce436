"""What people do to messages that are there: say them otherwise, go to another version, branch off, delete."""

from dataclasses import replace

from app.core.messages import Message, TextPart
from app.services.chat.conversation_options import ConversationOptions
from app.storage.conversations import ConversationStore, StoredMessage


class MessageVersions:
    """Changes the store alone; the caller reads the path again. Raises what the store raises."""

    def __init__(self, store: ConversationStore, options: ConversationOptions) -> None:
        self._store = store
        self._options = options

    def edit(self, stored: StoredMessage, text: str) -> bool:
        """Put a version with this text and the same attachments beside a message, and show it. False: it is the same.

        An answer that was edited has no generation: the model did not say it so.
        """
        if text == stored.message.text:
            return False
        self._store.append(stored.conversation_id, stored.parent_id, _reworded(stored.message, text))
        return True

    def walk(self, stored: StoredMessage, step: int) -> None:
        """Show the version `step` places further, with what was last on screen below it; nothing beyond the ends."""
        versions = self._store.tree.versions(stored.id)
        place = versions.index(stored.id) + step
        if 0 <= place < len(versions):
            self._store.tree.show(versions[place])

    def branch(self, stored: StoredMessage, title: str) -> int:
        """A new conversation that begins with the path down to this message, under the same options; its id."""
        made = self._store.tree.copy(stored.id, title)
        self._options.copy(stored.conversation_id, made)
        return made

    def delete(self, stored: StoredMessage) -> None:
        self._store.tree.delete(stored.id)

    def restore(self, message_id: int) -> None:
        self._store.tree.restore(message_id)

    def conversation_of(self, message_id: int) -> int:
        return self._store.tree.conversation_of(message_id)


def _reworded(message: Message, text: str) -> Message:
    """Text goes where the first text was; pictures and documents stay where they are."""
    parts = list(message.parts)
    place = next((index for index, part in enumerate(parts) if isinstance(part, TextPart)), len(parts))
    before = tuple(part for part in parts[:place] if not isinstance(part, TextPart))
    after = tuple(part for part in parts[place:] if not isinstance(part, TextPart))
    words = (TextPart(text),) if text.strip() else ()
    return replace(message, parts=(*before, *words, *after), generation=None)
