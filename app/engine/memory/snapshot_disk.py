"""Snapshots that outlive the program: written behind the user's back, found again by model and by entries."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.engine.memory.rates import Rate
from app.engine.memory.snapshot_files import SnapshotFiles, covers
from app.engine.memory.snapshot_format import StoredSnapshot
from app.engine.memory.snapshot_identity import SnapshotIdentity
from app.engine.memory.snapshots import Snapshot, is_shared
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_MAX_PENDING_BYTES = 1 << 30
"""What waits for a slow disk. More is not written: it costs a later start the reading."""
_PAUSE = 300.0
"""Seconds without another try after the disk refused."""
_LAST_MOMENT = 0.2
"""Seconds of the time to close in which an abandoned file must end."""


@dataclass(frozen=True, eq=False, slots=True)
class _Pending:
    snapshot: Snapshot
    identity: bytes


class SnapshotDisk:
    """One folder of snapshots for the program's life. For any thread.

    A thread of its own hashes, compresses and writes; it lives while something waits to be written.
    """

    def __init__(self, folder: Path, quota: int, changed: Callable[[], None] = lambda: None) -> None:
        """`quota` in bytes, 0 keeps nothing. `changed` is called by the writing thread when a file was written."""
        self._files = SnapshotFiles(folder, quota)
        self._changed = changed
        self._lock = threading.Lock()
        self._pending: list[_Pending] = []
        """Oldest first; what is being written is among them until it is dropped. Replaced as a whole, never changed."""
        self._writer: threading.Thread | None = None
        self._closed = self._abandoned = False
        self._paused_until = 0.0
        self._rate = Rate(200 * _MIB, 64 * _MIB)

    @property
    def n_bytes(self) -> int:
        return self._files.n_bytes

    def set_quota(self, quota: int, programs: int | None = None) -> None:
        """In bytes; `programs` as of `SnapshotFiles`. What no longer fits goes at once."""
        if not quota:
            self._drop(lambda _: True)
        self._files.set_quotas(quota, programs)

    def of_model(self, identity: SnapshotIdentity) -> "ModelSnapshots":
        """What is there for a model as it is loaded; reads the heads of its files."""
        for each in {identity.text, identity.media}:
            self._files.open(each)
        return ModelSnapshots(self, self._files, identity)

    def forget(self, conversation: str) -> None:
        """Remove all of it, for good; also what is being written."""
        self._drop(lambda each: each.snapshot.conversation == conversation)
        self._files.forget(conversation)

    def clear(self) -> None:
        self._drop(lambda _: True)
        self._files.clear()

    def takes(self, n_bytes: int, within: float | None = None) -> bool:
        """Whether a snapshot of about this size would be written, and in that many seconds."""
        if self._closed or n_bytes > self._files.quota or not self._files.quota:
            return False
        if time.monotonic() < self._paused_until:
            return False
        return within is None or n_bytes <= within * self._rate.per_second

    def put(self, snapshot: Snapshot, identity: bytes) -> None:
        """Write it soon. What it replaces need not be written any more."""
        if not self.takes(snapshot.n_bytes):
            return

        def replaced(each: _Pending) -> bool:
            older = each.snapshot
            same = older.conversation == snapshot.conversation and each.identity == identity
            return same and older.entries.common_prefix(snapshot.entries) == len(older.entries)

        with self._lock:
            kept = [each for each in self._pending if not replaced(each)]
            kept.append(_Pending(snapshot, identity))
            while len(kept) > 1 and sum(each.snapshot.n_bytes for each in kept) > _MAX_PENDING_BYTES:
                kept.pop(0)
            self._pending = kept
            if self._writer is None:
                # A daemon: a disk that hangs must not keep the program from ending.
                self._writer = threading.Thread(target=self._write, name="snapshot writer", daemon=True)
                self._writer.start()

    def pending(self) -> list[tuple[Snapshot, bytes]]:
        """What is not on disk yet, with its identity; the newest first."""
        with self._lock:
            return [(each.snapshot, each.identity) for each in reversed(self._pending)]

    def close(self, seconds: float = 1.0) -> None:
        """Write what waits, for at most so long; a file that is not ready by then is abandoned. Safe to call twice."""
        with self._lock:
            self._closed = True
            writer = self._writer
        if writer is None:
            return
        writer.join(max(0.0, seconds - _LAST_MOMENT))
        self._abandoned = True
        writer.join(min(seconds, _LAST_MOMENT))
        if writer.is_alive():
            _log.warning("The disk is slow: a conversation is not kept, and will be read again.")

    def _drop(self, which: Callable[[_Pending], bool]) -> None:
        with self._lock:
            self._pending = [each for each in self._pending if not which(each)]

    def _write(self) -> None:
        try:
            while (pending := self._next()) is not None:
                self._write_one(pending)
                with self._lock:
                    self._pending = [each for each in self._pending if each is not pending]
                if not self._closed:
                    self._changed()
        except BaseException:
            with self._lock:
                self._pending = []
                self._writer = None
            raise

    def _write_one(self, pending: _Pending) -> None:
        snapshot, began = pending.snapshot, time.monotonic()
        try:
            written = self._files.write(snapshot, pending.identity, lambda: self._goes_on(pending))
        except OSError as error:
            self._paused_until = time.monotonic() + _PAUSE
            _log.warning("A conversation cannot be kept on disk (%s); it will be read again.", error)
            return
        seconds = time.monotonic() - began
        if written:
            self._rate.add(snapshot.n_bytes, seconds)
            _log.info("Kept %d entries on disk: %d bytes in %.2f s", len(snapshot.entries), snapshot.n_bytes, seconds)

    def _goes_on(self, pending: _Pending) -> bool:
        return not self._abandoned and any(each is pending for each in self._pending)

    def _next(self) -> _Pending | None:
        """The newest, which is the likeliest to be asked for. None ends the writer, under one lock with `put`."""
        with self._lock:
            if not self._pending or self._abandoned:
                self._writer = None
                return None
            return self._pending[-1]


class ModelSnapshots:
    """The snapshots of one model as it is loaded, on disk or on their way there."""

    def __init__(self, disk: SnapshotDisk, files: SnapshotFiles, identity: SnapshotIdentity) -> None:
        self.disk = disk
        self._files = files
        self._identity = identity

    def __iter__(self) -> Iterator[Snapshot | StoredSnapshot]:
        """Last used first."""
        yield from self._waiting()
        yield from self._stored()

    def put(self, snapshot: Snapshot) -> None:
        self.disk.put(snapshot, self._identity.of(snapshot.entries))

    def fetch(self, stored: StoredSnapshot) -> Snapshot | None:
        """The whole of it, checked. None where the file is damaged or gone; it is not offered again then."""
        return self._files.read(stored)

    def reject(self, snapshot: Snapshot) -> None:
        """llama.cpp does not take it: remove the file that it came from."""
        for each in self._stored():
            if each.conversation == snapshot.conversation and each.entries == snapshot.entries:
                self._files.remove(each.name)

    def newest(self, conversation: str) -> Snapshot | StoredSnapshot | None:
        """What was kept of the conversation last."""
        return next((each for each in self if each.conversation == conversation), None)

    def covers(self, conversation: str, entries: PromptTokens) -> bool:
        """Whether next to nothing would be gained by keeping `entries`."""
        waiting = [each.entries for each in self._waiting() if each.conversation == conversation]
        stored = [each.entries for each in self._stored() if each.conversation == conversation]
        return any(covers(each, entries) for each in (*waiting, *stored))

    def has(self, conversation: str) -> bool:
        return any(each.conversation == conversation for each in self)

    def conversations(self) -> set[str]:
        return {each.conversation for each in self._stored() if not is_shared(each.conversation)}

    def _waiting(self) -> list[Snapshot]:
        return [each for each, identity in self.disk.pending() if identity == self._identity.of(each.entries)]

    def _stored(self) -> list[StoredSnapshot]:
        return self._files.stored((self._identity.text, self._identity.media))
