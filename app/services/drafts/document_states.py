"""What the document services tell the window: frozen values."""

from dataclasses import dataclass
from pathlib import Path

from app.core.messages import DocumentPart
from app.services.engine.token_counts import TokenCount


@dataclass(frozen=True, slots=True)
class PendingDocument:
    """One document of a message that is still being written."""

    number: int
    """Its own for as long as the program runs."""
    name: str
    size: int = 0
    """Bytes of the file, or of the text where it was pasted; 0 while it is not known."""
    part: DocumentPart | None = None
    """None while it is being read."""
    progress: float | None = None
    """0 to 1, where it is known how far the reading has come."""
    tokens: TokenCount | None = None
    """None while it is being read."""
    n_pages: int = 0
    """Of which some can be chosen; 0 for what has no pages."""
    whole: DocumentPart | None = None
    """What its pages were chosen from; None where it is whole itself."""
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


@dataclass(frozen=True, slots=True)
class UnknownFile:
    """A file without a telling name that turned out to be a picture."""

    path: Path
