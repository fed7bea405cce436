import pytest
from pytestqt.qtbot import QtBot

from app.core.events import PromptProgress
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
