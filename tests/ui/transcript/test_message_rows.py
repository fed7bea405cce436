"""Rows of messages with stand-ins for their views, whose heights are told."""

from typing import cast

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.storage.conversations import MessageState, StoredMessage
from app.ui.transcript.message_rows import MessageRows, Row
from app.ui.transcript.message_view import MessageView
from tests.ui.fakes import stored

HIGH = 200


class FakeView(QWidget):
    """Of a message whose lines are all alike: a place in it is a share of its height."""

    def __init__(self, row: Row, parent: QWidget) -> None:
        super().__init__(parent)
        self.stored = row.stored
        self.editor: object | None = None
        self.high = HIGH
        self.seen = (0, 0)

    def arrange(self, width: int, top: int, bottom: int) -> int:
        self.seen = (top, bottom)
        return self.high

    def anchor_at(self, y: int) -> object:
        return y / self.high

    def y_of(self, anchor: object) -> int:
        assert isinstance(anchor, float)
        return round(anchor * self.high)


@pytest.fixture
def rows(qtbot: QtBot) -> MessageRows:
    port = QWidget()
    qtbot.addWidget(port)
    made = MessageRows(lambda row: cast(MessageView, FakeView(row, port)))
    made.set_width(600)
    return made


def talk(count: int) -> list[Row]:
    return [Row(stored(Role.USER if n % 2 == 0 else Role.ASSISTANT, f"{n} " * 40)) for n in range(count)]


def fake(rows: MessageRows, index: int) -> FakeView:
    return cast(FakeView, rows.need(index))


def alive(rows: MessageRows) -> list[int]:
    return [index for index, _ in rows.views()]


def test_only_what_lies_in_the_range_gets_a_view(rows: MessageRows) -> None:
    rows.set_rows(talk(100))
    while rows.measure(1000, 1500):
        pass
    indices = alive(rows)
    assert indices == list(range(indices[0], indices[-1] + 1))
    assert rows.top(indices[0]) <= 1000 < rows.top(indices[0] + 1)
    assert rows.top(indices[-1]) < 1500 <= rows.top(indices[-1] + 1)
    for index in indices:
        assert fake(rows, index).seen == (1000 - rows.top(index), 1500 - rows.top(index))


def test_an_answer_stands_nearer_to_its_question_than_to_the_next_one(rows: MessageRows) -> None:
    rows.set_rows(talk(4))
    while rows.measure(0, 10_000):
        pass
    below_question, below_answer = (rows.top(n + 1) - rows.top(n) - HIGH for n in (0, 1))
    assert 0 < below_question < below_answer
    last = rows.top(3) + HIGH
    rows.append(Row(stored(Role.USER, "And then?")))
    assert rows.top(4) - last == below_answer, "what follows an answer is known late"


def test_a_place_is_found_again_when_what_is_above_and_around_it_grows(rows: MessageRows) -> None:
    rows.set_rows(talk(10))
    while rows.measure(0, 3000):
        pass
    y = rows.top(5) + HIGH // 4
    place = rows.place_at(y)
    assert place is not None
    assert rows.y_of(place) == y
    fake(rows, 1).high += 70
    fake(rows, 5).high = 2 * HIGH
    assert rows.measure(0, 3000)
    assert rows.y_of(place) == y + 70 + HIGH // 4


def test_of_nothing_there_is_no_place(rows: MessageRows) -> None:
    assert rows.place_at(0) is None
    assert rows.index_at(500) == 0
    assert not rows.measure(0, 500)


def test_what_is_far_goes_but_what_somebody_writes_in(rows: MessageRows) -> None:
    made = talk(12)
    made[3] = Row(stored(Role.ASSISTANT, "so far", state=MessageState.WRITING))
    rows.set_rows(made)
    while rows.measure(0, 4000):
        pass
    fake(rows, 1).editor = object()
    gone = rows.take_beyond(rows.top(8), rows.top(9))
    assert gone and not {view for _, view in rows.views()} & set(gone)
    assert [n for n in alive(rows) if n < 7] == [1, 3]
    assert {8, 9} <= set(alive(rows))


def test_the_first_width_makes_estimates_of_what_has_no_view(rows: MessageRows) -> None:
    rows.set_width(0)
    rows.set_rows([Row(stored(Role.ASSISTANT, "word " * 2000))])
    narrow = rows.height
    rows.set_width(700)
    wide = rows.height
    assert wide < 0.5 * narrow
    rows.set_width(400)
    assert rows.height == wide, "a measured height is better than an estimate, and an estimate is as good as another"


def test_rows_that_were_there_keep_their_views_and_heights(rows: MessageRows) -> None:
    made = talk(6)
    rows.set_rows(list(made))
    while rows.measure(0, 2000):
        pass
    kept, top = rows.need(1), rows.top(2)
    others = [rows.need(index) for index in range(2, 6)]
    gone = rows.set_rows([*made[:2], Row(stored(Role.USER, "Another way"))], keep=2)
    assert rows.need(1) is kept
    assert rows.top(2) == top
    assert alive(rows) == [0, 1]
    assert gone == others


def test_rows_that_are_asked_for_while_others_go_are_the_new_ones(rows: MessageRows) -> None:
    made, others = talk(6), talk(2)
    rows.set_rows(list(made))
    while rows.measure(0, 2000):
        pass
    for view in rows.set_rows(list(others)):
        # Who is told that a view goes may ask for anything.
        rows.measure(0, 2000)
        assert view not in [each for _, each in rows.views()]
    assert [view.stored.id for _, view in rows.views()] == [row.stored.id for row in others]


def test_a_message_is_found_by_its_number(rows: MessageRows) -> None:
    made = talk(3)
    rows.set_rows(made)
    message: StoredMessage = made[2].stored
    assert rows.index_of(message.id) == 2
    assert rows.index_of(-1) is None
