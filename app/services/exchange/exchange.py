"""Out, in, backup and restore: one job at a time in a thread of its own, with progress and a way to stop."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.core.paths import Paths
from app.services.exchange.export_plans import Bytes, ExportPlan, Writers, export
from app.services.runtime.worker_thread import Work, WorkerThread
from app.storage.attachments import AttachmentStore
from app.storage.exchange import restore
from app.storage.exchange.backup import Backup, write_backup
from app.storage.exchange.connections import reading, writing
from app.storage.exchange.outfile import Stopped
from app.storage.exchange.reader import records
from app.storage.exchange.records import ConversationRecord
from app.storage.exchange.restore import Restorable
from app.storage.exchange.stage import Found, Stage
from app.storage.file_errors import about_file

_TELL_EVERY = 0.05
"""Seconds between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Exported:
    path: Path
    n_conversations: int


@dataclass(frozen=True, slots=True)
class Imported:
    conversations: tuple[int, ...]
    """Their ids"""


@dataclass(frozen=True, slots=True)
class Printed:
    """All pages were painted."""


Painter = Callable[[Iterator[ConversationRecord], Bytes, Callable[[], None]], None]
"""Called in the thread with conversations, pictures, and what to call after each page; that may raise to stop."""
Result = Exported | Printed | Found | Imported | Backup | Restorable | UserError | Stopped | Exception
"""What a job ends with: `Stopped` where it was stopped, `UserError` for the environment's fault."""


class Job(QObject):
    """GUI thread. Reports until it ends, exactly once."""

    progressed = Signal(float)
    """From 0 to 1; also emitted from the thread."""
    ended = Signal(object)
    """Result"""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._stopped = False
        self._told_at = 0.0

    def stop(self) -> None:
        """Soon it ends, with nothing left of what it did."""
        self._stopped = True

    def check(self) -> None:
        """In the thread: raises where the job was stopped."""
        if self._stopped:
            raise Stopped

    def tell(self, share: float) -> None:
        """In the thread: how far it is; raises where the job was stopped."""
        self.check()
        if monotonic() - self._told_at >= _TELL_EVERY:
            self._told_at = monotonic()
            self.progressed.emit(share)


class Exchange(QObject):
    """GUI thread. `close` must be called before the last reference goes."""

    imported = Signal()
    """Conversations have come; they are in the database."""
    restore_waits = Signal(object)
    """Restorable: at the next start it takes the place of what is here."""

    def __init__(self, paths: Paths, writers: Writers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._paths = paths
        self._writers = writers
        self._attachments = AttachmentStore(paths.attachments)
        self._thread = WorkerThread(self, name="exchange")
        self._jobs: dict[Job, Work] = {}
        self._folder: Path | None = None
        self._stage: Stage | None = None

    def export(self, plan: ExportPlan) -> Job:
        """Ends with Exported."""

        def act(job: Job) -> Exported:
            n_written = export(plan, self._paths.database, self._attachments, self._writers, job.tell)
            return Exported(plan.path, n_written)

        return self._start(act)

    def paint(self, conversation_id: int, paint: Painter) -> Job:
        """Paint a conversation's pages, as for a printer: ends with Printed."""

        def act(job: Job) -> Printed:
            with reading(self._paths.database) as database:
                paint(records(database, (conversation_id,)), self._attachments.get, job.check)
            return Printed()

        return self._start(act)

    def read(self, files: Sequence[Path]) -> Job:
        """See what the files would bring: ends with Found. Nothing comes before `take`."""
        self.forget()

        def act(job: Job) -> Found:
            from app.storage.exchange.importing import Known, read_files

            with reading(self._paths.database) as database:
                # Kept here by the thread; the next job reads it there too.
                self._stage = Stage(self._new_folder(), Known(database).has, _look_at, job.check)
                return read_files(files, self._stage, job.tell)

        return self._start(act)

    def take(self, *, with_known: bool) -> Job:
        """Bring in what was read last, all or nothing: ends with Imported."""

        def act(job: Job) -> Imported:
            from app.storage.exchange.importing import commit

            assert self._stage is not None
            with writing(self._paths.database) as database:
                taken = commit(self._stage, database, self._attachments, job.check, with_known=with_known)
            return Imported(taken)

        return self._start(act)

    def forget(self) -> None:
        """Drop what was read and not taken."""
        folder, self._folder, self._stage = self._folder, None, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def back_up(self, path: Path) -> Job:
        """Ends with Backup."""
        return self._start(lambda job: write_backup(path, self._paths, job.tell))

    def prepare_restore(self, path: Path) -> Job:
        """Ends with Restorable, which then waits for the next start."""
        return self._start(lambda job: restore.prepare(path, self._paths, job.tell))

    def discard_restore(self) -> None:
        restore.discard(self._paths)

    def close(self) -> None:
        """Stop what runs, and end the thread."""
        for job in self._jobs:
            job.stop()
        self._thread.close()
        self.forget()

    def _start(self, act: Callable[[Job], Any]) -> Job:
        job = Job(self)
        self._jobs[job] = self._thread.submit(lambda: act(job), lambda result: self._end(job, result))
        return job

    def _end(self, job: Job, result: Any) -> None:
        del self._jobs[job]
        match result:
            case Imported():
                self.forget()
                self.imported.emit()
            case Restorable():
                self.restore_waits.emit(result)
        job.ended.emit(result)
        job.deleteLater()

    def _new_folder(self) -> Path:
        try:
            # Beside the database: the system's own folder for such things may be a small one in memory.
            self._folder = Path(tempfile.mkdtemp(dir=self._paths.data, prefix=".import-"))
        except OSError as error:
            raise about_file(self._paths.data, error) from error
        return self._folder


def _look_at(data: bytes, name: str) -> ImagePart | None:
    # Imported here, in the thread: Pillow would delay the window's start.
    from app.engine.media.images import read_picture

    try:
        picture = read_picture(data, name)
    except UserError:
        return None
    return ImagePart("", name, picture.width, picture.height, picture.digest)
