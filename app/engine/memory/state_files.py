"""States by name: a conversation as the model holds it, in a file that people keep, copy and bring back.

    magic, version, length of the notes | notes (JSON) | a snapshot, as `snapshot_format` writes it

The snapshot names the sha256 of all before it as its conversation, so its own hashes cover the whole file. The notes
say what a reader may know without the model: which one it was, and what the caller wants to have with it.
"""

import hashlib
import json
import os
import struct
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, TypeVar

from app.core.errors import UserError
from app.engine.binding import library
from app.engine.memory import snapshot_format
from app.engine.memory.snapshot_format import DamagedError, StoredSnapshot
from app.engine.memory.snapshot_identity import SnapshotIdentity
from app.engine.memory.snapshots import Snapshot

Read = TypeVar("Read")
SUFFIX = ".hearthstate"
_MAGIC = b"HEARTHST"
_VERSION = 1
_START = struct.Struct("<8sII")
_MOST_NOTES = 256 << 20
"""Bytes; no conversation has so many."""


class StateError(UserError):
    """A state that is of no use here. `notes` are what is known of it all the same; None where it is no state."""

    def __init__(
        self, template: str, /, *, notes: "StateNotes | None" = None, detail: str = "", **values: object
    ) -> None:
        super().__init__(template, detail=detail, **values)
        self.notes = notes


@dataclass(frozen=True, slots=True)
class StateNotes:
    model: str
    """Its name, for people."""
    more: Mapping[str, object]
    """The caller's own; JSON."""
    build: str = field(default_factory=library.version)
    n_entries: int = 0
    n_bytes: int = 0
    """Of the file."""


def save_state(
    path: Path, snapshot: Snapshot, identity: SnapshotIdentity, notes: StateNotes, go_on: Callable[[], bool]
) -> int:
    """Replace `path` by the state, or leave it as it was. Its bytes; 0 when `go_on` said no. Raises UserError."""
    try:
        return _save(path, snapshot, identity, notes, go_on)
    except OSError as error:
        raise UserError("{name} can't be written: {why}.", name=path.name, why=error.strerror or error) from error


def _save(
    path: Path, snapshot: Snapshot, identity: SnapshotIdentity, notes: StateNotes, go_on: Callable[[], bool]
) -> int:
    told = json.dumps({"model": notes.model, "build": notes.build, "more": notes.more}).encode()
    start = _START.pack(_MAGIC, _VERSION, len(told)) + told
    bound = replace(snapshot, conversation=hashlib.sha256(start).hexdigest())
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(start)
            written = snapshot_format.write(file, bound, identity.of(snapshot.entries), lambda _: go_on())
            if written is None:
                return 0
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return size


def read_notes(path: Path) -> StateNotes:
    """What a state is of, checked. Raises StateError, without notes."""
    return _opened(path, lambda file: _head(file)[0])


def read_state(path: Path, identity: SnapshotIdentity | None, n_ctx: int) -> tuple[Snapshot, StateNotes]:
    """The whole of it, for a model of this identity with a context of `n_ctx`; None asks for no identity. Raises
    StateError, with notes where they could be read.
    """

    def read(file: BinaryIO) -> tuple[Snapshot, StateNotes]:
        notes, stored, place = _head(file)
        if identity is not None and stored.identity != identity.of(stored.entries):
            raise StateError(_why_foreign(notes), name=path.name, model=notes.model, notes=notes)
        if len(stored.entries) > n_ctx:
            told = "{name} holds {n:,} tokens, and the context {room:,}, so the conversation is read anew."
            raise StateError(told, name=path.name, n=len(stored.entries), room=n_ctx, notes=notes)
        try:
            file.seek(place)
            return snapshot_format.read(file, stored), notes
        except DamagedError as error:
            told = "{name} is damaged, so the conversation is read anew."
            raise StateError(told, name=path.name, notes=notes, detail=str(error)) from error

    return _opened(path, read)


def refused(path: Path, notes: StateNotes) -> StateError:
    """Of a state that llama.cpp does not take."""
    told = "{name} doesn't fit this model, so the conversation is read anew."
    return StateError(told, name=path.name, notes=notes)


def _why_foreign(notes: StateNotes) -> str:
    if notes.build != library.version():
        return "{name} was saved by another version of Hearth, so the conversation is read anew."
    return "{name} was saved with {model}, another file or other settings, so the conversation is read anew."


def _opened(path: Path, read: Callable[[BinaryIO], Read]) -> Read:
    try:
        with path.open("rb") as file:
            return read(file)
    except DamagedError as error:
        told = "{name} is damaged, or no state of a conversation."
        raise StateError(told, name=path.name, detail=str(error)) from error
    except OSError as error:
        raise StateError("{name} can't be read: {why}.", name=path.name, why=error.strerror or error) from error


def _head(file: BinaryIO) -> tuple[StateNotes, StoredSnapshot, int]:
    """The notes, the snapshot's head, and where that begins. Raises DamagedError, and OSError."""
    start = file.read(_START.size)
    if len(start) < _START.size:
        raise DamagedError("too short")
    magic, version, n_notes = _START.unpack(start)
    if (magic, version) != (_MAGIC, _VERSION) or n_notes > _MOST_NOTES:
        raise DamagedError("another kind or version")
    told = file.read(n_notes)
    place = file.tell()
    stored = snapshot_format.read_head(file, "")
    if stored.conversation != hashlib.sha256(start + told).hexdigest():
        raise DamagedError("its notes were altered")
    size = file.seek(0, os.SEEK_END)
    try:
        facts = json.loads(told)
        notes = StateNotes(facts["model"], facts["more"], facts["build"], len(stored.entries), size)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedError(f"its notes say {error}") from error
    return notes, stored, place
