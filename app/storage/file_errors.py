"""Turns what SQLite and the system report about files into sentences, in one place."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.errors import UserError

_SENTENCES = (
    (
        {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL},
        "Another program is using {path}; close it (it may be a second Hearth) and try again.",
    ),
    (
        {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH},
        "Hearth may not write to {path}; check the permissions of the file and its folder.",
    ),
    ({sqlite3.SQLITE_IOERR}, "The disk reported an error at {path}; check the disk, and that it has space left."),
    ({sqlite3.SQLITE_CANTOPEN}, "Hearth cannot open {path}; check that its folder is there and yours to write."),
)
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_FULL_ERRNOS = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}


class DamagedError(UserError):
    """The database's file is damaged; `app.storage.recovery` can save what is left of it."""


@contextmanager
def told_as_sentences(path: Path) -> Iterator[None]:
    """Raise UserError for what is wrong with the file `path` or its disk; bugs (wrong SQL) pass unchanged."""
    try:
        yield
    except sqlite3.Error as error:
        told = _about_database(path, error)
        if told is None:
            raise
        raise told from error
    except OSError as error:
        raise about_file(path, error) from error


def damaged(path: Path, detail: str) -> DamagedError:
    return DamagedError(
        "The conversations in {path} are damaged; start Hearth again, and it will save what can be read.",
        path=path,
        detail=detail,
    )


def about_file(path: Path, error: OSError) -> UserError:
    """The UserError for a file or folder that could not be read or written."""
    detail = f"{type(error).__name__}: {error}"
    if error.errno in _FULL_ERRNOS:
        return _disk_full(path, detail)
    if error.errno == errno.ENOENT:
        return UserError(
            "Hearth cannot use {path}: it is not there. Check its name and its folder.", path=path, detail=detail
        )
    reason = error.strerror or "unknown error"
    return UserError(
        "Hearth cannot use {path} ({reason}); check that it is there and yours to write.",
        path=path,
        reason=reason,
        detail=detail,
    )


def _about_database(path: Path, error: sqlite3.Error) -> UserError | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    detail = f"{getattr(error, 'sqlite_errorname', code)}: {error}"
    primary = code & 0xFF
    if primary in _DAMAGED:
        return damaged(path, detail)
    if primary == sqlite3.SQLITE_FULL:
        return _disk_full(path, detail)
    told = next((template for codes, template in _SENTENCES if primary in codes), None)
    return None if told is None else UserError(told, path=path, detail=detail)


def _disk_full(path: Path, detail: str) -> UserError:
    return UserError(
        "The disk with {folder} is full; free some space and try again.", folder=path.parent, detail=detail
    )
