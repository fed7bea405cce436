"""The whole window over stand-ins: every action by its effect, and what the services say by what is shown."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QProgressBar,
)
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import LoadStage, Peeked, SlotStatus
from app.core.messages import Role
from app.core.model_ref import ModelRef
from app.core.overflow import Overflow
from app.core.settings import Theme
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import Generating, Idle, ModelLoading, ModelReady, NoModel, Waiting
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import MessageState
from app.ui.commands.dialogs import DetailsDialog
from app.ui.settings.dialog import SettingsDialog
from app.ui.widgets.links import LinkDialog
from app.ui.window.main_window import MainWindow
from tests.ui.conftest import Stage
from tests.ui.fakes import MODEL, READY, FakeController, FakeEngine, FakeSettings, conversation, opened, stored

FIGURES = {"predicted_n": 382, "predicted_ms": 10_000.0, "n_past": 4100, "reuse": "Reused all of it."}


@pytest.fixture
def talk(stage: Stage) -> Stage:
    """A conversation with one answer is on screen, and a model is loaded."""
    stage.engine.enter(READY)
    stage.controller.active.listed.emit((conversation("Greeting", number=1), conversation("Other", number=2)))
    answer = stored(Role.ASSISTANT, "Hello *you*", figures=FIGURES)
    stage.controller.active.open(opened("Greeting", stored(Role.USER, "hi"), answer))
    return stage


def press(stage: Stage, keys: str) -> None:
    QTest.keySequence(stage.window, keys)


def dialogs(kind: type[QDialog]) -> list[QDialog]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]


def test_a_conversation_that_nobody_read_here_is_never_shown_as_empty(stage: Stage, qtbot: QtBot) -> None:
    stage.engine.enter(READY)
    cold = opened("Long", stored(Role.USER, "a word or two " * 10_000), stored(Role.ASSISTANT, "Yes."))
    stage.controller.active.open(cold)
    assert stage.window.gauge.text() == "Full"
    stage.window.composer.show_text("hello")
    qtbot.waitUntil(lambda: ", and 0 of 8,192 are left." in stage.window.composer.meter.toolTip())
    stage.controller.active.add(
        stored(Role.ASSISTANT, "", state=MessageState.FAILED, figures={"error": "It is too long."})
    )
    assert stage.window.gauge.used > 40_000
    stage.controller.active.open(None)
    assert not stage.window.gauge.isVisible()


def test_why_a_model_is_not_there_is_told_until_another_one_is(stage: Stage) -> None:
    other = UserError("The disk is full.")
    stage.controller.notices.failed.emit(other)
    error = UserError("x.gguf is damaged.")
    stage.controller.notices.load_failed.emit(error)
    stage.engine.enter(ModelReady(READY.info, error=error))
    assert [bar.sentence.text() for bar in stage.window.notices.bars] == ["The disk is full.", "x.gguf is damaged."]
    stage.engine.enter(READY)
    assert [bar.sentence.text() for bar in stage.window.notices.bars] == ["The disk is full."]


def test_keys_of_the_conversation(talk: Stage) -> None:
    for keys, call in (
        ("Ctrl+N", ("new_conversation",)),
        ("Ctrl+R", ("regenerate",)),
        ("Ctrl+Shift+Backspace", ("delete", 1)),
    ):
        press(talk, keys)
        assert talk.controller.calls[-1] == call


def test_escape_stops_only_what_is_being_done(talk: Stage) -> None:
    press(talk, "Esc")
    assert talk.controller.calls == []
    talk.controller.replies.activity_changed.emit(Generating(1.0, 2))
    talk.window.sidebar.list_view.setFocus()
    press(talk, "Esc")
    assert talk.controller.calls == [("stop",)]


def test_copy_the_last_answer(talk: Stage) -> None:
    press(talk, "Ctrl+Shift+C")
    assert QGuiApplication.clipboard().text() == "Hello *you*"


def test_focus_goes_where_it_is_sent(talk: Stage) -> None:
    press(talk, "Ctrl+Shift+F")
    assert talk.window.sidebar.search_field.hasFocus()
    press(talk, "Ctrl+L")
    assert talk.window.composer.edit.hasFocus()


def test_the_sidebar_hides_and_returns(talk: Stage) -> None:
    press(talk, "Ctrl+B")
    assert not talk.window.sidebar.isVisible()
    assert talk.window.header.show_sidebar.isVisible()
    press(talk, "Ctrl+Shift+F")
    assert talk.window.sidebar.isVisible()
    assert not talk.window.header.show_sidebar.isVisible()


def test_the_trash_opens_and_closes_by_its_key(talk: Stage) -> None:
    trash = talk.window.menu_actions.show_trash
    talk.window.drawer.show_sidebar(False)
    trash.trigger()
    assert talk.window.sidebar.trash_bar.isVisible()
    assert talk.window.sidebar.trash_bar.back.hasFocus(), "there is nothing in the list to take it"
    trash.trigger()
    assert not talk.window.sidebar.trash_bar.isVisible()
    assert talk.window.sidebar.list_view.hasFocus()


def test_rename_is_typed_in_the_sidebar(qtbot: QtBot, talk: Stage) -> None:
    press(talk, "F2")
    editor = talk.window.sidebar.list_view.findChild(QLineEdit)
    assert editor is not None
    QTest.keyClicks(editor, "New title")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: talk.controller.calls == [("rename", 1, "New title")])


def test_a_model_file_is_picked_and_loaded(talk: Stage, tmp_path: Path) -> None:
    press(talk, "Ctrl+O")
    (dialog,) = dialogs(QFileDialog)
    cast(QFileDialog, dialog).fileSelected.emit(str(tmp_path / "a.gguf"))
    assert talk.engine.calls == [("load", ModelRef.of_file(tmp_path / "a.gguf"))]
    dialog.reject()


def test_menus_open_by_key(talk: Stage) -> None:
    popover, menu = talk.window.picker.popover, talk.window.header.menu
    press(talk, "Ctrl+M")
    assert popover.isVisible()
    popover.close()
    press(talk, "F10")
    assert menu.isVisible()
    assert menu.activeAction() is not None
    menu.close()


def test_unload(talk: Stage) -> None:
    press(talk, "Ctrl+U")
    assert talk.engine.calls == [("unload",)]


def test_jump_to_the_end(qtbot: QtBot, talk: Stage) -> None:
    talk.controller.active.open(opened("A", stored(Role.USER, "q"), stored(Role.ASSISTANT, "a\n\n" * 200)))
    bar = talk.window.transcript.scroll_area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 500)
    bar.setValue(0)
    talk.window.menu_actions.jump_to_end.trigger()
    assert bar.value() == bar.maximum()


def test_themes(talk: Stage, qapp: QApplication) -> None:
    actions = talk.window.menu_actions.themes
    for theme in (Theme.DARK, Theme.LIGHT):
        actions[theme].trigger()
        assert talk.settings.settings.interface.theme is theme
        assert actions[theme].isChecked()
        colour = qapp.palette().color(QPalette.ColorRole.Window)
        assert colour.name() == talk.appearance.tokens.window


def test_actions_are_dim_where_they_could_do_nothing(stage: Stage) -> None:
    actions = stage.window.menu_actions
    dim = (actions.stop, actions.regenerate, actions.copy_answer, actions.rename_chat, actions.delete_chat)
    assert not any(action.isEnabled() for action in (*dim, actions.unload_model))


def test_sending_and_reading_the_answer(qtbot: QtBot, stage: Stage) -> None:
    stage.engine.enter(READY)
    window, controller = stage.window, stage.controller
    QTest.keyClicks(window.composer.edit, "hi")
    QTest.keyClick(window.composer.edit, Qt.Key.Key_Return)
    assert controller.calls == [("send", "hi")]
    question = stored(Role.USER, "hi", conversation_id=5)
    answer = stored(Role.ASSISTANT, "", conversation_id=5, state=MessageState.WRITING)
    controller.active.add(question)
    controller.active.add(answer)
    controller.active.listed.emit((conversation("hi", number=5),))
    controller.replies.activity_changed.emit(Waiting())
    assert window.windowTitle() == "hi – Hearth"
    assert window.composer.send_button.accessibleName() == "Stop"
    controller.replies.write(answer, "Hel")
    controller.replies.write(answer, "lo")
    controller.replies.activity_changed.emit(Generating(38.2, 4100))
    assert window.status.text() == "38 tokens/s"
    done = stored(Role.ASSISTANT, "Hello", figures=FIGURES)
    controller.active.change(type(done)(answer.id, 5, question.id, done.message, MessageState.COMPLETE, 0.0, FIGURES))
    controller.replies.activity_changed.emit(Idle())
    last = window.transcript.last_answer()
    assert last is not None
    assert window.transcript.answer_text(last.id) == "Hello"
    assert window.composer.send_button.accessibleName() == "Send"
    assert window.menu_actions.regenerate.isEnabled()


def test_a_chat_that_cannot_be_drawn_leaves_nothing_of_the_one_before(qtbot: QtBot, talk: Stage) -> None:
    before = talk.window.transcript.views
    talk.controller.active.listed.emit((conversation("Greeting", number=1), conversation("Broken", number=2)))
    damaged = stored(Role.ASSISTANT, "x", figures=cast(Mapping[str, object], ["no figures"]))
    with qtbot.captureExceptions() as raised:
        talk.controller.active.open(opened("Broken", damaged, number=2))
        assert not any(view.isVisible() for view in before)
        qtbot.waitUntil(lambda: talk.window.transcript.scroll_area.is_settled)
    assert 0 < len(raised) < 10
    assert talk.window.windowTitle() == "Broken – Hearth"
    assert talk.window.sidebar.list_view.currentIndex().data() == "Broken"
    assert [each.id for each in talk.window.transcript.messages] == [damaged.id]


def test_what_is_not_taken_stays_in_the_field(stage: Stage) -> None:
    stage.controller.takes = False
    stage.window.composer.edit.setPlainText("hi")
    stage.window.composer.submit()
    assert stage.window.composer.edit.toPlainText() == "hi"


def test_opening_shows_and_highlights(talk: Stage) -> None:
    assert talk.window.windowTitle() == "Greeting – Hearth"
    assert talk.window.status.text() == "", "the numbers stand at the message field"
    assert len(talk.window.transcript.views) == 2
    talk.window.sidebar.chats.open_requested.emit(2)
    assert talk.controller.calls == [("open_conversation", 2)]
    talk.controller.active.open(None)
    assert talk.window.windowTitle() == "Hearth"
    assert talk.window.welcome.isVisible()
    assert not talk.window.menu_actions.delete_chat.isEnabled()


def test_ctrl_z_brings_back_what_was_removed_last(talk: Stage) -> None:
    window, edit = talk.window, talk.window.composer.edit
    edit.setFocus()
    press(talk, "Ctrl+Z")
    assert talk.controller.calls == []
    window.sidebar.chats.delete_current()
    edit.setPlainText("")
    QTest.keyClicks(edit, "a")
    QTest.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert edit.toPlainText() == "" and talk.controller.calls == [("delete", 1)], "the text comes first"
    QTest.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert talk.controller.calls == [("delete", 1), ("undo_delete", 1)]
    assert not window.menu_actions.undo.isEnabled() and window.notices.bars == []


def test_a_deleted_conversation_can_be_brought_back(talk: Stage) -> None:
    talk.window.sidebar.chats.delete_current()
    assert talk.press_notice() == "“Greeting” was moved to the trash."
    assert talk.controller.calls == [("delete", 1), ("undo_delete", 1)]
    assert talk.window.notices.bars == []


def test_errors_and_notices_are_shown(talk: Stage) -> None:
    talk.controller.notices.failed.emit(UserError("It failed.", detail="why"))
    talk.controller.notices.noticed.emit("Worth knowing.")
    talk.settings.failed.emit(UserError("Not written."))
    error, notice, _ = talk.window.notices.bars
    assert (error.sentence.text(), notice.sentence.text()) == ("It failed.", "Worth knowing.")
    assert error.action_button is not None
    error.action_button.click()
    (dialog,) = dialogs(DetailsDialog)
    dialog.close()


def test_a_link_is_confirmed_first(talk: Stage) -> None:
    talk.window.transcript.link_clicked.emit("file:///etc/passwd")
    assert dialogs(LinkDialog) == []
    talk.window.transcript.link_clicked.emit("https://example.org")
    (dialog,) = dialogs(LinkDialog)
    dialog.reject()


def test_settings_open_by_key_by_menu_and_from_the_sidebar(talk: Stage) -> None:
    for opens in (
        partial(press, talk, "Ctrl+,"),
        talk.window.menu_actions.settings.trigger,
        talk.window.sidebar.settings_button.click,
    ):
        opens()
        (dialog,) = dialogs(SettingsDialog)
        dialog.reject()


def test_the_gauge_follows_the_conversation(talk: Stage) -> None:
    gauge = talk.window.gauge
    assert gauge.text() == "50 % full"
    talk.controller.replies.activity_changed.emit(Generating(1.0, 7800))
    assert gauge.text() == "95 %, nearly full"
    talk.controller.replies.activity_changed.emit(Idle())
    talk.controller.active.open(None)
    assert not gauge.isVisible(), "a new chat has nothing to gauge"
    press(talk, "Ctrl+Shift+M")
    popover, field = talk.window.context.popover, talk.window.composer
    assert popover.isVisible() and popover.geometry().bottom() < field.mapToGlobal(field.rect().bottomLeft()).y()
    popover.close()
    talk.engine.enter(NoModel())
    assert not gauge.isVisible()
    assert not talk.window.menu_actions.show_context.isEnabled()


def test_the_numbers_of_an_answer_stand_in_one_place(talk: Stage) -> None:
    """How full the context is says the gauge; all else about an answer is behind its button."""
    talk.controller.replies.activity_changed.emit(Generating(38.2, 4100))
    talk.controller.replies.activity_changed.emit(Idle())
    talk.window.composer.show_text("and now?")
    window = talk.window
    seen = [each.text() for each in window.findChildren(QLabel) if each.isVisible()]
    seen += [each.text() for each in window.findChildren(QAbstractButton) if each.isVisible()]
    assert [text for text in seen if "50 %" in text] == ["50 % full"]
    assert not [text for text in seen if re.search(r"tokens/s|\b38|382|4[.,\u202f]?1(00|k)|/ 8", text)]


def test_the_context_opens_and_asks_what_would_be_read(talk: Stage) -> None:
    talk.engine.hold(SlotStatus(4096, 8192))
    talk.window.composer.edit.setPlainText("and then?")
    press(talk, "Ctrl+Shift+M")
    context = talk.window.context.popover
    assert context.isVisible()
    assert talk.controller.calls == [("peek", "and then?")]
    assert context.warm.text() == "4,096 tokens are remembered and need not be read again."
    talk.controller.peeked.emit(Peeked(4133, 4096, "Reused 4,096 of 4,133 tokens."))
    assert context.warm.text() == "4,096 tokens are remembered; sending this would read 37 more."
    assert context.reuse.text() == "Reused all of it."
    talk.engine.hold(SlotStatus(4500, 8192))
    assert context.warm.text() == "4,500 tokens are remembered and need not be read again."
    QTest.keyClick(context, Qt.Key.Key_Escape)
    assert not context.isVisible()
    QTest.mouseClick(talk.window.gauge, Qt.MouseButton.LeftButton)
    assert context.isVisible()
    context.close()


def test_the_policy_of_a_conversation(talk: Stage) -> None:
    talk.controller.options.set_overflow(talk.controller.active.conversation_id, Overflow.DROP_MIDDLE)
    press(talk, "Ctrl+Shift+M")
    policies = talk.window.context.popover.policies
    assert policies[Overflow.DROP_MIDDLE].isChecked()
    policies[Overflow.DROP_OLDEST].click()
    assert talk.controller.options.overflow(talk.controller.active.conversation_id) is Overflow.DROP_OLDEST
    QTest.keySequence(talk.window.context.popover, "Ctrl+Shift+M")
    assert not talk.window.context.popover.isVisible()
    press(talk, "Ctrl+Shift+M")
    talk.controller.options.set_overflow(talk.controller.active.conversation_id, Overflow.STOP)
    assert policies[Overflow.STOP].isChecked()
    talk.window.context.popover.close()


def test_loading_is_shown_and_can_be_cancelled(stage: Stage) -> None:
    stage.engine.enter(ModelLoading(MODEL.ref, LoadStage.LOADING, 0.5))
    (bar,) = stage.window.welcome.findChildren(QProgressBar)
    assert bar.value() == 50
    stage.window.welcome.cancel_button.clicked.emit()
    stage.window.picker.cancel_button.clicked.emit()
    assert stage.engine.calls == [("cancel_load",), ("cancel_load",)]
    stage.engine.enter(READY)
    assert stage.window.composer.edit.placeholderText().startswith("Message Qwen3-8B-Instruct Q4_K_M…")
    assert stage.window.menu_actions.unload_model.isEnabled()
    stage.engine.enter(NoModel())
    assert stage.window.composer.edit.placeholderText().startswith("Message…")


def test_a_recent_model_is_loaded_by_one_click(stage: Stage) -> None:
    stage.window.welcome.recent_clicked.emit(MODEL.ref)
    stage.window.picker.model_chosen.emit(MODEL.ref)
    assert stage.engine.calls == [("load", MODEL.ref), ("load", MODEL.ref)]


def test_closing_hides_and_says_so(qtbot: QtBot, stage: Stage) -> None:
    with qtbot.waitSignal(stage.window.closing):
        press(stage, "Ctrl+Q")
    assert not stage.window.isVisible()
    # The owner ends the program when everything is put away; Qt must not do it now.
    assert not stage.window.close()


def test_it_remembers_its_place(qtbot: QtBot, stage: Stage) -> None:
    stage.window.resize(733, 577)
    press(stage, "Ctrl+B")
    stage.window.close()
    again = MainWindow(
        stage.appearance,
        cast(ChatController, FakeController()),
        cast(EngineService, FakeEngine()),
        cast(SettingsService, FakeSettings()),
        recent_models=list,
        installed_models=list,
        state_folder=stage.state_folder,
        pictures=stage.pictures,
        writing=stage.writing,
    )
    qtbot.addWidget(again)
    assert (again.width(), again.height()) == (733, 577)
    assert again.sidebar.isHidden()


def test_tab_reaches_all_parts(talk: Stage) -> None:
    window = talk.window
    window.composer.focus_text()
    reached = set()
    for _ in range(60):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        reached.add(window.focusWidget())
    parts = (
        window.sidebar.search_field,
        window.sidebar.list_view,
        window.picker.button,
        window.header.menu_button,
        window.transcript.scroll_area,
        window.sidebar.settings_button,
        window.gauge,
        window.composer.edit,
    )
    assert [part.accessibleName() for part in parts if part not in reached] == []
