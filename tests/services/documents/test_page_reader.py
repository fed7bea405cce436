"""The page of a passage, as a picture or as text."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import PassagePart
from app.core.program import own_command
from app.services.documents.page_reader import PageReader, ShownPage
from app.storage.attachments import AttachmentStore
from app.storage.passages.passage import Document
from app.storage.passages.passage_store import PassageStore
from tests.document_files import pdf
from tests.waits import WAIT

TEXT = "Wind.\r\nThe gauge measured 37 cm."


@pytest.fixture
def attachments(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path / "attachments")


@pytest.fixture
def reader(tmp_path: Path, attachments: AttachmentStore, qapp: object) -> Iterator[PageReader]:
    made = PageReader(tmp_path / "documents.sqlite3", attachments, own_command())
    yield made
    made.close()


def shown(reader: PageReader, part: PassagePart, page: int, qtbot: QtBot) -> ShownPage:
    heard: list[ShownPage] = []
    reader.show(part, page, heard.append)
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    return heard[0]


def test_a_page_of_a_pdf_is_a_picture_with_the_passage_marked(
    reader: PageReader, attachments: AttachmentStore, qtbot: QtBot
) -> None:
    content_hash = attachments.put(pdf("First.", "Wind.\nThe gauge measured 37 cm."))
    part = PassagePart(1, content_hash, "rain.pdf", "The gauge measured 37 cm.", 2, 7, 32)
    page = shown(reader, part, 2, qtbot)
    assert page.image is not None and page.image.height() == 1600
    assert (page.page, page.n_pages, len(page.marks), page.problem) == (2, 2, 1, "")
    before = shown(reader, part, 1, qtbot)
    assert before.image is not None and before.marks == ()


def test_other_files_are_shown_as_what_was_read_of_them(
    reader: PageReader, attachments: AttachmentStore, tmp_path: Path, qtbot: QtBot
) -> None:
    content_hash = attachments.put(TEXT.encode())
    store = PassageStore.open(tmp_path / "documents.sqlite3")
    store.put(Document(content_hash, "rain.txt", (TEXT,), has_pages=False), attached=True)
    store.close()
    part = PassagePart(1, content_hash, "rain.txt", "The gauge measured 37 cm.", None, 7, 32)
    page = shown(reader, part, 1, qtbot)
    assert (page.text, page.mark, page.page, page.problem) == (TEXT, (7, 32), 0, "")


def test_where_nothing_is_left_the_passage_itself_is_shown(reader: PageReader, qtbot: QtBot) -> None:
    part = PassagePart(1, "ab" * 32, "rain.pdf", "The gauge measured 37 cm.", 2, 7, 32)
    page = shown(reader, part, 2, qtbot)
    assert (page.text, page.mark) == (part.text, (0, len(part.text))) and "not there any more" in page.problem


def test_a_page_that_can_not_be_drawn_is_said(reader: PageReader, attachments: AttachmentStore, qtbot: QtBot) -> None:
    content_hash = attachments.put(b"%PDF-1.4 rubbish")
    page = shown(reader, PassagePart(1, content_hash, "rain.pdf", "The gauge.", 2, 0, 9), 2, qtbot)
    assert page.text == "The gauge." and "no PDF file" in page.problem


def test_a_part_of_a_whole_document_is_found_by_its_text(
    reader: PageReader, attachments: AttachmentStore, qtbot: QtBot
) -> None:
    """Of such a part no place is known, and nothing of its file is kept but the file."""
    drawn = attachments.put(pdf("First.", "Wind.\nThe gauge measured 37 cm."))
    page = shown(reader, PassagePart(2, drawn, "rain.pdf", "The gauge measured\n37 cm.", 2), 2, qtbot)
    assert page.image is not None and (len(page.marks), page.problem) == (1, "")
    chosen = shown(reader, PassagePart(2, drawn, "rain.pdf, page 2", "Wind.", 2), 2, qtbot)
    assert len(chosen.marks) == 1 and chosen.marks[0][1] < page.marks[0][1]
    text = attachments.put(TEXT.encode())
    page = shown(reader, PassagePart(1, text, "rain.txt", "The gauge\nmeasured 37 cm."), 1, qtbot)
    assert (page.text[slice(*page.mark)], page.page, page.problem) == ("The gauge measured 37 cm.", 0, "")
