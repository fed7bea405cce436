"""Collections and their search on a real store, with a child that indexes."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.program import own_command
from app.services.documents.document_collections import CollectionFiles, DocumentCollections
from app.services.documents.index_states import FoundPassages
from app.services.documents.search import DocumentSearch
from app.storage.passages.passage import FileState, IndexedFile
from tests.waits import WAIT


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "documents.sqlite3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What people put into a collection."""
    made = tmp_path / "papers"
    made.mkdir()
    return made


@pytest.fixture
def collections(store_path: Path, qapp: object) -> Iterator[DocumentCollections]:
    made = DocumentCollections(store_path, own_command())
    yield made
    made.close()


@pytest.fixture
def search(store_path: Path, qapp: object) -> Iterator[DocumentSearch]:
    made = DocumentSearch(store_path, own_command())
    yield made
    made.close()


Files = Callable[[], tuple[IndexedFile, ...]]


@pytest.fixture
def files(collections: DocumentCollections, qtbot: QtBot) -> Files:
    """Of the first collection, when they are told."""

    def ask() -> tuple[IndexedFile, ...]:
        with qtbot.waitSignal(collections.files_told, timeout=WAIT) as told:
            collections.ask_files(collections.collections[0].id)
        assert told.args
        found: CollectionFiles = told.args[0]
        return found.files

    return ask


@pytest.fixture
def read(collections: DocumentCollections, files: Files, qtbot: QtBot) -> Callable[[int], dict[str, IndexedFile]]:
    """Waits until so many files are done with, and nothing is going on; they by name."""

    def n_settled() -> int:
        return sum(each.n_done + each.n_failed for each in collections.collections)

    def wait(count: int) -> dict[str, IndexedFile]:
        def is_settled() -> bool:
            known = collections.collections
            return bool(known) and known[0].n_done + known[0].n_failed == known[0].n_files == count

        def has_gone_on(before: int) -> bool:
            return is_settled() or n_settled() != before

        # As long as it goes on: what lets others go first may get little of a busy machine.
        while not is_settled():
            qtbot.waitUntil(partial(has_gone_on, n_settled()), timeout=WAIT)
        found = files()
        assert all(each.state in (FileState.DONE, FileState.FAILED) for each in found)
        return {Path(each.path).name: each for each in found}

    return wait


@pytest.fixture
def find(search: DocumentSearch, qtbot: QtBot) -> Callable[[str], FoundPassages]:
    """In the first collection."""

    def ask(question: str) -> FoundPassages:
        told: list[FoundPassages] = []
        search.found.connect(told.append)
        search.search(question, 1)
        qtbot.waitUntil(lambda: bool(told), timeout=WAIT)
        search.found.disconnect(told.append)
        return told[0]

    return ask
