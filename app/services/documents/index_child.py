"""The child that reads the files of collections into the store: it wants nobody's attention, and ends with its parent.

A process of its own, so that neither the window nor a model waits for it: cutting a book keeps Python's lock busy for
seconds. The talk: in come the words `look`, `pause` and `go`, a line each; out go lines of JSON about what it does, and
that it has nothing to do.
"""

import hashlib
import json
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from app.core.errors import UserError
from app.core.sentence import Sentence, as_json
from app.services.documents.collection_vectors import CollectionVectors
from app.services.documents.folder_scan import look
from app.services.documents.folder_watch import TICK, FolderWatch
from app.services.documents.reading import read_document
from app.storage.file_errors import about_file
from app.storage.passages.passage import FileState
from app.storage.passages.passage_store import READER, PassageStore

COMMAND = "_index"
"""The hidden subcommand of `hearth` that runs this."""
DIED = "died"
_PAUSE = 0.2
"""Seconds between two lines about progress."""
_log = logging.getLogger(__name__)


def main(arguments: Sequence[str]) -> int:
    """The store's path, and `DIED` where the child before this one died by itself."""
    _step_back()
    asked: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    try:
        with (
            closing(PassageStore.open(Path(arguments[0]))) as store,
            closing(CollectionVectors(store, _tell_problem)) as vectors,
        ):
            store.collections.read_again(READER, died=DIED in arguments)
            Indexing(store, asked, vectors, _tell).run()
    except UserError as error:
        _tell_problem(error)
    return 0


class Indexing:
    """Looks at the sources, reads what waits, makes vectors, and waits to be asked again."""

    def __init__(
        self,
        store: PassageStore,
        asked: "queue.Queue[str]",
        vectors: CollectionVectors,
        tell: Callable[[dict[str, object]], None],
    ) -> None:
        self._store = store
        self._asked = asked
        self._vectors = vectors
        self._tell = tell
        self._watch = FolderWatch()
        self._told_at = 0.0
        self._paused = False

    def run(self) -> None:
        """Until its input ends, which ends the process."""
        while True:
            self._look()
            while self._step():
                self._hear()
            self._sweep()
            self._tell({"idle": True, "paused": self._paused})
            self._rest()

    def _hear(self) -> None:
        """What was asked meanwhile; while it is paused, also what will be."""
        while self._paused or not self._asked.empty():
            if self._take(self._asked.get()):
                self._look()

    def _rest(self) -> None:
        """Until there may be something to do."""
        while True:
            try:
                wanted = self._take(self._asked.get(timeout=TICK))
            except queue.Empty:
                wanted = self._watch.is_due()
            if wanted and not self._paused:
                return

    def _take(self, word: str) -> bool:
        """Whether all is to be looked at now."""
        if word in ("pause", "go"):
            self._paused = word == "pause"
            self._tell({"idle": self._paused, "paused": self._paused})
        return word in ("look", "go") and not self._paused

    def _look(self) -> None:
        """At every source: what is new or changed waits, what went is forgotten."""
        folders: list[str] = []
        for source in self._store.collections.sources():
            path = Path(source.path)
            self._store.collections.take(source.id, look(path, folders), is_there=path.exists())
        self._watch.begin(folders)

    def _sweep(self) -> None:
        """What nothing names any more goes."""
        if self._store.sweep():
            self._store.tidy()

    def _step(self) -> bool:
        """Read one file, or make some vectors; whether there was anything to do."""
        waiting = self._store.collections.waiting()
        if waiting is None:
            return self._vectors.step(self._vector_progress)
        number, path = waiting
        self._store.collections.begin(number)
        self._progress(path)
        try:
            self._read(number, Path(path))
        except UserError as error:
            self._store.collections.settle(number, FileState.FAILED, sentence=error.sentence)
        except Exception as error:  # noqa: BLE001 - a bug over one file must not keep all others from being read
            _log.warning("%s could not be indexed", path, exc_info=error)
            told = "This file could not be read because of a fault in Hearth."
            self._store.collections.settle(number, FileState.FAILED, sentence=told)
        return True

    def _read(self, number: int, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise about_file(path, error) from error
        content_hash = hashlib.sha256(data).hexdigest()
        if self._store.has(content_hash):
            self._store.collections.settle(number, FileState.DONE, content_hash=content_hash)
            return
        document, n_failed = read_document(data, path.name)
        told = Sentence("{count:,} of its pages could not be read.", count=n_failed) if n_failed else ""
        self._store.put(document, file=number, sentence=told)

    def _progress(self, what: str) -> None:
        if self._is_due():
            self._tell({"at": what, "left": self._store.collections.n_waiting()})

    def _vector_progress(self, model: str, n_left: int) -> None:
        if self._is_due():
            self._tell({"model": model, "left": n_left})

    def _is_due(self) -> bool:
        now = time.monotonic()
        if now - self._told_at < _PAUSE:
            return False
        self._told_at = now
        return True


def _tell(what: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _tell_problem(error: UserError) -> None:
    _tell({"problem": as_json(error.sentence), "detail": error.detail})


def _listen(asked: "queue.Queue[str]") -> None:
    for line in sys.stdin:
        asked.put(line.strip())
    # The parent has gone. What is half done is done again.
    os._exit(0)


def _step_back() -> None:
    """Let others go first, also the children of this one."""
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(10)
