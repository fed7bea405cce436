"""Small settings that belong to one conversation or to one model."""

import json
from collections.abc import Mapping
from enum import StrEnum

from app.storage.database import Database
from app.storage.message_rows import dump_json


class Scope(StrEnum):
    CONVERSATION = "conversation"
    """By the conversation's number; goes for good with it."""
    MODEL = "model"
    """By the model's name."""
    PRESET = "preset"
    """By an id that nothing else has."""
    TOOL_SERVER = "tool_server"
    """By its fingerprint: what was allowed to it for ever."""
    TOOL_SET = "tool_set"
    """By the hash of what it holds: tools that conversations were told of."""
    DOCUMENT = "document"
    """By the beginning of its file's hash, which would keep the file: when a conversation first began with it."""


class OptionsStore:
    """Reads and writes options as JSON objects. Use it in the database's thread. Raises UserError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, scope: Scope, name: str) -> dict[str, object]:
        """Empty where nothing was set, or what was set cannot be read."""
        rows = self._database.query("SELECT value FROM options WHERE scope = ? AND name = ?", (scope.value, name))
        try:
            found = json.loads(str(rows[0][0])) if rows else {}
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def all(self, scope: Scope) -> tuple[tuple[str, dict[str, object]], ...]:
        """Each name of a scope with its options; what cannot be read is left out."""
        rows = self._database.query("SELECT name FROM options WHERE scope = ? ORDER BY name", (scope.value,))
        found = ((str(name), self.get(scope, str(name))) for (name,) in rows)
        return tuple((name, value) for name, value in found if value)

    def put(self, scope: Scope, name: str, value: Mapping[str, object]) -> None:
        """Replace everything under `name`; an empty mapping removes it."""
        if value:
            self._database.execute(
                "INSERT INTO options (scope, name, value) VALUES (?, ?, ?)"
                " ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value",
                (scope.value, name, dump_json(dict(value))),
            )
        else:
            self._database.execute("DELETE FROM options WHERE scope = ? AND name = ?", (scope.value, name))

    def clear(self, scope: Scope) -> None:
        self._database.execute("DELETE FROM options WHERE scope = ?", (scope.value,))
