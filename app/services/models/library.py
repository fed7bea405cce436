"""The models of this machine, found and kept up to date while the program runs."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, time

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal, Slot

from app.core.model_ref import ModelRef
from app.core.sentence import Sentence
from app.library.catalogue import Catalogue, LibraryModel, readable_name
from app.library.draft_choice import draft_choice
from app.library.model_facts import read_template
from app.library.model_scanners import folders_in
from app.library.model_sources import HostFolders, Place, Source, places
from app.library.removal import Removal, plan_removal, remove
from app.services.runtime.debounce import Debounce
from app.services.runtime.worker_thread import Work, WorkerThread, told

_log = logging.getLogger(__name__)

_CALM_MS = 700
"""After a change, before folders are read again: a file that is being copied changes them many times."""
_LONGEST_CALM_MS = 60_000
_REST = 20
"""Times as long as a look at all folders takes, it rests after a change: folders that change all the time, and those
with a million others in them, must not keep a processor busy."""
_GROWS_MS = 2000
_GROWS_FOR = 60.0
"""Seconds after its last change for which a file that is cut off is looked at again: what is being copied grows, and
its folder does not change any more."""
_TELL_EVERY = 0.1
"""Seconds between two reports of how far a scan is."""
_MOST_WATCHED = 2000
"""Folders; systems have limits, and each costs a handle."""


@dataclass(frozen=True, slots=True)
class _Scanned:
    models: tuple[LibraryModel, ...]
    folders: tuple[str, ...]
    took: float
    """Seconds for a look at all folders, of what the system has at hand."""


@dataclass(frozen=True, slots=True)
class Template:
    model: LibraryModel
    text: str


class ModelLibrary(QObject):
    """GUI thread. Looks for nothing before `start`."""

    changed = Signal(object)
    """tuple[LibraryModel, ...], by name; only when something is different."""
    scanning = Signal(bool)
    """False when all that was asked for has been looked at."""
    progressed = Signal(int, int)
    """Of how many files how many have been looked at, while a scan takes its time."""
    template_read = Signal(object)
    """Template"""
    removed = Signal(object)
    """LibraryModel"""
    failed = Signal(object)
    """A sentence: something that was asked for did not work."""

    def __init__(
        self, cache: Path, own_folder: Path, folders: Sequence[Path] = (), machine: HostFolders | None = None
    ) -> None:
        """`cache` is a file of ours that may be lost; `folders` are those that the user named."""
        super().__init__()
        self._catalogue = Catalogue(cache)
        self._own_folder = own_folder
        self._folders = tuple(folders)
        self._machine = machine
        self._models: tuple[LibraryModel, ...] = ()
        self._known: dict[ModelRef, LibraryModel] = {}
        self._thread = WorkerThread(self, name="models")
        self._work: Work | None = None
        self._told_at = 0.0
        self._again = False
        self._closed = False
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._hear_change)
        self._calm = Debounce(_CALM_MS, self.scan, self)

    @property
    def models(self) -> tuple[LibraryModel, ...]:
        """What the last scan found."""
        return self._models

    @property
    def is_scanning(self) -> bool:
        return self._work is not None

    def usable(self) -> tuple[LibraryModel, ...]:
        """Those that can be loaded and talked to."""
        return tuple(model for model in self._models if model.is_usable)

    def find(self, model: ModelRef) -> LibraryModel | None:
        return self._known.get(model)

    def called(self, model: ModelRef) -> str:
        """What people know it by, as lists show it."""
        known = self.find(model)
        return known.name if known is not None else readable_name(model.title)

    def projector_of(self, model: ModelRef) -> Path | None:
        """The one that is known to belong to a model."""
        known = self.find(model)
        return known.projectors[0] if known is not None and known.projectors else None

    def drafts_for(self, model: ModelRef) -> tuple[LibraryModel, ...]:
        """Those that could draft for a model, the best first."""
        known = self.find(model)
        return draft_choice(known, self._models) if known is not None else ()

    def set_folders(self, folders: Sequence[Path]) -> None:
        """The user's own folders; whatever is below them is found."""
        if tuple(folders) != self._folders:
            self._folders = tuple(folders)
            self.scan()

    @Slot()
    def start(self) -> None:
        """After the window is there."""
        self.scan()

    @Slot()
    def scan(self) -> None:
        """Look again, in a thread; a wish that comes meanwhile is heard afterwards."""
        if self._closed:
            return
        if self._work is not None:
            self._again = True
            return
        self._calm.stop()
        own, folders, machine = self._own_folder, self._folders, self._machine
        self._work = self._thread.submit(lambda: self._look(own, folders, machine), self._take)
        self.scanning.emit(True)

    def plan_removal(self, model: LibraryModel) -> Removal:
        """What to say before `remove`."""
        return plan_removal(model, self._models)

    def remove(self, model: LibraryModel) -> None:
        """Put it into the trash; `removed` or `failed` follows."""
        plan = self.plan_removal(model)

        def done(result: object) -> None:
            if isinstance(result, Exception):
                self.failed.emit(told(result, Sentence("{name} could not be removed.", name=model.name)))
            else:
                self.removed.emit(model)
            self.scan()

        self._thread.submit(lambda: remove(plan), done)

    def read_template(self, model: LibraryModel) -> None:
        """Ask for a model's chat template; `template_read` or `failed` follows."""

        def done(result: str | Exception) -> None:
            if isinstance(result, Exception):
                self.failed.emit(told(result, Sentence("The chat template of {name} can't be read.", name=model.name)))
            else:
                self.template_read.emit(Template(model, result))

        self._thread.submit(lambda: read_template(model.path), done)

    def close(self) -> None:
        """What is running is cut short."""
        self._closed = True
        self._calm.stop()
        if self._work is not None:
            self._thread.cancel(self._work)
            self._work = None
        self._thread.close()

    def _look(self, own: Path, folders: Sequence[Path], machine: HostFolders | None) -> _Scanned:
        """In the thread."""
        wanted = [Place(Source.HEARTH, own), *(Place(Source.FOLDER, each) for each in folders)]
        wanted += places(machine or HostFolders.this())
        models = self._catalogue.scan(wanted, stop=lambda: self._closed, report=self._report)
        began = monotonic()
        watched: dict[str, None] = {}
        for place in wanted:
            for folder in folders_in(place, lambda: self._closed or len(watched) >= _MOST_WATCHED):
                watched[str(folder)] = None
        return _Scanned(models, tuple(watched), monotonic() - began)

    def _report(self, done: int, count: int) -> None:
        """In the thread."""
        now = monotonic()
        if now - self._told_at >= _TELL_EVERY:
            self._told_at = now
            self.progressed.emit(done, count)

    def _take(self, result: "_Scanned | Exception") -> None:
        self._work = None
        if isinstance(result, _Scanned):
            self._watch(result.folders)
            self._calm.setInterval(round(min(_LONGEST_CALM_MS, max(_CALM_MS, _REST * 1000 * result.took))))
            if any(map(_grows, result.models)):
                self._calm.start(max(_GROWS_MS, self._calm.interval()))
            if result.models != self._models:
                self._models = result.models
                self._known = {ref: model for model in result.models for ref in model.refs}
                self.changed.emit(self._models)
        else:
            self.failed.emit(told(result, "The models of this computer can't be listed."))
        if self._again:
            # Who waits for the end of a scan wants what is there now, not what was there when this one began.
            self._again = False
            self.scan()
        else:
            self.scanning.emit(False)

    def _watch(self, folders: Sequence[str]) -> None:
        now, wanted = set(self._watcher.directories()), set(folders)
        if gone := now - wanted:
            self._watcher.removePaths(sorted(gone))
        if new := wanted - now:
            refused = self._watcher.addPaths(sorted(new))
            if refused:
                _log.info("%s folders with models can't be watched", len(refused))

    @Slot(str)
    def _hear_change(self, _folder: str) -> None:
        # A folder that changes all the time must not put it off for ever.
        if not self._calm.isActive():
            self._calm.start()


def _grows(model: LibraryModel) -> bool:
    """Whether somebody may be writing it still."""
    return (
        bool(model.problem)
        and model.path.suffix.lower() == ".gguf"
        and (0 <= time() - model.modified / 1e9 < _GROWS_FOR)
    )
