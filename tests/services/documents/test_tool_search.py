"""What tools find in documents and collections of a chat, and what they read of them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.core.messages import DocumentPart
from app.core.program import own_command
from app.services.documents.tool_search import ToolSearch
from app.storage.attachments import AttachmentStore
from app.storage.passages.collection_rows import FoundFile
from app.storage.passages.passage import Document
from app.storage.passages.passage_store import PassageStore

NOTES = DocumentPart("", "notes.txt", "The gauge measured 37 cm of rain.")


@pytest.fixture
def search(store_path: Path, tmp_path: Path) -> ToolSearch:
    return ToolSearch(store_path, AttachmentStore(tmp_path / "attachments"), own_command())


@pytest.fixture
def collection(store_path: Path) -> Iterator[int]:
    """With a file of two pages, and one of one text."""
    with closing(PassageStore.open(store_path)) as store:
        number = store.collections.add("Plant")
        store.collections.add_source(number, "/p", is_folder=True)
        store.collections.take(1, [FoundFile(f"/p/{n}", n, n, n) for n in range(2)])
        for document in (
            Document("a" * 64, "pumps.pdf", ("Pumps are primed.", "Valves close."), has_pages=True),
            Document("b" * 64, "rain.txt", ("Rain is wet.",), has_pages=False),
        ):
            waiting = store.collections.waiting()
            assert waiting is not None
            store.put(document, file=waiting[0])
        yield number


def test_documents_and_collections_are_searched_together(search: ToolSearch, collection: int) -> None:
    found = search.find("rain", [NOTES], [collection])
    assert {(each.number, each.name) for each in found} == {(0, "notes.txt"), (0, "rain.txt")}
    (valves,) = search.find("valves", [NOTES], [collection])
    assert (valves.name, valves.page, valves.text) == ("pumps.pdf", 2, "Valves close.")


def test_what_has_none_of_the_words_is_not_found(search: ToolSearch) -> None:
    assert search.find("zebras", [NOTES], []) == ()


def test_a_file_of_a_collection_is_read_whole(search: ToolSearch, collection: int) -> None:
    assert search.text_of("pumps.pdf", [collection]) == "[Page 1]\nPumps are primed.\n\n[Page 2]\nValves close."
    assert search.text_of("rain.txt", [collection]) == "Rain is wet."


def test_what_is_in_no_collection_of_the_chat_is_not_read(search: ToolSearch, collection: int) -> None:
    assert search.text_of("pumps.pdf", [collection + 1]) is None
    assert search.text_of("secret.txt", [collection]) is None


def test_without_a_store_there_is_nothing_to_read(search: ToolSearch) -> None:
    assert search.text_of("pumps.pdf", [1]) is None
