"""Collections, what people put into them, and the files that were found there."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.core.model_ref import ModelRef
from app.core.sentence import as_json, from_json
from app.storage.file_errors import told_as_sentences
from app.storage.passages.collections_file import keep_collections
from app.storage.passages.passage import Collection, FileState, IndexedFile, Source, stored_model
from app.storage.passages.passage_file import transaction


@dataclass(frozen=True, slots=True)
class FoundFile:
    """What a look at the disk says of a file."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    sentence: str = ""
    """Why it is not read; empty for what is."""


class CollectionRows:
    """A part of `PassageStore`, by its connection."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def all(self) -> tuple[Collection, ...]:
        """By name."""
        with told_as_sentences(self._path):
            rows = self._connection.execute(_COLLECTIONS).fetchall()
        return tuple(
            Collection(number, name, stored_model(embedder), stored_model(reranker), *counts)
            for number, name, embedder, reranker, *counts in rows
        )

    def add(self, name: str) -> int:
        number = self._changed("INSERT INTO collection (name) VALUES (?)", name)
        self._keep()
        return number

    def rename(self, collection: int, name: str) -> None:
        self._changed("UPDATE collection SET name = ? WHERE id = ?", name, collection)
        self._keep()

    def set_models(self, collection: int, embedder: ModelRef | None, reranker: ModelRef | None) -> None:
        told = [each.stored if each is not None else "" for each in (embedder, reranker)]
        self._changed("UPDATE collection SET embedder = ?, reranker = ? WHERE id = ?", *told, collection)
        self._keep()

    def remove(self, collection: int) -> None:
        """What was read goes with the next `sweep`, unless others name it."""
        with told_as_sentences(self._path), transaction(self._connection):
            self._connection.execute("DELETE FROM collection WHERE id = ?", (collection,))
            self._connection.execute(_ORPHANS)
        self._keep()

    def sources(self, collection: int | None = None) -> tuple[Source, ...]:
        """Of one collection, or of all, by path."""
        with told_as_sentences(self._path):
            rows = self._connection.execute(_SOURCES, (collection, collection)).fetchall()
        return tuple(Source(number, owner, path, bool(is_folder)) for number, owner, path, is_folder in rows)

    def add_source(self, collection: int, path: str, *, is_folder: bool) -> None:
        self._changed(_ADD_SOURCE, collection, path, is_folder)
        self._keep()

    def remove_source(self, source: int) -> None:
        with told_as_sentences(self._path), transaction(self._connection):
            self._connection.execute("DELETE FROM source WHERE id = ?", (source,))
            self._connection.execute(_ORPHANS)
        self._keep()

    def files(self, collection: int) -> tuple[IndexedFile, ...]:
        """By path, those with a problem first."""
        with told_as_sentences(self._path):
            rows = self._connection.execute(_FILES, (collection,)).fetchall()
        return tuple(
            IndexedFile(number, path, FileState(state), from_json(json.loads(told or '""')), *rest)
            for number, path, state, told, *rest in rows
        )

    def take(self, source: int, found: Iterable[FoundFile], *, is_there: bool = True) -> int:
        """What lies at a source now: files that are new or changed wait, those that went are dropped. A source that is
        itself not there leaves its files as they were, but gone. How many wait because of this.
        """
        with told_as_sentences(self._path), transaction(self._connection):
            if not is_there:
                self._connection.execute(_GONE, (source,))
                return 0
            before = self._connection.execute("SELECT file FROM member WHERE source = ?", (source,)).fetchall()
            kept: set[int] = set()
            n_waiting = 0
            for each in found:
                number, waits = self._take(each)
                kept.add(number)
                n_waiting += waits
            self._connection.executemany(_ADD_MEMBER, [(source, number) for number in kept])
            lost = [(source, number) for (number,) in before if number not in kept]
            self._connection.executemany("DELETE FROM member WHERE source = ? AND file = ?", lost)
            if lost:
                self._connection.execute(_ORPHANS)
        return n_waiting

    def waiting(self) -> tuple[int, str] | None:
        """The number and path of a file that is to be read; the smallest first, so that much can be found soon."""
        with told_as_sentences(self._path):
            found: tuple[int, str] | None = self._connection.execute(_WAITING).fetchone()
        return found

    def n_waiting(self) -> int:
        with told_as_sentences(self._path):
            (count,) = self._connection.execute("SELECT count(*) FROM file WHERE state = 'waits'").fetchone()
        return int(count)

    def begin(self, file: int) -> None:
        """It is being read; what `read_again` wrote of it stays."""
        self._changed("UPDATE file SET state = 'reads' WHERE id = ?", file)

    def settle(self, file: int, state: FileState, *, sentence: str = "", content_hash: str | None = None) -> None:
        """Say how it stands with a file. Within a transaction of the caller's, or by itself."""
        told = json.dumps(as_json(sentence)) if sentence else ""
        self._changed(_SETTLE, state, told, content_hash, file)

    def read_again(self, reader: int, *, died: bool = False) -> None:
        """What was being read when the program ended, and what older readers read, waits again. Where who read it
        `died` by itself, that is tried once more, and no more then.
        """
        if died:
            failed, waits = (json.dumps(as_json(each)) for each in (_KILLS, _ONCE_MORE))
            self._changed(
                "UPDATE file SET state = 'failed', sentence = ? WHERE state = 'reads' AND sentence = ?", failed, waits
            )
            self._changed("UPDATE file SET state = 'waits', sentence = ? WHERE state = 'reads'", waits)
        self._changed("UPDATE file SET state = 'waits' WHERE state = 'reads'")
        self._changed(_OLD, reader)

    def retry(self, file: int) -> None:
        self._changed("UPDATE file SET state = 'waits', sentence = '' WHERE id = ?", file)

    def _take(self, found: FoundFile) -> tuple[int, bool]:
        """The file's number, and whether it waits because of this."""
        stamp = (found.size, found.mtime_ns, found.inode)
        known = self._connection.execute(_KNOWN, (found.path,)).fetchone()
        state = FileState.FAILED if found.sentence else FileState.WAITS
        told = json.dumps(as_json(found.sentence)) if found.sentence else ""
        if known is None:
            row = (found.path, *stamp, state, told)
            return self._changed(_ADD_FILE, *row), state is FileState.WAITS
        number, old_state, old_told, *old_stamp = known
        if tuple(old_stamp) == stamp and old_state != FileState.GONE and (not told or told == old_told):
            return int(number), False
        self._changed(_CHANGE_FILE, *stamp, state, told, number)
        return int(number), state is FileState.WAITS

    def _keep(self) -> None:
        with told_as_sentences(self._path):
            keep_collections(self._connection, self._path)

    def _changed(self, statement: str, *values: object) -> int:
        """The row that was added last."""
        with told_as_sentences(self._path):
            return self._connection.execute(statement, values).lastrowid or 0


_ONCE_MORE = "The reader ended over this file; it is tried once more."
_KILLS = "The reader ended over this file twice; save it in another format, or take it out of the folder."

_COLLECTIONS = """
SELECT collection.id, collection.name, embedder, reranker,
    count(file.id), count(file.state = 'done' OR NULL), count(file.state = 'failed' OR NULL),
    coalesce(sum(document.n_passages), 0)
FROM collection
LEFT JOIN (
    SELECT DISTINCT source.collection, member.file FROM source JOIN member ON member.source = source.id
) AS held ON held.collection = collection.id
LEFT JOIN file ON file.id = held.file
LEFT JOIN document ON document.hash = file.hash AND file.state = 'done'
GROUP BY collection.id ORDER BY collection.name COLLATE NOCASE, collection.id
"""
_SOURCES = """
SELECT id, collection, path, is_folder FROM source WHERE ? IS NULL OR collection = ? ORDER BY path
"""
_ADD_SOURCE = "INSERT OR IGNORE INTO source (collection, path, is_folder) VALUES (?, ?, ?)"
_FILES = """
SELECT DISTINCT file.id, file.path, file.state, file.sentence, file.hash, file.size,
    coalesce(document.has_pages * document.n_pages, 0), coalesce(document.n_passages, 0)
FROM source JOIN member ON member.source = source.id JOIN file ON file.id = member.file
LEFT JOIN document ON document.hash = file.hash
WHERE source.collection = ? ORDER BY file.state NOT IN ('failed', 'gone'), file.path
"""
_ORPHANS = "DELETE FROM file WHERE id NOT IN (SELECT file FROM member)"
_GONE = "UPDATE file SET state = 'gone', sentence = '' WHERE id IN (SELECT file FROM member WHERE source = ?)"
_KNOWN = "SELECT id, state, sentence, size, mtime_ns, inode FROM file WHERE path = ?"
_ADD_FILE = "INSERT INTO file (path, size, mtime_ns, inode, state, sentence) VALUES (?, ?, ?, ?, ?, ?)"
_CHANGE_FILE = "UPDATE file SET size = ?, mtime_ns = ?, inode = ?, state = ?, sentence = ? WHERE id = ?"
_ADD_MEMBER = "INSERT OR IGNORE INTO member (source, file) VALUES (?, ?)"
_WAITING = "SELECT id, path FROM file WHERE state = 'waits' ORDER BY size, id LIMIT 1"
_SETTLE = "UPDATE file SET state = ?, sentence = ?, hash = coalesce(?, hash) WHERE id = ?"
_GIVE_UP = "UPDATE file SET state = 'failed', sentence = ? WHERE state = 'reads' AND sentence = ?"
_OLD = """
UPDATE file SET state = 'waits'
WHERE state = 'done' AND hash NOT IN (SELECT hash FROM document WHERE reader = ?)
"""
