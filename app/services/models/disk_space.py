"""Looks at the disks that downloads go to: one that sleeps, or lies in the network, may take its time."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.library.disk_room import free_room
from app.library.hub import HubChoice
from app.services.models.downloads import Downloads
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.worker_thread import Work


class DiskSpace(QObject):
    """GUI thread, which waits for no disk. `close` must be called before the last reference goes."""

    free_known = Signal(object, object)
    """Path: the folder, and int: bytes that are free on its disk; 0 where nobody knows"""
    checked = Signal(object, object, object)
    """HubChoice, Path | None: its folder, and what speaks against it: None, a UserError, or a bug"""

    def __init__(self, downloads: Downloads, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._downloads = downloads
        # Of their own, so that a look that does not come back holds no question up.
        self._looks = DetachedThread(self, name="free room")
        self._checks = DetachedThread(self, name="room for a download")
        self._looking: tuple[Path, Work] | None = None

    def look(self, folder: Path) -> None:
        """`free_known` follows, unless another folder is asked for meanwhile."""
        if self._looking is not None:
            if self._looking[0] == folder:
                return
            self._looks.cancel(self._looking[1])
        self._looking = folder, self._looks.submit(partial(free_room, folder), partial(self._take, folder))

    def check(self, choice: HubChoice, folder: Path | None) -> None:
        """Whether there is room for a download; `checked` follows."""
        self._checks.submit(self._downloads.room_check(choice, folder), partial(self.checked.emit, choice, folder))

    def close(self) -> None:
        """A look that does not come back is left to itself. May be called twice."""
        self._looks.close()
        self._checks.close()

    def _take(self, folder: Path, free: int | Exception) -> None:
        self._looking = None
        self.free_known.emit(folder, 0 if isinstance(free, Exception) else free)
