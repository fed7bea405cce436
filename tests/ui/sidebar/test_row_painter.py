"""What was found, in the two lines that it has."""

import pytest
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from app.ui.sidebar.row_painter import _fitted
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import SMALL_SIZE, text_font


@pytest.mark.parametrize("word", ["rain", "雨が降る", "😀😀"])
def test_what_has_no_room_ends_in_dots(qtbot: QtBot, appearance: Appearance, word: str) -> None:
    font = text_font(SMALL_SIZE)
    text = " ".join([word] * 60)
    shown = _fitted(text, font, 200)
    assert shown.endswith("…")
    assert text.startswith(shown[:-1].rstrip())
    assert 200 < QFontMetrics(font).horizontalAdvance(shown) <= 400


@pytest.mark.parametrize("times", [1, 8])
def test_what_has_room_is_whole(qtbot: QtBot, appearance: Appearance, times: int) -> None:
    text = " ".join(["rain"] * times)
    assert _fitted(text, text_font(SMALL_SIZE), 200) == text
