"""The file of documents, collections and passages: its shape, and connections to it.

Derived data but for the names of collections and what is in them, which `collections_file` writes down beside it: a
damaged file begins anew with these, and files are read again.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.storage.file_errors import told_as_sentences
from app.storage.passages.collections_file import recover_collections
from app.storage.search_words import cut
from app.storage.sqlite_file import remove_all

_FORMAT = 1
"""Another one makes the file anew. `PRAGMA user_version` holds it."""
_PATIENCE = 10.0
"""Seconds that one writer waits for another's transaction."""
ID_BITS = 20
"""A passage's number is its document's, shifted by so much, and its place in it: so the index tells whose it is."""


def opened(path: Path) -> sqlite3.Connection:
    """For writing. A file that is damaged, or of another format, is made anew. Raises UserError."""
    with told_as_sentences(path):
        try:
            connection = _shaped(path)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _UNUSABLE:
                raise
            remove_all(path)
            connection = _shaped(path)
        path.chmod(0o600)
    return connection


def opened_for_reading(path: Path) -> sqlite3.Connection:
    """Raises UserError, also where there is no such file yet."""
    with told_as_sentences(path):
        connection = _connected(path, "ro")
        try:
            connection.execute("SELECT 1 FROM document LIMIT 1").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Takes the right to write at its beginning, so that it never fails in the midst because of another writer."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    """For one thread at a time, which may change."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)


def _shaped(path: Path) -> sqlite3.Connection:
    connection = _connected(path, "rwc")
    try:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON").fetchone()
        connection.execute("PRAGMA foreign_keys = ON")
        connection.create_function("cut", 1, cut, deterministic=True)
        with transaction(connection):
            _shape(connection)
            recover_collections(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _shape(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, _FORMAT):
        for name in _NAMES:
            connection.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {_FORMAT}")


_UNUSABLE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}

_NAMES = ("vector", "embedder", "words", "passage", "page", "document", "member", "file", "source", "collection")
"""Of the tables, those that name others first."""

_TABLES = (
    """CREATE TABLE IF NOT EXISTS collection (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        embedder TEXT NOT NULL DEFAULT '',
        reranker TEXT NOT NULL DEFAULT ''
    )""",
    """CREATE TABLE IF NOT EXISTS source (
        id INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL REFERENCES collection ON DELETE CASCADE,
        path TEXT NOT NULL,
        is_folder INTEGER NOT NULL,
        UNIQUE (collection, path)
    )""",
    """CREATE TABLE IF NOT EXISTS file (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        hash TEXT NOT NULL DEFAULT '',
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        state TEXT NOT NULL,
        sentence TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX IF NOT EXISTS file_by_hash ON file (hash)",
    "CREATE INDEX IF NOT EXISTS file_by_state ON file (state)",
    """CREATE TABLE IF NOT EXISTS member (
        source INTEGER NOT NULL REFERENCES source ON DELETE CASCADE,
        file INTEGER NOT NULL REFERENCES file ON DELETE CASCADE,
        PRIMARY KEY (source, file)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS member_by_file ON member (file)",
    # What was read, once for each content. `reader` is the version of the readers; `attached` keeps what no file names.
    """CREATE TABLE IF NOT EXISTS document (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        hash TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        title TEXT NOT NULL,
        reader INTEGER NOT NULL,
        has_pages INTEGER NOT NULL,
        n_pages INTEGER NOT NULL,
        n_chars INTEGER NOT NULL,
        n_passages INTEGER NOT NULL,
        attached INTEGER NOT NULL DEFAULT 0
    )""",
    """CREATE TABLE IF NOT EXISTS page (
        document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
        number INTEGER NOT NULL,
        packed BLOB NOT NULL,
        PRIMARY KEY (document, number)
    )""",
    """CREATE TABLE IF NOT EXISTS passage (
        id INTEGER PRIMARY KEY,
        page INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        heading TEXT NOT NULL,
        body TEXT NOT NULL,
        hash BLOB NOT NULL
    )""",
    # Without a copy of the texts; what goes is told by its words.
    """CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
        title, heading, body, content = '', tokenize = "porter unicode61 remove_diacritics 2"
    )""",
    """CREATE TABLE IF NOT EXISTS embedder (
        id INTEGER PRIMARY KEY,
        model TEXT NOT NULL,
        pooling TEXT NOT NULL,
        prefix TEXT NOT NULL,
        version INTEGER NOT NULL DEFAULT 0,
        UNIQUE (model, pooling, prefix)
    )""",
    """CREATE TABLE IF NOT EXISTS vector (
        hash BLOB NOT NULL,
        embedder INTEGER NOT NULL REFERENCES embedder ON DELETE CASCADE,
        row BLOB NOT NULL,
        PRIMARY KEY (hash, embedder)
    ) WITHOUT ROWID""",
)
