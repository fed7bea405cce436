"""What a look at the disk changes: a changed file costs that file only."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.core.model_ref import ModelRef
from app.storage.passages.collection_rows import CollectionRows, FoundFile
from app.storage.passages.collections_file import collections_file
from app.storage.passages.passage import Document, FileState
from app.storage.passages.passage_store import PassageStore

MODEL, OTHER = (ModelRef.of_file(Path(f"/models/{name}.gguf")) for name in ("e", "r"))


@pytest.fixture
def rows(passages: PassageStore) -> CollectionRows:
    return passages.collections


@pytest.fixture
def source(rows: CollectionRows) -> int:
    rows.add_source(rows.add("Pumps"), "/pumps", is_folder=True)
    return rows.sources()[0].id


def file(name: str, mtime: int = 1, sentence: str = "") -> FoundFile:
    return FoundFile(f"/pumps/{name}", 10, mtime, hash(name) & 0xFFFF, sentence)


def read_all(passages: PassageStore) -> list[str]:
    read = []
    while (waiting := passages.collections.waiting()) is not None:
        passages.put(Document(waiting[1].ljust(64), waiting[1], ("text",), False), file=waiting[0])
        read.append(waiting[1].rpartition("/")[2])
    return sorted(read)


def states(rows: CollectionRows, collection: int = 1) -> dict[str, FileState]:
    return {each.path.rpartition("/")[2]: each.state for each in rows.files(collection)}


def test_what_changed_alone_waits(passages: PassageStore, rows: CollectionRows, source: int) -> None:
    rows.take(source, [file("a"), file("b"), file("c", sentence="It is hidden.")])
    assert read_all(passages) == ["a", "b"]
    assert rows.take(source, [file("a"), file("b", mtime=2), file("c", sentence="It is hidden.")]) == 1
    assert read_all(passages) == ["b"]
    assert states(rows) == {"a": FileState.DONE, "b": FileState.DONE, "c": FileState.FAILED}


def test_what_went_from_a_folder_is_dropped(passages: PassageStore, rows: CollectionRows, source: int) -> None:
    rows.take(source, [file("a"), file("b")])
    read_all(passages)
    rows.take(source, [file("b")])
    assert states(rows) == {"b": FileState.DONE}
    assert passages.sweep() == 1


def test_a_folder_that_is_away_costs_no_reading_when_it_is_back(
    passages: PassageStore, rows: CollectionRows, source: int
) -> None:
    rows.take(source, [file("a")])
    read_all(passages)
    rows.take(source, [], is_there=False)
    assert (states(rows), passages.sweep()) == ({"a": FileState.GONE}, 0)
    assert rows.take(source, [file("a")]) == 1
    assert passages.has("/pumps/a".ljust(64))


def test_a_file_in_two_collections_is_one(passages: PassageStore, rows: CollectionRows, source: int) -> None:
    other = rows.add("All")
    rows.add_source(other, "/pumps/a", is_folder=False)
    rows.take(source, [file("a"), file("b")])
    rows.take(rows.sources(other)[0].id, [file("a")])
    assert read_all(passages) == ["a", "b"]
    rows.remove(1)
    assert (states(rows, other), passages.sweep()) == ({"a": FileState.DONE}, 1)


def test_reading_that_was_cut_off_waits_again(passages: PassageStore, rows: CollectionRows, source: int) -> None:
    rows.take(source, [file("a"), file("b")])
    waiting = rows.waiting()
    assert waiting is not None
    rows.settle(waiting[0], FileState.READS)
    rows.read_again(1)
    assert read_all(passages) == ["a", "b"]
    rows.read_again(1)
    assert rows.waiting() is None
    rows.read_again(2)  # other readers
    assert rows.waiting() is not None


def test_names_and_models(rows: CollectionRows, source: int) -> None:
    rows.rename(1, "Valves")
    rows.set_models(1, MODEL, None)
    (told,) = rows.all()
    assert (told.name, told.embedder, told.reranker) == ("Valves", MODEL, None)
    rows.remove_source(source)
    assert rows.sources() == ()


def test_a_file_that_ends_its_reader_twice_is_left_out(rows: CollectionRows, source: int) -> None:
    rows.take(source, [file("a"), file("b")])
    for _ in range(2):
        found = rows.waiting()
        assert found is not None
        assert found[1].endswith("a")
        rows.begin(found[0])
        rows.read_again(1)  # the program was ended: that is no fault of the file's
        rows.begin(found[0])
        rows.read_again(1, died=True)
    assert states(rows) == {"a": FileState.FAILED, "b": FileState.WAITS}
    assert "ended over this file twice" in rows.files(1)[0].sentence
    rows.retry(rows.files(1)[0].id)
    assert states(rows)["a"] is FileState.WAITS


def test_names_and_folders_outlive_a_damaged_store(
    passages: PassageStore, rows: CollectionRows, source: int, passages_path: Path
) -> None:
    rows.rename(1, "Pumps and valves")
    rows.set_models(1, MODEL, OTHER)
    rows.remove(rows.add("Gone"))
    rows.add_source(1, "/away", is_folder=False)
    rows.remove_source(rows.sources()[0].id)
    rows.add_source(1, "/a.txt", is_folder=False)
    passages.close()
    passages_path.write_bytes(b"damaged" * 1000)
    for _ in range(2):  # and are not named twice
        with closing(PassageStore.open(passages_path)) as anew:
            (kept,) = anew.collections.all()
            assert (kept.name, kept.embedder, kept.reranker) == ("Pumps and valves", MODEL, OTHER)
            assert [(each.path, each.is_folder) for each in anew.collections.sources()] == [
                ("/a.txt", False),
                ("/pumps", True),
            ]


def test_paths_that_versions_before_wrote_name_the_same_models(
    passages: PassageStore, rows: CollectionRows, source: int, passages_path: Path
) -> None:
    rows.set_models(1, OTHER, None)
    passages.close()
    with closing(sqlite3.connect(passages_path)) as old:
        old.execute("UPDATE collection SET embedder = ?, reranker = ''", (str(MODEL.file),))
        old.commit()
    with closing(PassageStore.open(passages_path)) as now:
        assert [(each.embedder, each.reranker) for each in now.collections.all()] == [(MODEL, None)]
    told = [{"name": "Plant", "embedder": "", "reranker": str(MODEL.file), "sources": [["/pumps", True]]}]
    collections_file(passages_path).write_text(json.dumps(told))
    passages_path.unlink()
    with closing(PassageStore.open(passages_path)) as anew:
        assert [(each.name, each.embedder, each.reranker) for each in anew.collections.all()] == [
            ("Plant", None, MODEL)
        ]
