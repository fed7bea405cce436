"""What was read is kept once for each content, and goes with the last who names it."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import UserError
from app.storage.passages.collection_rows import FoundFile
from app.storage.passages.passage import Document, FileState
from app.storage.passages.passage_search import PassageSearch
from app.storage.passages.passage_store import Embedder, PassageStore

Make = Callable[..., Document]


def rows(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


def counts(path: Path) -> list[int]:
    return [rows(path, table) for table in ("document", "page", "passage", "vector")]


def test_the_same_bytes_are_kept_once(passages: PassageStore, passages_path: Path, made: Make) -> None:
    document = made("one\n", "two")
    for _ in range(2):
        passages.put(document, attached=True)
    assert counts(passages_path) == [1, 2, 2, 0]
    assert passages.has(document.content_hash)


def test_pages_come_back_letter_by_letter(passages: PassageStore, finder: PassageSearch, made: Make) -> None:
    document = made("raw\r\n\ufffe \0 京都", "", "\ud800")
    passages.put(document, attached=True)
    assert finder.pages(document.content_hash) == document.pages
    assert [each.page for each in finder.passages(document.content_hash)] == [1, 3]
    assert finder.pages("unknown") == ()


def test_what_nobody_names_goes_with_its_vectors(passages: PassageStore, passages_path: Path, made: Make) -> None:
    kept, attached, gone = made("kept"), made("attached"), made("gone")
    collection = passages.collections.add("Pumps")
    passages.collections.add_source(collection, "/a", is_folder=False)
    (source,) = passages.collections.sources()
    passages.collections.take(source.id, [FoundFile("/a", 1, 2, 3)])
    waiting = passages.collections.waiting()
    assert waiting is not None
    passages.put(kept, file=waiting[0])
    passages.put(attached, attached=True)
    passages.put(gone)
    embedder = passages.embedder(Embedder("model", "mean", ""))
    passages.add_vectors(
        embedder, [(text_hash, np.ones(4, np.float32)) for text_hash, _ in passages.without_vectors(embedder, 1, 99)]
    )
    assert (counts(passages_path), passages.sweep()) == ([3, 3, 3, 1], 1)
    assert not passages.has(gone.content_hash)
    passages.detach(attached.content_hash)
    passages.collections.remove(collection)
    assert (passages.sweep(), counts(passages_path)) == (2, [0, 0, 0, 0])


def test_what_was_removed_is_not_found_and_not_in_the_file(
    passages: PassageStore, passages_path: Path, finder: PassageSearch, made: Make
) -> None:
    document = made("the secret word is zyzzyva\n")
    passages.put(document, attached=True)
    assert finder.find("zyzzyva", documents=[document.content_hash])
    passages.remove(document.content_hash)
    passages.tidy()
    assert finder.find("zyzzyva", documents=[document.content_hash]) == []
    finder.close()
    passages.close()
    assert b"zyzzyva" not in passages_path.read_bytes()


def test_older_readers_are_read_again(passages: PassageStore, made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    document = made("text")
    passages.put(document, attached=True)
    monkeypatch.setattr("app.storage.passages.passage_store.READER", 2)
    assert not passages.has(document.content_hash)
    passages.put(document)
    assert passages.has(document.content_hash)
    assert passages.sweep() == 0  # it is attached still


def test_a_damaged_file_begins_anew(passages_path: Path) -> None:
    passages_path.write_bytes(b"no database at all, by any means" * 99)
    with closing(PassageStore.open(passages_path)) as store:
        assert store.collections.all() == ()


def test_searching_before_anything_was_kept_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Hearth cannot open"):
        PassageSearch.open(tmp_path / "documents.sqlite3")


_HALF = """
SELECT count(*) FROM document WHERE n_passages <> (SELECT count(*) FROM passage WHERE id >> 20 = document.id)
"""
_WRITER = """
import sys
from pathlib import Path
from app.storage.passages.passage import Document
from app.storage.passages.passage_store import PassageStore
store = PassageStore.open(Path(sys.argv[1]))
print("open", flush=True)
for number in range(100000):
    pages = tuple(f"page {n} of {number}\\n" * 20 for n in range(5))
    store.put(Document(f"{number:064}", "a.txt", pages), attached=True)
    print(number, flush=True)
"""


def test_a_kill_leaves_whole_documents_alone(passages_path: Path) -> None:
    for n_lines in (1, 3, 17):
        child = subprocess.Popen([sys.executable, "-c", _WRITER, passages_path], stdout=subprocess.PIPE)
        assert child.stdout is not None
        with child.stdout:
            lines = [child.stdout.readline() for _ in range(n_lines)]
            child.kill()
            child.wait()
        with closing(PassageStore.open(passages_path)) as store:
            for line in lines[1:]:
                assert store.has(f"{int(line):064}")
        with closing(sqlite3.connect(passages_path)) as connection:
            assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
            connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
            assert connection.execute(_HALF).fetchone() == (0,)


def test_states_of_files(passages: PassageStore, made: Make) -> None:
    rows = passages.collections
    rows.add_source(rows.add("Pumps"), "/pumps", is_folder=True)
    (source,) = rows.sources()
    assert rows.take(source.id, [FoundFile("/pumps/b", 20, 1, 1), FoundFile("/pumps/a", 10, 1, 2)]) == 2
    first, second = rows.waiting(), None
    assert first is not None
    assert first[1] == "/pumps/a"
    rows.settle(first[0], FileState.READS)
    second = rows.waiting()
    assert second is not None
    passages.put(made("text"), file=second[0])
    rows.settle(first[0], FileState.FAILED, sentence="It is no text.")
    assert [(each.state, str(each.sentence), each.n_passages) for each in rows.files(1)] == [
        (FileState.FAILED, "It is no text.", 0),
        (FileState.DONE, "", 1),
    ]
    (told,) = rows.all()
    assert (told.n_files, told.n_done, told.n_failed, told.n_passages) == (2, 1, 1, 1)
