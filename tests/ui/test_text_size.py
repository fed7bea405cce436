import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.core.settings import Interface
from app.ui.richtext.text_block_view import TextBlockView
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled_css, text_font
from tests.ui.conftest import Stage
from tests.ui.cut_text import cut
from tests.ui.fakes import opened, stored
from tests.ui.gallery import fill, scenes, settle


def press(stage: Stage, key: Qt.Key, times: int = 1) -> None:
    for _ in range(times):
        QTest.keyClick(stage.window.composer.edit, key, Qt.KeyboardModifier.ControlModifier)


def text_size(stage: Stage) -> int:
    return stage.settings.settings.interface.text_size


def test_keys_change_it_within_its_bounds(stage: Stage) -> None:
    press(stage, Qt.Key.Key_Plus)
    assert text_size(stage) == 110
    press(stage, Qt.Key.Key_Equal)
    assert text_size(stage) == 120
    press(stage, Qt.Key.Key_Minus, 9)
    assert text_size(stage) == 80
    press(stage, Qt.Key.Key_Plus, 20)
    assert text_size(stage) == 200
    press(stage, Qt.Key.Key_0)
    assert text_size(stage) == 100


def test_chat_and_interface_grow_together_and_at_once(stage: Stage) -> None:
    fill(stage)
    window = stage.window

    def heights() -> tuple[int, ...]:
        words = window.transcript.findChildren(TextBlockView)
        labels = [each for each in window.findChildren(QLabel) if each.property("tone") == "brand"]
        assert words and labels
        return (
            min(int(each.document().size().height()) for each in words),
            QFontMetrics(labels[0].font()).height(),
            QFontMetrics(window.composer.edit.font()).height(),
            QFontMetrics(window.picker.button.font()).height(),
        )

    usual = heights()
    stage.settings.update(Interface, text_size=200)
    settle()
    large = heights()
    assert all(big >= 1.7 * small for big, small in zip(large, usual, strict=True)), (usual, large)
    stage.settings.update(Interface, text_size=100)
    settle()
    assert heights() == usual


@pytest.mark.parametrize("size", [80, 100, 150, 200])
def test_no_text_is_cut_off(stage: Stage, qtbot: QtBot, size: int) -> None:
    stage.settings.update(Interface, text_size=size)
    stage.window.resize(1180, 820)
    found = set()
    for scene, root in scenes(stage):
        found |= {f"{scene}: {problem}" for problem in cut(root)}
    assert not found, "\n".join(sorted(found))


def test_only_sizes_of_text_are_scaled(appearance: Appearance, qapp: QApplication) -> None:
    appearance.set_text_size(200)
    assert text_font(14).pixelSize() == 28
    assert scaled_css("a { font-size: 13px; padding: 7px; } b { font-size: 1px; }") == (
        "a { font-size: 26px; padding: 7px; } b { font-size: 1px; }"
    )
    assert QFontInfo(qapp.font()).pixelSize() == 28
    appearance.set_text_size(100)
    assert QFontInfo(qapp.font()).pixelSize() == 14


def test_reduced_motion_stops_what_moves_by_itself(stage: Stage, qapp: QApplication) -> None:
    assert qapp.cursorFlashTime() > 0
    stage.settings.update(Interface, motion="reduced")
    assert qapp.cursorFlashTime() == 0
    assert stage.appearance.reduced_motion
    assert not qapp.isEffectEnabled(Qt.UIEffect.UI_AnimateMenu)
    stage.settings.update(Interface, motion="full")
    assert qapp.cursorFlashTime() > 0


def test_what_is_being_changed_outlives_another_size(stage: Stage) -> None:
    transcript = stage.window.transcript
    question = stored(Role.USER, "Why?")
    transcript.show_conversation(opened("Rain", question, stored(Role.ASSISTANT, "Because.")))
    transcript.edit_question()
    before = transcript.view_of(question.id)
    assert before is not None
    assert before.editor is not None
    before.editor.field.replace("Why so?")
    stage.settings.update(Interface, text_size=150)
    after = transcript.view_of(question.id)
    assert after is not None
    assert after is not before
    assert after.editor is not None
    assert after.editor.field.toPlainText() == "Why so?"
