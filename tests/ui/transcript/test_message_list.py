"""Thousands of messages: widgets for those in sight, and a place on screen that stays."""

from itertools import pairwise
from time import thread_time

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QCursor, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.storage.conversations import MessageState, StoredMessage
from app.ui.theme.appearance import Appearance
from app.ui.transcript.drag_scroll import DragScroll
from app.ui.transcript.message_view import AnswerView, MessageView, UserView
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.edge_fade import EdgeFade
from tests.ui.fakes import opened, stored

ANSWER = "Some words first.\n\n- one\n- two\n\n```py\nx = 1\n```\n\n" + "\n\n".join(
    f"Paragraph {n}." for n in range(12)
)


def talk(count: int) -> list[StoredMessage]:
    return [
        stored(Role.USER, f"Question {number}") if number % 2 == 0 else stored(Role.ASSISTANT, f"{number}. {ANSWER}")
        for number in range(count)
    ]


def bar(transcript: Transcript) -> QScrollBar:
    return transcript.scroll_area.verticalScrollBar()


def follows(transcript: Transcript) -> bool:
    return transcript.scroll_area.follows


def settle(qtbot: QtBot, transcript: Transcript) -> None:
    qtbot.waitUntil(lambda: transcript.scroll_area.is_settled)


def test_where_all_of_it_is_in_sight_there_is_no_more(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", *talk(2)))
    transcript.resize(800, 300)
    settle(qtbot, transcript)
    bar(transcript).setValue(0)
    assert transcript.jump_button.isVisible()
    transcript.resize(800, 2000)
    settle(qtbot, transcript)
    assert not transcript.jump_button.isVisible()


def test_where_the_end_comes_into_sight_nothing_leads_there(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.resize(1100, 300)
    transcript.show_conversation(opened("A", *talk(20)))
    settle(qtbot, transcript)
    bar(transcript).setValue(bar(transcript).maximum() - 150)
    settle(qtbot, transcript)
    assert transcript.jump_button.isVisible()
    transcript.resize(1100, 600)
    settle(qtbot, transcript)
    assert bar(transcript).value() == bar(transcript).maximum() > 0
    assert not transcript.jump_button.isVisible()


def test_opening_costs_the_same_however_long_it_is(qtbot: QtBot, transcript: Transcript) -> None:
    talks = {count: opened("A", *talk(count)) for count in (10, 4000)}

    def seconds(count: int) -> float:
        transcript.show_conversation(opened("B", stored(Role.USER, "x"), number=2))
        settle(qtbot, transcript)
        begun = thread_time()
        transcript.show_conversation(talks[count])
        transcript.grab()
        return thread_time() - begun

    few = min(seconds(10) for _ in range(3))
    # If it were in proportion, it would be four hundred times as much.
    assert any(seconds(4000) < 10 * few + 0.1 for _ in range(3))
    settle(qtbot, transcript)
    assert len(transcript.views) < 20
    assert len(transcript.messages) == 4000


def test_scrolling_through_keeps_few_views(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", *talk(300)))
    for share in (0.9, 0.1, 0.5, 0.0, 1.0):
        bar(transcript).setValue(int(bar(transcript).maximum() * share))
        settle(qtbot, transcript)
        assert 2 <= len(transcript.views) < 20
        edges = [(view.y(), view.y() + view.height()) for view in transcript.views]
        assert all(end < begin for (_, end), (begin, _) in pairwise(edges)), "in order, and none over another"
        assert any(begin < 300 < end for begin, end in edges) or any(abs(begin - 300) < 40 for begin, _ in edges)
    assert transcript.scroll_area.follows
    assert transcript.views[-1].stored.id == transcript.messages[-1].id


def test_where_it_is_scrolled_to_both_edges_fade_above_the_messages(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.resize(800, 600)
    transcript.show_conversation(opened("A", *talk(40)))
    settle(qtbot, transcript)
    port = transcript.scroll_area.viewport()
    for value in range(bar(transcript).maximum() // 2, 200, -150):
        bar(transcript).setValue(value)
        children = [each for each in port.children() if isinstance(each, QWidget) and not each.isHidden()]
        fades = [each for each in children if isinstance(each, EdgeFade)]
        tops = sorted(each.y() for each in fades)
        assert tops == [0, port.height() - fades[0].height()]
        assert children[-2:] == fades or children[-1:-3:-1] == fades, "a message lies above one"


def test_what_is_in_sight_stays_when_estimates_turn_out_wrong(qtbot: QtBot, transcript: Transcript) -> None:
    messages = talk(60)
    transcript.show_conversation(opened("A", *messages))
    settle(qtbot, transcript)
    for _ in range(25):
        view = next(each for each in transcript.views if each.y() + each.height() > 200)
        before = view.y()
        value = bar(transcript).value()
        bar(transcript).setValue(value - 150)
        moved = view.y()
        assert abs(moved - before - 150) <= 2, "by as much as was scrolled"
        settle(qtbot, transcript)
        assert view.y() == moved, "what is made ready out of sight moves nothing"
        if bar(transcript).value() == 0:
            break


def test_a_streaming_answer_leaves_a_reader_alone(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, "", state=MessageState.WRITING)
    transcript.show_conversation(opened("A", *talk(40), answer))
    settle(qtbot, transcript)
    transcript.append_text(answer.id, "Word " * 50 + "\n\n" + ANSWER)
    bar(transcript).setValue(bar(transcript).maximum() // 2)
    settle(qtbot, transcript)
    assert not follows(transcript)
    assert transcript.jump_button.isVisible()
    view = transcript.views[2]
    place, height = view.y(), bar(transcript).maximum()
    transcript.append_text(answer.id, "\n\nmore" * 30)
    qtbot.wait(0)
    assert transcript.view_of(answer.id) is None or bar(transcript).maximum() >= height
    assert view.y() == place
    QTest.mouseClick(transcript.jump_button, Qt.MouseButton.LeftButton)
    assert follows(transcript)
    assert transcript.view_of(answer.id) is not None


def test_an_answer_that_streams_out_of_sight_is_whole(qtbot: QtBot, transcript: Transcript) -> None:
    answer = stored(Role.ASSISTANT, "begun ", state=MessageState.WRITING)
    transcript.show_conversation(opened("A", *talk(80), answer))
    settle(qtbot, transcript)
    bar(transcript).setValue(0)
    settle(qtbot, transcript)
    transcript.append_text(answer.id, "and goes ")
    transcript.append_text(answer.id, "on")
    transcript.scroll_area.jump_to_end()
    settle(qtbot, transcript)
    view = transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    assert view.source() == "begun and goes on"


def test_tab_walks_through_messages_in_their_order(qtbot: QtBot, transcript: Transcript) -> None:
    messages = talk(30)
    transcript.show_conversation(opened("A", *messages))
    settle(qtbot, transcript)
    transcript.scroll_area.go_to(10)
    settle(qtbot, transcript)
    transcript.activateWindow()
    qtbot.waitUntil(transcript.isActiveWindow)
    view = transcript.view_of(messages[10].id)
    assert view is not None
    view.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[int] = []
    for _ in range(60):
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, Qt.Key.Key_Tab)
        if (now := transcript.scroll_area.focused()) is not None and (not seen or seen[-1] != now.stored.id):
            seen.append(now.stored.id)
    numbers = [next(i for i, each in enumerate(messages) if each.id == which) for which in seen]
    assert numbers == sorted(numbers)
    assert numbers[-1] >= 15, "messages that had no view were made on the way"


def test_tab_enters_where_one_reads(qtbot: QtBot, transcript: Transcript) -> None:
    messages = talk(30)
    transcript.show_conversation(opened("A", *messages))
    settle(qtbot, transcript)
    area = transcript.scroll_area
    assert area.views[0].geometry().bottom() < 0, "one is made ready out of sight"
    highest = next(each for each in area.views if each.geometry().bottom() > 0)
    area.setFocus(Qt.FocusReason.BacktabFocusReason)
    QTest.keyClick(area, Qt.Key.Key_Tab)
    assert transcript.scroll_area.focused() is highest


def test_the_keyboards_place_is_seen_around_the_conversation(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_conversation(opened("A", *talk(2)))
    settle(qtbot, transcript)
    area = transcript.scroll_area

    def ring() -> bool:
        image = area.viewport().grab().toImage()
        return image.pixelColor(4, image.height() // 2) == area.palette().accent().color()

    area.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not ring()
    area.clearFocus()
    area.setFocus(Qt.FocusReason.TabFocusReason)
    assert ring()
    area.clearFocus()
    assert not ring()


@pytest.mark.parametrize("width", [480, 900, 1500])
def test_another_width_keeps_the_place(qtbot: QtBot, transcript: Transcript, width: int) -> None:
    messages = talk(60)
    transcript.show_conversation(opened("A", *messages))
    settle(qtbot, transcript)
    transcript.scroll_area.go_to(21)
    settle(qtbot, transcript)
    transcript.resize(width, 600)
    settle(qtbot, transcript)
    view = transcript.view_of(messages[21].id)
    assert view is not None
    assert -50 < view.y() < 600
    assert view.geometry().right() < transcript.scroll_area.viewport().width()


def test_a_question_stands_nearer_to_its_answer_than_to_what_came_before(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.resize(900, 2000)
    first, second = stored(Role.USER, "One?"), stored(Role.ASSISTANT, "One.")
    third, fourth = stored(Role.USER, "Two?"), stored(Role.ASSISTANT, "Two.")
    transcript.show_conversation(opened("A", first, second))
    for each in (third, fourth):
        transcript.add_message(each)
    settle(qtbot, transcript)
    port = transcript.scroll_area.viewport()
    question, answer, again, _ = transcript.views
    assert isinstance(question, UserView) and isinstance(again, UserView) and isinstance(answer, AnswerView)
    text_ends = answer.mapTo(port, answer.blocks_view.geometry().bottomLeft()).y()
    above = again.bubble.mapTo(port, QPoint(0, 0)).y() - text_ends
    below = answer.mapTo(port, QPoint(0, 0)).y() - question.bubble.mapTo(port, QPoint(0, question.bubble.height())).y()
    assert below < above < 45
    assert again.y() - question.y() < 150, "one line asked and one answered"


def test_the_rows_of_buttons_take_no_height_until_they_are_wanted(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.resize(900, 2000)
    messages = [stored(role, "One line.") for role in (Role.USER, Role.ASSISTANT) * 2]
    transcript.show_conversation(opened("A", *messages))
    settle(qtbot, transcript)
    places = [view.geometry() for view in transcript.views]
    for view in transcript.views:
        view.tools.more_button.setFocus(Qt.FocusReason.TabFocusReason)
        assert view.tools.is_awake, "the keyboard reaches them, and sees them"
        assert [each.geometry() for each in transcript.views] == places
    question = transcript.views[0]
    assert isinstance(question, UserView)
    assert question.tools.geometry().right() < question.bubble.x(), "beside the bubble"


def test_a_question_that_stays_as_it_is_is_laid_out_once(
    qtbot: QtBot, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever changes its height is seen all the same."""
    laid_out, arrange = list[int](), UserView._arrange

    def counted(view: UserView, width: int, top: int, bottom: int) -> int:
        laid_out.append(width)
        return arrange(view, width, top, bottom)

    monkeypatch.setattr(UserView, "_arrange", counted)
    transcript.show_conversation(opened("A", stored(Role.USER, "A question of some words. " * 8)))
    settle(qtbot, transcript)

    def question() -> UserView:
        (view,) = transcript.views
        assert isinstance(view, UserView)
        return view

    transcript.scroll_area.settle()
    laid_out.clear()
    transcript.scroll_area.settle()
    assert not laid_out
    usual, left = question().height(), question().bubble.x()
    transcript.resize(460, 600)
    qtbot.waitUntil(lambda: question().height() > usual)
    transcript.resize(800, 600)
    qtbot.waitUntil(lambda: question().height() == usual)
    transcript.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.waitUntil(lambda: question().bubble.x() < left)
    question().edit()
    qtbot.waitUntil(lambda: question().height() != usual)
    question().close_editor()
    qtbot.waitUntil(lambda: question().height() == usual)


@pytest.mark.parametrize("wide", [700, 1100])
def test_the_button_to_the_end_covers_no_text(qtbot: QtBot, transcript: Transcript, wide: int) -> None:
    transcript.resize(wide, 600)
    transcript.show_conversation(opened("A", *talk(6)))
    settle(qtbot, transcript)
    bar(transcript).setValue(200)
    settle(qtbot, transcript)
    button, port = transcript.jump_button, transcript.scroll_area.viewport()
    assert button.isVisible()
    for view in transcript.views:
        place = QRect(view.mapTo(transcript, QPoint(0, 0)), view.size())
        shown = place.intersected(QRect(port.mapTo(transcript, QPoint(0, 0)), port.size()))
        assert not shown.intersects(button.geometry())
    assert transcript.rect().contains(button.geometry())


@pytest.mark.parametrize("size", [90, 110, 150])
def test_another_size_of_text_keeps_the_reading_place(
    qtbot: QtBot, transcript: Transcript, appearance: Appearance, size: int
) -> None:
    transcript.show_conversation(opened("A", *talk(30)))
    settle(qtbot, transcript)
    bar(transcript).setValue(bar(transcript).maximum() // 2)
    settle(qtbot, transcript)
    before = transcript.scroll_area.reading_place()
    assert before is not None
    for percent in (size, 100, size):
        appearance.set_text_size(percent)
        transcript.renew()
        settle(qtbot, transcript)
        place = transcript.scroll_area.reading_place()
        assert place is not None and place[:1] == before[:1]
        assert abs(place[2] - before[2]) < 0.15, "the same paragraph, or the next"
    appearance.set_text_size(100)


def test_who_is_at_the_end_stays_there_in_another_size(
    qtbot: QtBot, transcript: Transcript, appearance: Appearance
) -> None:
    transcript.show_conversation(opened("A", *talk(30)))
    settle(qtbot, transcript)
    appearance.set_text_size(120)
    transcript.renew()
    settle(qtbot, transcript)
    assert transcript.scroll_area.follows and bar(transcript).value() == bar(transcript).maximum()
    appearance.set_text_size(100)


class Pointer(QObject):
    """Comes over the next view when one is hidden, as the mouse does that rests on a conversation."""

    def __init__(self, views: tuple[MessageView, ...]) -> None:
        super().__init__()
        self._views = views
        for view in views:
            view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Hide:
            for view in self._views:
                if view.isVisible():
                    QApplication.sendEvent(view, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
        return False


@pytest.mark.parametrize("count", [0, 2])
def test_views_that_go_bring_no_other_back(qtbot: QtBot, transcript: Transcript, count: int) -> None:
    transcript.show_conversation(opened("A", *(stored(Role.USER, f"Question {n}") for n in range(6))))
    settle(qtbot, transcript)
    gone = transcript.views
    pointer = Pointer(gone)
    messages = talk(count)
    transcript.show_conversation(opened("B", *messages, number=2) if messages else None)
    assert not any(view.isVisible() for view in gone)
    settle(qtbot, transcript)
    assert [view.stored.id for view in transcript.views] == [each.id for each in messages]
    assert transcript.scroll_area.isVisible() is bool(messages)
    transcript.resize(700, 500)
    settle(qtbot, transcript)
    assert [view.stored.id for view in transcript.views] == [each.id for each in messages]
    pointer.deleteLater()


def test_a_view_that_asks_for_room_while_it_comes_into_sight_gets_it(qtbot: QtBot, transcript: Transcript) -> None:
    question = stored(Role.USER, "Question")
    transcript.show_conversation(opened("A", question))
    settle(qtbot, transcript)
    view = transcript.view_of(question.id)
    assert isinstance(view, UserView)
    view.hide()

    class Comes(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Show:
                QApplication.sendEvent(watched, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
            return False

    comes = Comes()
    view.installEventFilter(comes)
    transcript.scroll_area.settle()
    qtbot.waitUntil(lambda: view.tools.width() == view.tools.sizeHint().width() > 60)


def test_what_goes_while_the_mouse_selects_beyond_the_edge_scrolls_nothing(
    qtbot: QtBot, transcript: Transcript
) -> None:
    transcript.show_conversation(opened("A", *talk(30)))
    settle(qtbot, transcript)
    selection = transcript.views[0].blocks_view.selection
    port = transcript.scroll_area.viewport()
    timer = next(each.findChild(QTimer) for each in transcript.scroll_area.findChildren(DragScroll))
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
    QCursor.setPos(port.mapToGlobal(QPoint(50, -200)))
    selection.dragged.emit()
    assert timer is not None and timer.isActive()
    transcript.show_conversation(opened("B", *talk(30), number=2))
    qtbot.waitUntil(lambda: not timer.isActive())
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
    assert follows(transcript)
