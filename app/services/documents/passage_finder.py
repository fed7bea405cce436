"""Finding passages with all that a collection has for it: words, vectors, and a model that ranks. Needs no Qt."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.core.model_ref import ModelRef
from app.services.documents.collection_vectors import model_hash, opened_model
from app.services.documents.embedding_models import prefixes_of
from app.storage.passages.passage import Hit
from app.storage.passages.passage_search import PassageSearch, QuestionVector

if TYPE_CHECKING:
    from app.engine.vectors.process import VectorProcess

_RANKED = 50
"""Passages that a model puts in order; among so many the right one stood in the trial for nearly every question that
used its words."""


@dataclass(frozen=True, slots=True)
class Found:
    hits: Sequence[Hit]
    by_vectors: bool = False
    """Not by words alone."""
    problem: str = ""
    """A sentence about a model that could not help."""


class PassageFinder:
    """For one thread at a time, but for `interrupt`. Opens what it needs when it is needed first."""

    def __init__(self, path: Path, command: Sequence[str]) -> None:
        self._path = path
        self._command = tuple(command)
        self._search: PassageSearch | None = None
        self._models: dict[ModelRef, VectorProcess] = {}

    def close(self) -> None:
        self.rest()
        if self._search is not None:
            self._search.close()
            self._search = None

    def rest(self) -> None:
        """End the models' processes; they are begun again when they are needed."""
        for each in self._models.values():
            each.close()
        self._models.clear()

    def interrupt(self) -> None:
        """Any thread."""
        if self._search is not None:
            self._search.interrupt()

    def find(
        self,
        question: str,
        *,
        documents: Collection[str] | None = None,
        collections: Collection[int] | None = None,
        most: int = 8,
    ) -> Found:
        """See `PassageSearch.find`; nothing where nothing was ever kept. The models are those of the first of the
        collections. Blocks. Raises UserError.
        """
        search = self.opened()
        if search is None:
            return Found(())
        embedder, reranker = search.models_of(collections)
        try:
            vector = self._question_vector(search, question, embedder) if embedder else None
            depth = max(most, _RANKED) if reranker else most
            hits = search.find(question, documents=documents, collections=collections, most=depth, vector=vector)
            if reranker:
                hits = self._ranked(question, hits, reranker)
        except UserError as error:
            hits = search.find(question, documents=documents, collections=collections, most=most)
            return Found(hits, problem=error.sentence)
        return Found(hits[:most], vector is not None)

    def paths_of(self, hits: Sequence[Hit]) -> dict[str, str]:
        """Of the files that passages stand in, by content hash. Blocks. Raises UserError."""
        search = self.opened()
        hashes = {each.passage.content_hash for each in hits}
        return {each: search.path_of(each) for each in hashes} if search is not None else {}

    def opened(self) -> PassageSearch | None:
        """None where nothing was ever kept."""
        if self._search is None and self._path.exists():
            self._search = PassageSearch.open(self._path)
        return self._search

    def _question_vector(self, search: PassageSearch, question: str, model: ModelRef) -> QuestionVector | None:
        """None before the first vector of this model was made."""
        number = search.known_embedder(model_hash(model), prefixes_of(model).passage)
        if number is None:
            return None
        (row,) = self._process(model).vectors([prefixes_of(model).question + question], truncate=True).rows
        return QuestionVector(number, row)

    def _ranked(self, question: str, hits: Sequence[Hit], model: ModelRef) -> list[Hit]:
        if not hits:
            return []
        texts = [each.passage.embedded for each in hits]
        rows = self._process(model).vectors(texts, query=question, truncate=True).rows
        scored = [replace(hit, score=float(row[0])) for hit, row in zip(hits, rows, strict=True)]
        return sorted(scored, key=lambda each: -each.score)

    def _process(self, model: ModelRef) -> "VectorProcess":
        process = self._models.get(model)
        if process is None or not process.is_alive:
            process = self._models[model] = opened_model(model, self._command)
        return process
