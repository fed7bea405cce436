from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.core.draft_record import drafts_to
from app.core.events import Looking, PromptProgress
from app.core.speculation import DrafterKind, DraftFigures
from app.services.states import Activity, Idle, LookingAt, ModelReady, NoModel, Reading, Stopping, Waiting, Writing
from app.ui.status import StatusLine
from app.ui.theme import Look
from tests.ui.fakes import MODEL, READY


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def status(qtbot: QtBot, look: Look, clock: Clock) -> StatusLine:
    made = StatusLine(clock=clock)
    qtbot.addWidget(made)
    made.resize(600, 30)
    made.show()
    made.show_engine(READY)
    return made


@pytest.mark.parametrize(
    ("activity", "text"),
    [
        (Idle(), ""),
        (Waiting(), "Waiting for the model…"),
        (Reading(PromptProgress(7904, 6880, 512, 3.0)), "Reading 512 of 1,024 · reused 6,880 · 3 s left"),
        (Writing(38.24, 4100), "4.1k / 8k tokens · 38.2 tok/s"),
        (Writing(0.0, 4100), "4.1k / 8k tokens"),
        (Stopping(), "Stopping…"),
    ],
)
def test_says_what_is_done(status: StatusLine, activity: Activity, text: str) -> None:
    status.show_activity(activity)
    assert status.text() == text


def tick(status: StatusLine) -> None:
    (timer,) = status.findChildren(QTimer)
    assert timer.isActive()
    timer.timeout.emit()


def test_the_time_left_goes_on_between_two_figures(status: StatusLine, clock: Clock) -> None:
    """Batches of 512 at 20 tokens a second: half a minute without a figure."""
    status.show_activity(Reading(PromptProgress(2048, 0, 512, 25.6)))
    assert status.text().endswith("77 s left")
    for _ in range(5):
        clock.now += 1
        tick(status)
    assert status.text() == "Reading 512 of 2,048 · 72 s left"
    clock.now += 60
    tick(status)
    assert status.text().endswith("51 s left"), "the batch has taken longer than the one before, and nobody knows more"
    status.show_activity(Reading(PromptProgress(2048, 0, 1024, 90.0)))
    assert status.text().endswith("2 min left"), "it may get longer: that is the truth"
    clock.now += 1000
    tick(status)
    assert status.text().endswith("45 s left")


def test_a_batch_is_as_long_as_the_last_one_beyond_a_picture_too(status: StatusLine, clock: Clock) -> None:
    status.show_activity(Reading(PromptProgress(1000, 0, 400, 40.0)))
    status.show_activity(LookingAt(Looking(1, 1)))
    status.show_activity(Reading(PromptProgress(1000, 0, 500, 50.0)))
    clock.now += 1000
    tick(status)
    assert status.text().endswith("40 s left")


def test_the_last_batch_ends_at_a_second(status: StatusLine, clock: Clock) -> None:
    status.show_activity(Reading(PromptProgress(1000, 0, 512, 5.12)))
    clock.now += 1000
    tick(status)
    assert status.text() == "Reading 512 of 1,000 · 1 s left"


def test_the_same_figures_again_begin_nothing_anew(status: StatusLine, clock: Clock) -> None:
    status.show_activity(Reading(PromptProgress(1000, 0, 500, 50.0)))
    clock.now += 10
    status.show_activity(Reading(PromptProgress(1000, 0, 500, 50.0)))
    assert status.text().endswith("40 s left")


def test_nothing_ticks_while_no_time_is_told(status: StatusLine) -> None:
    (timer,) = status.findChildren(QTimer)
    status.show_activity(Reading(PromptProgress(1000, 0, 0, 0.0)))
    assert not timer.isActive()
    status.show_activity(Reading(PromptProgress(1000, 0, 500, 50.0)))
    assert timer.isActive()
    status.show_activity(Writing(10.0, 1001))
    assert not timer.isActive()


def test_keeps_the_last_figures(status: StatusLine) -> None:
    status.show_figures({"n_past": 4100, "predicted_n": 382, "predicted_ms": 10_000.0})
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s"
    status.show_engine(NoModel())
    assert status.text() == "38.2 tok/s"
    status.show_figures(None)
    assert status.text() == ""


def test_figures_of_another_model_are_not_those_of_the_one_at_hand(status: StatusLine) -> None:
    figures = {"n_past": 4100, "predicted_n": 382, "predicted_ms": 10_000.0, "model": MODEL.name}
    status.show_figures(figures)
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s"
    status.show_engine(ModelReady(replace(MODEL, name="another")))
    assert status.text() == ""
    status.show_engine(READY)
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s"


def test_a_narrow_window_loses_the_last_parts_first(status: StatusLine) -> None:
    status.show_activity(Writing(38.24, 4100))
    status.resize(status.fontMetrics().horizontalAdvance("4.1k / 8k tokens") + 4, 30)
    assert status.text() == "4.1k / 8k tokens"
    assert status.toolTip() == "4.1k / 8k tokens · 38.2 tok/s"


DRAFTED = DraftFigures((DrafterKind.NGRAM,), 10, 40, 25, 1.4, identical=True)


def test_says_what_drafts_do_while_they_do_it(status: StatusLine) -> None:
    status.resize(2000, 30)
    status.show_activity(Writing(38.2, 4100, DRAFTED))
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s · n-gram: 62% accepted · runs of 3.5 · identical output"
    rounded = replace(DRAFTED, kinds=(DrafterKind.MTP, DrafterKind.DRAFT_MODEL), identical=False)
    status.show_activity(Writing(38.2, 4100, rounded))
    told = "MTP, draft model: 62% accepted · runs of 3.5 · same distribution; wording may differ by rounding"
    assert status.text().endswith(told)
    status.show_activity(Writing(38.2, 4100, DraftFigures(off="Nothing guesses.")))
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s"


@pytest.mark.parametrize("useless", [replace(DRAFTED, accepted=0), replace(DRAFTED, accepted=1, gain=0.9)])
def test_is_silent_about_drafts_that_gained_nothing(status: StatusLine, useless: DraftFigures) -> None:
    status.resize(2000, 30)
    status.show_activity(Writing(38.2, 4100, useless))
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s"


def test_keeps_what_drafts_did(status: StatusLine) -> None:
    status.resize(2000, 30)
    status.show_figures({"n_past": 4100, "predicted_n": 382, "predicted_ms": 10_000.0, "drafting": drafts_to(DRAFTED)})
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s · n-gram: 62% accepted · runs of 3.5 · identical output"
