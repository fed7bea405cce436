"""What is kept of conversations, in memory and on disk: when that is done, and what is told of it."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.settings import Settings
from app.services.engine.jobs import BringBackJob, CloseJob, ForgetJob, Job, KeepJob, LikelihoodJob, ReplyJob
from app.services.engine.states import SnapshotStatus
from app.services.runtime.settings_service import SettingsService


class KeptConversations(QObject):
    """GUI thread; a part of `EngineService`, which gives its jobs to the engine's."""

    changed = Signal(object)
    """SnapshotStatus"""

    def __init__(self, settings: SettingsService, submit: Callable[[Job], None], parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._submit = submit
        self._status = SnapshotStatus()
        self._room = settings.settings.snapshot_room
        self._is_due = False
        """A reply has ended since the conversation was last kept."""
        self._is_closed = False
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._keep)
        settings.changed.connect(self._take_settings)

    @property
    def status(self) -> SnapshotStatus:
        """As it was told last; nothing before a model was loaded."""
        return self._status

    @Slot(object)
    def hear(self, status: SnapshotStatus) -> None:
        """The engine says what is kept now."""
        if status != self._status:
            self._status = status
            self.changed.emit(status)

    def bring_back(self, conversation: str) -> None:
        """Fill the context with what was kept of a conversation, if it is empty: before anybody has asked."""
        self._submit(BringBackJob(conversation, self._settings.settings.snapshot_room))

    def forget(self, conversation: str) -> None:
        """Remove all that is kept of it, in memory and on disk, for good."""
        self._submit(ForgetJob(conversation, self._settings.settings.snapshot_room))

    def empty(self) -> None:
        """Remove what is kept of all conversations, in memory and on disk."""
        self._submit(ForgetJob(None, self._settings.settings.snapshot_room))

    def note_end(self, job: Job) -> None:
        """A job has ended, which may have changed what there is to keep."""
        match job:
            case ReplyJob() | LikelihoodJob():
                self._is_due = True
            case KeepJob():
                # Who asked for something else did not wait for it.
                self._is_due = job.cancelled
            case CloseJob():
                self._is_due = False

    def keep_soon(self) -> None:
        """Nothing is asked of the engine."""
        if self._is_due:
            self._idle.start(self._settings.settings.snapshots.idle * 1000)

    def wait(self) -> None:
        """Something is."""
        self._idle.stop()

    def close(self) -> None:
        """The engine keeps what it holds by itself when it ends."""
        self._is_due, self._is_closed = False, True

    @Slot()
    def _keep(self) -> None:
        self._is_due = False
        self._submit(KeepJob(self._settings.settings.snapshot_room))

    @Slot(object)
    def _take_settings(self, settings: Settings) -> None:
        """What was kept goes as soon as that is switched off, and not with the next reply."""
        was, self._room = self._room, settings.snapshot_room
        if self._is_closed or self._room == was:
            return
        if was.total and not self._room.total:
            self.empty()
        elif self._room.programs < was.programs:
            self._submit(KeepJob(self._room))
