import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.ui.theme.appearance import Appearance
from app.ui.widgets.memory_bar import Part, StackedBar


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_the_bar_is_drawn_to_scale(qtbot: QtBot, appearance: Appearance, direction: Qt.LayoutDirection) -> None:
    bar = StackedBar(appearance)
    qtbot.addWidget(bar)
    bar.setLayoutDirection(direction)
    bar.resize(100, 12)
    bar.show_parts((Part("part_weights", 30), Part("part_kv", 20)), 100)
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
    bar.show_parts((Part("part_weights", 200),), 100)
    image = bar.grab().toImage().scaled(100, 12)
    assert image.pixelColor(50, 6) == QColor(appearance.tokens.text)
    assert image.pixelColor(80, 6) == QColor(appearance.tokens.part_weights)
