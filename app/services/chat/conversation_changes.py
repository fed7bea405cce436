"""The conversations that are kept: what changes them is run here, and what the disk refuses is told."""

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.storage.conversations import Conversation, ConversationStore

_log = logging.getLogger(__name__)


class ConversationChanges(QObject):
    """GUI thread."""

    changed = Signal(object)
    """tuple[Conversation, ...], newest first"""
    failed = Signal(object)
    """UserError"""

    def __init__(self, store: ConversationStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    def tell(self) -> tuple[Conversation, ...]:
        """Say which there are now."""
        conversations = self._store.all()
        self.changed.emit(conversations)
        return conversations

    def guard(self, act: Callable[[], object]) -> bool:
        """Run `act`. False when the disk refused, which is told, or when what it is about is not there any more."""
        try:
            act()
        except UserError as error:
            _log.warning("%s", error.sentence)
            self.failed.emit(error)
            return False
        except LookupError:
            self.tell()
            return False
        return True
