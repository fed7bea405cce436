from dataclasses import replace

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.core.events import PromptProgress
from app.core.settings import Theme
from app.services.engine.states import Generating, Idle, ModelOnServer, NoModel, Prefilling, Stopping, Waiting
from app.services.engine.token_counts import TokenCount
from app.ui.composer.context_gauge import ContextGauge
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import READY, THERE


@pytest.fixture
def gauge(qtbot: QtBot, appearance: Appearance) -> ContextGauge:
    appearance.choose(Theme.LIGHT)
    made = ContextGauge(appearance)
    qtbot.addWidget(made)
    made.show_engine(READY)
    return made


@pytest.mark.parametrize(
    ("n_past", "text", "sentence"),
    [
        (1200, "15 % full", "1,200 of 8,192 tokens are used."),
        (7372, "90 % full", "7,372 of 8,192 tokens are used."),
        (7373, "90 %, nearly full", "7,373 of 8,192 tokens are used. The context is nearly full."),
        (8192, "Full", "8,192 of 8,192 tokens are used. The context is full."),
    ],
)
def test_says_how_full_it_is(gauge: ContextGauge, n_past: int, text: str, sentence: str) -> None:
    gauge.show_size(TokenCount(n_past, exact=True))
    assert gauge.text() == text
    assert gauge.toolTip() == sentence
    assert gauge.accessibleName() == f"Context: {sentence}"


def test_says_what_is_only_reckoned(gauge: ContextGauge) -> None:
    gauge.show_size(TokenCount(1200, exact=False))
    assert gauge.text() == "≈ 15 % full"
    assert gauge.toolTip() == "About 1,200 of 8,192 tokens are used."
    gauge.show_size(TokenCount(317_649, exact=False))
    assert gauge.text() == "Full"
    assert gauge.toolTip() == "This conversation has about 317,649 tokens, and the context holds 8,192."
    gauge.show_activity(Generating(38.0, 4100))
    assert gauge.text() == "50 % full"


def test_a_server_that_does_not_tell_how_much_it_takes(gauge: ContextGauge) -> None:
    """Neither a share of nothing, nor an error."""
    gauge.show_engine(ModelOnServer(THERE))
    gauge.show_size(TokenCount(0, exact=True))
    assert gauge.isHidden()
    gauge.show_size(TokenCount(1200, exact=False))
    assert not gauge.isHidden() and gauge.text() == "≈ 1.2k" and not gauge.is_nearly_full
    assert gauge.toolTip() == "About 1,200 tokens are used. The server does not tell how many its model takes."
    gauge.show_engine(ModelOnServer(replace(THERE, n_ctx=8192)))
    assert gauge.text() == "≈ 15 % full"


def test_the_colour_warns(gauge: ContextGauge, appearance: Appearance) -> None:
    for n_past, level, role in ((4000, "", "accent"), (7500, "warning", "warning"), (8192, "danger", "danger")):
        gauge.show_size(TokenCount(n_past, exact=True))
        assert (gauge.property("level") or "") == level
        assert getattr(appearance.tokens, role) in colours(gauge)


def test_the_ring_follows_the_theme(gauge: ContextGauge, appearance: Appearance) -> None:
    gauge.show_size(TokenCount(4000, exact=True))
    appearance.choose(Theme.DARK)
    assert appearance.tokens.accent in colours(gauge)


def test_reading_fills_it(gauge: ContextGauge) -> None:
    gauge.show_size(TokenCount(100, exact=True))
    gauge.show_activity(Prefilling(PromptProgress(total=7904, reused=6880, read=512, elapsed=3.0)))
    assert gauge.text() == "90 %, nearly full"
    assert gauge.used == 7392
    gauge.show_activity(Prefilling(PromptProgress(total=40, reused=30, read=0, elapsed=0.0)))
    assert gauge.text() == "1 % full", "what is there is never nothing"


def test_writing_counts_on(gauge: ContextGauge) -> None:
    gauge.show_activity(Generating(38.0, 4100))
    assert gauge.text() == "50 % full"
    gauge.show_activity(Stopping())
    gauge.show_size(TokenCount(4200, exact=True))
    gauge.show_activity(Idle())
    assert gauge.text() == "51 % full"
    gauge.show_activity(Waiting())
    assert gauge.text() == "51 % full"


def test_a_new_conversation_begins_at_nothing(gauge: ContextGauge) -> None:
    gauge.show_size(TokenCount(4200, exact=True))
    gauge.show_size(TokenCount(0, exact=True))
    assert gauge.isHidden()


def test_without_a_model_it_is_hidden(gauge: ContextGauge) -> None:
    gauge.show_size(TokenCount(4200, exact=True))
    assert not gauge.isHidden()
    gauge.show_engine(NoModel())
    assert gauge.isHidden()
    gauge.show_activity(Waiting())
    gauge.show_engine(READY)
    assert not gauge.isHidden()


def colours(gauge: ContextGauge) -> set[str]:
    image: QImage = gauge.icon().pixmap(gauge.iconSize()).toImage().convertToFormat(QImage.Format.Format_ARGB32)
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_without_room_for_all_of_the_numbers_the_ring_stands_alone(gauge: ContextGauge) -> None:
    gauge.show_size(TokenCount(4000, exact=True))
    least, whole = gauge.minimumSizeHint().width(), gauge.sizeHint().width()
    assert 16 < least < whole
    left = []
    for width in (whole, whole - 1, least):
        gauge.resize(width, gauge.sizeHint().height())
        # Within the frame of what has the keyboard.
        image = gauge.grab(gauge.rect().adjusted(4, 4, -4, -4)).toImage()
        ground = image.pixel(0, image.height() // 2)
        columns = [x for x in range(image.width()) if image.pixel(x, image.height() // 2) != ground]
        left.append(max(columns) - min(columns))
    assert left[0] > 30
    assert left[1] == left[2] < 20
