"""Documents that are attached, over a real thread and store; the model that counts is a stand-in."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart
from app.services.drafts import document_reader
from app.services.drafts.document_states import ScannedDocument, UnknownFile
from app.services.drafts.draft_documents import MOST_DOCUMENTS, DraftDocuments
from app.services.engine.service import EngineService
from app.services.engine.states import NoModel
from app.services.engine.token_counts import TokenCounts
from app.services.runtime.worker_thread import WorkerThread
from app.storage.attachments import AttachmentStore
from tests.document_files import pdf
from tests.picture_files import png
from tests.ui.fakes import READY, FakeEngine
from tests.waits import WAIT


class Stand:
    def __init__(self, store: AttachmentStore) -> None:
        self.store = store
        self.engine = FakeEngine()
        self.thread = WorkerThread(name="documents")
        self.counts = TokenCounts(cast(EngineService, self.engine))
        self.drafts = DraftDocuments(store, self.thread, self.counts)
        self.sentences: list[str] = []
        self.scanned: list[ScannedDocument] = []
        self.pictures: list[UnknownFile] = []
        self.drawn: list[tuple[bytes, str]] = []
        self.progress: list[float] = []
        self.drafts.noticed.connect(self.sentences.append)
        self.drafts.scanned.connect(self.scanned.append)
        self.drafts.is_picture.connect(self.pictures.append)
        self.drafts.page_drawn.connect(lambda data, name: self.drawn.append((bytes(data), name)))
        self.drafts.changed.connect(
            lambda documents: self.progress.extend(each.progress for each in documents if each.progress is not None)
        )

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.drafts.documents]

    def settle(self, qtbot: QtBot) -> None:
        qtbot.waitUntil(lambda: all(each.part for each in self.drafts.documents), timeout=WAIT)


@pytest.fixture
def stand(qapp: object, tmp_path: Path) -> Iterator[Stand]:
    made = Stand(AttachmentStore(tmp_path / "kept"))
    yield made
    made.drafts.close()
    made.thread.close()
    assert not made.thread.is_running


def test_a_file_is_read_and_kept(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_bytes("# Größe\r\n".encode("cp1252"))
    stand.drafts.add_file(tmp_path / "notes.md")
    (pending,) = stand.drafts.documents
    assert (pending.name, pending.part, stand.drafts.parts) == ("notes.md", None, ())
    stand.settle(qtbot)
    (document,) = stand.drafts.documents
    part = document.part
    assert part is not None
    assert (part.name, part.text, document.size) == ("notes.md", "# Größe\n", 9)
    assert stand.store.get(part.content_hash) == "# Größe\r\n".encode("cp1252")
    assert not document.is_pasted


def test_a_pdf_file_is_read_page_by_page(
    qtbot: QtBot, stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reader, "SLICE", 0.0)
    (tmp_path / "a.pdf").write_bytes(pdf("one", "two", "three"))
    stand.drafts.add_file(tmp_path / "a.pdf")
    stand.settle(qtbot)
    assert stand.progress == [0.0, 1 / 3, 2 / 3]
    (part,) = stand.drafts.parts
    assert part.text == "[Page 1]\none\n\n[Page 2]\ntwo\n\n[Page 3]\nthree\n"
    assert stand.store.get(part.content_hash) == pdf("one", "two", "three")


def test_reading_is_stopped_and_the_file_closed(qtbot: QtBot, stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_reader, "SLICE", 0.0)
    stand.drafts.add(pdf(*["text"] * 500), "a.pdf")
    qtbot.waitUntil(lambda: bool(stand.progress), timeout=WAIT)
    stand.drafts.remove(stand.drafts.documents[0].number)
    assert stand.names == []
    told = len(stand.progress)
    stand.drafts.add(b"after", "b.txt")
    stand.settle(qtbot)
    assert stand.names == ["b.txt"]
    assert len(stand.progress) == told < 500
    assert stand.sentences == []


def test_what_cannot_be_read_says_so_and_goes(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    huge = tmp_path / "huge.log"
    with huge.open("wb") as file:
        file.truncate(10 << 30)
    (tmp_path / "program").write_bytes(b"\x7fELF\0\0")
    for name in ("folder", "pipe", "huge.log", "program", "none.txt"):
        stand.drafts.add_file(tmp_path / name)
    qtbot.waitUntil(lambda: stand.names == [], timeout=WAIT)
    assert stand.sentences[:4] == [
        "folder is a folder; attach the files that are in it.",
        "pipe is no file that can be read; attach another one.",
        "huge.log has 10,240 MiB, and Hearth reads up to 16; attach the part that matters.",
        "program is no text; attach text, source code or PDF files.",
    ]
    assert "none.txt" in stand.sentences[4]
    assert not (tmp_path / "kept").exists()


def test_a_scanned_file_is_offered_by_its_pages(qtbot: QtBot, stand: Stand) -> None:
    data = pdf(*[""] * 20, picture=True)
    stand.drafts.add(data, "scan.pdf")
    qtbot.waitUntil(lambda: bool(stand.scanned), timeout=WAIT)
    assert stand.scanned == [ScannedDocument("scan.pdf", 20, data)]
    assert stand.names == []
    stand.drafts.draw_pages(stand.scanned[0])
    qtbot.waitUntil(lambda: len(stand.drawn) == 16, timeout=WAIT)
    assert stand.drawn[15][1] == "scan, page 16.png"
    assert stand.drawn[0][0].startswith(b"\x89PNG")


def test_a_file_without_a_telling_name_may_be_a_picture(qtbot: QtBot, stand: Stand, tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(png())
    (tmp_path / "Makefile").write_text("all:\n")
    stand.drafts.add_file(tmp_path / "image")
    stand.drafts.add_file(tmp_path / "Makefile")
    stand.settle(qtbot)
    assert stand.pictures == [UnknownFile(tmp_path / "image")]
    assert stand.names == ["Makefile"]


def test_pasted_text_is_no_file(stand: Stand) -> None:
    assert stand.drafts.add_text("long text", "Pasted text")
    (document,) = stand.drafts.documents
    assert document.is_pasted
    assert stand.drafts.parts == (DocumentPart("", "Pasted text", "long text"),)


def test_there_are_limits(stand: Stand) -> None:
    for _ in range(MOST_DOCUMENTS):
        assert stand.drafts.add_text("x", "a")
    assert not stand.drafts.add_text("x", "b")
    assert stand.sentences == ["A message takes at most 32 files; send these first."]


def test_each_conversation_has_its_own(stand: Stand) -> None:
    stand.drafts.add_text("x", "a")
    stand.drafts.show_conversation(4)
    assert stand.names == []
    stand.drafts.restore((DocumentPart("", "kept", "y"),))
    stand.drafts.add_text("x", "b")
    stand.drafts.restore((DocumentPart("", "first", "z"),))
    assert stand.names == ["first", "kept", "b"]
    assert [each.name for each in stand.drafts.take()] == ["first", "kept", "b"]
    assert stand.names == []
    stand.drafts.show_conversation(None)
    assert stand.names == ["a"]


def test_tokens_are_reckoned_until_a_model_counts_them(stand: Stand) -> None:
    stand.drafts.add_text("x" * 3500, "a")
    tokens = stand.drafts.documents[0].tokens
    assert tokens is not None
    assert not tokens.exact and 900 < tokens.n < 1100
    assert not stand.counts.want(stand.drafts.parts), "nobody can count"
    stand.engine.enter(READY)
    assert stand.counts.want(stand.drafts.parts)
    stand.engine.end_count(812)
    tokens = stand.drafts.documents[0].tokens
    assert tokens is not None and (tokens.n, tokens.exact) == (812, True)
    stand.engine.enter(NoModel())
    tokens = stand.drafts.documents[0].tokens
    assert tokens is not None and not tokens.exact


def brought_back(qtbot: QtBot, stand: Stand, n: int = 30) -> DocumentPart:
    """Pages 2 and 3 of a document of `n`, as a draft is after a restart: the file is kept, and what was chosen."""
    stand.drafts.add(pdf(*(f"text {number}" for number in range(1, n + 1))), "a.pdf")
    stand.settle(qtbot)
    stand.drafts.choose_pages(stand.drafts.documents[0].number, (2, 3))
    (part,) = stand.drafts.take()
    assert part.name == "a.pdf, pages 2-3"
    stand.drafts.restore((part,))
    return part


def test_other_pages_can_be_chosen_of_a_draft_that_was_brought_back(
    qtbot: QtBot, stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_reader, "SLICE", 0.0)
    part = brought_back(qtbot, stand)
    (document,) = stand.drafts.documents
    assert document.has_pages and not document.is_busy
    stand.progress.clear()
    with qtbot.waitSignal(stand.drafts.pages_found, timeout=WAIT) as found:
        stand.drafts.find_pages(document.number)
        assert stand.drafts.documents[0].is_busy
        assert stand.drafts.parts == (part,), "it can be sent meanwhile"
    assert found.args == [document.number]
    assert len(stand.progress) > 3, "reading a long file is told"
    (document,) = stand.drafts.documents
    assert (document.pages, document.n_pages, document.is_busy) == ((2, 3), 30, False)
    stand.drafts.choose_pages(document.number, (30,))
    assert stand.drafts.parts[0].text == "[Page 30]\ntext 30\n"
    assert stand.drafts.parts[0].name == "a.pdf, page 30"
    stand.drafts.choose_pages(document.number, tuple(range(1, 31)))
    assert stand.drafts.documents[0].whole is None
    assert stand.names == ["a.pdf"]


@pytest.mark.parametrize("fate", ["gone", "damaged"])
def test_why_no_other_pages_can_be_chosen_is_said(qtbot: QtBot, stand: Stand, tmp_path: Path, fate: str) -> None:
    part = brought_back(qtbot, stand)
    (file,) = (each for each in (tmp_path / "kept").rglob("*") if each.is_file())
    file.unlink() if fate == "gone" else file.write_bytes(b"%PDF-1.4 and so on")
    (document,) = stand.drafts.documents
    with qtbot.waitSignal(stand.drafts.noticed, timeout=WAIT):
        stand.drafts.find_pages(document.number)
    assert stand.sentences == ["The file of a.pdf is not kept any more; attach it again to choose its pages."]
    assert stand.drafts.parts == (part,)
    assert not stand.drafts.documents[0].is_busy


def test_what_is_sent_meanwhile_is_not_read_on(qtbot: QtBot, stand: Stand) -> None:
    brought_back(qtbot, stand)
    found: list[int] = []
    stand.drafts.pages_found.connect(found.append)
    stand.drafts.find_pages(stand.drafts.documents[0].number)
    assert len(stand.drafts.take()) == 1
    ended: list[object] = []
    stand.thread.submit(lambda: None, ended.append)
    qtbot.waitUntil(lambda: bool(ended), timeout=WAIT)
    assert not found


def test_pages_that_are_at_hand_need_no_reading(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add(pdf("one", "two"), "a.pdf")
    stand.settle(qtbot)
    found: list[int] = []
    stand.drafts.pages_found.connect(found.append)
    stand.drafts.find_pages(stand.drafts.documents[0].number)
    assert found == [stand.drafts.documents[0].number]


def test_what_is_still_being_read_stays_in_the_draft(qtbot: QtBot, stand: Stand) -> None:
    stand.drafts.add_text("words", "read")
    stand.drafts.add(b"more words", "unread.txt")
    assert [each.name for each in stand.drafts.take()] == ["read"]
    assert stand.names == ["unread.txt"]
    stand.settle(qtbot)
    assert [each.name for each in stand.drafts.take()] == ["unread.txt"]
    assert not stand.names
