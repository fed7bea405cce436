import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.resources import RESOURCES
from app.core.settings import Motion, Theme
from app.ui.theme.appearance import Appearance, style_sheet, tokens_for
from app.ui.theme.fonts import load_fonts
from app.ui.theme.icons import app_icon
from app.ui.theme.palette import DARK, LIGHT, Palette


@pytest.mark.parametrize(
    ("theme", "scheme", "tokens"),
    [
        (Theme.SYSTEM, Qt.ColorScheme.Unknown, LIGHT),
        (Theme.SYSTEM, Qt.ColorScheme.Light, LIGHT),
        (Theme.SYSTEM, Qt.ColorScheme.Dark, DARK),
        (Theme.LIGHT, Qt.ColorScheme.Dark, LIGHT),
        (Theme.DARK, Qt.ColorScheme.Light, DARK),
    ],
)
def test_the_choice_wins_over_the_system(theme: Theme, scheme: Qt.ColorScheme, tokens: Palette) -> None:
    assert tokens_for(theme, scheme) is tokens


def test_another_theme_changes_palette_sheet_and_icons(
    qtbot: QtBot, qapp: QApplication, appearance: Appearance
) -> None:
    appearance.choose(Theme.LIGHT)
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(LIGHT.window)
    before = _middle(appearance.icon("stop"))
    with qtbot.waitSignal(appearance.changed):
        appearance.choose(Theme.DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
    assert DARK.bubble in qapp.styleSheet()
    assert before == QColor(LIGHT.text)
    assert _middle(appearance.icon("stop")) == QColor(DARK.text)


def test_the_same_theme_changes_nothing(qtbot: QtBot, appearance: Appearance) -> None:
    appearance.choose(Theme.LIGHT)
    with qtbot.assertNotEmitted(appearance.changed):
        appearance.choose(Theme.LIGHT)


def test_the_sheet_is_filled_in(qapp: QApplication) -> None:
    for tokens in (LIGHT, DARK):
        assert "$" not in style_sheet(tokens)


def test_our_fonts_are_used(qapp: QApplication) -> None:
    assert load_fonts() == ("Inter", "JetBrains Mono")


def test_every_icon_can_be_drawn(appearance: Appearance) -> None:
    for path in (RESOURCES / "icons").glob("*.svg"):
        drawn = appearance.icon(path.stem).pixmap(20, 20).toImage()
        assert any(drawn.pixelColor(x, y).alpha() for x in range(20) for y in range(20)), path.name
    assert not app_icon().pixmap(16, 16).isNull()


def test_icons_have_one_ink() -> None:
    for path in (RESOURCES / "icons").glob("*.svg"):
        if path.stem != "hearth":
            assert set(re.findall(r"#[0-9a-fA-F]+", path.read_text())) == {"#000000"}, path.name


def _middle(icon: QIcon) -> QColor:
    image = icon.pixmap(20, 20).toImage()
    return image.pixelColor(image.width() // 2, image.height() // 2)


def test_a_setting_that_changes_no_look_has_nothing_drawn_anew(qtbot: QtBot, appearance: Appearance) -> None:
    with qtbot.assertNotEmitted(appearance.changed):
        appearance.set_motion(Motion.FULL)
    with qtbot.waitSignal(appearance.changed):
        appearance.set_motion(Motion.REDUCED)
    with qtbot.assertNotEmitted(appearance.changed):
        appearance.set_motion(Motion.REDUCED)
    appearance.set_motion(Motion.FULL)
