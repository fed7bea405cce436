"""A folder of files within a quota of bytes: what was used longest ago goes first."""

import errno
import logging
import os
import re
import threading
from collections.abc import Collection
from pathlib import Path

_log = logging.getLogger(__name__)


class QuotaFolder:
    """The files of `folder`, which is made when it is first written to. For any thread.

    Nothing here raises for what the disk does: a folder that cannot be used costs the cache, and one line in the log.
    """

    def __init__(self, folder: Path, quota: int, names: re.Pattern[str], what: str) -> None:
        """`names` is the pattern of the files' names, which end as it does; `what` is what the log calls them."""
        self.folder = folder
        self.quota = quota
        self.lock = threading.RLock()
        self._names = names
        self._suffix = "." + names.pattern.rpartition(".")[2]
        self._what = what
        self._complained = False
        self._sizes: dict[str, int] | None = None
        """Bytes by file name, the least recently used first; None until the folder has been looked at."""

    @property
    def n_bytes(self) -> int:
        with self.lock:
            return sum(self.known().values())

    def set_quota(self, quota: int) -> None:
        """What no longer fits goes at once; with 0 everything, files of other versions too."""
        with self.lock:
            if quota != self.quota or not quota:
                self.quota = quota
                self.make_room(0)

    def known(self) -> dict[str, int]:
        """Bytes by name, the least recently used first. Under the lock."""
        if self._sizes is None:
            self._sizes = {name: size for _, name, size in sorted(self._listed())}
            self.make_room(0)
        return self._sizes

    def added(self, name: str, size: int) -> None:
        """A file was written. Under the lock."""
        self.known().pop(name, None)
        self.known()[name] = size
        self.make_room(0)

    def used(self, name: str) -> None:
        """Last used now, also for the next start."""
        with self.lock:
            sizes = self.known()
            if name in sizes:
                sizes[name] = sizes.pop(name)
        try:
            os.utime(self.folder / name)
        except OSError as error:
            self.complain("marked as used", error)

    def remove(self, name: str) -> None:
        with self.lock:
            try:
                (self.folder / name).unlink(missing_ok=True)
            except OSError as error:
                self.complain("removed", error)
            self.known().pop(name, None)

    def clear(self) -> None:
        with self.lock:
            for name in list(self.known()):
                self.remove(name)

    def make_room(self, n_bytes: int, spared: Collection[str] = ()) -> None:
        """For so many more. Under the lock."""
        sizes = self.known()
        total = sum(sizes.values()) + n_bytes
        for name in [each for each in sizes if each not in spared]:
            if total <= self.quota:
                return
            total -= sizes[name]
            self.remove(name)

    def make(self) -> None:
        """The folder, for the user alone. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            self.folder.chmod(0o700)

    def complain(self, what: str, error: OSError) -> None:
        """In the log, once, unless a file just is not there."""
        if not self._complained and error.errno != errno.ENOENT:
            self._complained = True
            _log.warning("%s cannot be %s in %s (%s); they are made anew.", self._what, what, self.folder, error)

    def _listed(self) -> list[tuple[int, str, int]]:
        """Time of last use, name and bytes of each file. What a crash left half written is removed."""
        listed = []
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.startswith(".") and self._suffix in entry.name:
                        Path(entry.path).unlink(missing_ok=True)
                    elif self._names.fullmatch(entry.name):
                        status = entry.stat(follow_symlinks=False)
                        listed.append((status.st_mtime_ns, entry.name, status.st_size))
        except OSError as error:
            self.complain("read", error)
        return listed
