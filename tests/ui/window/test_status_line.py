import pytest
from pytestqt.qtbot import QtBot

from app.core.events import Looking, PromptProgress
from app.services.engine.states import Activity, Encoding, Generating, Idle, Prefilling, Stopping, Waiting
from app.ui.theme.appearance import Appearance
from app.ui.window.status_line import StatusLine


@pytest.fixture
def status(qtbot: QtBot, appearance: Appearance) -> StatusLine:
    made = StatusLine()
    qtbot.addWidget(made)
    made.resize(600, 30)
    made.show()
    return made


@pytest.mark.parametrize(
    ("activity", "text"),
    [
        (Idle(), ""),
        (Waiting(), "Waiting for the model…"),
        (Prefilling(PromptProgress(7904, 6880, 512, 3.0)), "Reading…"),
        (Encoding(Looking(2, 3)), "Looking at picture 2 of 3…"),
        (Generating(38.24, 4100), "38 tokens/s"),
        (Generating(0.0, 4100), "Writing…"),
        (Stopping(), "Stopping…"),
    ],
)
def test_says_what_is_done(status: StatusLine, activity: Activity, text: str) -> None:
    status.show_activity(activity)
    assert status.text() == text


def test_says_nothing_of_what_is_over(status: StatusLine) -> None:
    status.show_activity(Generating(38.2, 4100))
    status.show_activity(Idle())
    assert (status.text(), status.toolTip(), status.accessibleDescription()) == ("", "", "")


def test_a_narrow_window_elides_it(status: StatusLine) -> None:
    status.show_activity(Waiting())
    status.resize(60, 30)
    assert status.text().endswith("…") and len(status.text()) < len("Waiting for the model…")
    assert status.toolTip() == "Waiting for the model…"
