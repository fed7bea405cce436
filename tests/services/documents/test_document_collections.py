"""Files that people name are read in the background, whatever happens to it."""

import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.core.paths import Paths
from app.core.program import own_command
from app.services.documents.document_collections import DocumentCollections
from app.services.documents.index_process import IndexProcess
from app.services.documents.index_states import FoundPassages
from app.storage.database import Database
from app.storage.exchange.backup import write_backup
from app.storage.exchange.restore import finish, prepare
from app.storage.passages.collections_file import collections_file
from app.storage.passages.passage import FileState, IndexedFile
from app.storage.passages.passage_store import PassageStore
from tests.document_files import pdf
from tests.waits import WAIT

Read = Callable[[int], dict[str, IndexedFile]]
Find = Callable[[str], FoundPassages]


def names(found: FoundPassages) -> list[str]:
    return [each.passage.name for each in found.hits]


def test_a_folder_is_read_and_found(collections: DocumentCollections, folder: Path, read: Read, find: Find) -> None:
    (folder / "a.txt").write_text("Pumps want to be primed.")
    (folder / "b.pdf").write_bytes(pdf("nothing", "Valves close."))
    (folder / "c.txt").write_bytes(b"\0\1\2")
    collections.add("Plant", [folder])
    told = read(3)
    assert told["c.txt"].sentence == "c.txt is no text; Hearth reads text, source code, PDF and office files."
    assert [(told[each].state, told[each].n_pages) for each in ("a.txt", "b.pdf")] == [
        (FileState.DONE, 0),
        (FileState.DONE, 2),
    ]
    assert names(find("primed")) == ["a.txt"]
    assert [(each.passage.name, each.passage.page) for each in find("valves").hits] == [("b.pdf", 2)]


def test_changes_cost_the_changed_file_alone(
    collections: DocumentCollections, folder: Path, read: Read, find: Find, qtbot: QtBot, store_path: Path
) -> None:
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"about {name}")
    collections.add("Plant", [folder])
    read(3)
    before = documents(store_path)
    (folder / "b.txt").write_text("about zebras")
    (folder / "c.txt").unlink()
    os.utime(folder / "a.txt", ns=(1, 1))
    # Nobody says so: the folder is noticed.
    qtbot.waitUntil(lambda: names(find("zebras")) == ["b.txt"], timeout=WAIT)
    read(2)
    # The one that did not change was not read again; the others are gone.
    qtbot.waitUntil(lambda: len(documents(store_path)) == 2, timeout=WAIT)
    assert len(documents(store_path) & before) == 1
    assert names(find("c")) == []


def test_a_kill_costs_nothing_that_was_read(
    store_path: Path, folder: Path, qtbot: QtBot, collections: DocumentCollections, read: Read
) -> None:
    for n in range(60):
        (folder / f"{n}.txt").write_text(f"file {n} " * 500)
    with closing(PassageStore.open(store_path)) as store:
        store.collections.add_source(store.collections.add("Plant"), str(folder), is_folder=True)
    for wanted in (2, 15):
        process = IndexProcess(store_path, own_command())
        process.look()
        qtbot.waitUntil(partial(has_read, store_path, wanted), timeout=WAIT)
        assert process.pid is not None
        psutil.Process(process.pid).kill()
        process.close()
    # Nobody else reads meanwhile: what was being read waits again when the next child begins.
    collections.start()
    read(60)
    with closing(sqlite3.connect(store_path)) as connection:
        assert connection.execute("SELECT count(*), count(DISTINCT hash) FROM document").fetchone() == (60, 60)
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)


def test_pausing_and_going_on(collections: DocumentCollections, folder: Path, read: Read, qtbot: QtBot) -> None:
    collections.pause(True)
    for n in range(20):
        (folder / f"{n}.txt").write_text(f"file {n}")
    with qtbot.waitSignal(collections.progressed, timeout=WAIT, check_params_cb=lambda told: told.paused):
        collections.add("Plant", [folder])
    collections.pause(False)
    read(20)
    assert not collections.progress.paused
    assert collections.progress.n_left == 0


@pytest.mark.skipif(sys.platform == "win32", reason="priorities have other names there")
def test_it_lets_others_go_first_and_ends_with_its_parent(
    collections: DocumentCollections, folder: Path, read: Read, qtbot: QtBot
) -> None:
    (folder / "a.txt").write_text("a")
    collections.add("Plant", [folder])
    read(1)
    pid = collections._process.pid
    assert pid is not None
    child = psutil.Process(pid)
    assert child.nice() >= 10
    collections.close()
    qtbot.waitUntil(lambda: not psutil.pid_exists(pid), timeout=WAIT)


def test_a_child_that_dies_again_and_again_is_told(store_path: Path, qtbot: QtBot) -> None:
    process = IndexProcess(store_path, (sys.executable, "-c", "raise SystemExit(1)"))
    with qtbot.waitSignal(process.told, timeout=WAIT, check_params_cb=lambda told: told is None):
        process.look()
    process.close()


def test_who_follows_a_child_that_died_is_told_so(store_path: Path, qtbot: QtBot) -> None:
    child = "import json, sys\nif 'died' in sys.argv:\n print(json.dumps(sys.argv[1:]), flush=True)\n sys.stdin.read()"
    process = IndexProcess(store_path, (sys.executable, "-c", child))
    with qtbot.waitSignal(process.told, timeout=WAIT) as told:
        process.look()
    process.close()
    assert told.args == [["_index", str(store_path), "died"]]


def test_collections_of_a_store_that_is_lost_are_read_again(
    collections: DocumentCollections, folder: Path, read: Read, store_path: Path, find: Find, qtbot: QtBot
) -> None:
    (folder / "a.txt").write_text("about zebras")
    collections_file(store_path).write_text(
        json.dumps([{"name": "Plant", "embedder": "", "reranker": "", "sources": [[str(folder), 1]]}])
    )
    collections.start()
    read(1)
    assert names(find("zebras")) == ["a.txt"]


def test_a_backup_brings_collections_to_a_new_home(
    collections: DocumentCollections, folder: Path, read: Read, store_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    (folder / "a.txt").write_text("about zebras")
    collections.add("Plant", [folder])
    read(1)
    home, new = store_path.parent, tmp_path / "new"
    Database.open(home / "hearth.sqlite3").close()
    write_backup(tmp_path / "all.hearth-backup", Paths(home, home, home))
    new.mkdir()
    prepare(tmp_path / "all.hearth-backup", Paths(new, new, new))
    finish(Paths(new, new, new))
    there = DocumentCollections(new / store_path.name, own_command())
    try:
        there.start()
        qtbot.waitUntil(
            lambda: [(each.name, each.n_done) for each in there.collections] == [("Plant", 1)], timeout=WAIT
        )
    finally:
        there.close()


def test_what_is_done_with_collections(
    collections: DocumentCollections, folder: Path, read: Read, qtbot: QtBot, store_path: Path
) -> None:
    (folder / "a.txt").write_text("a")
    collections.add("Plant", [folder])
    read(1)
    with qtbot.waitSignal(collections.changed, timeout=WAIT):
        collections.rename(1, "Pumps")
    assert collections.collections[0].name == "Pumps"
    with qtbot.waitSignal(collections.failed, timeout=WAIT) as failed:
        collections.add_paths(1, [folder / "nowhere"])
    assert failed.args is not None
    assert "There is nothing at" in failed.args[0]
    collections.remove(1)
    qtbot.waitUntil(lambda: not collections.collections and not documents(store_path), timeout=WAIT)


def test_without_collections_there_is_no_file_and_no_child(collections: DocumentCollections, store_path: Path) -> None:
    collections.start()
    assert collections._process.pid is None
    assert not store_path.exists()


def has_read(store_path: Path, wanted: int) -> bool:
    return len(documents(store_path)) >= wanted


def documents(store_path: Path) -> set[str]:
    if not store_path.exists():
        return set()
    with closing(sqlite3.connect(store_path, timeout=60)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'document'").fetchone():
            return set()
        return {each for (each,) in connection.execute("SELECT hash FROM document")}
