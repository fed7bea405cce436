import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.ui.composer.composer import Composer
from app.ui.theme.appearance import Appearance


@pytest.fixture
def composer(qtbot: QtBot, appearance: Appearance) -> Composer:
    made = Composer(appearance)
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    qtbot.waitUntil(made.isVisible)
    return made


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.submitted.connect(texts.append)
    return texts


def test_enter_sends(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "hello")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["hello"]
    assert composer.edit.toPlainText() == ""


def test_shift_and_enter_break_the_line(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "a")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.edit, "b")
    assert sent == []
    QTest.keyClick(composer.edit, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert sent == ["a\nb"]


def test_nothing_but_blanks_is_not_sent(composer: Composer, sent: list[str]) -> None:
    composer.edit.setPlainText(" \n ")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert not composer.send_button.isEnabled()


def test_enter_belongs_to_the_input_method_while_it_composes(composer: Composer, sent: list[str]) -> None:
    composer.edit.setPlainText("x")
    QCoreApplication.sendEvent(composer.edit, QInputMethodEvent("にほん", []))
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("日本")
    composer.edit.selectAll()
    QCoreApplication.sendEvent(composer.edit, commit)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["日本"]


def test_the_send_button_is_the_stop_button_while_busy(qtbot: QtBot, composer: Composer, sent: list[str]) -> None:
    composer.edit.setPlainText("next")
    composer.set_busy(True)
    assert composer.send_button.accessibleName() == "Stop"
    with qtbot.waitSignal(composer.stop_clicked):
        QTest.mouseClick(composer.send_button, Qt.MouseButton.LeftButton)
    assert sent == []
    composer.set_busy(False)
    assert composer.send_button.accessibleName() == "Send"
    QTest.mouseClick(composer.send_button, Qt.MouseButton.LeftButton)
    assert sent == ["next"]


def test_escape_stops_only_while_busy(qtbot: QtBot, composer: Composer) -> None:
    with qtbot.assertNotEmitted(composer.stop_clicked):
        QTest.keyClick(composer.edit, Qt.Key.Key_Escape)
    composer.set_busy(True)
    with qtbot.waitSignal(composer.stop_clicked):
        QTest.keyClick(composer.edit, Qt.Key.Key_Escape)


def test_what_nobody_took_stands_there_again(composer: Composer) -> None:
    composer.submitted.connect(composer.show_text)
    composer.edit.setPlainText("not yet")
    composer.submit()
    assert composer.edit.toPlainText() == "not yet"


def test_it_grows_to_a_share_of_the_window(composer: Composer) -> None:
    small = composer.edit.height()
    composer.edit.setPlainText("line\n" * 6)
    grown = composer.edit.height()
    assert grown > small
    composer.edit.setPlainText("line\n" * 200)
    assert grown < composer.edit.height() <= 0.4 * composer.window().height()
    assert composer.edit.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded
    composer.edit.clear()
    assert composer.edit.height() == small


def test_the_placeholder_names_the_model(composer: Composer) -> None:
    composer.set_model("Qwen3")
    assert composer.edit.placeholderText() == "Message Qwen3…  (Enter to send, Shift+Enter for a new line)"
