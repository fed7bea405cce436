"""A snapshot as a file: a head that says what it stands for, checked by itself, and the states.

    magic, version, length of the head | head: facts (JSON), ids (int32) | sha256 of all before
    state and checkpoints, one after the other, then what the companion kept with each of them, if it did,
    perhaps compressed | sha256 of head's digest and of these

All numbers are little-endian. The head is enough to decide whether the states are worth reading.
"""

import base64
import hashlib
import io
import json
import struct
import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, cast

import zstandard

from app.engine.binding.mtmd_chunks import MediaChunk
from app.engine.binding.sequence_memory import State
from app.engine.memory.checkpoints import Checkpoint
from app.engine.memory.reuse import Source
from app.engine.memory.snapshots import Snapshot
from app.engine.prompt.prompt_tokens import PromptTokens

_MAGIC = b"HEARTHSS"
_VERSION = 1
_START = struct.Struct("<8sIII")
"""Magic, version, bytes of the facts, bytes of the ids."""
_DIGEST = hashlib.sha256().digest_size
_CHUNK = 4 << 20
_SAMPLE = 1 << 20
_LEVEL = 1
_PAYS = 0.8
"""Compressed, when a sample of it comes out at most this large."""


class DamagedError(Exception):
    """The file is not what was written."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredSnapshot:
    """A snapshot in a file, as its head tells it."""

    name: str
    """Of the file."""
    identity: bytes
    conversation: str
    entries: PromptTokens
    sizes: tuple[int, ...]
    """Bytes of the state, then of each checkpoint."""
    places: tuple[int, ...]
    compressed: bool = False
    digest: bytes = field(default=b"", repr=False)
    source: Source = Source.DISK
    extras: tuple[int, ...] = ()
    """Bytes of what the companion kept with the state, then with each checkpoint; empty where it kept nothing."""

    @property
    def start(self) -> int:
        """Files hold whole states."""
        return 0

    @property
    def n_bytes(self) -> int:
        return sum(self.sizes) + sum(self.extras)

    @property
    def restore_bytes(self) -> int:
        """A file is read whole."""
        return self.n_bytes


def write(file: BinaryIO, snapshot: Snapshot, identity: bytes, go_on: Callable[[int], bool]) -> StoredSnapshot | None:
    """Write `snapshot` into an empty file. `go_on` hears of the bytes of each piece; None when it said no.

    The head that is returned has no name yet. Raises OSError.
    """
    compressed = _compresses(snapshot.data)
    head, stored = _head_of(snapshot, identity, compressed)
    file.write(head)
    digest = hashlib.sha256(stored.digest)
    packer = zstandard.ZstdCompressor(level=_LEVEL).compressobj() if compressed else None
    for piece in _pieces(snapshot):
        out = packer.compress(piece) if packer else piece
        digest.update(out)
        file.write(out)
        if not go_on(len(out)):
            return None
    if packer:
        rest = packer.flush()
        digest.update(rest)
        file.write(rest)
    file.write(digest.digest())
    return stored


def read_head(file: BinaryIO, name: str) -> StoredSnapshot:
    """What the file is about, from its place on. Raises DamagedError, and OSError."""
    begun = file.tell()
    start = file.read(64 << 10)
    if len(start) < _START.size:
        raise DamagedError("too short")
    magic, version, n_facts, n_ids = _START.unpack_from(start)
    if (magic, version) != (_MAGIC, _VERSION):
        raise DamagedError("another kind or version")
    ends = _START.size + n_facts + n_ids
    if begun + ends + _DIGEST > file.seek(0, io.SEEK_END):
        raise DamagedError("truncated")
    if ends + _DIGEST > len(start):
        file.seek(begun + len(start))
        start += file.read(ends + _DIGEST - len(start))
    digest = hashlib.sha256(start[:ends]).digest()
    if digest != start[ends : ends + _DIGEST]:
        raise DamagedError("its head was altered")
    file.seek(begun + ends + _DIGEST)
    facts_end = _START.size + n_facts
    try:
        stored = _stored(name, json.loads(start[_START.size : facts_end]), start[facts_end:ends], digest)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise DamagedError(f"its head says {error}") from error
    _check(stored)
    return stored


def read(file: BinaryIO, wanted: StoredSnapshot) -> Snapshot:
    """The whole snapshot, checked. Raises DamagedError, and OSError."""
    stored = read_head(file, wanted.name)
    if stored.digest != wanted.digest:
        raise DamagedError("it is another one by now")
    start = file.tell()
    end = file.seek(0, io.SEEK_END) - _DIGEST
    file.seek(start)
    body = _Hashed(file, end - start, hashlib.sha256(stored.digest))
    source = zstandard.ZstdDecompressor().stream_reader(cast(BinaryIO, body)) if stored.compressed else body
    if end < start or (not stored.compressed and end - start != stored.n_bytes):
        raise DamagedError("truncated")
    try:
        blobs = [_read_whole(source, size) for size in (*stored.sizes, *stored.extras)]
    except (zstandard.ZstdError, MemoryError) as error:
        raise DamagedError(str(error)) from error
    body.read(body.left)
    if file.read(_DIGEST) != body.digest():
        raise DamagedError("its states were altered")
    states, n = blobs[: len(stored.sizes)], len(stored.sizes)
    extra, *extras = blobs[n:] or [b""] * n
    checkpoints = tuple(map(Checkpoint, stored.places, states[1:], extras))
    return Snapshot(stored.entries, states[0], checkpoints, stored.conversation, Source.DISK, extra=extra)


class _Hashed:
    """The next `left` bytes of a file, hashed as they are read."""

    def __init__(self, file: BinaryIO, left: int, digest: "hashlib._Hash") -> None:
        self._file = file
        self._digest = digest
        self.left = left

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self.left if size < 0 else max(0, min(size, self.left)))
        self.left -= len(data)
        self._digest.update(data)
        return data

    def digest(self) -> bytes:
        return self._digest.digest()


def _read_whole(source: "_Hashed | zstandard.ZstdDecompressionReader", size: int) -> bytes:
    data = source.read(size) if size else b""
    if len(data) != size:
        raise DamagedError("truncated")
    return data


def _pieces(snapshot: Snapshot) -> Iterator[memoryview]:
    kept: tuple[Snapshot | Checkpoint, ...] = (snapshot, *snapshot.checkpoints)
    for data in (*(each.data for each in kept), *(each.extra for each in kept)):
        view = memoryview(data)
        for start in range(0, len(view), _CHUNK):
            yield view[start : start + _CHUNK]


def _compresses(data: State) -> bool:
    """By a sample from the middle: a state begins with positions, which say little about the rest."""
    start = max(0, (len(data) - _SAMPLE) // 2)
    sample = memoryview(data)[start : start + _SAMPLE]
    return len(zstandard.ZstdCompressor(level=_LEVEL).compress(sample)) <= _PAYS * len(sample)


def _head_of(snapshot: Snapshot, identity: bytes, compressed: bool) -> tuple[bytes, StoredSnapshot]:
    sizes = (len(snapshot.data), *(len(each.data) for each in snapshot.checkpoints))
    extras = (len(snapshot.extra), *(len(each.extra) for each in snapshot.checkpoints))
    extras = extras if any(extras) else ()
    facts = {
        "identity": identity.hex(),
        "conversation": snapshot.conversation,
        "sizes": sizes,
        "extras": extras,
        "places": snapshot.places,
        "compressed": compressed,
        "groups": [_group_facts(group.start, group.chunk) for group in snapshot.entries.groups],
    }
    entries = snapshot.entries
    told = json.dumps(facts).encode()
    ids = entries.tokens(0, len(entries)).astype("<i4").tobytes()
    head = _START.pack(_MAGIC, _VERSION, len(told), len(ids)) + told + ids
    digest = hashlib.sha256(head).digest()
    stored = StoredSnapshot(
        "", identity, snapshot.conversation, entries, sizes, snapshot.places, compressed, digest, extras=extras
    )
    return head + digest, stored


def _stored(name: str, facts: dict[str, object], ids: bytes, digest: bytes) -> StoredSnapshot:
    return StoredSnapshot(
        name,
        bytes.fromhex(cast(str, facts["identity"])),
        cast(str, facts["conversation"]),
        _entries(ids, cast("list[list[object]]", facts["groups"])),
        tuple(cast("list[int]", facts["sizes"])),
        tuple(cast("list[int]", facts["places"])),
        cast(bool, facts["compressed"]),
        digest,
        extras=tuple(cast("list[int]", facts.get("extras", []))),
    )


def _check(stored: StoredSnapshot) -> None:
    """What is counted with later; files come from other computers, too. Raises DamagedError."""
    numbers = (*stored.sizes, *stored.places, *stored.extras)
    is_right = (
        all(type(each) is int and each >= 0 for each in numbers)
        and len(stored.sizes) == len(stored.places) + 1
        and len(stored.extras) in (0, len(stored.sizes))
        and sorted(set(stored.places)) == list(stored.places)
        and isinstance(stored.conversation, str)
    )
    if not is_right:
        raise DamagedError("its head's numbers can't be")


def _entries(data: bytes, groups: "list[list[object]]") -> PromptTokens:
    ids = array("i")
    ids.frombytes(data)
    if sys.byteorder == "big":
        ids.byteswap()
    entries = PromptTokens()
    for start, *facts in groups:
        entries.extend(ids[len(entries) : cast(int, start)])
        chunk = _chunk(facts)
        if not 0 < chunk.n_tokens <= len(ids) - len(entries) or not 0 < chunk.n_pos <= chunk.n_tokens:
            raise ValueError("media that do not fit")
        entries.append_media(chunk)
    entries.extend(ids[len(entries) :])
    if len(entries) != len(ids):
        raise ValueError("media that do not fit")
    return entries


def _group_facts(start: int, chunk: MediaChunk) -> list[object]:
    saved = base64.b64encode(chunk.saved).decode()
    causal = not chunk.non_causal
    return [start, chunk.key.hex(), chunk.n_tokens, chunk.n_pos, chunk.media_id, chunk.ordinal, causal, saved]


def _chunk(facts: list[object]) -> MediaChunk:
    key, n_tokens, n_pos, media_id, ordinal, causal, saved = facts
    return MediaChunk(
        key=bytes.fromhex(cast(str, key)),
        n_tokens=cast(int, n_tokens),
        n_pos=cast(int, n_pos),
        media_id=cast(str, media_id),
        ordinal=cast(int, ordinal),
        non_causal=not causal,
        saved=base64.b64decode(cast(str, saved)),
    )
