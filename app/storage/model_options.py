"""What is set for a model, for commands that use the window's settings and must not touch its database."""

import json
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

from app.core.model_options import ModelOptions, key_of, options_from
from app.core.model_ref import ModelRef
from app.storage.options import Scope
from app.storage.sqlite_file import connected

_log = logging.getLogger(__name__)

_WAIT = 1.0
"""Seconds for another process's lock."""


def stored_options(database: Path, model: ModelRef) -> ModelOptions:
    """Empty where nothing is set, or where the database is not there or can't be read."""
    found = dict(_stored(database, Scope.MODEL, "WHERE name = ?", key_of(model)))
    return options_from(found.get(key_of(model), {}))


def stored_rules(database: Path) -> list[tuple[str, dict[str, object]]]:
    """What tools are always allowed, as `Permissions` keeps it; empty as `stored_options` is."""
    return _stored(database, Scope.TOOL_SERVER)


def _stored(database: Path, scope: Scope, *where: str) -> list[tuple[str, dict[str, object]]]:
    if not database.is_file():
        return []
    ask = f"SELECT name, value FROM (SELECT * FROM options WHERE scope = ?) {where[0] if where else ''}"
    try:
        with closing(connected(database, "ro", _WAIT)) as connection:
            rows = connection.execute(ask, (scope.value, *where[1:])).fetchall()
        found = [(str(name), json.loads(str(value))) for name, value in rows]
    except (sqlite3.Error, ValueError, RecursionError) as error:
        _log.warning("What is set can't be read: %s", error)
        return []
    return [(name, value) for name, value in found if isinstance(value, dict)]
