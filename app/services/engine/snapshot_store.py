"""What is kept on disk of conversations, for the program's life: opened on first use, in the engine thread."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.snapshot_settings import SnapshotRoom
from app.services.engine.states import SnapshotStatus, Warmth

if TYPE_CHECKING:
    from app.engine.memory.aside import Aside
    from app.engine.memory.slot import Slot
    from app.engine.memory.snapshot_disk import SnapshotDisk
    from app.engine.reply.session import Session

    Kept = Slot | Aside
    """Whatever holds what is warm."""

_log = logging.getLogger(__name__)

_SECONDS_TO_CLOSE = 1.0


class SnapshotStore:
    """Belongs to the engine thread."""

    def __init__(self, folder: Path | None, written: Callable[[], None]) -> None:
        """Without a folder nothing is kept on disk. `written` is called by another thread."""
        self._folder = folder
        self._written = written
        self._disk: SnapshotDisk | None = None

    def disk(self, room: SnapshotRoom) -> "SnapshotDisk | None":
        """The disk, with that much room."""
        from app.engine.memory.snapshot_disk import SnapshotDisk

        if self._folder is None:
            return None
        if self._disk is None:
            self._disk = SnapshotDisk(self._folder, room.total, self._written)
        self._disk.set_quota(room.total, room.programs)
        return self._disk

    def keep(self, session: "Session | None") -> None:
        """Keep what the session holds; it is written later."""
        self._keep(session, None)

    def close(self, session: "Session | None") -> None:
        """The same for the last time, and free the session: writing gets a second, and what is not done by then is
        left undone.
        """
        until = time.monotonic() + _SECONDS_TO_CLOSE
        self._keep(session, _SECONDS_TO_CLOSE)
        if session is not None:
            session.close()
        if self._disk is not None:
            self._disk.close(max(0.0, until - time.monotonic()))

    def forget(self, kept: "Kept | None", conversation: str | None, room: SnapshotRoom) -> None:
        """All that is kept of a conversation, or (None) of all of them."""
        disk = self.disk(room)
        if conversation is None:
            if disk is not None:
                disk.clear()
            if kept is not None:
                kept.empty_snapshots()
            return
        if disk is not None:
            disk.forget(conversation)
        if kept is not None:
            kept.forget_conversation(conversation)

    def status(self, kept: "Kept | None") -> SnapshotStatus:
        n_bytes = self._disk.n_bytes if self._disk is not None else 0
        if kept is None:
            return SnapshotStatus(disk_bytes=n_bytes)
        warm = {key: Warmth(source.value) for key, source in kept.warm_conversations().items()}
        return SnapshotStatus(kept.kept_bytes, n_bytes, warm)

    def _keep(self, session: "Session | None", within: float | None) -> None:
        if session is None:
            return
        try:
            session.slot.keep(within)
        except Exception:  # noqa: BLE001 - what follows, such as freeing the model, must be done all the same
            _log.exception("Keeping a conversation failed by a bug")
