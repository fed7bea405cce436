"""Searching with the models of a collection, and without them where they fail. The models are random: what is shown is
that their numbers arrive, not that they find."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.services.documents.collection_vectors import CollectionVectors
from app.services.documents.embedding_models import prefixes_of
from app.services.documents.passage_finder import PassageFinder
from app.storage.passages.collection_rows import FoundFile
from app.storage.passages.passage import Document
from app.storage.passages.passage_store import PassageStore
from tests.tiny_vectors import bert

TEXTS = ("the model is paris", "the city is the model", "paris is the city", "is is is")


@pytest.fixture
def store(store_path: Path) -> Iterator[PassageStore]:
    with closing(PassageStore.open(store_path)) as made:
        made.collections.add_source(made.collections.add("Plant"), "/p", is_folder=True)
        made.collections.take(1, [FoundFile(f"/p/{n}", n, n, n) for n in range(len(TEXTS))])
        for text in TEXTS:
            waiting = made.collections.waiting()
            assert waiting is not None
            made.put(Document(text.ljust(64), "x", (text,), False), file=waiting[0])
        yield made


@pytest.fixture
def finder(store_path: Path) -> Iterator[PassageFinder]:
    with closing(PassageFinder(store_path, own_command())) as made:
        yield made


def made_vectors(store: PassageStore, problems: list[UserError]) -> list[str]:
    """What is told of it."""
    told: list[str] = []
    with closing(CollectionVectors(store, problems.append)) as vectors:
        while vectors.step(lambda model, n_left: told.append(f"{model}: {n_left}")):
            pass
    return told


def test_vectors_are_made_once_and_asked_with(store: PassageStore, finder: PassageFinder, tmp_path: Path) -> None:
    path = bert(tmp_path / "e5-tiny.gguf", "mean")
    store.collections.set_models(1, ModelRef.of_file(path), None)
    assert not finder.find("paris").by_vectors  # there are none yet
    assert made_vectors(store, []) == [f"e5-tiny.gguf: {len(TEXTS)}"]
    assert made_vectors(store, []) == []
    found = finder.find("zzz", most=4)
    assert (len(found.hits), found.by_vectors, found.problem) == (4, True, "")
    # The same text is the nearest to itself, whatever the numbers are: the prefixes differ, the title doesn't count.
    assert finder.find("paris is the city").hits[0].passage.body == "paris is the city"


def test_a_reranker_has_the_last_word(store: PassageStore, finder: PassageFinder, tmp_path: Path) -> None:
    by_words = [each.passage.body for each in finder.find("model city").hits]
    store.collections.set_models(1, None, ModelRef.of_file(bert(tmp_path / "rank.gguf", "rank")))
    ranked = finder.find("model city")
    assert sorted(each.passage.body for each in ranked.hits) == sorted(by_words)
    assert [each.score for each in ranked.hits] == sorted((each.score for each in ranked.hits), reverse=True)
    assert ranked.problem == ""


def test_models_that_fail_leave_the_words(store: PassageStore, finder: PassageFinder, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model")
    store.collections.set_models(1, ModelRef.of_file(broken), ModelRef.of_file(tmp_path / "gone.gguf"))
    problems: list[UserError] = []
    assert made_vectors(store, problems) == []
    assert len(problems) == 1
    found = finder.find("paris")
    assert len(found.hits) == 2
    assert "gone.gguf" in found.problem


def test_a_model_of_a_server_is_named_and_leaves_the_words(store: PassageStore, finder: PassageFinder) -> None:
    there = ModelRef.of_server("abc", "e5")
    store.collections.set_models(1, there, there)
    problems: list[UserError] = []
    assert made_vectors(store, problems) == []
    found = finder.find("paris")
    assert (len(found.hits), found.problem) == (2, "e5 is not a file on this computer.")
    assert [each.sentence for each in problems] == [found.problem]


def test_nothing_is_found_where_nothing_was_kept(finder: PassageFinder) -> None:
    assert finder.find("anything").hits == ()


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("nomic-embed-text-v1.5.Q8_0.gguf", "search_query: "),
        ("BGE-small-en.gguf", "Represent this sentence for searching relevant passages: "),
        ("bge-m3-f16.gguf", ""),
        ("multilingual-e5-small.gguf", "query: "),
        ("other.gguf", ""),
    ],
)
def test_prefixes(name: str, question: str) -> None:
    assert prefixes_of(ModelRef.of_file(Path(f"/models/{name}"))).question == question
