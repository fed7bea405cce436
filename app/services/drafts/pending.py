"""What is attached to messages that are still being written, as the window is told: frozen values."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from PySide6.QtGui import QImage

from app.core.messages import Attachment, AudioPart, DocumentPart, ImagePart, MediaPart
from app.services.engine.token_counts import TokenCount


@dataclass(frozen=True, slots=True)
class PendingAttachment:
    """One attachment, of any kind."""

    number: int
    """Its own for as long as the program runs."""
    name: str
    """May be empty, as with what was copied from another program."""
    part: Attachment | None = None
    """None while it is being read; then it can't be sent yet."""

    @property
    def is_busy(self) -> bool:
        """Whether something is being done about it."""
        return self.part is None


@dataclass(frozen=True, slots=True)
class PendingMedia(PendingAttachment):
    """What is seen or heard."""

    part: MediaPart | None = None
    is_encoding: bool = False
    """It can be sent; the model is looking at it already."""
    note: str = ""
    """A sentence about what was left out of it; mostly empty."""

    @property
    def is_busy(self) -> bool:
        return self.part is None or self.is_encoding


@dataclass(frozen=True, slots=True)
class PendingPicture(PendingMedia):
    part: ImagePart | None = None
    thumbnail: QImage | None = field(default=None, compare=False)
    """None while it is being read; at most `THUMBNAIL` pixels a side."""


@dataclass(frozen=True, slots=True)
class PendingAudio(PendingMedia):
    part: AudioPart | None = None
    waveform: tuple[float, ...] = field(default=(), compare=False)
    """0 to 1 each; empty while it is being read."""
    tokens: TokenCount | None = None
    """As of a document."""


@dataclass(frozen=True, slots=True)
class PendingDocument(PendingAttachment):
    part: DocumentPart | None = None
    size: int = 0
    """Bytes of the file, or of the text where it was pasted; 0 while it is not known."""
    progress: float | None = None
    """0 to 1, where it is known how far the reading has come."""
    tokens: TokenCount | None = None
    """None while it is being read."""
    n_pages: int = 0
    """Of which some can be chosen; 0 for what has no pages."""
    whole: DocumentPart | None = None
    """What its pages were chosen from; None where it is whole itself."""
    seconds: float = 0.0
    """That reading all of it takes the model, once; 0 where nobody knows."""
    n_passages: int = 0
    """Of a document that goes by passages; 0 while they are not counted."""
    most_passages: int = 0
    """Of them, so many are brought to a question; 0 where the document goes whole."""
    pages: tuple[int, ...] = ()
    """Those that were chosen, counted from 1. Of a draft that was brought back, before `whole` is."""

    @property
    def is_busy(self) -> bool:
        """Whether its file is being read, for the first time or again."""
        return self.part is None or self.progress is not None

    @property
    def has_pages(self) -> bool:
        """Whether other pages of it can be chosen."""
        return self.n_pages > 1 or bool(self.pages)

    @property
    def is_pasted(self) -> bool:
        return self.part is not None and not self.part.content_hash


@dataclass(frozen=True, slots=True)
class ScannedDocument:
    """A PDF file without any text: what can be shown of it are its pages."""

    name: str
    n_pages: int
    data: bytes


def parts_of(pending: Iterable[PendingAttachment]) -> tuple[Attachment, ...]:
    """Of those that are read, documents last."""
    parts = (each.part for each in pending if each.part is not None)
    return tuple(sorted(parts, key=lambda part: isinstance(part, DocumentPart)))
