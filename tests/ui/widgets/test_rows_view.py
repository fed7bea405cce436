"""Only a row is ever marked: the one that the keyboard is at, or the one whose menu is open."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from app.ui.sidebar.row_painter import more_box
from app.ui.widgets.rows_view import RowsView
from tests.ui.conftest import Stage
from tests.ui.fakes import conversation


@pytest.fixture
def chats(stage: Stage) -> RowsView:
    """Two, and the window has the keyboard."""
    stage.controller.active.listed.emit((conversation("Rain", number=1), conversation("Snow", number=2)))
    stage.window.composer.focus_text()
    view = stage.window.sidebar.list_view
    assert isinstance(view, RowsView)
    return view


def row_of(view: RowsView, title: str) -> int:
    return next(row for row in range(view.model().rowCount()) if view.model().index(row, 0).data() == title)


def ask_for_menu(view: RowsView, title: str) -> None:
    place = view.visualRect(view.model().index(row_of(view, title), 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.RightButton, pos=place)
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), asked)


def drawn_accents(stage: Stage, view: RowsView) -> set[int]:
    """The rows of pixels at the view's left edge that have the accent's colour."""
    image = view.grab().toImage()
    accent = QColor(stage.appearance.tokens.accent)
    return {y for y in range(image.height()) if accent in (image.pixelColor(x, y) for x in range(3))}


def test_the_row_whose_menu_is_open_has_the_ring(stage: Stage, chats: RowsView) -> None:
    ask_for_menu(chats, "Snow")
    assert chats.ringed.row() == row_of(chats, "Snow")
    box = chats.visualRect(chats.ringed)
    drawn = drawn_accents(stage, chats)
    assert drawn and min(drawn) > box.top() and max(drawn) <= box.bottom() + 1
    menu = QApplication.activePopupWidget()
    assert menu is not None
    menu.close()
    assert not chats.ringed.isValid()
    assert not drawn_accents(stage, chats)


def test_a_click_needs_no_ring(stage: Stage, chats: RowsView) -> None:
    chats.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not chats.ringed.isValid()
    assert not drawn_accents(stage, chats)


def test_the_keyboard_has_one(stage: Stage, chats: RowsView) -> None:
    chats.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(chats, Qt.Key.Key_Down)
    first = chats.ringed.row()
    QTest.keyClick(chats, Qt.Key.Key_Down)
    assert chats.ringed.row() == chats.currentIndex().row() == first + 1
    assert drawn_accents(stage, chats)
    stage.window.composer.focus_text()
    assert not drawn_accents(stage, chats)


def test_arrows_after_a_click_show_it_again(chats: RowsView) -> None:
    chats.setFocus(Qt.FocusReason.MouseFocusReason)
    QTest.keyClick(chats, Qt.Key.Key_Down)
    assert chats.ringed == chats.currentIndex()


def test_the_mouse_finds_a_button_for_the_menu_in_a_row(stage: Stage, chats: RowsView) -> None:
    opened: list[int] = []
    stage.window.sidebar.chats.open_requested.connect(opened.append)
    index = chats.model().index(row_of(chats, "Snow"), 0)
    place = more_box(chats.visualRect(index), mirrored=False).center()
    QTest.mouseMove(chats.viewport(), place)
    QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and "Rename" in [each.text().replace("&", "") for each in menu.actions()]
    assert opened == []
    assert chats.ringed == index
    menu.close()
    QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=chats.visualRect(index).center())
    assert opened == [2]


def test_a_section_has_no_menu(chats: RowsView) -> None:
    place = more_box(chats.visualRect(chats.model().index(0, 0)), mirrored=False).center()
    QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert QApplication.activePopupWidget() is None


@pytest.mark.parametrize(("title", "is_told"), [("Snow", False), ("Snow " * 20, True)])
def test_only_a_title_that_is_cut_needs_a_tip(stage: Stage, chats: RowsView, title: str, is_told: bool) -> None:
    QToolTip.hideText()
    stage.controller.active.listed.emit((conversation(title.strip(), number=1),))
    place = chats.visualRect(chats.model().index(row_of(chats, title.strip()), 0)).center()
    asked = QHelpEvent(QEvent.Type.ToolTip, place, chats.viewport().mapToGlobal(place))
    QApplication.sendEvent(chats.viewport(), asked)
    assert QToolTip.isVisible() is is_told
    QToolTip.hideText()
