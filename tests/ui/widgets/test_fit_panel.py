from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.core.fit import Fit, Room, Verdict
from app.core.fit_needs import Needs
from app.core.loading import FlashAttention
from app.ui.theme.appearance import Appearance
from app.ui.widgets.fit_panel import FitPanel

GIB = 1 << 30
NEEDS = Needs(weights=2 * GIB, kv=GIB, compute=512 << 20)


def fit(*needs: Needs) -> Fit:
    rooms = tuple(Room(f"card {at}" if at else "", each, 8 * GIB, Verdict.FITS) for at, each in enumerate(needs))
    return Fit(Verdict.FITS, rooms, 8192, exact=True)


@pytest.fixture
def panel(qtbot: QtBot, appearance: Appearance) -> FitPanel:
    made = FitPanel(appearance, "Sets it")
    qtbot.addWidget(made)
    made.resize(500, 100)
    made.show()
    return made


def test_the_parts_have_their_numbers(panel: FitPanel) -> None:
    panel.show_fit(fit(NEEDS), ())
    assert panel.legend.texts == ("Weights: 2.0 GiB", "KV cache: 1.0 GiB", "Computing: 512 MiB")
    assert "Weights: 2.0 GiB" in panel.accessibleDescription()


def test_parts_are_those_of_all_memories_together(panel: FitPanel) -> None:
    panel.show_fit(fit(NEEDS, replace(NEEDS, projector=GIB)), ())
    assert panel.legend.texts[0] == "Weights: 5.0 GiB"


def test_an_upper_bound_says_at_most(panel: FitPanel) -> None:
    panel.show_fit(replace(fit(replace(NEEDS, checkpoints=GIB)), exact=False), ())
    assert panel.legend.texts[1] == "KV cache: at most 1.0 GiB"
    assert panel.legend.texts[3] == "Checkpoints: at most 1.0 GiB"


def test_it_says_how_attention_is_computed_and_what_drafts_take(panel: FitPanel) -> None:
    panel.show_fit(replace(fit(replace(NEEDS, draft=GIB)), flash_attn=FlashAttention.OFF), ())
    assert panel.legend.texts[0] == "Weights: 3.0 GiB, with 1.0 GiB for drafts"
    assert panel.legend.texts[2] == "Computing: 512 MiB, without flash attention"


def test_what_several_answers_take_stands_below_the_numbers(panel: FitPanel) -> None:
    panel.show_fit(fit(NEEDS), ())
    assert panel.numbers[-1][0] == "Free now"
    panel.show_fit(replace(fit(NEEDS), more_answers=GIB), ())
    assert panel.numbers[-1] == ("More, with several answers at once", "1.0 GiB")


def test_nothing_known_is_nothing_shown(panel: FitPanel) -> None:
    panel.show_fit(fit(NEEDS), ())
    panel.show_fit(None, ())
    assert panel.isHidden()
