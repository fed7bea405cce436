"""A document that is too long is offered page by page, in the whole window."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart
from app.services.drafts.offers import DocumentFile
from app.services.drafts.pending import parts_of
from app.services.engine.states import ModelReady
from app.services.engine.token_counts import TokenCount
from app.ui.composer.pages_dialog import PagesDialog
from app.ui.widgets.announcer import Announcer
from tests.document_files import pdf
from tests.ui.conftest import Stage
from tests.ui.fakes import READY
from tests.waits import WAIT

TEN = "".join(f"[Page {number}]\n{'x' * 90}\n\n" for number in range(1, 11))


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def dialog(parent: QWidget, room: int | None, tokens: int = 1000) -> PagesDialog:
    return PagesDialog(DocumentPart("hash", "a.pdf", TEN), TokenCount(tokens, exact=True), room, parent)


@pytest.mark.parametrize(("room", "pages"), [(None, "1-10"), (500, "1-3"), (5000, "1-10"), (0, "1"), (20, "1")])
def test_the_first_pages_that_leave_room_are_proposed(parent: QWidget, room: int | None, pages: str) -> None:
    made = dialog(parent, room)
    assert made.field.text() == pages
    assert made.field.selectedText() == pages


def test_it_says_what_the_pages_take(parent: QWidget) -> None:
    made = dialog(parent, 500)
    taken: list[object] = []
    made.chosen.connect(taken.append)
    made.field.setText("2-3, 9")
    assert made.status.text() == "About 300 tokens, and 500 are free."
    made.field.setText("1-8")
    assert made.status.text() == "About 799 tokens: too many, as 500 are free."
    assert made.status.property("tone") == "danger"
    made.field.setText("11")
    assert made.status.text() == "Name pages from 1 to 10, as in 1-20, 45."
    assert not made.take_button.isEnabled()
    made.field.setText("2-3, 9")
    made.take_button.click()
    assert taken == [(2, 3, 9)]


def too_long(qtbot: QtBot, stage: Stage, n: int) -> None:
    """A document of three pages in the field, which has `n` tokens, and a model that holds 8,192."""
    stage.engine.enter(READY)
    stage.window.composer.focus_text()
    path = stage.state_folder / "long.pdf"
    path.write_bytes(pdf("one", "two", "three"))
    stage.writing.attachments.add(DocumentFile(path))
    qtbot.waitUntil(lambda: bool(stage.engine.counting), timeout=WAIT)
    stage.engine.end_count(n)


def test_what_never_fits_stays_in_the_field(qtbot: QtBot, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    composer = stage.window.composer
    said: list[str] = []
    (announcer,) = stage.window.findChildren(Announcer)
    monkeypatch.setattr(announcer, "_tell", lambda sentence, _: said.append(sentence))
    too_long(qtbot, stage, 9000)
    with qtbot.waitSignal(composer.refused) as refused:
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert refused.args == [composer.line.sentence.text()]
    assert not stage.window.notices.bars, "the line at the field says it"
    assert said == refused.args, "a screen reader hears it"
    assert composer.line.property("insists")
    assert [each.name for each in stage.writing.attachments.pending] == ["long.pdf"]
    assert stage.controller.calls == []
    stage.writing.attachments.remove(stage.writing.attachments.pending[0].number)
    qtbot.waitUntil(lambda: not composer.line.property("insists"))


def test_pages_of_a_long_document_are_chosen(qtbot: QtBot, stage: Stage) -> None:
    composer = stage.window.composer
    too_long(qtbot, stage, 9000)
    assert composer.line.button.text() == "Choose pages…"
    composer.line.button.click()
    (made,) = stage.window.findChildren(PagesDialog)
    made.field.setText("2")
    made.take_button.click()
    (chip,) = composer.documents.items
    document = chip.pending
    assert document.name == "long.pdf, page 2"
    assert document.part is not None and document.part.text == "[Page 2]\ntwo\n"
    (action,) = (each for each in chip.menu().actions() if each.text() == "Choose pages…")
    qtbot.waitUntil(lambda: not stage.window.findChildren(PagesDialog))
    action.trigger()
    (again,) = stage.window.findChildren(PagesDialog)
    assert again.field.text() == "2"
    again.field.setText("1-3")
    again.take_button.click()
    assert chip.pending.name == "long.pdf"
    assert chip.pending.whole is None


def test_pages_of_a_draft_that_was_brought_back_are_chosen_again(qtbot: QtBot, stage: Stage) -> None:
    composer, drafts = stage.window.composer, stage.writing.attachments
    too_long(qtbot, stage, 9000)
    drafts.choose_pages(drafts.pending[0].number, (2,))
    drafts.restore(parts_of(drafts.take()))
    (chip,) = composer.documents.items
    (action,) = (each for each in chip.menu().actions() if each.text() == "Choose pages…")
    action.trigger()
    qtbot.waitUntil(lambda: bool(stage.window.findChildren(PagesDialog)), timeout=WAIT)
    (made,) = stage.window.findChildren(PagesDialog)
    assert made.field.text() == "2"
    made.field.setText("3")
    made.take_button.click()
    assert chip.pending.name == "long.pdf, page 3"
    assert chip.pending.part is not None and chip.pending.part.text == "[Page 3]\nthree\n"


@pytest.mark.parametrize(
    ("trained", "n", "told"),
    [
        (
            32768,
            9000,
            "context of 8,192 tokens: shorten it, or load the model with a larger one; it was made for up to 32,768.",
        ),
        (8192, 9000, "and for the 8,192 tokens that the model was made for: shorten it, or choose another model."),
        (32768, 40_000, "and for the 32,768 tokens that the model was made for: shorten it, or choose another model."),
        (0, 9000, "context: shorten it, or load the model with a larger one."),
    ],
)
def test_the_sentence_says_what_would_help(qtbot: QtBot, stage: Stage, trained: int, n: int, told: str) -> None:
    stage.engine.enter(ModelReady(replace(READY.info, n_ctx_train=trained)))
    QTest.keyClicks(stage.window.composer.edit, "hello")
    qtbot.waitUntil(lambda: bool(stage.engine.counting))
    stage.engine.end_count(n)
    assert stage.window.composer.line.sentence.text().endswith(told)
