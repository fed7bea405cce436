"""Removes the files that people attached once and that nothing refers to any more."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from app.storage.file_errors import told_as_sentences
from app.storage.sqlite_file import connected

_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_DAY = 86_400.0
_NO_TEXT = ("sqlite_", "message_change")


def remove_unused(
    folder: Path, database: Path, *, older_than: float = _DAY, clock: Callable[[], float] = time.time
) -> int:
    """Remove each file of the attachment store in `folder` whose hash stands nowhere in the database, in no table.

    Messages that were deleted and can be brought back, drafts and queues all count. A file that was attached within
    `older_than` seconds stays in any case: it may be waiting to be sent. For any thread; returns how many went.
    Raises UserError for a database that cannot be read; a file that cannot be removed stays.
    """
    limit = clock() - older_than
    old = {path.name: path for path in folder.glob("??/??/*") if _HASH.fullmatch(path.name) and _is_older(path, limit)}
    if not old:
        return 0
    with told_as_sentences(database):
        for named in named_hashes(database):
            old.pop(named, None)
    return sum(_remove(path, limit) for path in old.values())


def named_hashes(database: Path) -> Iterator[str]:
    """Everything in the database that looks like a hash, whatever table it stands in. Raises SQLite's errors."""
    with closing(connected(database, "ro")) as connection:
        # One transaction: what moves from a draft into a message meanwhile is seen in one of them.
        connection.execute("BEGIN")
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            if table.startswith(_NO_TEXT):
                continue
            rows = connection.execute(f'SELECT * FROM "{table}"')
            for value in chain.from_iterable(rows):
                if isinstance(value, str) and len(value) >= 64:
                    yield from _HASH.findall(value)


def _is_older(path: Path, limit: float) -> bool:
    try:
        return path.stat().st_mtime < limit
    except OSError:
        return False


def _remove(path: Path, limit: float) -> bool:
    # Looked at again: it may have been attached again since.
    if not _is_older(path, limit):
        return False
    try:
        path.unlink()
    except OSError:
        return False
    return True
