"""What people do to the messages on screen: say them otherwise, go to another version, branch off, delete."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject

from app.core.messages import Message, PassagePart, Role, TextPart
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.readiness import Readiness
from app.storage.conversations import Conversation, ConversationStore, StoredMessage


class MessageVersions(QObject):
    """GUI thread. Nothing is done to a conversation in which an answer is being written; that is said then."""

    def __init__(
        self,
        store: ConversationStore,
        options: ConversationOptions,
        active: ActiveConversation,
        ready: Readiness,
        show: Callable[[Conversation | None], None],
        answer: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        """`show` puts a conversation on screen, `answer` begins an answer below the last message there."""
        super().__init__(parent)
        self._store = store
        self._options = options
        self._active = active
        self._ready = ready
        self._show = show
        self._answer = answer

    def edit(self, message_id: int, text: str) -> bool:
        """Put a version with this text and the same attachments beside a message; a question is answered again.

        False when nothing was taken, and the text should stay where it is. An answer that was edited has no
        generation: the model did not say it so.
        """
        stored = self._free(message_id)
        if stored is None or not (text.strip() or stored.message.attachments):
            return False
        if text == stored.message.text:
            return True
        asks = stored.message.role is Role.USER
        if asks and not (self._ready.has_model() and self._ready.takes(text, stored.message.attachments)):
            return False
        if not self._active.guard(lambda: self._edit(stored, text)):
            return False
        if asks:
            self._active.guard(self._answer)
        return True

    def walk(self, message_id: int, step: int) -> None:
        """Show the version of a message that is `step` places further, if there is one, with what was last on screen
        below it.
        """

        def act(stored: StoredMessage) -> None:
            versions = self._store.tree.versions(stored.id)
            place = versions.index(stored.id) + step
            if 0 <= place < len(versions):
                self._store.tree.show(versions[place])
            self._active.follow_path()

        self._do(message_id, act)

    def branch(self, message_id: int) -> None:
        """Begin a new conversation with a copy of this one, down to the message, under the same options."""
        self._do(message_id, self._branch)

    def delete(self, message_id: int) -> bool:
        """Put a message away, with all below it; `undo_delete` brings it back. False: it was not."""

        def act(stored: StoredMessage) -> None:
            self._store.tree.delete(stored.id)
            self._active.follow_path()

        return self._do(message_id, act)

    def undo_delete(self, message_id: int) -> None:
        """Whatever conversation is on screen by now, the message's is afterwards."""
        self._active.guard(lambda: self._undo_delete(message_id))

    def _free(self, message_id: int) -> StoredMessage | None:
        """A message on screen that may be changed now; None after saying why not."""
        stored = self._active.find(message_id)
        return stored if stored is not None and self._ready.is_quiet(stored.conversation_id) else None

    def _do(self, message_id: int, act: Callable[[StoredMessage], None]) -> bool:
        stored = self._free(message_id)
        return stored is not None and self._active.guard(lambda: act(stored))

    def _edit(self, stored: StoredMessage, text: str) -> None:
        new = self._store.append(stored.conversation_id, stored.parent_id, _reworded(stored.message, text))
        if known := _prompt_size(stored.figures or {}):
            self._store.save_answer(new.id, new.message, new.state, known)
        self._active.follow_path()
        self._active.list_all()

    def _branch(self, stored: StoredMessage) -> None:
        named = self._store.get(stored.conversation_id) or self._active.conversation
        assert named is not None
        title = self.tr("{title} (branch)").format(title=named.title) if named.title else ""
        made = self._store.tree.copy(stored.id, title)
        self._options.copy(stored.conversation_id, made)
        self._active.list_all()
        self._show(self._store.get(made))

    def _undo_delete(self, message_id: int) -> None:
        conversation_id = self._store.tree.conversation_of(message_id)
        if not self._ready.is_quiet(conversation_id):
            return
        self._store.tree.restore(message_id)
        if self._active.conversation_id == conversation_id:
            self._active.follow_path()
        else:
            self._show(self._store.get(conversation_id))


def _prompt_size(figures: Mapping[str, object]) -> dict[str, object]:
    """What an answer's prompt took, which is the same for an edited answer; empty where nobody counted."""
    read, written = figures.get("n_past"), figures.get("predicted_n")
    if isinstance(read, int) and isinstance(written, int):
        return {"n_prompt": read - written, "counted_by": figures.get("model")}
    return {name: figures[name] for name in ("n_prompt", "counted_by") if name in figures}


def _reworded(message: Message, text: str) -> Message:
    """Text goes where the first text was; pictures and documents stay. Passages were another question's."""
    parts = [part for part in message.parts if not isinstance(part, PassagePart)]
    place = next((index for index, part in enumerate(parts) if isinstance(part, TextPart)), len(parts))
    before = tuple(part for part in parts[:place] if not isinstance(part, TextPart))
    after = tuple(part for part in parts[place:] if not isinstance(part, TextPart))
    words = (TextPart(text),) if text.strip() else ()
    return replace(message, parts=(*before, *words, *after), generation=None)
