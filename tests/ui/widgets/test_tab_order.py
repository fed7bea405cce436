"""Tab goes as one reads, whenever the widgets were made."""

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.ui.widgets.tab_order import step, stops_in

PLACES = {"fourth": (0, 60), "second": (120, 5), "first": (0, 0), "third": (0, 30)}
"""Two stand in one line, the second of them a little lower."""


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(300, 100)
    for name, place in PLACES.items():
        button = QPushButton(name, made)
        button.setGeometry(*place, 100, 20)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def button(page: QWidget, name: str) -> QPushButton:
    return next(each for each in page.findChildren(QPushButton) if each.text() == name)


def walked(page: QWidget, begin: str, steps: int, *, forward: bool = True) -> list[str]:
    button(page, begin).setFocus()
    met = []
    for _ in range(steps):
        assert step(QApplication.focusWidget(), QWidget(), forward=forward)
        focus = QApplication.focusWidget()
        assert isinstance(focus, QPushButton)
        met.append(focus.text())
    return met


def test_line_by_line_and_round(page: QWidget) -> None:
    assert walked(page, "first", 4) == ["second", "third", "fourth", "first"]
    assert walked(page, "first", 2, forward=False) == ["fourth", "third"]


def test_where_people_read_from_the_right(page: QWidget) -> None:
    page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert [each.text() for each in stops_in(page, page) if isinstance(each, QPushButton)][:2] == ["second", "first"]


def test_on_from_what_has_just_gone(page: QWidget) -> None:
    gone = button(page, "second")
    gone.hide()
    assert step(gone, QWidget(), forward=True)
    assert QApplication.focusWidget() is button(page, "third")
    button(page, "third").setEnabled(False)
    assert walked(page, "first", 1) == ["fourth"]


def test_nobody_becomes_the_child_of_another(page: QWidget) -> None:
    before = [shiboken6.dump(each) for each in (page, *page.findChildren(QPushButton))]
    walked(page, "first", 4)
    list(stops_in(page, page))
    parents = [line for dump in before for line in dump.splitlines() if line.startswith(("parent", "children"))]
    after = [shiboken6.dump(each) for each in (page, *page.findChildren(QPushButton))]
    assert [line for dump in after for line in dump.splitlines() if line.startswith(("parent", "children"))] == parents
