"""Files that a model's calls have written, put back as they were before."""

import logging
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject

from app.core.errors import UserError
from app.core.messages import TextPart
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_tools import ConversationTools
from app.services.chat.notices import ChatNotices
from app.services.chat.running_replies import RunningReplies
from app.storage.conversations import ConversationStore, StoredMessage
from app.tools.built_in.folders import Folders
from app.tools.tool import to_model

_log = logging.getLogger(__name__)

_UNDONE = to_model("\nThe user has undone this.")


class WrittenFiles(QObject):
    """GUI thread. The model is told of what was undone."""

    def __init__(
        self,
        store: ConversationStore,
        tools: ConversationTools,
        replies: RunningReplies,
        active: ActiveConversation,
        notices: ChatNotices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._tools = tools
        self._replies = replies
        self._active = active
        self._notices = notices
        self._undoing: set[int] = set()

    def undo(self, message_id: int) -> None:
        """Put back the file that a call on screen has written; `message_id` is its result's."""
        stored, servers = self._active.find(message_id), self._tools.servers
        source = servers.built_in.get(Folders.name)
        written = (stored.figures or {}).get("written") if stored is not None else None
        if stored is None or not isinstance(source, Folders) or not isinstance(written, dict):
            return
        if message_id in self._undoing or self._replies.is_writing_in(stored.conversation_id):
            return
        self._undoing.add(message_id)
        servers.ask(partial(source.undo, written, servers.attachments.get), partial(self._undone, stored))

    def _undone(self, stored: StoredMessage, problem: Exception | None) -> None:
        self._undoing.discard(stored.id)
        if isinstance(problem, UserError):
            self._notices.failed.emit(problem)
            return
        if problem is not None:
            _log.error("A file could not be put back", exc_info=problem)
            self._notices.failed.emit(UserError("That failed because of a fault in Hearth. The log tells more."))
            return
        told = replace(stored.message, parts=(*stored.message.parts, TextPart(_UNDONE)))
        undone = replace(stored, message=told, figures={**(stored.figures or {}), "undone": True})
        self._active.guard(lambda: self._store.save_answer(undone.id, told, undone.state, undone.figures))
        self._active.change(undone)
