"""Snapshots on disk: one file each in a folder of the user's own, within a quota of bytes, checked when read."""

import hashlib
import logging
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.core.quota_folder import QuotaFolder
from app.core.snapshot_settings import PROGRAMS
from app.engine.memory import snapshot_format
from app.engine.memory.snapshot_format import DamagedError, StoredSnapshot
from app.engine.memory.snapshots import Snapshot, is_shared
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_NAMES = re.compile(r"[^-.]+-[^-]+-[^-]+\.snapshot")
_SYNC_EVERY = 32 << 20
"""Bytes; so that no wait for the disk is long, and an abandoned file ends soon."""
_OF_PROGRAM = "p"
"""Before the digest of another program's conversation: no digit."""
_FEW = 8
"""Entries that are not worth a file of their own."""


class SnapshotFiles(QuotaFolder):
    """Snapshots by the names of their files. For any thread.

    A file's name begins with 16 digits of its identity and goes on with a digest of the conversation, so that foreign
    ones need not be opened.
    """

    def __init__(self, folder: Path, quota: int, programs: int | None = None) -> None:
        """`programs`: bytes of the quota that other programs' conversations may take; None is all of it."""
        super().__init__(folder, quota, _NAMES, "Kept conversations")
        self._programs = programs
        self._heads: dict[str, StoredSnapshot] = {}
        """Of the files whose identity has been asked for."""

    def set_quotas(self, quota: int, programs: int | None) -> None:
        """As at the beginning. What no longer fits goes at once."""
        with self.lock:
            self._programs = programs
            self._make_room_of_programs(0)
            self.set_quota(quota)

    def open(self, identity: bytes) -> None:
        """Read the heads of all files of this identity; what is damaged is removed."""
        with self.lock:
            for name in [each for each in self.known() if each.startswith(identity.hex()[:16])]:
                if name not in self._heads:
                    self._read_head(name)

    def stored(self, identities: Collection[bytes]) -> list[StoredSnapshot]:
        """Those of these identities that were opened or written, last used first."""
        with self.lock:
            heads = (self._heads.get(name) for name in reversed(self.known()))
            return [head for head in heads if head is not None and head.identity in identities]

    def read(self, stored: StoredSnapshot) -> Snapshot | None:
        """None where the file is gone or damaged; it is not among `stored` any more then."""
        try:
            with (self.folder / stored.name).open("rb") as file:
                snapshot = snapshot_format.read(file, stored)
        except DamagedError as error:
            _log.warning("A kept conversation is of no use (%s); it will be read again.", error)
            self.remove(stored.name)
            return None
        except OSError as error:
            self.complain("read", error)
            with self.lock:
                self._heads.pop(stored.name, None)
            return None
        self.used(stored.name)
        return snapshot

    def write(self, snapshot: Snapshot, identity: bytes, go_on: Callable[[], bool]) -> bool:
        """Keep `snapshot`, where it fits at all. What was used longest ago makes room first, and what it replaces
        goes when it is there. False when `go_on` said no, which it is asked at each piece. Raises OSError.
        """
        with self.lock:
            replaced = self._replaced_by(snapshot, identity)
            freed = sum(self.known()[name] for name in replaced)
            of_program = snapshot.conversation.startswith(PROGRAMS) and self._programs is not None
            if snapshot.n_bytes > (min(self.quota, self._programs or 0) if of_program else self.quota):
                return False
            for each in self._shared_by(snapshot.entries):
                self.used(each)
            if of_program:
                self._make_room_of_programs(max(0, snapshot.n_bytes - freed), spared=replaced)
            self.make_room(max(0, snapshot.n_bytes - freed), spared=replaced)
        name = _name_of(identity, snapshot.conversation)
        with self._temporary(name) as temporary:
            head = self._write(temporary, snapshot, identity, go_on)
            if head is None:
                return False
            with self.lock:
                # Under the lock, so that what is forgotten meanwhile is either not there yet or removed.
                if not go_on():
                    return False
                size = temporary.stat().st_size
                temporary.replace(self.folder / name)
                self._heads[name] = replace(head, name=name)
                for each in replaced:
                    self.remove(each)
                self.added(name, size)
        return True

    def remove(self, name: str) -> None:
        with self.lock:
            super().remove(name)
            self._heads.pop(name, None)

    def forget(self, conversation: str) -> None:
        """Remove all files of the conversation, whatever model they belong to."""
        owner = _digest_of(conversation)
        with self.lock:
            for name in [each for each in self.known() if each.split("-")[1] == owner]:
                self.remove(name)

    def _make_room_of_programs(self, n_bytes: int, spared: Collection[str] = ()) -> None:
        """For so many more of other programs' conversations, by what is kept of these. Under the lock."""
        if self._programs is None:
            return
        sizes = {name: size for name, size in self.known().items() if name.split("-")[1].startswith(_OF_PROGRAM)}
        total = sum(sizes.values()) + n_bytes
        for name in [each for each in sizes if each not in spared]:
            if total <= self._programs:
                return
            total -= sizes[name]
            self.remove(name)

    @contextmanager
    def _temporary(self, name: str) -> Iterator[Path]:
        """A new file in the folder, which is gone at the end unless it was renamed."""
        self.make()
        handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=f".{name}.")
        os.close(handle)
        try:
            yield Path(temporary)
        finally:
            Path(temporary).unlink(missing_ok=True)

    def _write(
        self, path: Path, snapshot: Snapshot, identity: bytes, go_on: Callable[[], bool]
    ) -> StoredSnapshot | None:
        with path.open("wb") as file:
            unsynced = 0

            def piece_written(n_bytes: int) -> bool:
                nonlocal unsynced
                unsynced += n_bytes
                if unsynced >= _SYNC_EVERY:
                    file.flush()
                    os.fsync(file.fileno())
                    unsynced = 0
                return go_on()

            head = snapshot_format.write(file, snapshot, identity, piece_written)
            if head is not None:
                file.flush()
                os.fsync(file.fileno())
        return head

    def _replaced_by(self, snapshot: Snapshot, identity: bytes) -> list[str]:
        """Files of the same conversation that hold next to nothing which `snapshot` does not."""
        found = []
        for name, head in self._heads.items():
            if head.identity == identity and head.conversation == snapshot.conversation:
                lost = len(head.entries) - head.entries.common_prefix(snapshot.entries)
                if lost <= max(_FEW, len(head.entries) // 8):
                    found.append(name)
        return found

    def _shared_by(self, entries: PromptTokens) -> list[str]:
        """What is kept for all that begin with it, and these do: it outlasts them."""
        shared = ((name, head.entries) for name, head in self._heads.items() if is_shared(head.conversation))
        return [name for name, begun in shared if begun.common_prefix(entries) == len(begun)]

    def _read_head(self, name: str) -> None:
        try:
            with (self.folder / name).open("rb", buffering=0) as file:
                head = snapshot_format.read_head(file, name)
        except DamagedError as error:
            _log.warning("A kept conversation is of no use (%s); it is removed.", error)
            self.remove(name)
        except OSError as error:
            self.complain("read", error)
        else:
            self._heads[name] = head


def covers(kept: PromptTokens, entries: PromptTokens) -> bool:
    """Whether `kept` is the beginning of `entries`, or all but a few of them."""
    return len(entries) - _FEW <= len(kept) == kept.common_prefix(entries)


def _name_of(identity: bytes, conversation: str) -> str:
    return f"{identity.hex()[:16]}-{_digest_of(conversation)}-{secrets.token_hex(8)}.snapshot"


def _digest_of(conversation: str) -> str:
    digest = hashlib.sha256(conversation.encode()).hexdigest()[:32]
    return _OF_PROGRAM + digest if conversation.startswith(PROGRAMS) else digest
