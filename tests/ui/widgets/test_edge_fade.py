"""Scrolled text fades out where more of it follows."""

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.ui.widgets.edge_fade import EdgeFade


@pytest.fixture
def area(qtbot: QtBot) -> QScrollArea:
    made = QScrollArea()
    qtbot.addWidget(made)
    inside = QWidget()
    inside.setFixedSize(100, 1000)
    made.setWidget(inside)
    made.resize(200, 300)
    made.show()
    return made


def test_only_an_edge_with_more_beyond_it_fades(area: QScrollArea) -> None:
    above, below = EdgeFade(area, upper=True), EdgeFade(area, upper=False)
    area.resize(200, 310)
    seen = []
    for value in (1, 0, area.verticalScrollBar().maximum()):
        area.verticalScrollBar().setValue(value)
        seen.append((above.isVisible(), below.isVisible()))
    assert seen == [(True, True), (False, True), (True, False)]
    area.resize(200, 2000)
    assert not above.isVisible() and not below.isVisible()


def test_it_lies_at_its_edge_and_ends_in_the_ground(area: QScrollArea) -> None:
    above, below = EdgeFade(area, upper=True), EdgeFade(area, upper=False)
    area.resize(200, 320)
    area.verticalScrollBar().setValue(20)
    port = area.viewport().rect()
    assert above.geometry().top() == port.top()
    assert below.geometry().bottom() == port.bottom()
    area.setStyleSheet("background: transparent")
    ground = QGuiApplication.palette().window().color()
    picture = below.grab().toImage()
    assert picture.pixelColor(5, picture.height() - 1).name() == ground.name()


def test_one_that_is_told_changes_no_sooner(area: QScrollArea) -> None:
    below = EdgeFade(area, upper=False, is_told=True)
    area.verticalScrollBar().setValue(20)
    seen = [below.isVisible()]
    below.refresh()
    assert [*seen, below.isVisible()] == [False, True]
