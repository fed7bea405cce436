"""What people type reaches the message, wherever the keyboard was, and nothing else does."""

from typing import Any, cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from app.core.messages import Role
from app.ui.composer.composer import Composer
from tests.ui.conftest import Stage
from tests.ui.fakes import READY, conversation, opened, stored

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def composer(stage: Stage) -> Composer:
    """With the keyboard in the conversation."""
    stage.engine.enter(READY)
    stage.controller.active.open(opened("A", stored(Role.USER, "q"), stored(Role.ASSISTANT, "a\n\n" * 200)))
    stage.window.transcript.scroll_area.setFocus()
    return stage.window.composer


def test_letters_go_into_the_message(stage: Stage, composer: Composer) -> None:
    area = stage.window.transcript.scroll_area
    QTest.keyClicks(area, "H")
    assert composer.edit.hasFocus()
    QTest.keyClicks(composer.edit, "ello")
    assert composer.edit.toPlainText() == "Hello"


def test_letters_go_there_from_the_list_of_conversations_too(stage: Stage, composer: Composer) -> None:
    stage.controller.active.listed.emit((conversation("Rain", number=1), conversation("Ice", number=2)))
    chats = stage.window.sidebar.list_view
    chats.setFocus()
    QTest.keyClicks(chats, "i")
    assert composer.edit.toPlainText() == "i"
    assert stage.controller.calls == []


def test_a_paste_goes_into_the_message(stage: Stage, composer: Composer) -> None:
    QGuiApplication.clipboard().setText("pasted")
    QTest.keyClick(stage.window.transcript.scroll_area, Qt.Key.Key_V, CONTROL)
    assert composer.edit.toPlainText() == "pasted"


@pytest.mark.parametrize(
    ("key", "held"),
    [
        (Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_J, CONTROL),
        (Qt.Key.Key_J, Qt.KeyboardModifier.AltModifier),
    ],
)
def test_other_keys_stay_where_they_are(
    stage: Stage, composer: Composer, key: Qt.Key, held: Qt.KeyboardModifier
) -> None:
    composer.edit.setPlainText("draft")
    QTest.keyClick(stage.window.transcript.scroll_area, key, held)
    assert stage.window.focusWidget() is stage.window.transcript.scroll_area
    assert composer.edit.toPlainText() == "draft"
    assert stage.controller.calls == []


def test_a_field_of_its_own_keeps_its_letters(stage: Stage, composer: Composer) -> None:
    stage.window.sidebar.focus_search()
    QTest.keyClicks(stage.window.sidebar.search_field, "rain")
    assert stage.window.sidebar.search_field.text() == "rain"
    assert composer.edit.toPlainText() == ""


def test_the_field_takes_no_key_of_the_window(stage: Stage, composer: Composer) -> None:
    taken = []
    for action in stage.window.menu_actions.all():
        keys = cast(Any, action.shortcut())[0]  # the stubs do not know that it holds combinations
        asked = QKeyEvent(QEvent.Type.ShortcutOverride, keys.key(), keys.keyboardModifiers())
        asked.ignore()
        QCoreApplication.sendEvent(composer.edit, asked)
        if asked.isAccepted():
            taken.append(action.text())
    assert taken == []


def test_the_end_is_that_of_the_message_first(stage: Stage, composer: Composer) -> None:
    area = stage.window.transcript.scroll_area
    area.verticalScrollBar().setValue(0)
    composer.edit.setPlainText("one\ntwo")
    composer.edit.setFocus()
    QTest.keyClick(composer.edit, Qt.Key.Key_End, CONTROL)
    assert composer.edit.textCursor().atEnd()
    assert not area.follows
    QTest.keyClick(composer.edit, Qt.Key.Key_End, CONTROL)
    assert area.follows


def test_a_click_anywhere_in_the_box_leads_to_the_text(stage: Stage, composer: Composer) -> None:
    box = composer.attach_button.parentWidget()
    assert box is not None
    beside = composer.attach_button.geometry().center() + QPoint(150, 0)
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=beside)
    assert composer.edit.hasFocus()


def test_who_opens_a_conversation_can_write_at_once(stage: Stage) -> None:
    stage.window.sidebar.list_view.setFocus()
    stage.window.sidebar.chats.open_requested.emit(3)
    assert stage.controller.calls == [("open_conversation", 3)]
    assert stage.window.composer.edit.hasFocus()


def test_after_a_question_of_the_welcome_the_next_can_be_typed(stage: Stage) -> None:
    welcome = stage.window.welcome
    button = next(each for each in welcome.findChildren(QPushButton) if each.text() == "What can you do?")
    button.setFocus()
    button.click()
    assert stage.controller.calls == [("send", "What can you do?")]
    assert stage.window.composer.edit.hasFocus()
