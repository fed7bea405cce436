"""What is found: by words, by vectors, by both; and of what."""

import sqlite3
from collections.abc import Callable

import numpy as np
import pytest

from app.storage.passages.collection_rows import FoundFile
from app.storage.passages.passage import Document, Hit
from app.storage.passages.passage_search import PassageSearch, QuestionVector, joined
from app.storage.passages.passage_store import Embedder, PassageStore
from app.storage.passages.questions import any_of, words_of
from app.storage.passages.vector_rows import VectorRows

Make = Callable[..., Document]


def keep(passages: PassageStore, *texts: str, collection: str = "Pumps") -> list[str]:
    """Each text as a file of a collection; their content hashes."""
    rows = passages.collections
    number = rows.add(collection)
    rows.add_source(number, f"/{collection}", is_folder=True)
    found = [FoundFile(f"/{collection}/{n}", n, n, n) for n in range(len(texts))]
    rows.take(rows.sources(number)[0].id, found)
    hashes = []
    for text in texts:
        waiting = rows.waiting()
        assert waiting is not None
        hashes.append(f"{collection}{text}".ljust(64)[:64])
        passages.put(Document(hashes[-1], waiting[1], (text,), False), file=waiting[0])
    return hashes


def bodies(hits: list[Hit]) -> list[str]:
    return [each.passage.body for each in hits]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How are pumps primed?", "Priming of a pump wants water."),
        ("where's the VALVE", "A valve closes."),
        ("zuruck nach Zurich", "Zurück nach Zürich, café"),
        ("京都", "私は京都に行きました"),
        ('"AND" OR NOT ( valve*', "A valve closes."),
        ("What is it?", None),
        ("?!", None),
        ("", None),
    ],
)
def test_words(passages: PassageStore, finder: PassageSearch, question: str, found: str | None) -> None:
    keep(
        passages,
        "Priming of a pump wants water.",
        "A valve closes.",
        "Zurück nach Zürich, café",
        "私は京都に行きました",
    )
    assert bodies(finder.find(question))[:1] == ([] if found is None else [found])


def test_questions_lose_their_stop_words_unless_there_are_no_others() -> None:
    assert words_of("What is the pump's state? PUMP") == ("pump's", "state", "pump")
    assert words_of("to be or not to be") == ("to", "be", "or", "not")
    assert any_of(["say", '"hi"']) == '"say" OR """hi"""'
    assert len(words_of(" ".join(f"w{n}" for n in range(500)))) == 40


def test_words_that_stand_nearly_everywhere_are_not_ranked_by(
    passages: PassageStore, finder: PassageSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.storage.passages.passage_search.RANKED", 3)
    keep(passages, "water pump", *(f"water {n}" for n in range(4)))
    assert bodies(finder.find("water pump")) == ["water pump"]
    assert len(finder.find("water")) == 5
    monkeypatch.setattr("app.storage.passages.passage_search.RANKED", 5)
    assert len(finder.find("water pump")) == 5


def test_headings_and_names_are_found(passages: PassageStore, finder: PassageSearch) -> None:
    passages.put(Document("a" * 64, "valve-manual.txt", ("text",), False), attached=True)
    passages.put(Document("b" * 64, "b.txt", ("# Priming\n\ntext",), False), attached=True)
    both = ["a" * 64, "b" * 64]
    assert [each.passage.name for each in finder.find("valve", documents=both)] == ["valve-manual.txt"]
    assert [each.passage.heading for each in finder.find("priming", documents=both)] == ["Priming"]


def test_what_is_looked_through(passages: PassageStore, finder: PassageSearch) -> None:
    (pump,) = keep(passages, "water in pumps")
    (valve,) = keep(passages, "water in valves", collection="Valves")
    attached = Document("c" * 64, "c", ("water attached",), False)
    passages.put(attached, attached=True)
    assert set(bodies(finder.find("water"))) == {"water in pumps", "water in valves"}
    assert bodies(finder.find("water", collections=[2])) == ["water in valves"]
    assert bodies(finder.find("water", documents=[attached.content_hash])) == ["water attached"]
    assert len(finder.find("water", documents=[pump, valve], collections=[2])) == 2
    assert finder.find("water", documents=[]) == []
    assert (finder.n_passages(), finder.n_passages(documents=[pump])) == (2, 1)
    passages.collections.take(1, [], is_there=False)
    assert bodies(finder.find("water")) == ["water in valves"]
    assert (finder.path_of(pump), finder.path_of(valve)) == ("", "/Valves/0")


def test_vectors_find_what_words_do_not(passages: PassageStore, finder: PassageSearch) -> None:
    keep(passages, "a pump", "a car", "another pump")
    embedder = passages.embedder(Embedder("model", "mean", ""))
    meant = {"a pump": [1, 0, 0.1], "a car": [0, 3, 0], "another pump": [1, 0, 0]}
    waiting = passages.without_vectors(embedder, 1, 99)
    rows = [(text_hash, np.array(meant[text.split("\n")[-1]], np.float32)) for text_hash, text in waiting]
    passages.add_vectors(embedder, rows[:2])
    assert len(passages.without_vectors(embedder, 1, 99)) == 1
    asked = QuestionVector(embedder, np.array([0, 1, 0], np.float32))
    assert bodies(finder.find("automobile", vector=asked))[0] == "a car"
    passages.add_vectors(embedder, rows[2:])
    assert passages.without_vectors(embedder, 1, 99) == []
    assert len(finder.find("automobile", vector=asked)) == 3
    # Both ways: what is in both lists comes first.
    assert bodies(finder.find("pump", vector=asked, most=1)) == ["a pump"]
    assert finder.find("nothing of it", vector=QuestionVector(7, np.ones(3, np.float32))) == []


def test_while_vectors_come_they_are_not_read_for_every_search(
    passages: PassageStore, finder: PassageSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.storage.passages.vector_rows.FEW", 0)
    keep(passages, "a pump", "a car")
    embedder = passages.embedder(Embedder("model", "mean", ""))
    first, second = (text_hash for text_hash, _ in passages.without_vectors(embedder, 1, 99))
    row = np.array([1, 0], np.float32)
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    rows = VectorRows(finder._connection, embedder, clock)
    passages.add_vectors(embedder, [(first, row)])
    assert len(rows.nearest(row, None, 9)) == 1  # which took a second of this clock
    passages.add_vectors(embedder, [(second, row)])
    assert len(rows.nearest(row, None, 9)) == 1
    now = 30.0
    assert len(rows.nearest(row, None, 9)) == 2


@pytest.mark.parametrize("n_asked", [1, 7])
def test_vectors_of_other_documents_are_not_found(passages: PassageStore, finder: PassageSearch, n_asked: int) -> None:
    hashes = keep(passages, *(f"text {n}" for n in range(8)))
    embedder = passages.embedder(Embedder("model", "mean", ""))
    waiting = passages.without_vectors(embedder, 1, 99)
    passages.add_vectors(
        embedder, [(text_hash, np.array([1, n], np.float32)) for n, (text_hash, _) in enumerate(waiting)]
    )
    asked = QuestionVector(embedder, np.array([0, 1], np.float32))
    found = finder.find("", documents=hashes[:n_asked], vector=asked, most=20)
    assert {each.passage.content_hash for each in found} == set(hashes[:n_asked])


def test_many_vectors_are_kept_as_halves(
    passages: PassageStore, finder: PassageSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(passages, "a pump", "a car")
    embedder = passages.embedder(Embedder("model", "mean", ""))
    (first, _), (second, _) = passages.without_vectors(embedder, 1, 99)
    passages.add_vectors(embedder, [(first, np.array([1, 2], np.float32)), (second, np.array([2, -1], np.float32))])
    asked = np.array([1, 1], np.float32)
    wide = VectorRows(finder._connection, embedder).nearest(asked, None, 2)
    monkeypatch.setattr("app.storage.passages.vector_rows.MOST_WIDE", 0)
    assert VectorRows(finder._connection, embedder).nearest(asked, None, 2) == wide


def test_ranks_are_joined() -> None:
    assert [number for number, _ in joined([[1, 2, 3], [3, 4]])] == [3, 1, 2, 4]
    assert joined([]) == []


def test_a_search_can_be_interrupted(passages: PassageStore, finder: PassageSearch) -> None:
    keep(passages, *(f"water {n} " * 40 for n in range(300)))
    finder._connection.set_progress_handler(finder.interrupt, 10)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        finder.find("water")


def test_a_document_between_those_that_are_asked_is_not_found(
    passages: PassageStore, finder: PassageSearch, made: Callable[..., Document]
) -> None:
    those = [made("pumps and valves", name=name) for name in ("a", "b", "c", "d")]
    for each in those:
        passages.put(each, attached=True)
    for asked in ((0, 1, 2, 3), (1, 2), (0, 2), (3,), (0, 1, 3)):
        hashes = [those[each].content_hash for each in asked]
        assert {each.passage.content_hash for each in finder.find("valves", documents=hashes)} == set(hashes)
