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
    if not database.is_file():
        return ModelOptions()
    ask = "SELECT value FROM options WHERE scope = ? AND name = ?"
    try:
        with closing(connected(database, "ro", _WAIT)) as connection:
            row = connection.execute(ask, (Scope.MODEL.value, key_of(model))).fetchone()
        told = json.loads(str(row[0])) if row else {}
    except (sqlite3.Error, ValueError, RecursionError) as error:
        _log.warning("What is set for %s can't be read: %s", model.name, error)
        return ModelOptions()
    return options_from(told) if isinstance(told, dict) else ModelOptions()
