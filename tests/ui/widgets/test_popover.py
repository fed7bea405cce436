"""Boxes that open over the window."""

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.ui.theme.appearance import Appearance
from app.ui.widgets.popover import Popover
from tests.ui.conftest import Stage


@pytest.fixture
def window(qtbot: QtBot, appearance: Appearance) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.setGeometry(40, 40, 500, 400)
    made.show()
    return made


def inside(window: QWidget) -> QRect:
    return QRect(window.mapToGlobal(QPoint(0, 0)), window.size())


@pytest.mark.parametrize("place", [(0, 0), (420, 0), (0, 370), (420, 370), (200, 200)])
@pytest.mark.parametrize("ends", [False, True])
def test_it_stays_inside_the_window_beside_its_button(window: QWidget, place: tuple[int, int], ends: bool) -> None:
    anchor = QWidget(window)
    anchor.setGeometry(*place, 80, 30)
    popover = Popover(window)
    popover.resize(300, 120)
    popover.put_at(anchor, ends=ends)
    assert inside(window).contains(popover.geometry())
    button = QRect(anchor.mapToGlobal(QPoint(0, 0)), anchor.size())
    assert not popover.geometry().intersects(button)


def test_its_corners_are_clear_and_its_ground_is_not(window: QWidget, appearance: Appearance) -> None:
    popover = Popover(window)
    QVBoxLayout(popover).addWidget(QPushButton("A", popover))
    popover.resize(200, 100)
    popover.show()
    drawn = popover.grab().toImage()
    assert drawn.pixelColor(0, 0).alpha() == 0
    assert drawn.pixelColor(100, 5).name() == appearance.tokens.window
    assert drawn.pixelColor(100, 0).name() == appearance.tokens.border


def test_the_presets_stand_inside_the_window(stage: Stage) -> None:
    stage.window.resize(600, 500)
    stage.window._presets.button.click()
    popover = stage.window._presets.popover
    assert popover.isVisible()
    assert inside(stage.window).contains(popover.geometry())
