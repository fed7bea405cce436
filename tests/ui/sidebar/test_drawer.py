"""The sidebar folds where there is no room for it, and lies over the conversation while it is asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.settings import Motion
from app.ui.presenters.window_state import WindowState
from app.ui.sidebar.drawer import SideDrawer
from app.ui.sidebar.sidebar import Sidebar
from app.ui.theme.appearance import Appearance
from app.ui.theme.measures import NARROW
from tests.ui.conftest import Stage
from tests.ui.fakes import conversation


@pytest.fixture
def narrow(stage: Stage, qtbot: QtBot) -> Iterator[Stage]:
    """A window without room for the sidebar, and two chats in that."""
    stage.appearance.set_motion(Motion.REDUCED)
    stage.controller.active.listed.emit((conversation("Rain", number=1), conversation("Snow", number=2)))
    stage.window.resize(NARROW - 1, 500)
    qtbot.waitUntil(stage.window.sidebar.isHidden)
    stage.window.composer.focus_text()
    yield stage
    stage.appearance.set_motion(Motion.FULL)


def page_of(stage: Stage) -> QWidget:
    return stage.window.split


def at_place(stage: Stage, place: QPoint) -> QWidget:
    at = stage.window.area.childAt(place)
    assert at is not None
    return at


def open_drawer(stage: Stage) -> SideDrawer:
    QTest.mouseClick(stage.window.header.show_sidebar, Qt.MouseButton.LeftButton)
    assert stage.window.drawer.is_over
    return stage.window.drawer


def test_it_folds_and_unfolds_with_the_window(narrow: Stage, qtbot: QtBot) -> None:
    assert narrow.window.header.show_sidebar.isVisible()
    narrow.window.resize(NARROW, 500)
    qtbot.waitUntil(narrow.window.sidebar.isVisible)
    assert not narrow.window.header.show_sidebar.isVisible()
    page, sidebar = page_of(narrow), narrow.window.sidebar
    qtbot.waitUntil(lambda: page.x() == sidebar.width())


def test_who_hid_it_keeps_it_hidden(narrow: Stage, qtbot: QtBot) -> None:
    narrow.window.resize(NARROW, 500)
    qtbot.waitUntil(narrow.window.sidebar.isVisible)
    narrow.window.drawer.toggle()
    narrow.window.resize(NARROW - 1, 500)
    narrow.window.resize(NARROW + 1, 500)
    qtbot.waitUntil(lambda: narrow.window.area.width() == NARROW + 1)
    assert narrow.window.sidebar.isHidden()


def test_it_lies_over_the_conversation_which_keeps_its_place(narrow: Stage) -> None:
    page = page_of(narrow)
    before = page.geometry()
    open_drawer(narrow)
    assert narrow.window.sidebar.isVisible()
    assert page.geometry() == before
    assert narrow.window.sidebar.geometry().topLeft() == QPoint(0, 0)
    assert narrow.window.sidebar.height() == narrow.window.area.height()
    at = at_place(narrow, narrow.window.sidebar.geometry().center())
    assert at is narrow.window.sidebar or narrow.window.sidebar.isAncestorOf(at)


def test_it_comes_from_the_other_side_where_people_read_from_there(narrow: Stage) -> None:
    narrow.window.area.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    open_drawer(narrow)
    assert narrow.window.sidebar.geometry().right() == narrow.window.area.width() - 1


@pytest.mark.parametrize("way", ["escape", "beside", "button", "opened", "new", "key"])
def test_ways_to_close_it(narrow: Stage, way: str) -> None:
    drawer = open_drawer(narrow)
    sidebar = narrow.window.sidebar
    focused = QApplication.focusWidget()
    assert focused is not None and sidebar.isAncestorOf(focused)
    match way:
        case "escape":
            QTest.keyClick(focused, Qt.Key.Key_Escape)
        case "beside":
            at = at_place(narrow, narrow.window.area.rect().center() + QPoint(100, 0))
            QTest.mouseClick(at, Qt.MouseButton.LeftButton)
        case "button":
            QTest.mouseClick(sidebar.collapse_button, Qt.MouseButton.LeftButton)
        case "opened":
            sidebar.chats.open_requested.emit(2)
        case "new":
            sidebar.new_button.click()
        case "key":
            QTest.keySequence(narrow.window, "Ctrl+B")
    assert not drawer.is_over
    assert sidebar.isHidden()
    assert narrow.window.composer.edit.hasFocus()


def test_a_search_that_is_left_by_escape_stays_open(narrow: Stage) -> None:
    QTest.keySequence(narrow.window, "Ctrl+Shift+F")
    assert narrow.window.drawer.is_over
    field = narrow.window.sidebar.search_field
    assert field.hasFocus()
    QTest.keyClicks(field, "rain")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "" and narrow.window.drawer.is_over
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not narrow.window.drawer.is_over


def test_going_on_by_key_closes_it(narrow: Stage) -> None:
    drawer = open_drawer(narrow)
    narrow.window.composer.focus_text()
    assert not drawer.is_over
    assert narrow.window.composer.edit.hasFocus()


def test_a_window_that_gets_room_has_it_beside_the_conversation_again(narrow: Stage, qtbot: QtBot) -> None:
    drawer = open_drawer(narrow)
    narrow.window.resize(1000, 500)
    qtbot.waitUntil(lambda: not drawer.is_over)
    assert drawer.is_beside and narrow.window.sidebar.isVisible()
    page, sidebar = page_of(narrow), narrow.window.sidebar
    qtbot.waitUntil(lambda: page.x() == sidebar.width())


def test_it_slides_where_things_may_move(narrow: Stage, qtbot: QtBot) -> None:
    narrow.appearance.set_motion(Motion.FULL)
    open_drawer(narrow)
    sidebar = narrow.window.sidebar
    assert sidebar.x() < 0
    qtbot.waitUntil(lambda: sidebar.x() == 0)
    narrow.window.drawer.toggle()
    assert sidebar.isVisible()
    qtbot.waitUntil(sidebar.isHidden)


def test_what_was_chosen_for_a_wide_window_is_kept(narrow: Stage, tmp_path: Path) -> None:
    narrow.window.close()
    assert WindowState(narrow.state_folder).sidebar_shown


def test_larger_letters_need_more_room(narrow: Stage, qtbot: QtBot) -> None:
    narrow.window.resize(NARROW + 40, 500)
    qtbot.waitUntil(narrow.window.sidebar.isVisible)
    narrow.appearance.set_text_size(150)
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert narrow.window.sidebar.isHidden()


@pytest.mark.parametrize("way", ["the chat that is open", "another", "settings"])
def test_it_closes_by_itself_whatever_the_window_does_then(qtbot: QtBot, appearance: Appearance, way: str) -> None:
    """With nobody who takes the focus away, as where the conversation that is asked for stands there already."""
    appearance.set_motion(Motion.REDUCED)
    area = QWidget()
    qtbot.addWidget(area)
    sidebar, page = Sidebar(appearance, area), QWidget(area)
    drawer = SideDrawer(appearance, area, sidebar, page)
    sidebar.show_conversations((conversation("Rain", number=1), conversation("Snow", number=2)))
    sidebar.chats.show_current(1)
    area.resize(NARROW - 1, 500)
    area.show()
    qtbot.waitUntil(sidebar.isHidden)
    drawer.toggle()
    assert sidebar.isVisible()
    if way == "settings":
        sidebar.settings_button.click()
    else:
        view = sidebar.list_view
        title = "Rain" if way == "the chat that is open" else "Snow"
        index = next(each for each in rows_of(view) if title in str(each.data(Qt.ItemDataRole.AccessibleTextRole)))
        with qtbot.waitSignal(sidebar.chats.open_requested):
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center())
    assert not drawer.is_over
    assert sidebar.isHidden()
    appearance.set_motion(Motion.FULL)


def rows_of(view: QAbstractItemView) -> list[QModelIndex]:
    model = view.model()
    return [model.index(row, 0) for row in range(model.rowCount())]


def test_the_chat_that_is_open_already_can_be_chosen_to_go_back_to_it(narrow: Stage) -> None:
    narrow.window.sidebar.chats.show_current(1)
    open_drawer(narrow)
    view = narrow.window.sidebar.list_view
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert not narrow.window.drawer.is_over
    assert narrow.window.composer.edit.hasFocus()
