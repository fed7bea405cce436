"""Collections of documents as the window has them: what is in them, and how far they are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.errors import UserError
from app.core.model_ref import ModelRef
from app.core.sentence import from_json
from app.services.documents.index_process import IndexProcess
from app.services.documents.index_states import IndexProgress
from app.services.runtime.worker_thread import WorkerThread, told
from app.storage.passages.collections_file import collections_file
from app.storage.passages.passage import Collection, IndexedFile, Source
from app.storage.passages.passage_store import PassageStore

_FAULT = "The collections can't be changed because of a fault in Hearth."
_DIED = "The reading of documents ended over and over; start Hearth again to go on with it."
_CALM_MS = 700
"""Between two looks at the store while files are read."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    collection: int
    """Its number."""
    sources: tuple[Source, ...]
    """What people put into it."""
    files: tuple[IndexedFile, ...]


class DocumentCollections(QObject):
    """GUI thread. What is asked for is done in a thread of its own, one after the other; `changed` follows."""

    changed = Signal(object)
    """tuple[Collection, ...]: they, or the files in them, may be others now."""
    progressed = Signal(object)
    """IndexProgress"""
    failed = Signal(object)
    """A sentence."""
    files_told = Signal(object)
    """CollectionFiles"""

    def __init__(self, path: Path, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._store: PassageStore | None = None
        self._thread = WorkerThread(self, name="collections")
        self._process = IndexProcess(path, command, self)
        self._process.told.connect(self._hear)
        self._known: tuple[Collection, ...] = ()
        self._progress = IndexProgress()
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(_CALM_MS)
        self._calm.timeout.connect(self._refresh)

    @property
    def collections(self) -> tuple[Collection, ...]:
        """As they were when `changed` was told last."""
        return self._known

    @property
    def progress(self) -> IndexProgress:
        return self._progress

    def start(self) -> None:
        """After the window is there: go on where the last run ended. Costs nothing where nobody made a collection."""
        if self._path.exists() or collections_file(self._path).exists():
            self._ask(lambda store: store.collections.all(), self._begin)

    def close(self) -> None:
        self._calm.stop()
        self._process.close()
        self._thread.close()
        if self._store is not None and not self._thread.is_running:
            self._store.close()
            self._store = None

    def add(self, name: str, paths: Sequence[Path] = ()) -> None:
        """A collection with folders and files in it."""

        def act(store: PassageStore) -> None:
            number = store.collections.add(name)
            _add_paths(store, number, paths)

        self._change(act)

    def add_paths(self, collection: int, paths: Sequence[Path]) -> None:
        self._change(lambda store: _add_paths(store, collection, paths))

    def rename(self, collection: int, name: str) -> None:
        self._change(lambda store: store.collections.rename(collection, name))

    def remove(self, collection: int) -> None:
        """The files themselves stay where they are."""
        self._change(lambda store: store.collections.remove(collection))

    def remove_source(self, source: int) -> None:
        self._change(lambda store: store.collections.remove_source(source))

    def set_models(self, collection: int, embedder: ModelRef | None, reranker: ModelRef | None) -> None:
        self._change(lambda store: store.collections.set_models(collection, embedder, reranker))

    def read_again(self, file: int) -> None:
        """One that could not be read."""
        self._change(lambda store: store.collections.retry(file))

    def ask_files(self, collection: int) -> None:
        """`files_told` tells them."""

        def found(store: PassageStore) -> CollectionFiles:
            rows = store.collections
            return CollectionFiles(collection, rows.sources(collection), rows.files(collection))

        self._ask(found, self.files_told.emit)

    def pause(self, paused: bool) -> None:
        """Until it is told otherwise, or Hearth is started again."""
        self._process.pause(paused)
        self._set_progress(replace(self._progress, paused=paused))

    def _change(self, act: Callable[[PassageStore], None]) -> None:
        def changed(store: PassageStore) -> tuple[Collection, ...]:
            act(store)
            return store.collections.all()

        self._ask(changed, self._begin)

    def _begin(self, collections: tuple[Collection, ...]) -> None:
        """Also where the last one has been removed: what was read of it goes."""
        self._take(collections)
        self._process.look()

    def _ask(self, act: Callable[[PassageStore], Result], then: Callable[[Result], None]) -> None:
        def heard(result: Result | Exception) -> None:
            if isinstance(result, Exception):
                self.failed.emit(told(result, _FAULT))
            else:
                then(result)

        self._thread.submit(lambda: act(self._opened()), heard)

    def _opened(self) -> PassageStore:
        """In the thread."""
        if self._store is None:
            self._store = PassageStore.open(self._path)
        return self._store

    @Slot(object)
    def _hear(self, what: dict[str, object] | None) -> None:
        match what:
            case None:
                self._set_progress(IndexProgress())
                self.failed.emit(_DIED)
            case {"problem": problem}:
                self.failed.emit(from_json(problem))
            case {"idle": True, "paused": bool(paused)}:
                self._set_progress(IndexProgress(n_left=self._progress.n_left if paused else 0, paused=paused))
                self._refresh()
            case {"at": str(at), "left": int(left)}:
                self._set_progress(IndexProgress(at, left, self._progress.paused))
            case {"model": str(model), "left": int(left)}:
                self._set_progress(IndexProgress(model, left, self._progress.paused, vectors=True))
        if not self._calm.isActive():
            self._calm.start()

    def _set_progress(self, progress: IndexProgress) -> None:
        if progress != self._progress:
            self._progress = progress
            self.progressed.emit(progress)

    @Slot()
    def _refresh(self) -> None:
        self._ask(lambda store: store.collections.all(), self._take)

    def _take(self, collections: tuple[Collection, ...]) -> None:
        self._known = collections
        self.changed.emit(collections)


def _add_paths(store: PassageStore, collection: int, paths: Sequence[Path]) -> None:
    for path in paths:
        whole = path.expanduser().absolute()
        if not whole.exists():
            raise UserError("There is nothing at {path}; choose a file or folder that is there.", path=whole)
        store.collections.add_source(collection, str(whole), is_folder=whole.is_dir())
