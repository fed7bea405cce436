"""The collections that people named, in a small file beside the store: that one is made anew where it is damaged."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from app.core.files import load_json, save_json

_Told = tuple[str, str, str, list[tuple[str, bool]]]
"""Name, embedder, reranker, and the path of each source, with whether it is a folder."""


def collections_file(store: Path) -> Path:
    return store.with_name("collections.json")


def keep_collections(connection: sqlite3.Connection, store: Path) -> None:
    """Write down those of the store. What can't be written is in the store all the same."""
    told = [
        {"name": name, "embedder": embedder, "reranker": reranker, "sources": json.loads(sources)}
        for name, embedder, reranker, sources in connection.execute(_ALL)
    ]
    save_json(collections_file(store), told, "The list of collections")


def recover_collections(connection: sqlite3.Connection, store: Path) -> None:
    """Name those again that the store lacks, as a new one does. Within a transaction of the caller's."""
    there = {name for (name,) in connection.execute("SELECT name FROM collection")}
    for name, embedder, reranker, sources in load_json(collections_file(store), _understood) or ():
        if name not in there:
            number = connection.execute(_ADD, (name, embedder, reranker)).lastrowid
            connection.executemany(_ADD_SOURCE, [(number, path, is_folder) for path, is_folder in sources])


def _understood(told: Any) -> list[_Told]:
    return [
        (
            str(each["name"]),
            str(each["embedder"]),
            str(each["reranker"]),
            [(str(path), bool(is_folder)) for path, is_folder in each["sources"]],
        )
        for each in told
    ]


_ALL = """
SELECT name, embedder, reranker, coalesce(
    (SELECT json_group_array(json_array(path, is_folder)) FROM source WHERE source.collection = collection.id), '[]'
) FROM collection ORDER BY id
"""
_ADD = "INSERT INTO collection (name, embedder, reranker) VALUES (?, ?, ?)"
_ADD_SOURCE = "INSERT OR IGNORE INTO source (collection, path, is_folder) VALUES (?, ?, ?)"
