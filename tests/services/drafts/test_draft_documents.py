"""Documents that are attached; the model that counts is a stand-in."""

import os
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart
from app.services.drafts import document_reader
from app.services.drafts.offers import DocumentFile, DocumentText
from app.services.drafts.pending import PendingDocument, PendingPicture, ScannedDocument
from app.services.engine.states import NoModel
from tests.document_files import pdf
from tests.picture_files import png
from tests.services.attaching import Stand
from tests.ui.fakes import READY
from tests.waits import WAIT


@pytest.fixture
def progress(stand: Stand) -> list[float]:
    told: list[float] = []
    stand.drafts.changed.connect(
        lambda pending: told.extend(
            each.progress for each in pending if isinstance(each, PendingDocument) and each.progress is not None
        )
    )
    return told


def test_a_file_is_read_and_kept(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_bytes("# Größe\r\n".encode("cp1252"))
    stand.drafts.add(DocumentFile(tmp_path / "notes.md"))
    (pending,) = stand.documents
    assert (pending.name, pending.part, stand.drafts.parts) == ("notes.md", None, ())
    stand.settle(qtbot)
    (document,) = stand.documents
    part = document.part
    assert part is not None
    assert (part.name, part.text, document.size) == ("notes.md", "# Größe\n", 9)
    assert stand.store.get(part.content_hash) == "# Größe\r\n".encode("cp1252")
    assert not document.is_pasted


def test_a_pdf_file_is_read_page_by_page(
    qtbot: QtBot, stand: Stand, progress: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reader, "SLICE", 0.0)
    (tmp_path / "a.pdf").write_bytes(pdf("one", "two", "three"))
    stand.drafts.add(DocumentFile(tmp_path / "a.pdf"))
    stand.settle(qtbot)
    assert progress == sorted(progress) and set(progress) == {0.0, 1 / 3, 2 / 3}
    part = stand.documents[0].part
    assert part is not None and part.text == "[Page 1]\none\n\n[Page 2]\ntwo\n\n[Page 3]\nthree\n"
    assert stand.store.get(part.content_hash) == pdf("one", "two", "three")


def test_whatever_is_being_read_when_all_ends_is_closed(
    qtbot: QtBot, stand: Stand, progress: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reader, "SLICE", 0.0)
    before = set(psutil.Process().children())
    stand.add_document(pdf(*["text"] * 500), "a.pdf")
    qtbot.waitUntil(lambda: bool(progress), timeout=WAIT)
    assert set(psutil.Process().children()) - before, "a process reads it"
    stand.drafts.close()
    assert not set(psutil.Process().children()) - before


def test_reading_is_stopped_and_the_file_closed(
    qtbot: QtBot, stand: Stand, progress: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reader, "SLICE", 0.0)
    stand.add_document(pdf(*["text"] * 500), "a.pdf")
    qtbot.waitUntil(lambda: bool(progress), timeout=WAIT)
    stand.drafts.remove(stand.documents[0].number)
    assert stand.names == []
    told = len(progress)
    stand.add_document(b"after", "b.txt")
    stand.settle(qtbot)
    assert stand.names == ["b.txt"]
    assert len(progress) == told < 500
    assert stand.sentences == []


def test_what_cannot_be_read_says_so_and_goes(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    huge = tmp_path / "huge.log"
    with huge.open("wb") as file:
        file.truncate(10 << 30)
    (tmp_path / "program").write_bytes(b"\x7fELF\0\0")
    for name in ("folder", "pipe", "huge.log", "program", "none.txt"):
        stand.drafts.add(DocumentFile(tmp_path / name))
    qtbot.waitUntil(lambda: stand.names == [], timeout=WAIT)
    assert stand.sentences[:4] == [
        "folder is a folder; attach the files that are in it.",
        "pipe is no file that can be read; attach another one.",
        "huge.log has 10,240 MiB, and Hearth reads up to 16; use a file of the part that matters.",
        "program is no text; Hearth reads text, source code, PDF and office files.",
    ]
    assert "none.txt" in stand.sentences[4]
    assert not (tmp_path / "kept").exists()


def test_a_scanned_file_is_offered_by_its_pages(qtbot: QtBot, stand: Stand) -> None:
    data = pdf(*[""] * 20, picture=True)
    stand.add_document(data, "scan.pdf")
    qtbot.waitUntil(lambda: bool(stand.scanned), timeout=WAIT)
    assert stand.scanned == [ScannedDocument("scan.pdf", 20, data)]
    assert stand.names == []
    stand.drafts.draw_pages(stand.scanned[0])
    qtbot.waitUntil(lambda: len(stand.names) == 16, timeout=WAIT)
    stand.settle(qtbot)
    assert stand.names[15] == "scan, page 16.png"


def test_a_file_without_a_telling_name_may_be_a_picture(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(png())
    (tmp_path / "Makefile").write_text("all:\n")
    stand.drafts.add(DocumentFile(tmp_path / "image"))
    stand.drafts.add(DocumentFile(tmp_path / "Makefile"))
    qtbot.waitUntil(lambda: stand.names == ["Makefile", "image"], timeout=WAIT)
    stand.settle(qtbot)
    assert isinstance(stand.drafts.pending[1], PendingPicture)


def test_pasted_text_is_no_file(stand: Stand) -> None:
    assert stand.drafts.add(DocumentText("long text", "Pasted text"))
    (document,) = stand.documents
    assert document.is_pasted
    assert stand.drafts.parts == (DocumentPart("", "Pasted text", "long text"),)


def test_tokens_are_reckoned_until_a_model_counts_them(stand: Stand) -> None:
    stand.drafts.add(DocumentText("x" * 3500, "a"))
    tokens = stand.documents[0].tokens
    assert tokens is not None
    assert not tokens.exact and 900 < tokens.n < 1100
    assert not stand.counts.want(stand.drafts.parts), "nobody can count"
    stand.engine.enter(READY)
    assert stand.counts.want(stand.drafts.parts)
    stand.engine.end_count(812)
    tokens = stand.documents[0].tokens
    assert tokens is not None and (tokens.n, tokens.exact) == (812, True)
    stand.engine.enter(NoModel())
    tokens = stand.documents[0].tokens
    assert tokens is not None and not tokens.exact


def brought_back(qtbot: QtBot, stand: Stand, n: int = 30) -> DocumentPart:
    """Pages 2 and 3 of a document of `n`, as a draft is after a restart: the file is kept, and what was chosen."""
    stand.add_document(pdf(*(f"text {number}" for number in range(1, n + 1))), "a.pdf")
    stand.settle(qtbot)
    stand.drafts.choose_pages(stand.documents[0].number, (2, 3))
    (taken,) = stand.drafts.take()
    part = taken.part
    assert isinstance(part, DocumentPart) and part.name == "a.pdf, pages 2-3"
    stand.drafts.restore((part,))
    return part


def test_other_pages_can_be_chosen_of_a_draft_that_was_brought_back(
    qtbot: QtBot, stand: Stand, progress: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reader, "SLICE", 0.0)
    part = brought_back(qtbot, stand)
    (document,) = stand.documents
    assert document.has_pages and not document.is_busy
    progress.clear()
    with qtbot.waitSignal(stand.drafts.pages_found, timeout=WAIT) as found:
        stand.drafts.find_pages(document.number)
        assert stand.documents[0].is_busy
        assert stand.drafts.parts == (part,), "it can be sent meanwhile"
    assert found.args == [document.number]
    assert len(progress) > 3, "reading a long file is told"
    (document,) = stand.documents
    assert (document.pages, document.n_pages, document.is_busy) == ((2, 3), 30, False)
    stand.drafts.choose_pages(document.number, (30,))
    assert stand.drafts.parts == (DocumentPart(part.content_hash, "a.pdf, page 30", "[Page 30]\ntext 30\n"),)
    stand.drafts.choose_pages(document.number, tuple(range(1, 31)))
    assert stand.documents[0].whole is None
    assert stand.names == ["a.pdf"]


@pytest.mark.parametrize("fate", ["gone", "damaged"])
def test_why_no_other_pages_can_be_chosen_is_said(qtbot: QtBot, stand: Stand, tmp_path: Path, fate: str) -> None:
    part = brought_back(qtbot, stand)
    (file,) = (each for each in (tmp_path / "kept").rglob("*") if each.is_file())
    file.unlink() if fate == "gone" else file.write_bytes(b"%PDF-1.4 and so on")
    (document,) = stand.documents
    with qtbot.waitSignal(stand.drafts.noticed, timeout=WAIT):
        stand.drafts.find_pages(document.number)
    assert stand.sentences == ["The file of a.pdf is not kept any more; attach it again to choose its pages."]
    assert stand.drafts.parts == (part,)
    assert not stand.documents[0].is_busy


def test_what_is_sent_meanwhile_is_not_read_on(qtbot: QtBot, stand: Stand) -> None:
    brought_back(qtbot, stand)
    found: list[int] = []
    stand.drafts.pages_found.connect(found.append)
    stand.drafts.find_pages(stand.documents[0].number)
    assert len(stand.drafts.take()) == 1
    stand.add_document(b"after", "b.txt")
    stand.settle(qtbot)
    assert not found


def test_pages_that_are_at_hand_need_no_reading(qtbot: QtBot, stand: Stand) -> None:
    stand.add_document(pdf("one", "two"), "a.pdf")
    stand.settle(qtbot)
    found: list[int] = []
    stand.drafts.pages_found.connect(found.append)
    stand.drafts.find_pages(stand.documents[0].number)
    assert found == [stand.documents[0].number]
