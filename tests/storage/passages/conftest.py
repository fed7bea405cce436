"""A store of documents in a fresh folder."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.storage.passages.passage import Document
from app.storage.passages.passage_search import PassageSearch
from app.storage.passages.passage_store import PassageStore


@pytest.fixture
def passages_path(tmp_path: Path) -> Path:
    return tmp_path / "documents.sqlite3"


@pytest.fixture
def passages(passages_path: Path) -> Iterator[PassageStore]:
    store = PassageStore.open(passages_path)
    yield store
    store.close()


@pytest.fixture
def finder(passages: PassageStore, passages_path: Path) -> Iterator[PassageSearch]:
    search = PassageSearch.open(passages_path)
    yield search
    search.close()


@pytest.fixture
def made() -> Callable[..., Document]:
    """A document of the pages told; of one text, where there is but one."""

    def make(*pages: str, name: str = "a.pdf") -> Document:
        return Document(hashlib.sha256(repr((pages, name)).encode()).hexdigest(), name, pages, len(pages) > 1)

    return make
