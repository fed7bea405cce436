"""Several answers side by side in the window: where they stand, how they grow, and what their buttons ask for."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QBoxLayout
from pytestqt.qtbot import QtBot

from app.core.events import TextDelta
from app.core.messages import Message, PassagePart, Role, TextPart
from app.core.preset import Preset
from app.services.chat.side_by_side import Column
from app.services.engine.states import Generating, Idle
from app.storage.conversations import MessageState, StoredMessage
from app.ui.passages.citation_list import CitationList
from app.ui.presets.columns_dialog import ColumnsDialog
from app.ui.transcript.answer_column import AnswerColumn
from tests.ui.conftest import Stage
from tests.ui.fakes import opened, stored
from tests.waits import WAIT


@pytest.fixture
def answers(stage: Stage) -> tuple[StoredMessage, ...]:
    question = stored(Role.USER, "Why?")
    made = tuple(stored(Role.ASSISTANT, "", state=MessageState.WRITING) for _ in range(2))
    stage.controller.replies.enter(Generating(1.0, 2))
    columns = (Column(made[0]), Column(made[1], Preset("Pirate")))
    stage.controller.active.conversation_id = 1
    stage.controller.side_by_side.changed.emit(columns)
    stage.controller.active.open(opened("t", question, made[0]))
    return made


def shown(stage: Stage) -> list[AnswerColumn]:
    return stage.window.columns.columns


def test_they_stand_beside_each_other_and_not_among_the_messages(
    stage: Stage, answers: tuple[StoredMessage, ...], qtbot: QtBot
) -> None:
    window = stage.window
    assert [row.stored.message.role for row in window.transcript.scroll_area.rows] == [Role.USER]
    assert window.columns.isVisible()
    assert [each.accessibleName() for each in shown(stage)] == ["Answer 1", "Answer 2 · Pirate"]
    window.resize(1200, 800)
    one, other = shown(stage)
    assert one.y() == other.y() and one.geometry().right() < other.x()
    window.resize(560, 800)
    boxes = one.parentWidget()
    assert boxes is not None
    layout = boxes.layout()
    assert isinstance(layout, QBoxLayout) and layout.direction() is QBoxLayout.Direction.TopToBottom
    qtbot.waitUntil(lambda: one.geometry().bottom() < other.y(), timeout=WAIT)


def test_boxes_are_no_higher_than_their_answers(stage: Stage, answers: tuple[StoredMessage, ...], qtbot: QtBot) -> None:
    stage.window.resize(1200, 800)
    one, other = shown(stage)
    stage.controller.replies.write(answers[0], "Short.")
    qtbot.waitUntil(lambda: one.whole_height <= one.height() < 150, timeout=WAIT)
    assert other.geometry().top() == one.geometry().top() and other.height() == one.height()
    assert one.mapTo(stage.window.columns, one.rect().topLeft()).y() == 0, "what is left lies below them"
    stage.controller.replies.write(answers[1], "A line that is read.\n\n" * 3)
    qtbot.waitUntil(lambda: 150 < other.whole_height <= other.height() == one.height(), timeout=WAIT)
    assert other.area.verticalScrollBar().maximum() == 0
    stage.controller.replies.write(answers[1], "A line that is read.\n\n" * 80)
    qtbot.waitUntil(lambda: other.area.verticalScrollBar().maximum() > 0, timeout=WAIT)
    room = stage.window.columns
    qtbot.waitUntil(lambda: other.height() > room.height() - 20, timeout=WAIT)


def test_text_is_as_far_from_one_side_of_its_box_as_from_the_other(
    stage: Stage, answers: tuple[StoredMessage, ...], qtbot: QtBot
) -> None:
    stage.window.resize(1200, 800)
    one = shown(stage)[0]
    stage.controller.replies.write(answers[0], "Short.")
    qtbot.waitUntil(lambda: one.view.width() > 200, timeout=WAIT)
    left = one.view.mapTo(one, one.view.rect().topLeft()).x()
    assert one.width() - left - one.view.width() == left


def test_each_grows_alone_and_follows_its_end(stage: Stage, answers: tuple[StoredMessage, ...], qtbot: QtBot) -> None:
    one, other = shown(stage)
    stage.controller.replies.write(answers[1], "A line that is read.\n\n" * 80)
    bar = other.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum(), timeout=WAIT)
    assert "A line" in other.view.source() and not one.view.source()
    bar.setValue(0)
    stage.controller.replies.write(answers[1], "And more.\n\n" * 20)
    qtbot.waitUntil(lambda: other.view.source().endswith("more.\n\n") and bar.maximum() > 0, timeout=WAIT)
    assert bar.value() == 0, "who has scrolled up is left there"


def test_what_its_buttons_ask_for(stage: Stage, answers: tuple[StoredMessage, ...]) -> None:
    one, other = shown(stage)
    assert one.stop_button.accessibleName() == "Stop Answer 1"
    QTest.keyClick(other.stop_button, Qt.Key.Key_Space)
    assert stage.controller.calls == [("stop_one", answers[1].id)]
    done = replace(answers[1], message=Message.of(Role.ASSISTANT, "Arr."), state=MessageState.COMPLETE)
    stage.controller.active.change(done)
    assert other.stop_button.isHidden() and not one.stop_button.isHidden()
    QTest.keyClick(other.keep_button, Qt.Key.Key_Space)
    assert stage.controller.calls[-1] == ("keep", answers[1].id)
    stage.controller.side_by_side.changed.emit(())
    assert not stage.window.columns.isVisible()
    rows = stage.window.transcript.scroll_area.rows
    assert [row.stored.id for row in rows][1:] == [answers[0].id], "the others come back to their place"


def test_the_menu_and_its_presets(stage: Stage) -> None:
    actions, controller = stage.window.menu_actions, stage.controller
    assert not actions.answer_twice.isEnabled()
    controller.active.open(opened("t", stored(Role.USER, "Why?"), stored(Role.ASSISTANT, "So.")))
    assert actions.answer_twice.isEnabled()
    actions.answer_twice.trigger()
    assert controller.calls == [("begin_side_by_side", (None, None))]
    controller.options.presets.add(pirate := Preset("Pirate"))
    actions.side_by_side.trigger()
    (dialog,) = stage.window.findChildren(ColumnsDialog)
    assert [box.accessibleName() for box in dialog.boxes] == ["Answer 1", "Answer 2", "Answer 3"]
    assert len({box.x() for box in dialog.boxes}) == 1, "they stand one below the other"
    dialog.boxes[2].setCurrentIndex(2)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert controller.calls[-1] == ("begin_side_by_side", (None, pirate, pirate))
    controller.replies.enter(Generating(1.0, 2))
    assert not actions.answer_twice.isEnabled()
    controller.replies.enter(Idle())


def test_text_is_not_lost_on_the_way_to_its_column(stage: Stage, answers: tuple[StoredMessage, ...]) -> None:
    stage.controller.replies.write(answers[0], "One")
    stage.controller.replies.write(answers[1], "Two")
    assert [each.view.source() for each in shown(stage)] == ["One", "Two"]
    assert TextDelta("One").text not in stage.window.transcript.answer_text(answers[1].id)


def test_links_and_citations_lead_from_a_column_too(stage: Stage, answers: tuple[StoredMessage, ...]) -> None:
    links, lists = list[str](), list[CitationList]()
    stage.window.transcript.link_clicked.disconnect()
    stage.window.transcript.link_clicked.connect(links.append)
    stage.window.transcript.passage_wanted.connect(lists.append)
    question = stage.controller.active.path[0]
    rain = PassagePart(1, "ab", "rain.txt", "The gauge measured 37 cm.")
    stage.controller.active.change(replace(question, message=replace(question.message, parts=(rain, TextPart("Why?")))))
    text = "It was [37 cm](https://example.org/) [1]."
    done = replace(answers[1], message=Message.of(Role.ASSISTANT, text), state=MessageState.COMPLETE)
    stage.controller.active.change(done)
    view = shown(stage)[1].view
    view.blocks_view.link_clicked.emit("https://example.org/")
    assert links == ["https://example.org/"]
    assert view.source_chips is not None and not view.source_chips.isHidden()
    view.source_chips.wanted.emit(1)
    assert [each.citations[each.at].part.name for each in lists] == ["rain.txt"]
