"""In which order documents stand at the beginning of a conversation: those that began one before come first."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Slot

from app.core.messages import Attachment, DocumentPart
from app.storage.options import OptionsStore, Scope

_NAME = 32
"""Characters of a hash."""
_SINCE = "since"


class DocumentOrder(QObject):
    """GUI thread, which is the database's. Prompts share their beginning alone: {A}, {A, B} and {B, A} share what they
    can where A comes first in all of them, however people dropped them. Raises UserError.
    """

    def __init__(
        self, options: OptionsStore, parent: QObject | None = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(parent)
        self._options = options
        self._clock = clock

    def arranged(self, attachments: Sequence[Attachment]) -> tuple[Attachment, ...]:
        """Media as they are, then documents that go whole, and then those that don't, and what was pasted."""
        whole = [each for each in attachments if _is_whole(each)]
        if len(whole) > 1:
            whole.sort(key=lambda each: (self._since(each.content_hash), each.content_hash))
        others = [each for each in attachments if not _is_whole(each)]
        media = (each for each in others if not isinstance(each, DocumentPart))
        return (*media, *whole, *(each for each in others if isinstance(each, DocumentPart)))

    def note(self, attachments: Sequence[Attachment]) -> None:
        """A conversation begins with these."""
        for each in attachments:
            if _is_whole(each) and self._since(each.content_hash) == _NEVER:
                self._options.put(Scope.DOCUMENT, each.content_hash[:_NAME], {_SINCE: self._clock()})

    @Slot()
    def forget(self) -> None:
        """Conversations are gone for good, and nothing tells any more which documents they had."""
        self._options.clear(Scope.DOCUMENT)

    def _since(self, content_hash: str) -> float:
        since = self._options.get(Scope.DOCUMENT, content_hash[:_NAME]).get(_SINCE)
        return float(since) if isinstance(since, int | float) else _NEVER


_NEVER = float("inf")


def _is_whole(part: Attachment) -> bool:
    return isinstance(part, DocumentPart) and not part.by_passages and bool(part.content_hash)
