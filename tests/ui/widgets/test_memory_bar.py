from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.core.loading import FlashAttention
from app.core.memory import MemoryEstimate
from app.ui.theme.appearance import Appearance
from app.ui.widgets.memory_bar import MemoryPanel, Part, StackedBar

GIB = 1 << 30
FITS = MemoryEstimate(weights=2 * GIB, kv=GIB, compute=512 << 20, checkpoints=0, exact=True)


@pytest.fixture
def panel(qtbot: QtBot, appearance: Appearance) -> MemoryPanel:
    made = MemoryPanel(appearance)
    qtbot.addWidget(made)
    made.resize(500, 100)
    made.show()
    return made


def test_the_parts_have_their_numbers(panel: MemoryPanel) -> None:
    panel.show_estimate(FITS, 8 * GIB)
    assert panel.part_texts == ("Weights: 2.0 GiB", "KV cache: 1.0 GiB", "Computing: 512 MiB", "Checkpoints: 0 KiB")
    assert panel.sentence == "Takes about 3.5 GiB of the 8.0 GiB that is free for it."
    assert not panel.is_too_much
    assert "Weights: 2.0 GiB" in panel.accessibleDescription()


def test_an_upper_bound_says_at_most(panel: MemoryPanel) -> None:
    panel.show_estimate(MemoryEstimate(2 * GIB, GIB, 512 << 20, GIB, exact=False), 8 * GIB)
    assert panel.part_texts[1] == "KV cache: at most 1.0 GiB"
    assert panel.part_texts[3] == "Checkpoints: at most 1.0 GiB"
    assert panel.sentence == "Takes at most 4.5 GiB of the 8.0 GiB that is free for it."


def test_it_says_how_attention_is_computed(panel: MemoryPanel) -> None:
    panel.show_estimate(replace(FITS, flash_attn=FlashAttention.OFF), 8 * GIB)
    assert panel.part_texts[2] == "Computing: 512 MiB, without flash attention"


def test_too_much_is_said(panel: MemoryPanel) -> None:
    panel.show_estimate(FITS, 3 * GIB)
    assert panel.is_too_much
    assert panel.sentence.startswith("This does not fit: it takes up to 3.5 GiB, and 3.0 GiB is free for it.")
    panel.show_estimate(FITS, 4 * GIB)
    assert not panel.is_too_much


def test_where_nobody_knows_what_is_free(panel: MemoryPanel) -> None:
    panel.show_estimate(FITS, 0)
    assert panel.sentence == "Takes about 3.5 GiB."
    assert not panel.is_too_much


def test_nothing_to_show(panel: MemoryPanel) -> None:
    panel.show_estimate(FITS, 0)
    panel.show_nothing()
    assert panel.sentence.startswith("Load a model")
    assert "Weights" not in panel.accessibleDescription()


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_the_bar_is_drawn_to_scale(qtbot: QtBot, appearance: Appearance, direction: Qt.LayoutDirection) -> None:
    bar = StackedBar(appearance)
    qtbot.addWidget(bar)
    bar.setLayoutDirection(direction)
    bar.resize(100, 12)
    bar.show_parts((Part("part_weights", "", 30), Part("part_kv", "", 20)), 100)
    image = bar.grab().toImage().scaled(100, 12)
    colours = [image.pixelColor(x, 6) for x in (20, 40, 70)]
    if direction == Qt.LayoutDirection.RightToLeft:
        colours = [image.pixelColor(99 - x, 6) for x in (20, 40, 70)]
    tokens = appearance.tokens
    assert colours == [QColor(tokens.part_weights), QColor(tokens.part_kv), QColor(tokens.hover)]


def test_a_mark_shows_where_the_room_ends(qtbot: QtBot, appearance: Appearance) -> None:
    bar = StackedBar(appearance)
    qtbot.addWidget(bar)
    bar.resize(100, 12)
    bar.show_parts((Part("part_weights", "", 200),), 100)
    image = bar.grab().toImage().scaled(100, 12)
    assert image.pixelColor(50, 6) == QColor(appearance.tokens.text)
    assert image.pixelColor(80, 6) == QColor(appearance.tokens.part_weights)
