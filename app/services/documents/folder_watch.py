"""Notices by itself when something was added to folders, taken away or renamed, as editors do when they save.

By looking at their times: systems that tell of changes do so for one folder each, block while a disk is away, and say
nothing of network drives.
"""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

TICK = 3.0
"""Seconds between two looks, and how long nothing may have changed before it counts: a file rests then."""
_MOST = 2000
"""Folders that are looked at; the others have to wait for the next look at everything."""
_ALL = 60.0
"""Seconds after which everything is looked at in any case, for what is written in place."""


class FolderWatch:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[str, int] = {}
        self._changed = False
        self._looked = 0.0

    def begin(self, folders: Iterable[str]) -> None:
        """Everything has just been looked at, these folders among it."""
        self._times = {each: _time(each) for each, _ in zip(folders, range(_MOST), strict=False)}
        self._changed = False
        self._looked = self._clock()

    def is_due(self) -> bool:
        """To be asked every `TICK`: whether it is time to look at everything again."""
        now = {each: _time(each) for each in self._times}
        if now != self._times:
            self._times, self._changed = now, True
            return False
        return self._changed or self._clock() - self._looked >= _ALL


def _time(folder: str) -> int:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0
