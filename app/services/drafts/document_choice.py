"""Which documents of a message go whole, and of which passages are looked up: by the room, or as people choose."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.core.events import ModelInfo
from app.core.messages import DocumentPart
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.chat_passages import ChatPassages
from app.services.chat.conversation_size import conversation_size
from app.services.documents.brought import most_passages, passage_room
from app.services.drafts.pending import PendingAttachment, PendingDocument
from app.services.engine.service import EngineService
from app.services.engine.states import known_model
from app.storage.conversations import StoredMessage

_KEPT_FREE = 8
"""One part of so many of the context stays free for the question and its answer."""
_TELLING = 256
"""Entries that were read at once tell how fast that goes."""


class DocumentChoice(QObject):
    """GUI thread."""

    changed = Signal()
    """Something is known now of what `applied` tells."""

    def __init__(
        self, engine: EngineService, active: ActiveConversation, passages: ChatPassages, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._active = active
        self._passages = passages
        self._chosen: dict[int, bool] = {}
        """By the numbers of attachments: whether passages of it are wanted."""
        self._counted: dict[int, int] = {}
        """Passages of documents, by the numbers of attachments; 0 while they are being counted."""

    def choose(self, number: int, *, by_passages: bool) -> None:
        self._chosen[number] = by_passages
        self.changed.emit()

    def applied(self, pending: Iterable[PendingAttachment]) -> tuple[PendingAttachment, ...]:
        """The same, with what becomes of the documents. Those that come first have the room first."""
        model = known_model(self._engine.state)
        left = self._left(model) if model is not None else None
        shown: list[PendingAttachment] = []
        for each in pending:
            if isinstance(each, PendingDocument) and each.part is not None and each.tokens is not None:
                lacks_room = left is not None and each.tokens.n > left
                by_passages = self._chosen.get(each.number, lacks_room)
                if left is not None and not by_passages:
                    left -= each.tokens.n
                shown.append(self._told(each, each.part, model, by_passages=by_passages))
            else:
                shown.append(each)
        return tuple(shown)

    def _told(
        self, pending: PendingDocument, part: DocumentPart, model: ModelInfo | None, *, by_passages: bool
    ) -> PendingDocument:
        speed = _speed(self._active.path)
        return replace(
            pending,
            part=replace(part, by_passages=by_passages),
            seconds=pending.tokens.n / speed if speed and pending.tokens is not None else 0.0,
            n_passages=self._count(pending.number, part) if by_passages else 0,
            most_passages=most_passages(passage_room(model.n_ctx if model is not None else 0)) if by_passages else 0,
        )

    def _left(self, model: ModelInfo) -> int:
        used = conversation_size(self._active.path, model).n
        return max(0, model.n_ctx - model.n_ctx // _KEPT_FREE - used)

    def _count(self, number: int, part: DocumentPart) -> int:
        if number not in self._counted:
            self._counted[number] = 0
            self._passages.keep(part, partial(self._hear, number))
        return self._counted[number]

    def _hear(self, number: int, n_passages: int) -> None:
        self._counted[number] = n_passages
        self.changed.emit()


def _speed(path: Sequence[StoredMessage]) -> float:
    """Entries a second, as they were read last; 0 where nobody knows."""
    for stored in reversed(path):
        figures = stored.figures or {}
        read, took = figures.get("prompt_n"), figures.get("prompt_ms")
        if isinstance(read, int) and isinstance(took, int | float) and read >= _TELLING and took > 0:
            return read / took * 1000
    return 0.0
