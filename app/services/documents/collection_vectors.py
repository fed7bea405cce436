"""Vectors of the passages of collections, made by the models that people chose for them. Needs no Qt."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.core.files import fingerprint
from app.core.loading import Loading
from app.core.program import own_command
from app.services.documents.embedding_models import prefixes_of
from app.storage.file_errors import about_file
from app.storage.passages.passage_store import Embedder, PassageStore

if TYPE_CHECKING:
    from app.engine.vectors.process import VectorProcess

_FETCHED = 512
"""Passages without a vector that are looked up at once."""
_STEP = 16
"""Of them, those that are asked for at once: a pause is heard in between."""


class CollectionVectors:
    """Holds one model at a time, while there is something to do for it. One thread."""

    def __init__(
        self, store: PassageStore, tell_problem: Callable[[UserError], None], command: Sequence[str] = ()
    ) -> None:
        """`command` starts this program; empty is as it was started. A model with a problem is not tried again."""
        self._store = store
        self._tell_problem = tell_problem
        self._command = tuple(command)
        self._opened: tuple[str, VectorProcess] | None = None
        """With its path."""
        self._waiting: list[tuple[bytes, str]] = []
        self._waiting_for = (0, 0)
        """The embedder and the collection of these."""
        self._n_left = 0
        """Passages of that collection without a vector."""
        self._refused: set[str] = set()
        """Paths."""

    def close(self) -> None:
        """End the model's process."""
        if self._opened is not None:
            self._opened[1].close()
            self._opened = None

    def step(self, progress: Callable[[str, int], None]) -> bool:
        """Make some of the vectors that are missing; False where none is. `progress` gets the model's name, and how
        many passages of the collection wait for one.
        """
        for collection in self._store.collections.all():
            path = collection.embedder
            if path and path not in self._refused:
                try:
                    if self._make(collection.id, path, progress):
                        return True
                except UserError as error:
                    self._refused.add(path)
                    self.close()
                    self._tell_problem(error)
        self.close()
        return False

    def _make(self, collection: int, path: str, progress: Callable[[str, int], None]) -> bool:
        """Whether any was missing. The model is loaded only where one is."""
        prefix = prefixes_of(path).passage
        number = self._store.known_embedder(model_hash(path), prefix)
        if number is None:
            number = self._store.embedder(embedder_of(path, self._process(path)))
        if self._waiting_for != (number, collection) or not self._waiting:
            self._waiting = self._store.without_vectors(number, collection, _FETCHED)
            self._n_left = self._store.n_without_vectors(number, collection) if self._waiting else 0
            self._waiting_for = number, collection
        now, self._waiting = self._waiting[:_STEP], self._waiting[_STEP:]
        if now:
            progress(Path(path).name, self._n_left)
            made = self._process(path).vectors([prefix + text for _, text in now], truncate=True)
            self._store.add_vectors(number, zip((text_hash for text_hash, _ in now), made.rows, strict=True))
            self._n_left -= len(now)
        return bool(now)

    def _process(self, path: str) -> "VectorProcess":
        if self._opened is None or self._opened[0] != path:
            self.close()
            self._opened = path, opened_model(path, self._command)
        return self._opened[1]


def opened_model(path: str, command: Sequence[str] = ()) -> "VectorProcess":
    """Loads a model that makes vectors or ranks, on one thread. Blocks. Raises UserError."""
    # Imported here: it brings NumPy along.
    from app.engine.vectors.process import VectorProcess

    return VectorProcess(command or own_command(), Path(path), Loading(threads=1), None)


def embedder_of(path: str, process: "VectorProcess") -> Embedder:
    return Embedder(model_hash(path), process.facts.pooling.value, prefixes_of(path).passage)


def model_hash(path: str) -> str:
    """Raises UserError."""
    try:
        return fingerprint(Path(path))
    except OSError as error:
        raise about_file(Path(path), error) from error
