"""What stands in the answer's place while its prompt is read."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.events import PromptProgress
from app.core.messages import Role
from app.services.engine.states import Generating, Idle, Prefilling
from app.storage.conversations import MessageState
from app.ui.formatting.prefill_clock import PrefillClock
from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_view import AnswerView
from app.ui.transcript.prefill_line import PrefillLine
from tests.ui.conftest import Stage
from tests.ui.fakes import opened, stored


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


class Reader:
    """A line, and the clock that it goes by."""

    def __init__(self, qtbot: QtBot) -> None:
        self.time = Clock()
        self.clock = PrefillClock(self.time)
        self._parent = QWidget()
        qtbot.addWidget(self._parent)
        self.line = PrefillLine(self.clock, self._parent)

    def hear(self, total: int, reused: int, read: int, elapsed: float) -> str:
        self.clock.hear(PromptProgress(total, reused, read, elapsed))
        self.line.refresh()
        return self.line.label.text()

    def wait(self, seconds: float) -> str:
        self.time.now += seconds
        self.line.refresh()
        return self.line.label.text()


@pytest.fixture
def reader(qtbot: QtBot, appearance: Appearance) -> Reader:
    return Reader(qtbot)


def test_what_is_read_at_once_needs_no_figures(reader: Reader) -> None:
    assert reader.hear(300, 0, 0, 0.0) == "Reading…"
    assert reader.hear(300, 0, 64, 0.1) == "Reading…"
    assert reader.line.bar.isHidden()


def test_the_first_batch_counts_up_where_no_speed_is_known(reader: Reader) -> None:
    reader.hear(21_000, 0, 0, 0.0)
    told = [reader.wait(2.0) for _ in range(5)]
    assert told == [f"Reading 21,000 tokens · {n} s so far" for n in (2, 4, 6, 8, 10)]


def test_the_first_batch_counts_down_at_the_speed_of_the_last_prompt(reader: Reader) -> None:
    reader.hear(1000, 0, 1000, 100.0)
    reader.hear(2000, 0, 0, 0.0)
    assert reader.wait(10.0) == "Reading 100 of 2,000 tokens · about 3 min left"
    assert reader.wait(10.0) == "Reading 200 of 2,000 tokens · about 3 min left"


def test_it_goes_on_between_two_figures(reader: Reader) -> None:
    """Batches of 512 at 20 tokens a second: half a minute without a figure."""
    assert reader.hear(2048, 0, 512, 25.6) == "Reading 512 of 2,048 tokens · about 77 s left"
    assert reader.wait(5.0) == "Reading 612 of 2,048 tokens · about 72 s left"
    told = [reader.wait(3.0) for _ in range(8)]
    assert len(set(told)) == len(told), "never frozen while the batch ought to last"
    assert reader.wait(600.0).endswith("about 51 s left"), "nobody knows whether it gets on"
    assert reader.line.bar.value() <= 1024


def test_it_never_stands_still_for_ten_seconds_where_a_batch_takes_longer_than_the_last(reader: Reader) -> None:
    reader.hear(20_000, 0, 512, 25.6)
    told = [reader.wait(5.0) for _ in range(8)]
    assert len(set(told)) == len(told), told


def test_what_was_remembered_is_no_part_of_it(reader: Reader) -> None:
    assert reader.hear(7904, 6880, 512, 3.0) == "Reading 512 of 1,024 tokens · about 3 s left"
    bar = reader.line.bar
    assert (bar.value(), bar.maximum(), bar.isHidden()) == (512, 1024, False)


def test_the_same_figures_again_begin_nothing_anew(reader: Reader) -> None:
    reader.hear(1000, 0, 500, 50.0)
    reader.wait(10)
    assert reader.hear(1000, 0, 500, 50.0).endswith("about 40 s left")


def test_it_stands_in_the_place_of_the_answer_until_the_first_word(stage: Stage) -> None:
    answer = stored(Role.ASSISTANT, "", state=MessageState.WRITING)
    stage.controller.active.open(opened("Rain", stored(Role.USER, "Summarise this."), answer))
    view = stage.window.transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    stage.controller.replies.activity_changed.emit(Prefilling(PromptProgress(21_000, 0, 0, 0.0)))
    line = view.prefill_line
    assert line is not None and line.isVisible()
    stage.controller.replies.activity_changed.emit(Prefilling(PromptProgress(21_000, 0, 12_400, 12.0)))
    assert view.outcome == "Reading 12,400 of 21,000 tokens · about 8 s left"
    assert line.isVisible(), "the same one"
    assert line.width() == view.width() and line.bar.isVisible()
    stage.controller.replies.activity_changed.emit(Generating(38.0, 21_001))
    assert line.isHidden()
    assert view.outcome == "Thinking…"
    stage.controller.replies.activity_changed.emit(Idle())


def test_it_stands_below_an_answer_that_goes_on(stage: Stage) -> None:
    answer = stored(Role.ASSISTANT, "It began.", state=MessageState.WRITING)
    stage.controller.active.open(opened("Rain", stored(Role.USER, "Summarise this."), answer))
    view = stage.window.transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    stage.controller.replies.activity_changed.emit(Prefilling(PromptProgress(21_000, 0, 0, 0.0)))
    line = view.prefill_line
    assert line is not None and line.y() >= view.blocks_view.geometry().bottom()
    stage.controller.replies.activity_changed.emit(Generating(0.0, 21_001))
    assert line.isHidden()
    stage.controller.replies.activity_changed.emit(Prefilling(PromptProgress(30_000, 0, 0, 0.0)))
    stage.controller.replies.write(answer, " And on")
    assert view.outcome == ""
    stage.controller.replies.activity_changed.emit(Idle())
