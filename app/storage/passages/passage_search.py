"""Finding passages: by words and, where there are vectors, by nearness too, joined by reciprocal ranks.

The ranks are joined as in Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", SIGIR 2009.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from app.core.model_ref import ModelRef
from app.storage.file_errors import told_as_sentences
from app.storage.passages.passage import Hit, Passage, stored_model
from app.storage.passages.passage_file import ID_BITS, opened_for_reading
from app.storage.passages.passage_store import KNOWN_EMBEDDER, unpacked
from app.storage.passages.questions import any_of, words_of
from app.storage.passages.vector_rows import VectorRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEPTH = 100
"""Places of each list that are joined."""
RANKED = 50_000
"""Passages with a word of the question that are weighed: under a tenth of a second of the processor."""
_SMOOTH = 60
"""Added to ranks before they are turned over: the paper's, and as good as any other in the trial."""


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """What is asked, as the passages' embedder sees it."""

    embedder: int
    """As `PassageStore.embedder` numbers it."""
    row: "NDArray[np.float32]"


class PassageSearch:
    """Reads, by a connection of its own. For one thread at a time, but for `interrupt`.

    Every method raises UserError for what is wrong with the disk.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._vectors: dict[int, VectorRows] = {}

    @classmethod
    def open(cls, path: Path) -> Self:
        """Raises UserError where no `PassageStore` has made the file yet."""
        return cls(opened_for_reading(path), path)

    def close(self) -> None:
        self._connection.close()

    def interrupt(self) -> None:
        """End what is running; it raises sqlite3.OperationalError then. Any thread."""
        self._connection.interrupt()

    def find(
        self,
        question: str,
        *,
        documents: Collection[str] | None = None,
        collections: Collection[int] | None = None,
        most: int = 8,
        vector: QuestionVector | None = None,
    ) -> list[Hit]:
        """The best passages, the best first. Of documents, by their content hashes, or of what is in collections;
        of both together where both are told, and of all that is in any collection where neither is.
        """
        with told_as_sentences(self._path):
            within = self._within(documents, collections)
            ranks = [self._by_words(question, within)]
            if vector is not None:
                rows = self._vectors.setdefault(vector.embedder, VectorRows(self._connection, vector.embedder))
                ranks.append(rows.nearest(vector.row, within, _DEPTH))
            best = joined(ranks)[:most]
            passages = self._passages([number for number, _ in best])
        return [Hit(passages[number], score) for number, score in best if number in passages]

    def passages(self, content_hash: str) -> list[Passage]:
        """All of a document, in order; empty where it was not read."""
        with told_as_sentences(self._path):
            rows = self._connection.execute(_ALL_OF, (content_hash,)).fetchall()
        return [_passage(row) for row in rows]

    def pages(self, content_hash: str) -> tuple[str, ...]:
        """The raw texts of its pages, in which passages count characters; of a file without pages, its one text.
        Empty where it was not read.
        """
        with told_as_sentences(self._path):
            return tuple(unpacked(packed) for (packed,) in self._connection.execute(_PAGES, (content_hash,)))

    def path_of(self, content_hash: str) -> str:
        """Of a file in a collection that holds these bytes; empty where none is there now."""
        with told_as_sentences(self._path):
            found = self._connection.execute(_PATH_OF, (content_hash,)).fetchone()
        return str(found[0]) if found is not None else ""

    def named(self, name: str, collections: Collection[int]) -> str:
        """Content hash of the document of that name in collections, the newest; empty where there is none."""
        with told_as_sentences(self._path):
            within = json.dumps(self._within(None, collections))
            found = self._connection.execute(_NAMED, (name, within)).fetchone()
        return str(found[0]) if found is not None else ""

    def n_passages(self, documents: Collection[str] | None = None, collections: Collection[int] | None = None) -> int:
        """How many `find` looks through."""
        with told_as_sentences(self._path):
            within = json.dumps(self._within(documents, collections))
            (found,) = self._connection.execute(_N_PASSAGES, (within,)).fetchone()
        return int(found)

    def models_of(self, collections: Collection[int] | None) -> tuple[ModelRef | None, ModelRef | None]:
        """The embedder and the reranker of these collections, or of any: of the first that has one."""
        told = None if collections is None else json.dumps(list(collections))
        with told_as_sentences(self._path):
            rows = self._connection.execute(_MODELS, (told, told)).fetchall()
        embedder, reranker = (next(filter(None, each), "") for each in zip(*rows, strict=True)) if rows else ("", "")
        return stored_model(embedder), stored_model(reranker)

    def known_embedder(self, model: str, prefix: str) -> int | None:
        """See `PassageStore.known_embedder`."""
        with told_as_sentences(self._path):
            found = self._connection.execute(KNOWN_EMBEDDER, (model, prefix)).fetchone()
        return int(found[0]) if found is not None else None

    def _within(self, documents: Collection[str] | None, collections: Collection[int] | None) -> list[int]:
        """The numbers of the documents that are looked through."""
        found: set[int] = set()
        if documents is not None:
            found.update(n for (n,) in self._connection.execute(_BY_HASH, (json.dumps(list(documents)),)))
        if collections is not None or documents is None:
            told = None if collections is None else json.dumps(list(collections))
            found.update(n for (n,) in self._connection.execute(_IN_COLLECTIONS, (told, told)))
        return sorted(found)

    def _by_words(self, question: str, within: Sequence[int]) -> list[int]:
        words = words_of(question)
        if not words or not within:
            return []
        told = any_of(self._telling(words))
        (between,) = self._connection.execute(_N_BETWEEN, (within[0], within[-1])).fetchone()
        if between == len(within):
            found = self._connection.execute(
                _BY_WORDS_BETWEEN, (told, within[0] << ID_BITS, (within[-1] + 1) << ID_BITS, _DEPTH)
            )
        else:
            found = self._connection.execute(_BY_WORDS, (told, json.dumps(within), _DEPTH))
        return [number for (number,) in found]

    def _telling(self, words: Sequence[str]) -> list[str]:
        """The rarest words, which stand together in no more passages than can be ranked in time, and at least one.
        Each passage that has a word would have to be weighed.
        """
        (n_passages,) = self._connection.execute(_N_KEPT).fetchone()
        if n_passages <= RANKED:
            return list(words)
        left, counted = RANKED, []
        for word in words:
            (count,) = self._connection.execute(_COUNTED, (any_of([word]), RANKED)).fetchone()
            counted.append((count, word))
        kept: list[str] = []
        for count, word in sorted(counted, key=lambda each: each[0]):
            if kept and count > left:
                break
            left -= count
            kept.append(word)
        return kept

    def _passages(self, numbers: Iterable[int]) -> dict[int, Passage]:
        rows = self._connection.execute(_PASSAGES, (json.dumps(list(numbers)),)).fetchall()
        return {number: _passage(row) for number, *row in rows}


def joined(rankings: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Several rankings as one, with its scores; the earlier ranking counts first where two are equal."""
    scores: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, number in enumerate(ranking, 1):
            scores[number] += 1 / (_SMOOTH + rank)
    return sorted(scores.items(), key=lambda each: -each[1])


def _passage(row: Sequence[object]) -> Passage:
    content_hash, name, page, start, end, title, heading, body = row
    return Passage(
        str(content_hash),
        str(name),
        page if isinstance(page, int) and page else None,
        start if isinstance(start, int) else 0,
        end if isinstance(end, int) else 0,
        str(title),
        str(heading),
        str(body),
    )


_BY_HASH = "SELECT id FROM document WHERE hash IN (SELECT value FROM json_each(?))"
_IN_COLLECTIONS = """
SELECT DISTINCT document.id FROM source JOIN member ON member.source = source.id JOIN file ON file.id = member.file
JOIN document ON document.hash = file.hash
WHERE (? IS NULL OR source.collection IN (SELECT value FROM json_each(?))) AND file.state NOT IN ('gone', 'failed')
"""
_MODELS = """
SELECT embedder, reranker FROM collection WHERE ? IS NULL OR id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_BY_WORDS = f"""
SELECT rowid FROM words WHERE words MATCH ? AND rowid >> {ID_BITS} IN (SELECT value FROM json_each(?))
ORDER BY rank LIMIT ?
"""
_N_BETWEEN = "SELECT count(*) FROM document WHERE id BETWEEN ? AND ?"
_BY_WORDS_BETWEEN = """
SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rank LIMIT ?
"""
"""For documents with no others between them, as all are: a look for each passage takes a fifth of the time."""
_N_KEPT = "SELECT coalesce(sum(n_passages), 0) FROM document"
_COUNTED = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
_COLUMNS = """
document.hash, document.name, document.has_pages * passage.page, passage.first, passage.last, document.title,
passage.heading, passage.body
"""
_PASSAGES = f"""
SELECT passage.id, {_COLUMNS} FROM passage JOIN document ON document.id = passage.id >> {ID_BITS}
WHERE passage.id IN (SELECT value FROM json_each(?))
"""
_ALL_OF = f"""
SELECT {_COLUMNS} FROM document
CROSS JOIN passage ON passage.id >= document.id << {ID_BITS} AND passage.id < (document.id + 1) << {ID_BITS}
WHERE document.hash = ? ORDER BY passage.id
"""
_PAGES = """
SELECT packed FROM document JOIN page ON page.document = document.id WHERE document.hash = ? ORDER BY page.number
"""
_PATH_OF = "SELECT path FROM file WHERE hash = ? AND state = 'done' ORDER BY id LIMIT 1"
_NAMED = """
SELECT hash FROM document WHERE name = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT 1
"""
_N_PASSAGES = "SELECT coalesce(sum(n_passages), 0) FROM document WHERE id IN (SELECT value FROM json_each(?))"
