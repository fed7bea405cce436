"""What is being written in each conversation, on disk within half a second."""

import logging
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.core.messages import Attachment, Message
from app.services.runtime.debounce import Debounce
from app.storage.drafts import Draft, DraftStore

_log = logging.getLogger(__name__)

_SAVE_MS = 400
"""From the first key that is not on disk yet; a kill loses less than a second."""
_HELD = 16
"""Drafts that stay in memory, the last that were asked for; the others are read again."""


class Drafts(QObject):
    """GUI thread. None is the conversation that does not exist yet."""

    failed = Signal(object)
    """UserError: the first of a row of failures"""

    def __init__(self, store: DraftStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._drafts: dict[int | None, Draft] = {}
        self._new_texts: set[int | None] = set()
        """Drafts of which the text alone is to be saved."""
        self._changed: set[int | None] = set()
        self._fails = False
        self._saver = Debounce(_SAVE_MS, self.flush, self)

    def get(self, conversation: int | None) -> Draft:
        try:
            draft = self._drafts.pop(conversation, None) or self._store.get(conversation)
        except UserError as error:
            self._tell(error)
            return Draft()
        self._drafts[conversation] = draft
        return draft

    def set_text(self, conversation: int | None, text: str) -> None:
        old = self.get(conversation)
        if text != old.text:
            self._drafts[conversation] = replace(old, text=text)
            self._new_texts.add(conversation)
            self._save_soon()

    def set_attachments(self, conversation: int | None, attachments: tuple[Attachment, ...]) -> None:
        old = self.get(conversation)
        if attachments != old.attachments:
            self._drafts[conversation] = replace(old, attachments=attachments)
            self._changed.add(conversation)
            self._save_soon()

    def set_queue(self, conversation: int | None, queue: tuple[Message, ...]) -> None:
        """Saved at once: these were sent, as far as people can see."""
        old = self.get(conversation)
        if queue != old.queue:
            self._drafts[conversation] = replace(old, queue=queue)
            self._changed.add(conversation)
            self.flush()

    @Slot()
    def flush(self) -> None:
        """Write what has changed."""
        self._saver.stop()
        try:
            for conversation in self._changed:
                self._store.put(conversation, self._drafts[conversation])
            for conversation in self._new_texts - self._changed:
                draft = self._drafts[conversation]
                if draft.is_empty:
                    self._store.put(conversation, draft)
                else:
                    self._store.put_text(conversation, draft.text)
        except UserError as error:
            self._tell(error)
            return
        self._fails = False
        self._changed.clear()
        self._new_texts.clear()
        for conversation in tuple(self._drafts)[:-_HELD]:
            del self._drafts[conversation]

    def _save_soon(self) -> None:
        # Not begun anew with each key: who types on and on is saved twice a second all the same.
        if not self._saver.isActive():
            self._saver.start()

    def _tell(self, error: UserError) -> None:
        _log.warning("A draft is not on disk: %s", error.sentence)
        if not self._fails:
            self._fails = True
            self.failed.emit(error)
