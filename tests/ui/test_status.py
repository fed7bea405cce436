from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.core.draft_record import drafts_to
from app.core.events import PromptProgress
from app.core.speculation import DrafterKind, DraftFigures
from app.services.states import Activity, Idle, NoModel, Reading, Stopping, Waiting, Writing
from app.ui.status import StatusLine
from app.ui.theme import Look
from tests.ui.fakes import READY


@pytest.fixture
def status(qtbot: QtBot, look: Look) -> StatusLine:
    made = StatusLine()
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


def test_keeps_the_last_figures(status: StatusLine) -> None:
    status.show_figures({"n_past": 4100, "predicted_n": 382, "predicted_ms": 10_000.0})
    assert status.text() == "4.1k / 8k tokens · 38.2 tok/s"
    status.show_engine(NoModel())
    assert status.text() == "38.2 tok/s"
    status.show_figures(None)
    assert status.text() == ""


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
