from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QPushButton, QStyle, QWidget
from pytestqt.qtbot import QtBot

from app.ui.commands.actions import tell_key
from tests.ui.conftest import Stage


def test_a_tooltip_tells_the_key(qtbot: QtBot) -> None:
    action = QAction("&Search")
    action.setShortcut(QKeySequence("Ctrl+J"))
    named, told = QPushButton("Search"), QPushButton("Search")
    named.setAccessibleName("Search")
    told.setToolTip("Searches everything.")
    for each in (named, told):
        qtbot.addWidget(each)
    tell_key(action, named, told)
    assert named.toolTip() == "Search (Ctrl+J)"
    assert told.toolTip() == "Searches everything. (Ctrl+J)"
    assert named.accessibleName() == "Search"


def test_the_windows_buttons_tell_theirs(stage: Stage) -> None:
    sidebar, header = stage.window.sidebar, stage.window.header
    assert sidebar.new_button.toolTip() == header.new_chat.toolTip() == "New chat (Ctrl+N)"
    assert sidebar.collapse_button.toolTip() == "Hide the sidebar (Ctrl+B)"
    assert header.show_sidebar.toolTip() == "Show the sidebar (Ctrl+B)"
    assert sidebar.settings_button.toolTip() == "Settings (Ctrl+,)"
    assert header.menu_button.toolTip() == "Menu (F10)"
    assert sidebar.search_field.toolTip().endswith("(Ctrl+Shift+F)")
    assert stage.window.transcript.jump_button.toolTip().endswith("(Ctrl+End)")


def test_a_menu_that_is_too_high_scrolls_in_one_column(stage: Stage) -> None:
    """As on 1024 x 600 with a scale of 125 %, where "Quit" stood alone in a second one."""
    parent = QWidget()
    menu = stage.window.menu_actions.menu(parent)
    menu.ensurePolished()
    assert menu.style().styleHint(QStyle.StyleHint.SH_Menu_Scrollable, None, menu)


def test_each_menu_fits_a_small_screen(stage: Stage) -> None:
    parent = QWidget()
    menu = stage.window.menu_actions.menu(parent)
    for each in (menu, *menu.findChildren(QMenu)):
        assert each.sizeHint().height() <= 560, each.title()
