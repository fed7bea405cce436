"""A conversation's state that somebody made to end whoever reads it, with all its hashes right."""

import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from app.engine.memory.snapshots import Snapshot
from app.engine.memory.state_files import StateNotes, save_state
from app.engine.reply.session import Session

_CELLS = 8
"""Where the number of cells stands in a recurrent memory's state."""
_HEAD = struct.Struct("<8sIII")
_DIGEST = 32


def sign(session: Session, snapshot: Snapshot, path: Path, more: Mapping[str, object] | None = None) -> None:
    """Write what an honest program writes, whatever is in it."""
    notes = StateNotes(session.info.name, more or {})
    assert save_state(path, snapshot, session.identity, notes, lambda: True)


def two_cells_for_one(
    session: Session, conversation: str, path: Path, more: Mapping[str, object] | None = None
) -> None:
    """Of a recurrent model: a sequence with two cells, at which llama.cpp aborts where the context has room for two."""
    snapshot = session.slot.snapshot_of(conversation)
    assert snapshot is not None
    data = bytes(snapshot.data)
    assert struct.unpack_from("<I", data, _CELLS) == (1,)
    altered = data[:_CELLS] + struct.pack("<IiI", 2, 5, 0) + data[_CELLS + 4 :]
    sign(session, replace(snapshot, data=altered), path, more)


def with_facts(honest: bytes, alter: Callable[[dict[str, object]], None]) -> bytes:
    """A state's file whose head tells something else."""
    n_notes = int.from_bytes(honest[12:16], "little")
    start = 16 + n_notes
    magic, version, n_facts, n_ids = _HEAD.unpack_from(honest, start)
    place = start + _HEAD.size
    facts = json.loads(honest[place : place + n_facts])
    ids, body = honest[place + n_facts :][:n_ids], honest[place + n_facts + n_ids + _DIGEST : -_DIGEST]
    alter(facts)
    told = json.dumps(facts).encode()
    head = _HEAD.pack(magic, version, len(told), n_ids) + told + ids
    digest = hashlib.sha256(head).digest()
    return honest[:start] + head + digest + body + hashlib.sha256(digest + body).digest()
