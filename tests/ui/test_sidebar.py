import time

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.storage.conversations import Conversation
from app.ui.sidebar import Sidebar
from app.ui.theme import Look
from tests.ui.fakes import conversation

DAY = 86_400


@pytest.fixture
def made() -> tuple[Conversation, ...]:
    now = time.time()
    return tuple(
        conversation(title, now - days * DAY, number)
        for number, (title, days) in enumerate([("Alpha", 0), ("Beta", 0), ("Gamma", 3), ("", 50)], start=1)
    )


@pytest.fixture
def sidebar(qtbot: QtBot, look: Look, made: tuple[Conversation, ...]) -> Sidebar:
    bar = Sidebar(look)
    qtbot.addWidget(bar)
    bar.resize(250, 600)
    bar.show_conversations(made)
    bar.show_current(1)
    bar.show()
    qtbot.waitUntil(bar.isVisible)
    return bar


def rows(sidebar: Sidebar) -> list[str]:
    model = sidebar.list_view.model()
    return [str(model.data(model.index(row, 0))) for row in range(model.rowCount())]


def row(sidebar: Sidebar, title: str) -> QModelIndex:
    return sidebar.list_view.model().index(rows(sidebar).index(title), 0)


def test_groups_by_age(sidebar: Sidebar) -> None:
    assert rows(sidebar) == ["Today", "Alpha", "Beta", "Previous 7 days", "Gamma", "Older", "New chat"]


def test_filters_as_one_types(sidebar: Sidebar) -> None:
    QTest.keyClicks(sidebar.search_field, "gam")
    assert rows(sidebar) == ["Previous 7 days", "Gamma"]
    QTest.keyClicks(sidebar.search_field, "x")
    assert rows(sidebar) == []
    assert not sidebar.list_view.isVisible()
    QTest.keyClick(sidebar.search_field, Qt.Key.Key_Escape)
    assert len(rows(sidebar)) == 7
    assert sidebar.list_view.isVisible()


def test_a_click_opens(qtbot: QtBot, sidebar: Sidebar) -> None:
    view = sidebar.list_view
    with qtbot.waitSignal(sidebar.open_requested) as caught:
        place = view.visualRect(row(sidebar, "Beta")).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert caught.args == [2]


def test_arrows_move_past_the_headers_and_enter_opens(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.list_view.setFocus()
    for _ in range(2):
        QTest.keyClick(sidebar.list_view, Qt.Key.Key_Down)
    with qtbot.waitSignal(sidebar.open_requested) as caught:
        QTest.keyClick(sidebar.list_view, Qt.Key.Key_Return)
    assert caught.args == [3]


def test_the_highlight_is_the_open_one(sidebar: Sidebar) -> None:
    view = sidebar.list_view
    assert view.currentIndex() == row(sidebar, "Alpha")
    view.setCurrentIndex(row(sidebar, "Gamma"))
    view.setFocus()
    sidebar.search_field.setFocus()
    assert view.currentIndex() == row(sidebar, "Alpha")
    sidebar.show_current(None)
    assert not view.selectionModel().hasSelection()


def test_rename_in_place(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.rename_current()
    editor = sidebar.list_view.findChild(QLineEdit)
    assert editor is not None
    assert editor.accessibleName() == "Title"
    editor.selectAll()
    QTest.keyClicks(editor, "  Another   name ")
    with qtbot.waitSignal(sidebar.rename_requested) as caught:
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert caught.args == [1, "Another name"]


def test_an_empty_title_changes_nothing(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.assertNotEmitted(sidebar.rename_requested):
        for title in ("", "  ", "Alpha"):
            sidebar.list_view.model().setData(row(sidebar, "Alpha"), title)


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Escape, Qt.Key.Key_D])
def test_no_single_key_deletes(qtbot: QtBot, sidebar: Sidebar, key: Qt.Key) -> None:
    sidebar.list_view.setFocus()
    with qtbot.assertNotEmitted(sidebar.delete_requested):
        QTest.keyClick(sidebar.list_view, key)


def test_the_menu_renames_and_deletes(qtbot: QtBot, sidebar: Sidebar, made: tuple[Conversation, ...]) -> None:
    menu = sidebar.context_menu_for(row(sidebar, "Gamma"))
    assert menu is not None
    rename, delete = menu.actions()
    with qtbot.waitSignal(sidebar.delete_requested) as caught:
        delete.trigger()
    assert caught.args == [made[2]]
    rename.trigger()
    assert sidebar.list_view.findChild(QLineEdit) is not None
    assert sidebar.context_menu_for(row(sidebar, "Today")) is None
    menu.deleteLater()


def test_it_says_when_there_is_nothing(qtbot: QtBot, look: Look) -> None:
    bar = Sidebar(look)
    qtbot.addWidget(bar)
    bar.show()
    assert not bar.list_view.isVisible()
    assert rows(bar) == []
