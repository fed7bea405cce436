"""What a chat finds in documents that are attached to it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.messages import DocumentPart
from app.core.program import own_command
from app.engine.documents.document_pages import with_pages
from app.services.documents.passage_finder import PassageFinder
from app.services.documents.passage_lookup import Asked, PassageLookup, key_of
from app.services.documents.reading import read_document
from app.storage.attachments import AttachmentStore
from tests.document_files import pdf

PAGES = ("About the wind, which comes from the sea.", "The gauge measured 37 cm of rain.", "Frost ends in March.")


@pytest.fixture
def attachments(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "attachments")


@pytest.fixture
def lookup(tmp_path: Path, attachments: AttachmentStore) -> Iterator[PassageLookup]:
    path = tmp_path / "documents.sqlite3"
    made = PassageLookup(path, attachments, PassageFinder(path, own_command()), own_command())
    yield made
    made.close()


def attached(attachments: AttachmentStore) -> DocumentPart:
    data = pdf(*PAGES)
    content_hash = attachments.put(data)
    document, _ = read_document(data, "rain.pdf", command=own_command())
    text = "\n\n".join(f"[Page {n}]\n{page}" for n, page in enumerate(document.pages, 1))
    return DocumentPart(content_hash, "rain.pdf", text, by_passages=True)


def test_the_page_with_the_words_comes_first(lookup: PassageLookup, attachments: AttachmentStore) -> None:
    part = attached(attachments)
    assert lookup.keep(part) == 3
    found = lookup.find(Asked("How much rain was measured?", (part,), most=2))
    first = found.passages[0]
    assert (first.page, first.body, found.names) == (2, PAGES[1], {part.content_hash: "rain.pdf"})


def test_of_chosen_pages_no_others_are_found(lookup: PassageLookup, attachments: AttachmentStore) -> None:
    part = with_pages(attached(attachments), (1, 3))
    found = lookup.find(Asked("rain gauge, wind, or frost?", (part,)))
    assert {each.page for each in found.passages} == {1, 3}
    assert found.names == {part.content_hash: "rain.pdf, pages 1, 3"}


def test_a_question_without_its_words_brings_its_beginning(lookup: PassageLookup, attachments: AttachmentStore) -> None:
    found = lookup.find(Asked("Zusammenfassung?", (attached(attachments),), most=1))
    assert [each.page for each in found.passages] == [1] and found.is_beginning
    told = lookup.find(Asked("Zusammenfassung?", (attached(attachments),), or_beginning=False))
    assert not told.passages and not told.is_beginning
    assert not lookup.find(Asked("gauge", (attached(attachments),))).is_beginning


def test_a_text_that_never_was_a_file_and_a_lost_file_are_searched_as_they_stand(lookup: PassageLookup) -> None:
    pasted = DocumentPart("", "Pasted text", "The gauge measured 37 cm of rain.", by_passages=True)
    lost = replace(pasted, content_hash="ab" * 32)
    for part in (pasted, lost):
        (found,) = lookup.find(Asked("rain?", (part,))).passages
        assert (found.content_hash, found.page) == (key_of(part), None)


def test_nothing_is_found_where_nothing_is_asked_of(lookup: PassageLookup, attachments: AttachmentStore) -> None:
    lookup.keep(attached(attachments))
    assert lookup.find(Asked("rain?")).passages == []
