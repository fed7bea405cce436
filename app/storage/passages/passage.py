"""What is kept of a document, what of it is found, and in what state a file is."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from app.core.model_ref import ModelRef


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader made of a file."""

    content_hash: str
    """sha256 hex of the file's bytes."""
    name: str
    """The file's, as people know it."""
    pages: tuple[str, ...]
    """Raw texts, as their reader gave them: passages count characters in these."""
    has_pages: bool = True
    """Otherwise `pages` is one text, of a file that has none."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of one page of a document."""

    content_hash: str
    name: str
    page: int | None
    """From 1; None in a file that has no pages."""
    start: int
    end: int
    """In characters of the page's raw text."""
    title: str
    heading: str
    """The headings above it, the outermost first, with ` > ` between them; may be empty."""
    body: str
    """Its text as it is searched and handed to models: without tables of contents and what repeats on each page."""

    @property
    def text_hash(self) -> bytes:
        """What vectors of it are known by: the same words under the same headings have the same vector."""
        return hashlib.sha256(self.embedded.encode("utf-8", "replace")).digest()[:16]

    @property
    def embedded(self) -> str:
        """What a vector is made of."""
        return "\n".join(filter(None, (self.title, self.heading, self.body)))


@dataclass(frozen=True, slots=True)
class Hit:
    passage: Passage
    score: float
    """Comparable within one search alone; the best is the first."""


class FileState(StrEnum):
    WAITS = "waits"
    READS = "reads"
    DONE = "done"
    FAILED = "failed"
    """Its sentence says why."""
    GONE = "gone"
    """It is not where it was; what was read of it is kept, and not found."""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file of a collection."""

    id: int
    path: str
    state: FileState
    sentence: str
    """A `Sentence` where it says something."""
    content_hash: str
    """Empty before it was read."""
    size: int
    """Bytes"""
    n_pages: int
    """0 for what has none."""
    n_passages: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder that people put into a collection."""

    id: int
    collection: int
    path: str
    is_folder: bool


def stored_model(text: str) -> ModelRef | None:
    """What is kept of a collection's model, which versions before wrote as the path of its file; empty for none."""
    return ModelRef.from_stored(text) if text else None


@dataclass(frozen=True, slots=True)
class Collection:
    id: int
    name: str
    embedder: ModelRef | None = None
    """It makes its vectors; None where words alone are searched."""
    reranker: ModelRef | None = None
    """It ranks what was found."""
    n_files: int = 0
    n_done: int = 0
    n_failed: int = 0
    n_passages: int = 0
