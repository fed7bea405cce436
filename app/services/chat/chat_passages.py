"""Passages for questions: looked up when a question is asked, numbered, and kept with it."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject

from app.core.document_form import cited_parts
from app.core.errors import UserError
from app.core.messages import DocumentPart, Role
from app.core.overflow import reckoned
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.conversation_size import conversation_size
from app.services.chat.notices import ChatNotices
from app.services.documents.brought import fitting, most_passages, numbered, parts_of, passage_room, with_passages
from app.services.documents.passage_lookup import Asked, FoundForChat
from app.services.runtime.worker_thread import WorkerThread, told
from app.storage.conversations import ConversationStore, StoredMessage

_log = logging.getLogger(__name__)

_FAULT = "The documents could not be searched because of a fault in Hearth. The log tells more."

NO_WORDS = "no_words"
"""Among a question's figures: nothing in the documents has words of it."""
_BEGINNING = "Nothing in the documents has words of this question, so the beginning of the last one is read."

Path = Sequence[StoredMessage]


class Lookup(Protocol):
    """`PassageLookup`, in its thread."""

    def find(self, asked: Asked) -> FoundForChat: ...

    def keep(self, part: DocumentPart) -> int: ...

    def close(self) -> None: ...


class ChatPassages(QObject):
    """GUI thread. What was brought to a question is never changed: the same tokens come again after a restart."""

    def __init__(
        self,
        store: ConversationStore,
        active: ActiveConversation,
        options: ConversationOptions,
        notices: ChatNotices,
        lookup: Lookup,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._active = active
        self._options = options
        self._notices = notices
        self._lookup = lookup
        self._thread = WorkerThread(self, name="chat-passages")
        self._waiting: dict[int, list[tuple[Path, Callable[[Path], None]]]] = {}
        """By questions: who waits for their passages."""

    def close(self) -> None:
        self._thread.close()
        if not self._thread.is_running:
            self._lookup.close()

    def keep(self, part: DocumentPart, then: Callable[[int], None]) -> None:
        """Have the passages of a document at hand before it is asked about; `then` gets their number."""

        def hear(result: int | Exception) -> None:
            if isinstance(result, Exception):
                self._notices.failed.emit(UserError(told(result, _FAULT)))
            else:
                then(result)

        self._thread.submit(partial(self._lookup.keep, part), hear)

    def bring(self, path: Path, n_ctx: int, then: Callable[[Path], None]) -> None:
        """Give the question at the end of `path` its passages, where it is to have any and has none. `then` gets the
        path as it is afterwards, perhaps at once.
        """
        room = passage_room(n_ctx, n_ctx - n_ctx // 8 - conversation_size(path, None).n)
        asked = self._asked(path, room)
        if asked is None:
            then(path)
            return
        waiting = self._waiting.setdefault(path[-1].id, [])
        waiting.append((path, then))
        # Several answers to one question are written from the same passages.
        if len(waiting) == 1:
            self._thread.submit(partial(self._lookup.find, asked), partial(self._hear, path, room))

    def _asked(self, path: Path, room: int) -> Asked | None:
        if not path or path[-1].message.role is not Role.USER or path[-1].message.passages:
            return None
        documents = tuple(part for each in path for part in each.message.documents if part.by_passages)
        collections = self._options.collections(path[-1].conversation_id)
        if not documents and not collections:
            return None
        return Asked(path[-1].message.text, documents, collections, most_passages(room))

    def _hear(self, path: Path, room: int, result: FoundForChat | Exception) -> None:
        if isinstance(result, FoundForChat):
            if result.problem:
                self._notices.noticed.emit(result.problem)
            if result.is_beginning:
                self._notices.noticed.emit(_BEGINNING)
            path = self._kept(path, room, result)
        else:
            self._notices.failed.emit(UserError(told(result, _FAULT)))
        for begun, then in self._waiting.pop(path[-1].id):
            then((*begun[:-1], path[-1]))

    def _kept(self, path: Path, room: int, found: FoundForChat) -> Path:
        question = path[-1]
        parts = fitting(parts_of(found), room, reckoned)
        brought = numbered(parts, (part for each in path for part in cited_parts(each.message)))
        figures = {name: value for name, value in (question.figures or {}).items() if name != NO_WORDS}
        if found.is_beginning or not brought:
            figures[NO_WORDS] = True
        if not brought:
            self._notices.noticed.emit("Nothing in the documents has words of this question.")
        stored = replace(question, message=with_passages(question.message, brought), figures=figures or None)
        self._active.guard(lambda: self._store.save_answer(stored.id, stored.message, stored.state, stored.figures))
        self._active.change(stored)
        return (*path[:-1], stored)
