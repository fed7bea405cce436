"""Snapshots on disk: one file each in a folder of the user's own, within a quota of bytes, checked when read."""

import errno
import hashlib
import logging
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.engine.memory import snapshot_format
from app.engine.memory.snapshot_format import DamagedError, StoredSnapshot
from app.engine.memory.snapshots import Snapshot
from app.engine.prompt.prompt_tokens import PromptTokens

_log = logging.getLogger(__name__)

_SUFFIX = ".snapshot"
_SYNC_EVERY = 32 << 20
"""Bytes; so that no wait for the disk is long, and an abandoned file ends soon."""
_FEW = 8
"""Entries that are not worth a file of their own."""


class SnapshotFiles:
    """The files of `folder`, which is made when it is first written to. For any thread.

    A file's name begins with 16 digits of its identity and goes on with a digest of the conversation, so that foreign
    ones need not be opened. Nothing here raises for what the disk does.
    """

    def __init__(self, folder: Path, quota: int) -> None:
        self._folder = folder
        self._quota = quota
        self._lock = threading.RLock()
        self._sizes: dict[str, int] | None = None
        """Bytes by file name, the least recently used first; None until the folder has been looked at."""
        self._heads: dict[str, StoredSnapshot] = {}
        """Of the files whose identity has been asked for."""
        self._complained = False

    @property
    def quota(self) -> int:
        return self._quota

    @property
    def n_bytes(self) -> int:
        with self._lock:
            return sum(self._known().values())

    def set_quota(self, quota: int) -> None:
        """What no longer fits goes at once; with 0 everything, files of other versions too."""
        with self._lock:
            if quota != self._quota or not quota:
                self._quota = quota
                self._make_room(0)

    def open(self, identity: bytes) -> None:
        """Read the heads of all files of this identity; what is damaged is removed."""
        with self._lock:
            for name in [each for each in self._known() if each.startswith(identity.hex()[:16])]:
                if name not in self._heads:
                    self._read_head(name)

    def stored(self, identities: Collection[bytes]) -> list[StoredSnapshot]:
        """Those of these identities that were opened or written, last used first."""
        with self._lock:
            heads = (self._heads.get(name) for name in reversed(self._known()))
            return [head for head in heads if head is not None and head.identity in identities]

    def read(self, stored: StoredSnapshot) -> Snapshot | None:
        """None where the file is gone or damaged; it is not among `stored` any more then."""
        path = self._folder / stored.name
        try:
            with path.open("rb") as file:
                snapshot = snapshot_format.read(file, stored)
        except DamagedError as error:
            _log.warning("A kept conversation is of no use (%s); it will be read again.", error)
            self.remove(stored.name)
            return None
        except OSError as error:
            self._complain("read", error)
            with self._lock:
                self._heads.pop(stored.name, None)
            return None
        self._touch(stored.name, path)
        return snapshot

    def write(self, snapshot: Snapshot, identity: bytes, go_on: Callable[[], bool]) -> bool:
        """Keep `snapshot`, where it fits at all. What was used longest ago makes room first, and what it replaces
        goes when it is there. False when `go_on` said no, which it is asked at each piece. Raises OSError.
        """
        with self._lock:
            replaced = self._replaced_by(snapshot, identity)
            freed = sum(self._known()[name] for name in replaced)
            if snapshot.n_bytes > self._quota:
                return False
            self._make_room(max(0, snapshot.n_bytes - freed), spared=replaced)
        name = _name_of(identity, snapshot.conversation)
        with self._temporary(name) as temporary:
            head = self._write(temporary, snapshot, identity, go_on)
            if head is None:
                return False
            with self._lock:
                # Under the lock, so that what is forgotten meanwhile is either not there yet or removed.
                if not go_on():
                    return False
                size = temporary.stat().st_size
                temporary.replace(self._folder / name)
                self._known()[name] = size
                self._heads[name] = replace(head, name=name)
                for each in replaced:
                    self.remove(each)
                self._make_room(0)
        return True

    def remove(self, name: str) -> None:
        with self._lock:
            try:
                (self._folder / name).unlink(missing_ok=True)
            except OSError as error:
                self._complain("removed", error)
            self._known().pop(name, None)
            self._heads.pop(name, None)

    def forget(self, conversation: str) -> None:
        """Remove all files of the conversation, whatever model they belong to."""
        owner = _digest_of(conversation)
        with self._lock:
            for name in [each for each in self._known() if each.split("-")[1] == owner]:
                self.remove(name)

    def clear(self) -> None:
        with self._lock:
            for name in list(self._known()):
                self.remove(name)

    @contextmanager
    def _temporary(self, name: str) -> Iterator[Path]:
        """A new file in the folder, which is gone at the end unless it was renamed."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            self._folder.chmod(0o700)
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=f".{name}.")
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

    def _read_head(self, name: str) -> None:
        try:
            with (self._folder / name).open("rb", buffering=0) as file:
                head = snapshot_format.read_head(file, name)
        except DamagedError as error:
            _log.warning("A kept conversation is of no use (%s); it is removed.", error)
            self.remove(name)
        except OSError as error:
            self._complain("read", error)
        else:
            self._heads[name] = head

    def _known(self) -> dict[str, int]:
        if self._sizes is None:
            self._sizes = {name: size for _, name, size in sorted(self._listed())}
            self._make_room(0)
        return self._sizes

    def _listed(self) -> list[tuple[int, str, int]]:
        """Time of last use, name and bytes of each file. What a crash left half written is removed."""
        listed = []
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    if entry.name.startswith(".") and _SUFFIX in entry.name:
                        Path(entry.path).unlink(missing_ok=True)
                    elif entry.name.endswith(_SUFFIX) and entry.name.count("-") == 2:
                        status = entry.stat(follow_symlinks=False)
                        listed.append((status.st_mtime_ns, entry.name, status.st_size))
        except FileNotFoundError:
            pass
        except OSError as error:
            self._complain("read", error)
        return listed

    def _make_room(self, n_bytes: int, spared: Collection[str] = ()) -> None:
        sizes = self._known()
        total = sum(sizes.values()) + n_bytes
        for name in [each for each in sizes if each not in spared]:
            if total <= self._quota:
                return
            total -= sizes[name]
            self.remove(name)

    def _touch(self, name: str, path: Path) -> None:
        """Last used now, also for the next start."""
        with self._lock:
            sizes = self._known()
            if name in sizes:
                sizes[name] = sizes.pop(name)
        try:
            os.utime(path)
        except OSError as error:
            self._complain("marked as used", error)

    def _complain(self, what: str, error: OSError) -> None:
        if not self._complained and error.errno != errno.ENOENT:
            self._complained = True
            _log.warning("Kept conversations cannot be %s in %s (%s); they are read anew.", what, self._folder, error)


def covers(kept: PromptTokens, entries: PromptTokens) -> bool:
    """Whether `kept` is the beginning of `entries`, or all but a few of them."""
    return len(entries) - _FEW <= len(kept) == kept.common_prefix(entries)


def _name_of(identity: bytes, conversation: str) -> str:
    return f"{identity.hex()[:16]}-{_digest_of(conversation)}-{secrets.token_hex(8)}{_SUFFIX}"


def _digest_of(conversation: str) -> str:
    return hashlib.sha256(conversation.encode()).hexdigest()[:32]
