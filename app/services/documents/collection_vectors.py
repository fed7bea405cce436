"""Vectors of the passages of collections, made by the models that people chose for them. Needs no Qt."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.core.files import fingerprint
from app.core.loading import Loading
from app.core.model_ref import ModelRef
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
        self._opened: tuple[ModelRef, VectorProcess] | None = None
        self._waiting: list[tuple[bytes, str]] = []
        self._waiting_for = (0, 0)
        """The embedder and the collection of these."""
        self._n_left = 0
        """Passages of that collection without a vector."""
        self._refused: set[ModelRef] = set()

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
            model = collection.embedder
            if model is not None and model not in self._refused:
                try:
                    if self._make(collection.id, model, progress):
                        return True
                except UserError as error:
                    self._refused.add(model)
                    self.close()
                    self._tell_problem(error)
        self.close()
        return False

    def _make(self, collection: int, model: ModelRef, progress: Callable[[str, int], None]) -> bool:
        """Whether any was missing. The model is loaded only where one is."""
        prefix = prefixes_of(model).passage
        number = self._store.known_embedder(model_hash(model), prefix)
        if number is None:
            number = self._store.embedder(embedder_of(model, self._process(model)))
        if self._waiting_for != (number, collection) or not self._waiting:
            self._waiting = self._store.without_vectors(number, collection, _FETCHED)
            self._n_left = self._store.n_without_vectors(number, collection) if self._waiting else 0
            self._waiting_for = number, collection
        now, self._waiting = self._waiting[:_STEP], self._waiting[_STEP:]
        if now:
            progress(model.name, self._n_left)
            made = self._process(model).vectors([prefix + text for _, text in now], truncate=True)
            self._store.add_vectors(number, zip((text_hash for text_hash, _ in now), made.rows, strict=True))
            self._n_left -= len(now)
        return bool(now)

    def _process(self, model: ModelRef) -> "VectorProcess":
        if self._opened is None or self._opened[0] != model:
            self.close()
            self._opened = model, opened_model(model, self._command)
        return self._opened[1]


def opened_model(model: ModelRef, command: Sequence[str] = ()) -> "VectorProcess":
    """Loads a model that makes vectors or ranks, on one thread. Blocks. Raises UserError."""
    # Imported here: it brings NumPy along.
    from app.engine.vectors.process import VectorProcess

    return VectorProcess(command or own_command(), model.file, Loading(threads=1), None)


def embedder_of(model: ModelRef, process: "VectorProcess") -> Embedder:
    return Embedder(model_hash(model), process.facts.pooling.value, prefixes_of(model).passage)


def model_hash(model: ModelRef) -> str:
    """Raises UserError."""
    try:
        return fingerprint(model.file)
    except OSError as error:
        raise about_file(model.file, error) from error
