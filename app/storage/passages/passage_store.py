"""What was read of documents: their pages, passages and vectors, each content once, whoever names it."""

import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from app.storage.file_errors import told_as_sentences
from app.storage.passages.chunks import chunks, title_of
from app.storage.passages.collection_rows import CollectionRows
from app.storage.passages.passage import Document, FileState
from app.storage.passages.passage_file import ID_BITS, opened, transaction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

READER = 1
"""Of the readers and of `chunks`: raised where what they make of a file changes, so that it is read again."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """What makes vectors comparable: those of one embedder are."""

    model: str
    """Fingerprint of its file."""
    pooling: str
    prefix: str
    """What stands before each passage."""


class PassageStore:
    """Writes. For one thread at a time; several stores on one file wait for each other's transactions.

    Every method raises UserError for what is wrong with the disk.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self.collections = CollectionRows(connection, path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """The file is made where it is missing, and made anew where it is damaged."""
        return cls(opened(path), path)

    def close(self) -> None:
        self._connection.close()

    def has(self, content_hash: str) -> bool:
        """Whether these bytes were read, by these readers."""
        with told_as_sentences(self._path):
            found = self._connection.execute(_HAS, (content_hash, READER)).fetchone()
        return found is not None

    def put(self, document: Document, *, file: int | None = None, sentence: str = "", attached: bool = False) -> None:
        """Keep a document, and that a file holds it, in one transaction; what is kept of the same bytes by older
        readers goes. `sentence` is what people should know of it. One that is `attached` stays until `detach`, though
        no file names it.
        """
        passages = chunks(document)
        with told_as_sentences(self._path), transaction(self._connection):
            was_attached = self._remove(document.content_hash)
            length = sum(map(len, document.pages))
            row = (document.content_hash, document.name, title_of(document), READER, document.has_pages)
            counts = (len(document.pages), length, len(passages), attached or was_attached)
            number = self._connection.execute(_ADD_DOCUMENT, (*row, *counts)).lastrowid
            assert number is not None
            pages = [(number, at, _packed(page)) for at, page in enumerate(document.pages, 1)]
            self._connection.executemany(_ADD_PAGE, pages)
            numbered = list(enumerate(passages, number << ID_BITS))
            self._connection.executemany(
                _ADD_PASSAGE,
                [(at, e.page or 0, e.start, e.end, e.heading, e.body, e.text_hash) for at, e in numbered],
            )
            self._connection.executemany(_ADD_WORDS, [(at, e.title, e.heading, e.body) for at, e in numbered])
            if file is not None:
                self.collections.settle(file, FileState.DONE, sentence=sentence, content_hash=document.content_hash)

    def attach(self, content_hash: str) -> bool:
        """Keep what was read of these bytes for a conversation; False where they were not read."""
        return self._set_attached(content_hash, attached=True)

    def detach(self, content_hash: str) -> None:
        """No conversation needs it any more; it goes with the next `sweep`, unless a file holds the same."""
        self._set_attached(content_hash, attached=False)

    def attached(self) -> tuple[str, ...]:
        """Content hashes of what is kept for conversations."""
        with told_as_sentences(self._path):
            return tuple(each for (each,) in self._connection.execute("SELECT hash FROM document WHERE attached"))

    def remove(self, content_hash: str) -> None:
        with told_as_sentences(self._path), transaction(self._connection):
            self._remove(content_hash)

    def sweep(self) -> int:
        """Remove what neither a file nor a conversation names any more; how many documents that were."""
        with told_as_sentences(self._path):
            idle = [each for (each,) in self._connection.execute(_IDLE)]
            for content_hash in idle:
                self.remove(content_hash)
            if idle:
                with transaction(self._connection):
                    self._connection.execute(_IDLE_VECTORS)
        return len(idle)

    def tidy(self) -> None:
        """Make what was removed disappear from the index and the log too, which takes a second for 100,000 passages."""
        with told_as_sentences(self._path):
            self._connection.execute("INSERT INTO words (words) VALUES ('optimize')")
            # Waits for those who read; where one reads for long, the log is emptied at the next time.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def embedder(self, embedder: Embedder) -> int:
        """Its number here."""
        row = (embedder.model, embedder.pooling, embedder.prefix)
        with told_as_sentences(self._path), transaction(self._connection):
            self._connection.execute(_ADD_EMBEDDER, row)
            (number,) = self._connection.execute(_EMBEDDER, row).fetchone()
        return int(number)

    def known_embedder(self, model: str, prefix: str) -> int | None:
        """The number of one that made vectors before, by its file alone."""
        with told_as_sentences(self._path):
            found = self._connection.execute(KNOWN_EMBEDDER, (model, prefix)).fetchone()
        return int(found[0]) if found is not None else None

    def without_vectors(self, embedder: int, collection: int, most: int) -> list[tuple[bytes, str]]:
        """Passages of a collection that have no vector yet: their `text_hash`, and what it is made of."""
        with told_as_sentences(self._path):
            rows = self._connection.execute(_WITHOUT_VECTORS, (collection, embedder, most)).fetchall()
        return [(text_hash, "\n".join(filter(None, texts))) for text_hash, *texts in rows]

    def n_without_vectors(self, embedder: int, collection: int) -> int:
        with told_as_sentences(self._path):
            (n,) = self._connection.execute(_N_WITHOUT_VECTORS, (collection, embedder)).fetchone()
        return int(n)

    def add_vectors(self, embedder: int, rows: Iterable[tuple[bytes, "NDArray[np.float32]"]]) -> None:
        """Each by its passage's `text_hash`. They are kept at unit length, as halves."""
        made = [(text_hash, embedder, _as_blob(row)) for text_hash, row in rows]
        with told_as_sentences(self._path), transaction(self._connection):
            self._connection.executemany(_ADD_VECTOR, made)
            self._connection.execute("UPDATE embedder SET version = version + 1 WHERE id = ?", (embedder,))

    def _remove(self, content_hash: str) -> bool:
        """Whether it was attached."""
        found = self._connection.execute(_FIND, (content_hash,)).fetchone()
        if found is None:
            return False
        number, attached = found
        span = number << ID_BITS, (number + 1) << ID_BITS
        self._connection.execute(_REMOVE_WORDS, (number, *span))
        self._connection.execute("DELETE FROM passage WHERE id >= ? AND id < ?", span)
        self._connection.execute("DELETE FROM document WHERE id = ?", (number,))
        return bool(attached)

    def _set_attached(self, content_hash: str, *, attached: bool) -> bool:
        with told_as_sentences(self._path):
            return self._connection.execute(_ATTACH, (attached, content_hash)).rowcount > 0


def unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def _packed(page: str) -> bytes:
    return zlib.compress(page.encode("utf-8", "surrogatepass"), 1)


def _as_blob(row: "NDArray[np.float32]") -> bytes:
    import numpy as np

    length = float(np.linalg.norm(row)) or 1.0
    return (row / length).astype("<f2").tobytes()


_HAS = "SELECT 1 FROM document WHERE hash = ? AND reader = ?"
_FIND = "SELECT id, attached FROM document WHERE hash = ?"
_ADD_DOCUMENT = """
INSERT INTO document (hash, name, title, reader, has_pages, n_pages, n_chars, n_passages, attached)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ADD_PAGE = "INSERT INTO page (document, number, packed) VALUES (?, ?, ?)"
_ADD_PASSAGE = "INSERT INTO passage (id, page, first, last, heading, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
_ADD_WORDS = "INSERT INTO words (rowid, title, heading, body) VALUES (?, cut(?), cut(?), cut(?))"
_REMOVE_WORDS = """
INSERT INTO words (words, rowid, title, heading, body)
SELECT 'delete', passage.id, cut(document.title), cut(heading), cut(body) FROM document
CROSS JOIN passage WHERE document.id = ? AND passage.id >= ? AND passage.id < ?
"""
_ATTACH = "UPDATE document SET attached = ? WHERE hash = ?"
_IDLE = "SELECT hash FROM document WHERE NOT attached AND hash NOT IN (SELECT hash FROM file)"
_IDLE_VECTORS = "DELETE FROM vector WHERE hash NOT IN (SELECT hash FROM passage)"
_ADD_EMBEDDER = "INSERT OR IGNORE INTO embedder (model, pooling, prefix) VALUES (?, ?, ?)"
_EMBEDDER = "SELECT id FROM embedder WHERE model = ? AND pooling = ? AND prefix = ?"
KNOWN_EMBEDDER = "SELECT id FROM embedder WHERE model = ? AND prefix = ? ORDER BY id DESC"
_ADD_VECTOR = "INSERT OR REPLACE INTO vector (hash, embedder, row) VALUES (?, ?, ?)"
_OF_COLLECTION = f"""
FROM document
JOIN passage ON passage.id >= document.id << {ID_BITS} AND passage.id < (document.id + 1) << {ID_BITS}
WHERE document.hash IN (
    SELECT file.hash FROM source JOIN member ON member.source = source.id JOIN file ON file.id = member.file
    WHERE source.collection = ? AND file.state = 'done'
)
AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.hash = passage.hash AND vector.embedder = ?)
"""
_WITHOUT_VECTORS = f"SELECT passage.hash, document.title, passage.heading, passage.body {_OF_COLLECTION} LIMIT ?"
_N_WITHOUT_VECTORS = f"SELECT count(DISTINCT passage.hash) {_OF_COLLECTION}"
