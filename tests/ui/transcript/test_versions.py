"""Editing, versions, branches and deletion in the window: what is asked of the controller, and what is shown."""

import time
from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QEnterEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.core.events import ToolCallDelta
from app.core.messages import ImagePart, Message, Role
from app.core.settings import Interface, SendKey, Theme
from app.services.engine.states import Generating, Idle
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.dates import full_moment, short_moment
from app.ui.transcript.message_editor import MessageEditor
from app.ui.transcript.message_view import AnswerView, MessageView, UserView
from app.ui.widgets.buttons import CopyButton
from tests.ui.conftest import Stage
from tests.ui.fakes import READY, conversation, opened, stored

LONG = "\n\n".join(f"Paragraph {number} of a long answer." for number in range(60))


@pytest.fixture
def talk(stage: Stage) -> list[StoredMessage]:
    """Two questions; the second and its answer have versions."""
    stage.engine.enter(READY)
    stage.controller.active.listed.emit((conversation("Greeting", number=1),))
    messages = [
        stored(Role.USER, "first"),
        stored(Role.ASSISTANT, "**one**"),
        stored(Role.USER, "second", version=1, n_versions=2),
        stored(Role.ASSISTANT, "two", version=2, n_versions=3),
    ]
    stage.controller.active.open(opened("Greeting", *messages))
    return messages


def view_of(stage: Stage, message: StoredMessage) -> MessageView:
    (view,) = (each for each in stage.window.transcript.views if each.stored.id == message.id)
    return view


def button(widget: QWidget, name: str) -> QAbstractButton:
    (found,) = (
        each for each in widget.findChildren(QAbstractButton) if each.accessibleName() == name and each.isVisible()
    )
    return found


def press(widget: QWidget, name: str) -> None:
    QTest.mouseClick(button(widget, name), Qt.MouseButton.LeftButton)


def choose(view: MessageView, name: str) -> None:
    (action,) = (each for each in view.tools.menu().actions() if each.text() == name)
    action.trigger()


def editor_of(view: MessageView) -> MessageEditor | None:
    return view.editor


def is_awake(view: MessageView) -> bool:
    return view.tools.is_awake


def bar(stage: Stage) -> QScrollBar:
    return stage.window.transcript.scroll_area.verticalScrollBar()


def test_versions_are_counted_and_walked(stage: Stage, talk: list[StoredMessage]) -> None:
    assert [view.tools.pager.text for view in stage.window.transcript.views] == ["", "", "1/2", "2/3"]
    press(view_of(stage, talk[3]), "Previous version")
    press(view_of(stage, talk[3]), "Next version")
    press(view_of(stage, talk[2]), "Next version")
    walks = [("walk", talk[3].id, -1), ("walk", talk[3].id, 1), ("walk", talk[2].id, 1)]
    assert stage.controller.calls == walks
    assert not button(view_of(stage, talk[2]), "Previous version").isEnabled()
    assert button(view_of(stage, talk[3]), "Next version").accessibleDescription() == "Version 2 of 3"


def test_keys_walk_where_the_keyboard_is(stage: Stage, talk: list[StoredMessage]) -> None:
    stage.window.composer.focus_text()
    QTest.keySequence(stage.window, "Alt+Left")
    QTest.keySequence(stage.window, "Alt+Right")
    question = view_of(stage, talk[2])
    assert isinstance(question, UserView)
    question.blocks_view.widget_at(0).setFocus()
    QTest.keySequence(stage.window, "Alt+Right")
    first = view_of(stage, talk[0])
    assert isinstance(first, UserView)
    first.blocks_view.widget_at(0).setFocus()
    QTest.keySequence(stage.window, "Alt+Right")
    assert stage.controller.calls == [
        ("walk", talk[3].id, -1),
        ("walk", talk[3].id, 1),
        ("walk", talk[2].id, 1),
        ("walk", talk[3].id, 1),
    ]


def test_only_what_follows_is_built_anew(stage: Stage, talk: list[StoredMessage]) -> None:
    before = stage.window.transcript.views
    other = stored(Role.ASSISTANT, "three", version=3, n_versions=3)
    question = replace(talk[2], version=1, n_versions=1)
    stage.controller.active.go(opened("Greeting", *talk[:2], question, other))
    after = stage.window.transcript.views
    assert after[:3] == before[:3]
    assert [view.stored.id for view in after] == [*(each.id for each in talk[:3]), other.id]
    assert [view.tools.pager.text for view in after] == ["", "", "", "3/3"]
    assert before[3].isHidden()


@pytest.mark.parametrize("length", [1, 60, 200])
def test_the_page_stays_where_it_is(qtbot: QtBot, stage: Stage, talk: list[StoredMessage], length: int) -> None:
    head = [stored(Role.USER, "q"), stored(Role.ASSISTANT, LONG), talk[2]]
    stage.controller.active.open(opened("Greeting", *head, stored(Role.ASSISTANT, LONG)))
    qtbot.waitUntil(lambda: bar(stage).maximum() > 2000)
    listed = stage.window.transcript.scroll_area
    question = listed.go_to(2)
    qtbot.waitUntil(lambda: listed.is_settled)
    before = question.geometry()
    other = stored(Role.ASSISTANT, "\n\n".join(["A paragraph of another answer."] * length), version=2, n_versions=2)
    stage.controller.active.go(opened("Greeting", *head, other))
    at_once = bar(stage).value(), bar(stage).maximum(), question.geometry()
    for _ in range(5):
        QCoreApplication.processEvents()
    assert question.geometry() == at_once[2], "all was laid out at once"
    assert question.geometry() == before or length == 1
    assert stage.window.transcript.scroll_area.follows is (length == 1)


def test_a_longer_version_at_the_end_does_not_pull_the_page_down(
    qtbot: QtBot, stage: Stage, talk: list[StoredMessage]
) -> None:
    head = [stored(Role.USER, "q"), stored(Role.ASSISTANT, LONG)]
    stage.controller.active.open(opened("Greeting", *head, stored(Role.USER, "short")))
    qtbot.waitUntil(lambda: bar(stage).maximum() > 500)
    qtbot.waitUntil(lambda: stage.window.transcript.scroll_area.is_settled)
    place = bar(stage).value()
    assert place == bar(stage).maximum()
    stage.controller.active.go(opened("Greeting", *head, stored(Role.USER, LONG)))
    for _ in range(5):
        QCoreApplication.processEvents()
    assert bar(stage).value() == place < bar(stage).maximum()
    assert stage.window.transcript.jump_button.isVisible()


def test_the_keyboard_goes_to_the_version_that_came(stage: Stage, talk: list[StoredMessage]) -> None:
    view_of(stage, talk[3]).tools.pager.forth.setFocus()
    last = stored(Role.ASSISTANT, "three", version=3, n_versions=3)
    stage.controller.active.go(opened("Greeting", *talk[:3], last))
    assert view_of(stage, last).tools.pager.back.hasFocus(), "there is no next one"
    stage.controller.active.go(opened("Greeting", *talk))
    assert view_of(stage, talk[3]).tools.pager.back.hasFocus()
    stage.controller.active.go(opened("Greeting", *talk[:2]))
    assert view_of(stage, talk[1]).isAncestorOf(stage.window.focusWidget())


def test_a_question_is_edited_in_its_place(stage: Stage, talk: list[StoredMessage]) -> None:
    view = view_of(stage, talk[2])
    assert isinstance(view, UserView)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    press(view, "Edit question")
    editor = view.editor
    assert editor is not None
    assert editor.field.hasFocus()
    assert editor.save_button.text() == "Send", "it is answered at once"
    assert (editor.isVisible(), view.bubble.isVisible(), view.tools.isVisible()) == (True, False, False)
    QTest.keyClick(editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(editor.field, "and more")
    assert stage.controller.calls == []
    assert editor.geometry().bottom() <= view.rect().bottom()
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert stage.controller.calls == [("edit", talk[2].id, "second\nand more")]
    assert view.editor is None
    assert view.bubble.isVisible()
    assert stage.window.composer.edit.hasFocus(), "where the next thing is written"


def test_a_text_that_fits_is_seen_from_its_first_line(stage: Stage, talk: list[StoredMessage], qtbot: QtBot) -> None:
    lines = "\n".join(f"line {number}" for number in range(8))
    question = stored(Role.USER, lines)
    stage.controller.active.open(opened("Greeting", question))
    view = view_of(stage, question)
    view.edit()
    editor = view.editor
    assert editor is not None
    qtbot.waitUntil(lambda: editor.field.height() >= editor.field.lines_height())
    assert editor.field.verticalScrollBar().value() == 0
    assert editor.field.textCursor().atEnd()


def test_what_is_not_taken_stays_in_the_editor(stage: Stage, talk: list[StoredMessage]) -> None:
    stage.controller.takes = False
    view = view_of(stage, talk[1])
    press(view, "Edit answer")
    assert view.editor is not None
    assert view.editor.field.toPlainText() == "**one**"
    view.editor.field.setPlainText("mine")
    press(view, "Save")
    assert stage.controller.calls == [("edit", talk[1].id, "mine")]
    assert view.editor.field.toPlainText() == "mine"
    stage.controller.active.go(opened("Greeting", *talk[:2], stored(Role.USER, "x")))
    assert view.editor is not None, "it stands above what changed"


def test_escape_leaves_the_editor_and_stops_nothing(stage: Stage, talk: list[StoredMessage]) -> None:
    view = view_of(stage, talk[1])
    assert isinstance(view, AnswerView)
    view.edit()
    assert view.editor is not None
    stage.controller.replies.activity_changed.emit(Generating(1.0, 2))
    assert not view.blocks_view.isVisible()
    QTest.keyClicks(view.editor.field, "gone")
    QTest.keyClick(view.editor.field, Qt.Key.Key_Escape)
    assert editor_of(view) is None
    assert stage.controller.calls == []
    assert view.blocks_view.isVisible()
    assert view.tools.edit_button.hasFocus()
    view.edit()
    press(view, "Cancel")
    assert editor_of(view) is None


def test_pictures_stay_while_their_question_is_edited(qtbot: QtBot, stage: Stage, talk: list[StoredMessage]) -> None:
    picture = ImagePart("ab12", "a.png", 300, 200, "cd")
    question = stored(Role.USER, "what?", pictures=(picture,))
    stage.controller.active.open(opened("Greeting", question))
    view = view_of(stage, question)
    assert isinstance(view, UserView)
    qtbot.waitUntil(view.isVisible)
    view.edit()
    assert view.editor is not None
    assert view.pictures[0].isVisible()
    assert view.editor.geometry().top() > view.pictures[0].geometry().bottom()
    assert view.height() > view.editor.geometry().bottom() + 10, "the answer keeps away"


def test_a_key_edits_the_last_question(stage: Stage, talk: list[StoredMessage]) -> None:
    QTest.keySequence(stage.window, "Ctrl+Shift+E")
    view = view_of(stage, talk[2])
    assert view.editor is not None
    assert view.editor.field.hasFocus()


def test_a_deleted_message_can_be_brought_back(stage: Stage, talk: list[StoredMessage]) -> None:
    choose(view_of(stage, talk[2]), "Delete")
    choose(view_of(stage, talk[3]), "Delete")
    sentences = [each.sentence.text() for each in stage.window.notices.bars]
    assert sentences == ["The message was deleted, and what came after it.", "The message was deleted."]
    undo = stage.window.notices.bars[0].action_button
    assert undo is not None
    undo.click()
    assert stage.controller.calls == [
        ("delete_message", talk[2].id),
        ("delete_message", talk[3].id),
        ("undo_delete_message", talk[2].id),
    ]
    stage.controller.takes = False
    choose(view_of(stage, talk[2]), "Delete")
    assert len(stage.window.notices.bars) == 1, "nothing was deleted, and nothing is offered"


def test_branching_answering_again_and_going_on(stage: Stage, talk: list[StoredMessage]) -> None:
    choose(view_of(stage, talk[0]), "Branch from here")
    press(view_of(stage, talk[1]), "Answer again")
    choose(view_of(stage, talk[3]), "Continue")
    QTest.keySequence(stage.window, "Ctrl+Shift+G")
    assert stage.controller.calls == [
        ("branch", talk[0].id),
        ("regenerate_answer", talk[1].id),
        ("continue_answer",),
        ("continue_answer",),
    ]


def test_a_question_without_an_answer_gets_one_by_key_and_by_menu(stage: Stage, talk: list[StoredMessage]) -> None:
    stage.controller.active.go(opened("Greeting", talk[0]))
    QTest.keySequence(stage.window, "Ctrl+R")
    choose(view_of(stage, talk[0]), "Answer")
    assert stage.controller.calls == [("regenerate",), ("regenerate",)]
    stage.controller.active.go(opened("Greeting", *talk))
    assert "Answer" not in [each.text() for each in view_of(stage, talk[2]).tools.menu().actions()]


@pytest.mark.parametrize(
    ("state", "reason", "offered"),
    [
        (MessageState.COMPLETE, "stop", False),
        (MessageState.COMPLETE, "length", True),
        (MessageState.COMPLETE, "repetition", True),
        (MessageState.COMPLETE, "context_full", False),
        (MessageState.CANCELLED, "cancelled", True),
        (MessageState.INTERRUPTED, None, True),
    ],
)
def test_an_answer_that_was_cut_offers_to_go_on(
    stage: Stage, talk: list[StoredMessage], state: MessageState, reason: str | None, offered: bool
) -> None:
    answers = [stored(Role.ASSISTANT, text, state=state, figures={"reason": reason}) for text in ("one", "", "two")]
    stage.controller.active.go(opened("Greeting", talk[0], answers[0]))
    found = stage.window.findChildren(QPushButton)
    shown = [each for each in found if each.accessibleName() == "Continue the answer" and each.isVisible()]
    assert len(shown) == offered
    assert all(each.text() == ("Go on anyway" if reason == "repetition" else "Continue") for each in shown)
    for each in shown:
        each.click()
    assert stage.controller.calls == [("continue_answer",)] * offered
    for path in ((talk[0], answers[1]), (talk[0], answers[0], talk[2])):
        stage.controller.active.go(opened("Greeting", *path))
        assert not any(
            each.accessibleName() == "Continue the answer" and each.isVisible()
            for each in stage.window.findChildren(QPushButton)
        )


def test_an_answer_that_goes_on_grows_from_its_text(qtbot: QtBot, stage: Stage, talk: list[StoredMessage]) -> None:
    view = view_of(stage, talk[3])
    assert isinstance(view, AnswerView)
    last = talk[3]
    writing = replace(last, state=MessageState.WRITING)
    stage.controller.active.change(writing)
    assert not view.tools.isVisible()
    stage.controller.replies.write(last, " and *more*")
    assert view.source() == "two and *more*"
    stage.controller.replies.call(last, ToolCallDelta(0, "a", "search", "{}"))
    assert [each.call.name for each in view.calls.views] == ["search"]
    done = replace(last, message=Message.of(Role.ASSISTANT, "two and *more*"))
    stage.controller.active.change(done)
    assert view.tools.pager.text == "2/3"
    assert view.source() == "two and *more*"


def test_the_tools_of_a_question_are_seen_when_somebody_is_near(stage: Stage, talk: list[StoredMessage]) -> None:
    view = view_of(stage, talk[0])
    assert not is_awake(view)
    height = view.height()
    place = QPointF(5, 5)
    QCoreApplication.sendEvent(view, QEnterEvent(place, place, place))
    assert is_awake(view)
    edit = button(view, "Edit question")
    assert not edit.icon().isNull()
    QCoreApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert not is_awake(view)
    assert edit.icon().isNull()
    edit.setFocus()
    assert not edit.icon().isNull()
    stage.window.composer.focus_text()
    assert edit.icon().isNull()
    assert view.height() == height


def test_the_tools_of_a_question_have_their_room_where_only_the_keyboard_is_at_them(
    stage: Stage,
) -> None:
    question = replace(stored(Role.USER, "When?"), created_at=time.time() - 60)
    stage.controller.active.open(opened("T", question))
    view = view_of(stage, question)
    assert isinstance(view, UserView)
    place = QPointF(5, 5)
    QCoreApplication.sendEvent(view, QEnterEvent(place, place, place))
    QCoreApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    button(view, "Edit question").setFocus()
    tools = view.tools
    assert tools.time.text()
    assert tools.width() == tools.sizeHint().width()
    assert tools.geometry().right() < view.bubble.geometry().left()


def test_the_tools_of_an_answer_are_seen_under_the_last_one_or_when_somebody_is_near(
    stage: Stage, talk: list[StoredMessage]
) -> None:
    first, last = view_of(stage, talk[1]), view_of(stage, talk[3])
    # The pointer may be anywhere.
    QCoreApplication.sendEvent(first, QEvent(QEvent.Type.Leave))
    assert (is_awake(first), is_awake(last)) == (False, True)
    place = QPointF(5, 5)
    QCoreApplication.sendEvent(first, QEnterEvent(place, place, place))
    assert is_awake(first)
    QCoreApplication.sendEvent(first, QEvent(QEvent.Type.Leave))
    assert not is_awake(first)
    button(first, "Answer again").setFocus()
    assert is_awake(first)


def test_a_message_says_when_it_was_written(stage: Stage) -> None:
    now, old = time.time(), datetime(2024, 3, 5, 14, 32).timestamp()
    question = replace(stored(Role.USER, "one?"), created_at=old)
    answer = replace(stored(Role.ASSISTANT, "one"), created_at=now)
    stage.controller.active.open(opened("Greeting", question, answer))
    view = view_of(stage, answer)
    assert view.tools.time.text() == short_moment(now) != ""
    asked = view_of(stage, question)
    assert asked.tools.time.text() == "", "until somebody is near"
    assert asked.accessibleDescription() == full_moment(old)
    asked.setFocus()
    assert asked.tools.time.text() == short_moment(old) != ""
    assert asked.tools.findChildren(QLabel)[0].toolTip() == full_moment(old)


def test_tab_goes_from_a_question_to_its_tools(stage: Stage, talk: list[StoredMessage]) -> None:
    view = view_of(stage, talk[2])
    assert not view.findChildren(CopyButton), "they are made when they are needed"
    view.setFocus(Qt.FocusReason.TabFocusReason)
    reached = []
    for _ in range(5):
        QTest.keyClick(stage.window.focusWidget(), Qt.Key.Key_Tab)
        reached.append(stage.window.focusWidget().accessibleName())
        assert view.tools.is_awake or reached[-1] not in ("Copy question", "Edit question", "More")
    assert reached[:4] == ["Copy question", "Edit question", "More", "Next version"]


def test_a_message_that_goes_takes_nothing_else_with_it(stage: Stage, talk: list[StoredMessage]) -> None:
    view = view_of(stage, talk[2])
    view.edit()
    editor = editor_of(view)
    assert editor is not None
    QTest.keyClick(editor.field, Qt.Key.Key_Tab)
    # The field has the focus when it goes: the keyboard looks for another place, through the whole window.
    stage.controller.active.go(opened("Greeting", *talk[:2]))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    attach = stage.window.composer.attach_button
    stage.settings.update(Interface, theme=Theme.DARK, text_size=120)
    QTest.mouseClick(attach, Qt.MouseButton.LeftButton)
    assert attach.choices.activeAction() is attach.choices.actions()[0]
    attach.choices.close()


def test_actions_are_dim_where_they_could_do_nothing(stage: Stage, talk: list[StoredMessage]) -> None:
    actions = stage.window.menu_actions
    mine = (actions.edit_question, actions.continue_answer, actions.previous_version, actions.next_version)
    assert all(each.isEnabled() for each in mine)
    stage.controller.replies.activity_changed.emit(Generating(1.0, 2))
    assert not any(each.isEnabled() for each in mine)
    stage.controller.replies.activity_changed.emit(Idle())
    stage.controller.active.go(opened("Greeting", talk[0]))
    assert [each.isEnabled() for each in mine] == [True, False, False, False]
    stage.controller.active.open(None)
    assert not any(each.isEnabled() for each in mine)


def test_enter_in_an_edit_does_what_it_does_in_the_message_field(stage: Stage, talk: list[StoredMessage]) -> None:
    stage.settings.update(Interface, send_key=SendKey.CTRL_ENTER)
    view = view_of(stage, talk[1])
    view.edit()
    assert view.editor is not None
    assert view.editor.save_button.toolTip() == "Save (Ctrl+Enter)"
    QTest.keyClick(view.editor.field, Qt.Key.Key_Return)
    assert stage.controller.calls == []
    QTest.keyClick(view.editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert stage.controller.calls == [("edit", talk[1].id, "**one**\n")]
    stage.settings.update(Interface, send_key=SendKey.ENTER)
    view.edit()
    assert view.editor.save_button.toolTip() == "Save (Enter)"
    QTest.keyClick(view.editor.field, Qt.Key.Key_Return)
    assert stage.controller.calls[1:] == [("edit", talk[1].id, "**one**")]


@pytest.mark.parametrize("wish", ["again", "branch", "continue", "key"])
def test_what_leads_to_another_answer_leaves_the_keyboard_at_the_message_field(
    stage: Stage, talk: list[StoredMessage], wish: str
) -> None:
    view = view_of(stage, talk[3])
    view.tools.more_button.setFocus()
    if wish == "key":
        stage.window.menu_actions.regenerate.trigger()
    elif wish == "again":
        press(view, "Answer again")
    else:
        choose(view, "Branch from here" if wish == "branch" else "Continue")
    assert stage.window.composer.edit.hasFocus()


def test_a_button_that_was_hidden_under_the_pointer_does_not_look_pointed_at(
    stage: Stage, talk: list[StoredMessage]
) -> None:
    view = view_of(stage, talk[3])
    pencil = button(view, "Edit answer")
    pencil.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    view.edit()
    assert not pencil.underMouse()


def test_what_lies_under_a_box_that_opened_does_not_look_pointed_at(stage: Stage) -> None:
    chip = stage.window.sidebar.settings_button
    QCursor.setPos(stage.window.mapToGlobal(QPoint(1, 1)))
    chip.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    QGuiApplication.instance().focusWindowChanged.emit(None)  # type: ignore[union-attr]  # there is one
    assert not chip.underMouse()
