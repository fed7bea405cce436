"""How often the right passage is found: `python -m tests.bench.documents.passage_scores FOLDER [--dimensions N]`.

FOLDER gets the packages of `passage_corpus`. The questions were written before anything was scored: by one person, of
sentences drawn at random; "near" uses words of the passage, "para" avoids them. No embedding model can be had here, so
vectors are those of latent semantic analysis of the corpus itself (Deerwester et al. 1990), and so is what ranks: what
models that were trained on other texts find was not measured.
"""

import argparse
import json
import re
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from app.services.documents.reading import read_document
from app.storage.passages.passage import Document
from app.storage.passages.passage_search import PassageSearch, QuestionVector
from app.storage.passages.passage_store import Embedder, PassageStore
from tests.bench.documents.latent import Latent
from tests.bench.documents.passage_corpus import documents, fetch

_QUESTIONS = Path(__file__).with_name("passage_questions.json")
_DEEP = 10
_RANKED = 50
_PLAIN = 1600
"""Characters of a piece of the plain BM25."""


class Question(NamedTuple):
    text: str
    kind: str
    content_hash: str
    page: int
    start: int
    end: int
    """Where the sentence stands: in the document's text, or in that of a page, from 1."""

    def is_in(self, content_hash: str, page: int, start: int, end: int) -> bool:
        """Half of the sentence at least."""
        is_here = (content_hash, page) == (self.content_hash, self.page)
        return is_here and min(end, self.end) - max(start, self.start) > self.length / 2

    @property
    def length(self) -> int:
        return self.end - self.start


Place = tuple[str, int, int, int]
Find = Callable[[Question], Sequence[Place]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dimensions", type=int, default=128)
    wanted = parser.parse_args()
    fetch(wanted.folder)
    read = [
        (package, path, read_document(path.read_bytes(), path.name)[0]) for package, path in documents(wanted.folder)
    ]
    kept = {each.content_hash: each for _, _, each in read}
    questions = list(_asked({(package, path.name): each for package, path, each in read}))
    store_path = wanted.folder / "documents.sqlite3"
    for each in wanted.folder.glob("documents.sqlite3*"):
        each.unlink()
    store = PassageStore.open(store_path)
    began = time.perf_counter()
    for document in kept.values():
        store.put(document, attached=True)
    search = PassageSearch.open(store_path)
    passages = [each for content_hash in kept for each in search.passages(content_hash)]
    took = time.perf_counter() - began
    print(f"{len(kept)} documents, {len(passages):,} passages in {took:.0f} s; {len(questions)} questions")
    latent = Latent([each.embedded for each in passages], wanted.dimensions)
    embedder = store.embedder(Embedder("latent", "none", ""))
    store.add_vectors(embedder, zip((each.text_hash for each in passages), latent.rows, strict=True))
    _print_table(questions, _ways(search, list(kept), latent, embedder, list(kept.values())))


def _ways(
    search: PassageSearch, within: list[str], latent: Latent, embedder: int, kept: Sequence[Document]
) -> dict[str, Find]:
    def found(text: str, vector: QuestionVector | None) -> list[Place]:
        hits = search.find(text, documents=within, most=_DEEP, vector=vector)
        return [
            (each.passage.content_hash, each.passage.page or 1, each.passage.start, each.passage.end) for each in hits
        ]

    def vector_of(question: Question) -> QuestionVector:
        return QuestionVector(embedder, latent.of(question.text))

    def ranked(question: Question) -> list[Place]:
        """The best by words, in the order of their vectors: what stands in for a model that ranks."""
        hits = search.find(question.text, documents=within, most=_RANKED)
        wanted = latent.of(question.text)
        near = sorted(hits, key=lambda each: -float(latent.of(each.passage.embedded) @ wanted))[:_DEEP]
        return [
            (each.passage.content_hash, each.passage.page or 1, each.passage.start, each.passage.end) for each in near
        ]

    return {
        "plain BM25": _plain(kept),
        "words": lambda question: found(question.text, None),
        "vectors": lambda question: found("", vector_of(question)),
        "joined": lambda question: found(question.text, vector_of(question)),
        "words, reranked": ranked,
    }


def _plain(kept: Sequence[Document]) -> Find:
    """Pieces of one length, without headings or names; every word counts; SQLite's BM25."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = 'unicode61')")
    places: list[Place] = []
    for document in kept:
        for page, text in enumerate(document.pages, 1):
            for at in range(0, len(text), _PLAIN):
                places.append((document.content_hash, page, at, at + _PLAIN))
                row = len(places), text[at : at + _PLAIN]
                connection.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", row)

    def find(question: Question) -> list[Place]:
        asked = " OR ".join(f'"{each}"' for each in set(re.findall(r"\w+", question.text)))
        rows = connection.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (asked, _DEEP))
        return [places[row - 1] for (row,) in rows]

    return find


def _asked(by_name: dict[tuple[str, str], Document]) -> "list[Question]":
    asked = []
    for told in json.loads(_QUESTIONS.read_text("utf-8")):
        document = by_name.get((told["package"], told["file"]))
        pattern = r"\s+".join(map(re.escape, told["phrase"].split()))
        pages = enumerate(document.pages, 1) if document is not None else ()
        page, found = next(((page, found) for page, text in pages if (found := re.search(pattern, text))), (0, None))
        if document is None or found is None:
            print(f"not there: {told['file']}: {told['phrase'][:60]}")
            continue
        place = document.content_hash, page, found.start(), found.end()
        asked.append(Question(told["question"], told["kind"], *place))
    return asked


def _print_table(questions: Sequence[Question], ways: dict[str, Find]) -> None:
    print("| way | recall@5 near | para | all | MRR@10 near | para | all | ms |")
    print("|---|---|---|---|---|---|---|---|")
    for name, find in ways.items():
        ranks: dict[str, list[int]] = {"near": [], "para": []}
        times = []
        for question in questions:
            began = time.perf_counter()
            places = find(question)
            times.append(time.perf_counter() - began)
            ranks[question.kind].append(next((n for n, each in enumerate(places, 1) if question.is_in(*each)), 0))
        every = [*ranks.values(), [each for kind in ranks.values() for each in kind]]
        figures = [sum(0 < rank <= 5 for rank in each) / len(each) for each in every]
        figures += [sum(1 / rank for rank in each if rank) / len(each) for each in every]
        print(f"| {name} | {' | '.join(f'{each:.2f}' for each in figures)} | {1000 * statistics.median(times):.0f} |")


if __name__ == "__main__":
    main()
