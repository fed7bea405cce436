"""States by name: a conversation, with what the model holds of it, into a file and back out of one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.events import ModelInfo, SavedState
from app.core.sentence import Sentence
from app.services.engine.service import EngineService
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.database import Database
from app.storage.exchange.reader import records
from app.storage.exchange.records import ConversationRecord, digest
from app.storage.exchange.state_notes import notes_of, record_from
from app.storage.exchange.writer import write

if TYPE_CHECKING:
    from app.engine.reply.session import Session

_Found = tuple[ConversationRecord, dict[str, bytes], ModelInfo]
"""And the model that shall hold it."""


class StateFiles(QObject):
    """GUI thread. The files are written and read in the engine thread."""

    saved = Signal(object)
    """Path"""
    opened = Signal(int)
    """The new conversation; the model holds it, as far as nothing else is told"""
    told = Signal(object)
    """A sentence."""
    failed = Signal(object)
    """Exception"""

    def __init__(
        self,
        engine: EngineService,
        settings: SettingsService,
        database: Database,
        attachments: AttachmentStore,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._settings = settings
        self._database = database
        self._attachments = attachments
        self._trials = DetachedThread(self, name="state-trial")

    def close(self) -> None:
        self._trials.close()

    def save(self, conversation_id: int, path: Path) -> None:
        """Write it, with all its versions; `saved` or `failed` tells what came of it."""
        record = next(records(self._database, (conversation_id,)), None)
        if record is not None:
            self._engine.wake()
            question = partial(_save, path, record, self._attachments, str(conversation_id))
            self._engine.ask(question, partial(self._hear_saved, path))

    def open(self, path: Path) -> None:
        """Make a conversation of it and let the model hold that; `opened` or `failed` tells what came of it."""
        self._engine.wake()
        self._engine.ask(partial(_read, path), partial(self._hear_read, path))

    def _hear_saved(self, path: Path, said: SavedState | Exception | None) -> None:
        if isinstance(said, Exception):
            self.failed.emit(said)
        elif said is not None:
            self.saved.emit(path)

    def _hear_read(self, path: Path, said: _Found | Exception | None) -> None:
        if isinstance(said, Exception):
            self.failed.emit(said)
        elif said is None:
            self.failed.emit(UserError("{name} holds no conversation that this version can read.", name=path.name))
        else:
            record, files, info = said
            try:
                made = self._keep(record, files)
            except UserError as error:
                self.failed.emit(error)
                return
            self._trials.submit(
                partial(self._engine.state_trial.ensure, info, path), partial(self._hear_tried, path, made)
            )

    def _hear_tried(self, path: Path, made: int, problem: Exception | None) -> None:
        if problem is not None:
            self._hear_restored(made, problem)
            return
        on_disk = self._settings.settings.snapshots.on_disk
        question = partial(_restore, path, str(made), on_disk)
        self._engine.ask(question, partial(self._hear_restored, made))

    def _keep(self, record: ConversationRecord, files: dict[str, bytes]) -> int:
        """Its number in the database. Raises UserError."""
        for data in files.values():
            self._attachments.put(data)
        (made,) = write(self._database, [(record, digest(record))])
        return made

    def _hear_restored(self, conversation_id: int, said: SavedState | Exception) -> None:
        self.opened.emit(conversation_id)
        if isinstance(said, SavedState):
            told = "The conversation is back. The model has {n:,} tokens of it in memory, and need not read them again."
            self.told.emit(Sentence(told, n=said.n_entries))
        elif isinstance(said, UserError):
            self.told.emit(said.sentence)
        else:
            self.failed.emit(said)


def _save(
    path: Path,
    record: ConversationRecord,
    attachments: AttachmentStore,
    key: str,
    session: "Session",
    _cancelled: Callable[[], bool],
) -> SavedState | None:
    return session.save_state(path, notes_of(record, attachments.get), key)


def _read(path: Path, session: "Session", _cancelled: Callable[[], bool]) -> _Found | None:
    # Imported here, in the engine thread, which has loaded what it needs.
    from app.engine.memory.state_files import read_notes

    found = record_from(read_notes(path).more)
    return (*found, session.info) if found is not None else None


def _restore(path: Path, key: str, on_disk: bool, session: "Session", _cancelled: Callable[[], bool]) -> SavedState:
    return session.restore_state(path, key, keep_on_disk=on_disk, foreign=True)
