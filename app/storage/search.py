"""Full-text search over what was said: an index beside the database, which catches up with it by itself.

The index is a file of its own and holds nothing that the database doesn't: a damaged one is made anew, writing it
never waits for the window or makes it wait, and no fault in it can touch a conversation. The database notes in
`message_change` what has to be read again.
"""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self
from urllib.parse import quote

from app.core.messages import Message, Role
from app.storage.file_errors import told_as_sentences
from app.storage.message_rows import load_message
from app.storage.search_words import Term, cut, match_expression, plain_text, terms_of, uncut
from app.storage.sqlite_file import remove_all

_FORMAT = "1"
"""Another one makes the index anew."""
_CHUNK = 16_000
"""Characters of a message that are looked through as one: long documents are found by the passage."""
_CHUNK_BITS = 10
_MOST_CHUNKS = 1 << _CHUNK_BITS
_SCANNED = 2_000
"""Places looked at for one question, the newest."""
_MOST_OF_ONE = 200
"""Messages that are told of a conversation that is wanted whole."""
_SNIPPET_WORDS = 12
_BEGIN, _END = "\x01", "\x02"
_ROLES = {str(each.value): each for each in Role}


@dataclass(frozen=True, slots=True)
class Hit:
    message_id: int
    role: Role
    created_at: float
    snippet: tuple[tuple[str, bool], ...]
    """The words around the place, in pieces; True for those that were looked for."""


@dataclass(frozen=True, slots=True)
class ChatHits:
    """What was found in one conversation, newest first."""

    conversation_id: int
    hits: tuple[Hit, ...]
    n_found: int
    """Messages in all, `hits` among them, of the places that were looked at."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A message in which something was found."""

    conversation_id: int
    title: str
    role: Role
    created_at: float
    text: str

    def told(self, most_chars: int) -> str:
        day = datetime.fromtimestamp(self.created_at).astimezone().strftime("%Y-%m-%d")
        return f"## {self.title} ({self.role}, {day})\n{self.text[:most_chars]}"


class SearchIndex:
    """Use it in one thread at a time; `interrupt` is for any.

    Every method raises UserError for what is wrong with the disk.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    def open(cls, path: Path, database: Path) -> Self:
        """The index at `path` of what is in `database`; one that is damaged or belongs to another is made anew."""
        with told_as_sentences(path):
            try:
                connection = _connected(path, database)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _UNUSABLE:
                    raise
                remove_all(path)
                connection = _connected(path, database)
        return cls(connection, path)

    def close(self) -> None:
        self._connection.close()

    def interrupt(self) -> None:
        """End what `find` is doing; it raises sqlite3.OperationalError then."""
        self._connection.interrupt()

    def catch_up(self, most: int = 50) -> int:
        """Read up to `most` messages that have changed; returns about how many are left, and 0 when none is."""
        with told_as_sentences(self._path):
            last = int(_meta(self._connection)["last"])
            changes = self._connection.execute(_CHANGES, (last, most)).fetchall()
            if changes:
                self._take(changes)
            (newest,) = self._connection.execute(_NEWEST).fetchone()
        return int(newest) - (changes[-1][0] if changes else int(newest))

    def find(
        self, terms: Sequence[Term], *, most_chats: int = 40, per_chat: int = 4, whole: int | None = None
    ) -> tuple[ChatHits, ...]:
        """The conversations in which one message has all of `terms`, the one with the newest such message first.

        What was deleted is not found. Nothing is found for no terms. `whole` is a conversation of which more than
        `per_chat` messages are told.
        """
        expression = match_expression(tuple(terms))
        if not expression:
            return ()
        gathered = _Gathered(most_chats, per_chat, whole)
        self._connection.create_function("is_shown", 2, gathered.takes)
        chats: dict[int, list[Hit]] = {}
        with (
            told_as_sentences(self._path),
            closing(self._connection.execute(_FIND, (expression, _SCANNED))) as found,
        ):
            for row, chat, role, created_at, snippet in found:
                if snippet is None:
                    continue
                hit = Hit(row >> _CHUNK_BITS, _ROLES.get(role, Role.USER), created_at, _pieces(snippet))
                chats.setdefault(chat, []).append(hit)
        return tuple(ChatHits(chat, tuple(hits), gathered.n_found[chat]) for chat, hits in chats.items())

    def passages(self, terms: Sequence[Term], *, most: int = 20) -> tuple[Passage, ...]:
        """What `find` finds, as whole messages, of up to `most` conversations."""
        chats = self.find(terms, most_chats=most, per_chat=2)
        rows = [self._connection.execute(_PASSAGE, (hit.message_id,)).fetchone() for each in chats for hit in each.hits]
        return tuple(
            Passage(chat, title, _ROLES.get(role, Role.USER), at, load_message(role, parts, None, None).text)
            for chat, title, role, at, parts in filter(None, rows)
        )

    def _take(self, changes: Sequence[tuple[int, int]]) -> None:
        connection = self._connection
        connection.execute("BEGIN")
        try:
            n_removed = 0
            for _, message_id in changes:
                first = message_id << _CHUNK_BITS
                n_removed += connection.execute(_REMOVE, (first, first + _MOST_CHUNKS - 1)).rowcount
                row = connection.execute(_MESSAGE, (message_id,)).fetchone()
                if row is not None:
                    body = body_of(load_message(row[0], row[1], None, None))
                    connection.executemany(_ADD, [(first + at, cut(part)) for at, part in enumerate(_chunks(body))])
            if n_removed:
                # Before SQLite 3.42 what was removed stays in the index until its parts are merged.
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('stale', '1')")
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('last', ?)", (str(changes[-1][0]),))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def tidy(self) -> None:
        """Make what was removed disappear from the file. Takes about a second for 100,000 messages."""
        with told_as_sentences(self._path):
            if _meta(self._connection).get("stale") == "1":
                self._connection.execute("INSERT INTO text (text) VALUES ('optimize')")
                self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('stale', '0')")


def found_passages(index: Path, database: Path, wanted: str, *, most_chars: int = 1500) -> list[tuple[int, str]]:
    """For a model to read: the numbers of conversations, and what of `wanted` was said there. For any thread. Raises
    UserError.
    """
    if not database.is_file():
        return []
    with closing(SearchIndex.open(index, database)) as opened:
        return [(each.conversation_id, each.told(most_chars)) for each in opened.passages(terms_of(wanted))]


class _Gathered:
    """Of all places in which something was found, the newest first: those that are shown."""

    def __init__(self, most_chats: int, per_chat: int, whole: int | None) -> None:
        self._most_chats, self._per_chat, self._whole = most_chats, per_chat, whole
        self.n_found: dict[int, int] = {}
        """Messages by conversation."""
        self._last = -1

    def takes(self, row: int, chat: int) -> bool:
        """To be asked once for each place."""
        message, known = row >> _CHUNK_BITS, self.n_found.get(chat, 0)
        if message == self._last or (not known and len(self.n_found) == self._most_chats):
            return False
        self._last = message
        self.n_found[chat] = known + 1
        return known < (_MOST_OF_ONE if chat == self._whole else self._per_chat)


def body_of(message: Message) -> str:
    """All of a message that can be searched for."""
    words = [message.reasoning, *(f"{each.name}\n{each.text}" for each in message.documents)]
    words += [message.text, *(each.name for each in message.media)]
    return "\n".join(each for each in words if each)


def _connected(path: Path, database: Path) -> sqlite3.Connection:
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path.absolute().as_uri(), uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON").fetchone()
        connection.execute("ATTACH ? AS chats", (f"file:{quote(str(database.absolute()))}?mode=ro",))
        _make(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Give the index its shape, unless it is the one of this database already."""
    (name,) = connection.execute("SELECT name FROM chats.search_source").fetchone()
    connection.execute("CREATE TABLE IF NOT EXISTS main.meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    known = _meta(connection)
    (newest,) = connection.execute("SELECT coalesce(max(number), 0) FROM chats.message_change").fetchone()
    if known.get("format") == _FORMAT and known.get("source") == name and int(known.get("last", "-1")) <= newest:
        connection.execute("SELECT rowid FROM main.text LIMIT 1").fetchone()
        return
    connection.execute("BEGIN")
    connection.execute("DROP TABLE IF EXISTS main.text")
    connection.execute(_CREATE)
    rows = {"format": _FORMAT, "source": name, "last": "0"}
    connection.executemany("INSERT OR REPLACE INTO main.meta VALUES (?, ?)", list(rows.items()))
    connection.execute("COMMIT")


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, value FROM main.meta").fetchall())


def _chunks(body: str) -> list[str]:
    """Cut at line ends where there are some; an empty body has none."""
    size = max(_CHUNK, len(body) // (_MOST_CHUNKS // 2) + 1)
    parts: list[str] = []
    while body:
        end = len(body) if len(body) <= size else max(body.rfind("\n", size // 2, size), 0) or size
        parts.append(body[:end])
        body = body[end:]
    return parts


def _pieces(snippet: str) -> tuple[tuple[str, bool], ...]:
    """SQLite's marks around the words that were found, as pieces of one line."""
    pieces: list[tuple[str, bool]] = []
    line = " ".join(plain_text(uncut(snippet)).split())
    for number, part in enumerate(line.split(_BEGIN)):
        inside, found, after = part.partition(_END)
        pieces += [(inside, True), (after, False)] if number and found else [(part, False)]
    return tuple(piece for piece in pieces if piece[0])


_UNUSABLE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR}

_CREATE = """
CREATE VIRTUAL TABLE main.text USING fts5 (body, tokenize = "unicode61 remove_diacritics 2", prefix = '2')
"""
_CHANGES = "SELECT number, message_id FROM chats.message_change WHERE number > ? ORDER BY number LIMIT ?"
_NEWEST = "SELECT coalesce(max(number), 0) FROM chats.message_change"
_MESSAGE = "SELECT role, parts FROM chats.message WHERE id = ?"
_PASSAGE = """
SELECT conversation.id, conversation.title, message.role, message.created_at, message.parts FROM chats.message
JOIN chats.conversation ON conversation.id = message.conversation_id WHERE message.id = ?
"""
_REMOVE = "DELETE FROM main.text WHERE rowid BETWEEN ? AND ?"
_ADD = "INSERT INTO main.text (rowid, body) VALUES (?, ?)"

# CROSS JOIN keeps the order: the index gives the newest first, and the walk ends at the limit. One statement does all,
# since finding out where the beginning of a word occurs takes longer than walking.
_FIND = f"""
WITH RECURSIVE hidden (id) AS (
    SELECT id FROM chats.message WHERE deleted_at IS NOT NULL
    UNION
    SELECT message.id FROM hidden JOIN chats.message ON message.parent_id = hidden.id
)
SELECT text.rowid, conversation.id, message.role, message.created_at,
    CASE WHEN is_shown(text.rowid, conversation.id)
    THEN snippet(text, 0, '{_BEGIN}', '{_END}', '…', {_SNIPPET_WORDS}) END
FROM main.text CROSS JOIN chats.message ON message.id = text.rowid >> {_CHUNK_BITS}
CROSS JOIN chats.conversation ON conversation.id = message.conversation_id
WHERE text MATCH ? AND conversation.deleted_at IS NULL AND message.id NOT IN (SELECT id FROM hidden)
ORDER BY text.rowid DESC LIMIT ?
"""
