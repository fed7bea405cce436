"""Writing in the whole window: files, long pastes, drafts, the queue, what was sent before, and the room that is left.

Store, thread and database are real; conversation and model are stand-ins.
"""

import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, Message, Role, TextPart
from app.core.overflow import Overflow
from app.core.settings import Interface, Motion, SendKey
from app.services.chat.chat_controller import ChatController
from app.services.drafts.composing import Composing as WritingService
from app.services.drafts.offers import DocumentFile, DocumentText
from app.services.drafts.outbox import Hold, Queue
from app.services.drafts.pending import PendingDocument
from app.services.engine.service import EngineService
from app.services.engine.states import Generating, Idle, ModelReady, NoModel
from app.services.engine.token_counts import TokenCount
from app.services.pictures.service import PictureService
from app.services.runtime.debounce import Debounce
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore, MessageState
from app.storage.drafts import DraftStore
from app.ui.composer.composer import Composer
from app.ui.composer.mime_content import MimeContent
from app.ui.composer.pages_dialog import PagesDialog
from app.ui.richtext.svg_picture import paint_svg
from app.ui.theme.appearance import Appearance
from app.ui.transcript.document_chips import DocumentDialog
from app.ui.widgets.notices import NoticeBar
from app.ui.window.main_window import MainWindow
from tests.document_files import pdf
from tests.picture_files import png
from tests.ui.conftest import Stage
from tests.ui.fakes import READY, SEEING, opened, stored
from tests.ui.pictures.test_picture_window import drop, mime_of_files
from tests.waits import WAIT

LONG = "\n".join(f"line {number}" for number in range(100))


@pytest.fixture
def composer(stage: Stage) -> Iterator[Composer]:
    stage.window.composer.focus_text()
    yield stage.window.composer
    # What a test copied must not outlive Python.
    QGuiApplication.clipboard().clear()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def settle(qtbot: QtBot, stage: Stage) -> None:
    composer = stage.window.composer
    qtbot.waitUntil(lambda: not composer.documents.is_reading and not composer.pictures.is_reading, timeout=WAIT)


def names(stage: Stage) -> list[str]:
    return [chip.pending.name for chip in stage.window.composer.documents.items]


def sent(stage: Stage) -> list[tuple[object, ...]]:
    return [call for call in stage.controller.calls if call[0] in ("send", "send_to")]


def bars(stage: Stage) -> list[NoticeBar]:
    return stage.window.notices.bars


def act(bar: NoticeBar) -> None:
    assert bar.action_button is not None
    bar.action_button.click()


def paste(composer: Composer, text: str) -> None:
    mime = QMimeData()
    mime.setText(text)
    QGuiApplication.clipboard().setMimeData(mime)
    QTest.keySequence(composer.edit, QKeySequence(QKeySequence.StandardKey.Paste))


def enter(composer: Composer, text: str = "") -> None:
    if text:
        QTest.keyClicks(composer.edit, text)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)


def test_dropped_files_are_attached_and_sent_before_the_words(
    qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path
) -> None:
    stage.engine.enter(SEEING)
    paths = (
        write(tmp_path / "a.pdf", pdf("on paper")),
        write(tmp_path / "b.py", b"print()\r\n"),
        write(tmp_path / "c.png", png()),
    )
    drop(stage, mime_of_files(*paths))
    settle(qtbot, stage)
    assert names(stage) == ["a.pdf", "b.py"]
    enter(composer, "what is it?")
    ((_, text, attachments),) = sent(stage)
    assert text == "what is it?"
    assert isinstance(attachments, tuple)
    picture, first, second = attachments
    assert picture.name == "c.png"
    assert (first.name, first.text) == ("a.pdf", "[Page 1]\non paper\n")
    assert (second.name, second.text) == ("b.py", "print()\n")
    assert AttachmentStore(tmp_path / "attachments").get(second.content_hash) == b"print()\r\n"
    assert composer.documents.isHidden()
    assert DraftStore(stage.database).get(None).is_empty


def test_the_window_says_what_a_drop_will_do(stage: Stage, tmp_path: Path) -> None:
    mime = mime_of_files(write(tmp_path / "a.txt", b"x"), write(tmp_path / "b.txt", b"y"))
    area = stage.window.area
    entered = QDragEnterEvent(
        area.rect().center(), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QCoreApplication.sendEvent(area, entered)
    assert area.overlay.isVisible()
    assert area.overlay.accessibleName() == "Drop to attach 2 files"


def test_copied_files_are_pasted(qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"its text")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    mime.setText(str(path))
    QGuiApplication.clipboard().setMimeData(mime)
    QTest.keySequence(composer.edit, QKeySequence(QKeySequence.StandardKey.Paste))
    settle(qtbot, stage)
    assert names(stage) == ["a.txt"]
    assert composer.edit.toPlainText() == ""


def test_files_are_picked(qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"its text")
    QTest.keySequence(stage.window, "Ctrl+Shift+T")
    (dialog,) = [each for each in QApplication.topLevelWidgets() if isinstance(each, QFileDialog) and each.isVisible()]
    dialog.filesSelected.emit([str(path)])
    dialog.close()
    settle(qtbot, stage)
    assert names(stage) == ["a.txt"]
    choices = [each.text() for each in composer.attach_button.choices.actions() if each.isVisible()]
    assert choices == ["Add a picture…", "Add a recording…", "Attach a file…", "Documents"]


def test_the_menu_opens_by_the_keyboard(stage: Stage, composer: Composer) -> None:
    composer.attach_button.setFocus()
    QTest.keyClick(composer.attach_button, Qt.Key.Key_Space)
    assert composer.attach_button.choices.isVisible()
    assert composer.attach_button.choices.activeAction() is composer.attach_button.choices.actions()[0]
    composer.attach_button.choices.close()


def test_enter_waits_for_the_file(qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path) -> None:
    drop(stage, mime_of_files(write(tmp_path / "a.pdf", pdf(*["text"] * 50))))
    enter(composer, "and?")
    assert composer.line.sentence.text() == "The message goes as soon as its files are read…"
    assert sent(stage) == []
    qtbot.waitUntil(lambda: len(sent(stage)) == 1, timeout=WAIT)
    assert cast(tuple[DocumentPart, ...], sent(stage)[0][2])[0].name == "a.pdf"


def test_a_file_that_fails_holds_the_message(qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path) -> None:
    drop(stage, mime_of_files(write(tmp_path / "a.bin", b"\0\1\2")))
    enter(composer, "and?")
    qtbot.waitUntil(lambda: names(stage) == [], timeout=WAIT)
    assert sent(stage) == []
    assert composer.edit.toPlainText() == "and?"
    [bar] = bars(stage)
    assert bar.sentence.text() == "a.bin is no text; Hearth reads text, source code, PDF and office files."


def test_what_nobody_took_is_attached_again(qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path) -> None:
    stage.controller.takes = False
    drop(stage, mime_of_files(write(tmp_path / "a.txt", b"its text")))
    settle(qtbot, stage)
    enter(composer, "hello")
    assert len(sent(stage)) == 1
    assert names(stage) == ["a.txt"]
    assert composer.edit.toPlainText() == "hello"
    kept = DraftStore(stage.database).get(None)
    assert (kept.text, [each.name for each in kept.attachments]) == ("hello", ["a.txt"])


def test_enter_shows_the_text(stage: Stage, composer: Composer) -> None:
    stage.writing.attachments.add(DocumentText("text of a", "a"))
    QTest.keyClick(composer.documents.items[0], Qt.Key.Key_Return)
    (dialog,) = [
        each for each in QApplication.topLevelWidgets() if isinstance(each, DocumentDialog) and each.isVisible()
    ]
    assert dialog.text.toPlainText() == "text of a"
    dialog.close()


def test_chips_by_the_mouse(stage: Stage, composer: Composer) -> None:
    stage.writing.attachments.add(DocumentText("text", "a"))
    (chip,) = composer.documents.items
    told = [each.text() for each in chip.menu().actions() if each.text()]
    assert told[:2] == ["Show the text", "Put it into the field"] and told[-1] == "Remove"
    QTest.mouseClick(chip.remove_button, Qt.MouseButton.LeftButton)
    assert names(stage) == []


def test_a_scanned_file_is_shown_by_its_pages(qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path) -> None:
    path = write(tmp_path / "scan.pdf", pdf("", "", picture=True))
    drop(stage, mime_of_files(path))
    qtbot.waitUntil(lambda: len(bars(stage)) == 1, timeout=WAIT)
    assert bars(stage)[0].sentence.text() == (
        "scan.pdf holds pictures of pages and no text; a model that sees could be shown them."
    )
    stage.engine.enter(SEEING)
    drop(stage, mime_of_files(path))
    qtbot.waitUntil(lambda: len(bars(stage)) == 2, timeout=WAIT)
    act(bars(stage)[1])
    qtbot.waitUntil(lambda: len(composer.pictures.items) == 2, timeout=WAIT)
    settle(qtbot, stage)
    assert [tile.pending.name for tile in composer.pictures.items] == ["scan, page 1.png", "scan, page 2.png"]


@pytest.mark.parametrize("text", [LONG, "word " * 600])
def test_a_long_paste_becomes_an_attachment_and_back(stage: Stage, composer: Composer, text: str) -> None:
    QTest.keyClicks(composer.edit, "see: ")
    paste(composer, text)
    assert (names(stage), composer.edit.toPlainText()) == (["Pasted text"], "see: ")
    paste(composer, text)
    assert names(stage) == ["Pasted text", "Pasted text 2"]
    act(bars(stage)[0])
    assert (names(stage), composer.edit.toPlainText()) == (["Pasted text 2"], "see: " + text)


def test_what_was_sent_can_not_be_put_into_the_field(stage: Stage, composer: Composer) -> None:
    paste(composer, LONG)
    assert len(bars(stage)) == 1
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert names(stage) == []
    assert bars(stage) == []


def test_an_offer_that_is_gone_is_not_kept(stage: Stage, composer: Composer) -> None:
    paste(composer, LONG)
    bar = weakref.ref(bars(stage)[0])
    bars(stage)[0].dismiss()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert names(stage) == ["Pasted text"] and bar() is None


def test_shorter_texts_are_pasted_as_ever(stage: Stage, composer: Composer) -> None:
    paste(composer, "word " * 400)
    assert names(stage) == []
    composer.edit.clear()
    stage.settings.update(Interface, long_paste=100)
    paste(composer, "word " * 40)
    assert names(stage) == ["Pasted text"]
    stage.settings.update(Interface, long_paste=0)
    paste(composer, LONG)
    assert composer.edit.toPlainText() == LONG


def test_each_conversation_has_its_draft(stage: Stage, composer: Composer) -> None:
    store = ConversationStore(stage.database)
    seven = store.create("seven").id
    QTest.keyClicks(composer.edit, "for a new one")
    stage.writing.attachments.add(DocumentText("text", "a"))
    stage.controller.active.open(opened("A", number=seven))
    assert (composer.edit.toPlainText(), names(stage)) == ("", [])
    QTest.keyClicks(composer.edit, "for seven")
    stage.controller.active.open(None)
    assert (composer.edit.toPlainText(), names(stage)) == ("for a new one", ["a"])
    enter(composer)
    stage.controller.active.open(opened("A", number=seven))
    stage.controller.active.open(None)
    assert (composer.edit.toPlainText(), names(stage)) == ("", [])
    stage.controller.active.open(opened("A", number=seven))
    assert composer.edit.toPlainText() == "for seven"


def test_a_draft_is_on_disk_without_anybody_asking(qtbot: QtBot, stage: Stage, composer: Composer) -> None:
    QTest.keyClicks(composer.edit, "not lost")
    stage.writing.attachments.add(DocumentText("text", "a"))
    disk = DraftStore(stage.database)
    qtbot.waitUntil(lambda: disk.get(None).text == "not lost", timeout=WAIT)
    assert disk.get(None).attachments == (DocumentPart("", "a", "text"),)


def test_a_draft_is_there_after_a_restart(qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path) -> None:
    stage.engine.enter(SEEING)
    drop(stage, mime_of_files(write(tmp_path / "c.png", png()), write(tmp_path / "a.txt", b"text")))
    settle(qtbot, stage)
    QTest.keyClicks(composer.edit, "to be continued")
    stage.controller.replies.enter(Generating(1.0, 2))
    stage.writing.outbox.add(Message.of(Role.USER, "waiting"))
    stage.writing.drafts.flush()
    kept = stage.writing.attachments.parts
    engine, store = cast(EngineService, stage.engine), AttachmentStore(tmp_path / "attachments")
    controller, settings = cast(ChatController, stage.controller), cast(SettingsService, stage.settings)
    pictures = PictureService(store)
    writing = WritingService(stage.database, store, engine, settings, controller, paint_svg)
    again = MainWindow(
        stage.appearance,
        controller,
        engine,
        settings,
        recent_models=list,
        installed_models=list,
        state_folder=tmp_path,
        pictures=pictures,
        writing=writing,
    )
    qtbot.addWidget(again)
    assert again.composer.edit.toPlainText() == "to be continued"
    assert writing.attachments.parts == kept
    assert [card.text for card in again.composer.queue.cards] == ["waiting"]
    assert again.composer.queue.sentence.text() == "These were not sent before Hearth was closed."
    (tile,) = again.composer.pictures.items
    qtbot.waitUntil(lambda: tile.pending.thumbnail is not None, timeout=WAIT)
    writing.close()
    pictures.close()


def test_up_and_down_walk_through_what_was_sent(stage: Stage, composer: Composer) -> None:
    store = ConversationStore(stage.database)
    here, other = store.create("here").id, store.create("other").id
    store.append(other, None, Message.of(Role.USER, "elsewhere"))
    store.append(here, None, Message.of(Role.USER, "first"))
    store.append(here, None, Message.of(Role.USER, "two\nlines"))
    stage.controller.active.open(opened("A", number=here))
    QTest.keyClicks(composer.edit, "draft")
    shown = []
    for key in [Qt.Key.Key_Up] * 4 + [Qt.Key.Key_Down] * 4:
        QTest.keyClick(composer.edit, key)
        shown.append(composer.edit.toPlainText())
    assert shown[:3] == ["two\nlines", "first", "elsewhere"]
    assert shown[3] == "elsewhere", "there is nothing before it"
    assert shown[4:7] == ["first", "two\nlines", "draft"]
    assert composer.edit.toPlainText() == "draft"


def test_the_arrows_stay_in_a_text_of_many_lines(stage: Stage, composer: Composer) -> None:
    store = ConversationStore(stage.database)
    here = store.create("here").id
    store.append(here, None, Message.of(Role.USER, "sent"))
    stage.controller.active.open(opened("A", number=here))
    composer.show_text("one\ntwo")
    QTest.keyClick(composer.edit, Qt.Key.Key_Up)
    assert composer.edit.toPlainText() == "one\ntwo"
    QTest.keyClick(composer.edit, Qt.Key.Key_Up)
    assert composer.edit.toPlainText() == "sent"
    QTest.keyClicks(composer.edit, "!")
    QTest.keyClick(composer.edit, Qt.Key.Key_Down)
    assert composer.edit.toPlainText() == "!sent", "what was changed is a draft"


@pytest.fixture
def busy(stage: Stage, composer: Composer) -> Stage:
    stage.engine.enter(READY)
    stage.controller.replies.enter(Generating(1.0, 2))
    return stage


def cards(stage: Stage) -> list[str]:
    return [card.text for card in stage.window.composer.queue.cards]


def end(stage: Stage, state: MessageState = MessageState.COMPLETE) -> None:
    answer = stored(Role.ASSISTANT, "x", conversation_id=cast(int, None), state=state, figures={"reason": "stop"})
    stage.controller.active.path = (answer,)
    stage.controller.replies.ended.emit(answer)
    stage.controller.replies.enter(Idle())


def test_enter_queues_while_an_answer_is_written(qtbot: QtBot, busy: Stage, composer: Composer) -> None:
    assert composer.edit.placeholderText().endswith("(sent when the answer ends)")
    enter(composer, "first")
    assert not composer.enqueue_button.isVisible()
    QTest.keyClicks(composer.edit, "second")
    assert composer.enqueue_button.isVisible()
    QTest.mouseClick(composer.enqueue_button, Qt.MouseButton.LeftButton)
    assert cards(busy) == ["first", "second"]
    assert composer.edit.toPlainText() == ""
    assert sent(busy) == []
    assert composer.queue.sentence.text() == "Sent one by one, as each answer ends."
    assert not composer.queue.send_now.isVisible()
    assert [each.text for each in DraftStore(busy.database).get(None).queue] == ["first", "second"]
    end(busy)
    qtbot.waitUntil(lambda: len(sent(busy)) == 1)
    assert sent(busy)[0][:3] == ("send_to", None, "first")


def test_after_a_stop_the_queue_says_that_it_waits(qtbot: QtBot, busy: Stage, composer: Composer) -> None:
    enter(composer, "first")
    end(busy, MessageState.CANCELLED)
    assert composer.queue.sentence.text() == "The answer was stopped; these wait."
    assert composer.queue.send_now.isVisible()
    assert sent(busy) == []
    QTest.mouseClick(composer.queue.send_now, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(sent(busy)) == 1)
    assert composer.queue.isHidden()


def test_a_waiting_message_is_changed(busy: Stage, composer: Composer) -> None:
    busy.writing.attachments.add(DocumentText("text", "a"))
    enter(composer, "first")
    enter(composer, "second")
    QTest.keyClicks(composer.edit, "third")
    card = composer.queue.cards[0]
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert cards(busy) == ["third", "second"]
    assert (composer.edit.toPlainText(), names(busy)) == ("first", ["a"])
    assert composer.edit.hasFocus()
    composer.edit.clear()
    busy.writing.attachments.take()
    QTest.mouseClick(composer.queue.cards[1], Qt.MouseButton.LeftButton)
    assert cards(busy) == ["third"]
    assert composer.edit.toPlainText() == "second"


def test_waiting_messages_are_moved_and_taken_out_by_the_keyboard(busy: Stage, composer: Composer) -> None:
    for text in "abc":
        enter(composer, text)
    composer.queue.focus_card(2)
    QTest.keyClick(busy.window.focusWidget(), Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert cards(busy) == ["a", "c", "b"]
    assert composer.queue.cards[1].hasFocus()
    QTest.keyClick(busy.window.focusWidget(), Qt.Key.Key_Up)
    assert composer.queue.cards[0].hasFocus()
    QTest.keyClick(busy.window.focusWidget(), Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert cards(busy) == ["a", "c", "b"]
    QTest.keyClick(busy.window.focusWidget(), Qt.Key.Key_Delete)
    assert cards(busy) == ["c", "b"]
    assert composer.queue.cards[0].hasFocus()
    act(bars(busy)[-1])
    assert cards(busy) == ["a", "c", "b"]


def test_a_card_that_is_gone_asks_for_nothing(busy: Stage, composer: Composer) -> None:
    for text in "ab":
        enter(composer, text)
    card = composer.queue.cards[1]
    # The first click of the two brings the message back, and takes the last card away.
    QTest.mouseDClick(card, Qt.MouseButton.LeftButton)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Delete, Qt.Key.Key_Up):
        QTest.keyClick(card, key)
    assert cards(busy) == ["a"]
    assert composer.edit.toPlainText() == "b"


def test_a_queue_is_there_again_when_one_comes_back(busy: Stage, composer: Composer) -> None:
    enter(composer, "first")
    store = ConversationStore(busy.database)
    busy.controller.active.open(opened("A", number=store.create("A").id))
    assert composer.queue.isHidden()
    busy.controller.active.open(None)
    assert cards(busy) == ["first"]


def test_a_window_that_is_closed_counts_nothing(stage: Stage, composer: Composer) -> None:
    stage.engine.enter(READY)
    QTest.keyClicks(composer.edit, "hello")
    waiting = [each for each in stage.window.area.findChildren(Debounce) if each.isActive()]
    assert waiting
    stage.window.close()
    stage.engine.enter(NoModel())
    assert not any(each.isActive() for each in waiting)


def test_the_message_is_counted_as_it_is_written(qtbot: QtBot, stage: Stage, composer: Composer) -> None:
    QTest.keyClicks(composer.edit, "hello")
    assert composer.meter.isHidden(), "there is no model"
    stage.engine.enter(READY)
    qtbot.waitUntil(lambda: bool(stage.engine.counting))
    assert stage.engine.counting == [(TextPart("hello"),)]
    stage.engine.end_count(7)
    assert composer.meter.isHidden(), "what takes next to nothing is not worth a number"
    QTest.keyClicks(composer.edit, " you")
    qtbot.waitUntil(lambda: bool(stage.engine.counting))
    stage.engine.end_count(700)
    assert composer.meter.text() == "+ 9 %"
    assert composer.meter.accessibleName() == "This message takes 700 tokens, and 8,192 of 8,192 are left."
    composer.edit.clear()
    qtbot.waitUntil(composer.meter.isHidden)


@pytest.mark.parametrize(
    ("n", "policy", "level", "warning"),
    [
        (100, Overflow.STOP, "", ""),
        (7000, Overflow.STOP, "warning", ""),
        (8000, Overflow.STOP, "danger", "This message does not fit: shorten it"),
        (8000, Overflow.DROP_OLDEST, "danger", "The oldest messages will be left out"),
        (8000, Overflow.DROP_MIDDLE, "danger", "Messages in the middle of the chat will be left out"),
        (8192, Overflow.DROP_OLDEST, "danger", "This message is too long for the model's context"),
    ],
)
def test_it_warns_and_says_what_will_happen(
    qtbot: QtBot, stage: Stage, composer: Composer, n: int, policy: Overflow, level: str, warning: str
) -> None:
    stage.engine.enter(READY)
    stage.controller.options.set_overflow(None, policy)
    stage.window.gauge.show_size(TokenCount(200, exact=True))
    QTest.keyClicks(composer.edit, "hello")
    qtbot.waitUntil(lambda: bool(stage.engine.counting))
    stage.engine.end_count(n)
    assert (composer.meter.property("level") or "") == level
    assert composer.line.sentence.text().startswith(warning)
    assert bool(composer.line.sentence.text()) == bool(warning)


def test_it_is_reckoned_while_nobody_counts(qtbot: QtBot, busy: Stage, composer: Composer) -> None:
    composer.edit.put("x" * 3500)
    qtbot.waitUntil(lambda: composer.meter.text() == "+ 12 %")
    assert "about 1,000 tokens" in composer.meter.toolTip()


def test_another_key_may_send(stage: Stage, composer: Composer) -> None:
    stage.settings.update(Interface, send_key=SendKey.CTRL_ENTER)
    QTest.keyClicks(composer.edit, "a")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    QTest.keyClicks(composer.edit, "b")
    assert sent(stage) == []
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sent(stage) == [("send", "a\nb")]
    assert "Ctrl+Enter to send" in composer.edit.placeholderText()


def test_many_files_scroll_and_the_keyboard_brings_them_in_sight(
    qtbot: QtBot, stage: Stage, composer: Composer
) -> None:
    for number in range(20):
        stage.writing.attachments.add(DocumentText("text", f"file {number}"))
    tray = composer.documents
    qtbot.waitUntil(lambda: 150 < tray.height() < 240)
    chip = tray.items[-1]
    assert chip.visibleRegion().boundingRect().height() < chip.height()
    chip.setFocus()
    qtbot.waitUntil(lambda: chip.visibleRegion().boundingRect().height() == chip.height())


def test_from_right_to_left_the_first_file_is_at_the_right(qtbot: QtBot, stage: Stage, composer: Composer) -> None:
    for name in "ab":
        stage.writing.attachments.add(DocumentText("text", name))
    composer.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    first, second = composer.documents.items
    assert first.x() > second.x()
    assert first.remove_button.x() < first.width() / 2


def test_nothing_is_wider_than_a_narrow_window(qtbot: QtBot, appearance: Appearance) -> None:
    narrow = Composer(appearance)
    qtbot.addWidget(narrow)
    narrow.resize(480, 600)
    narrow.documents.show_pending(
        tuple(PendingDocument(each, "a very long name of a file " * 5 + ".txt") for each in range(6))
    )
    narrow.queue.show_queue(Queue(tuple(Message.of(Role.USER, "a long message " * 30) for _ in range(3)), Hold.STOPPED))
    narrow.show()
    assert narrow.width() == 480
    assert all(chip.geometry().right() < narrow.documents.width() for chip in narrow.documents.items)
    assert all(card.width() <= narrow.queue.width() for card in narrow.queue.cards)


def test_chips_and_cards_grow_with_the_text(qtbot: QtBot, busy: Stage, composer: Composer) -> None:
    busy.writing.attachments.add(DocumentText("text", "a"))
    enter(composer, "waiting")
    busy.writing.attachments.add(DocumentText("text", "a"))
    (chip,), (card,) = composer.documents.items, composer.queue.cards
    before = chip.height(), card.height()
    busy.appearance.set_text_size(200)
    assert (chip.height(), card.height()) == (2 * before[0], 2 * before[1])
    busy.appearance.set_text_size(100)
    assert (chip.height(), card.height()) == before


def test_rings_stand_still_where_motion_is_reduced(busy: Stage, composer: Composer) -> None:
    busy.appearance.set_motion(Motion.REDUCED)
    composer.documents.show_pending((PendingDocument(1, "a.pdf"),))
    still = composer.documents.grab().toImage()
    QTest.qWait(120)
    assert composer.documents.grab().toImage() == still
    busy.appearance.set_motion(Motion.FULL)


def test_who_chose_pages_goes_on_writing(stage: Stage, composer: Composer) -> None:
    text = "".join(f"[Page {n}]\nWords of it.\n" for n in range(1, 6))
    stage.writing.attachments.restore((DocumentPart("hash", "a.pdf", text),))
    composer.documents.items[0].setFocus()
    stage.writing.attachments.pages_found.emit(composer.documents.items[0].pending.number)
    (dialog,) = stage.window.findChildren(PagesDialog)
    dialog.take_button.click()
    assert composer.edit.hasFocus()


@pytest.mark.parametrize("kind", ["document", "text"])
def test_what_the_guide_cant_read_is_told_and_not_sent(
    qtbot: QtBot, stage: Stage, composer: Composer, tmp_path: Path, kind: str
) -> None:
    stage.engine.enter(ModelReady(replace(READY.info, longest_message=512)))
    if kind == "document":
        stage.window.area.offered.emit(MimeContent((DocumentFile(write(tmp_path / "notes.txt", b"two words")),)))
        settle(qtbot, stage)
    else:
        composer.edit.setPlainText("a word or two " * 160)
    told = "This is too much for the guide; a larger model can read it."
    qtbot.waitUntil(lambda: composer.line.sentence.text() == told)
    assert composer.line.button.text() == "Get a model"
    enter(composer)
    assert sent(stage) == []
    with qtbot.waitSignal(composer.get_model_clicked):
        composer.line.button.click()
    assert stage.window.models is not None
    stage.engine.enter(READY)
    qtbot.waitUntil(composer.line.isHidden)
