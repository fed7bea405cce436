import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QCursor, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu
from pytestqt.logging import _QtMessageCapture as LogCapture
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.services.conversations.states import Library, SearchResult
from app.services.engine.states import Warmth
from app.storage.chat_folders import ChatFolder
from app.storage.conversations import Conversation
from app.storage.search import ChatHits, Hit
from app.ui.sidebar.actions import (
    Archive,
    ChatAction,
    Collapse,
    DeleteFolder,
    KeepOnDisk,
    Move,
    NewFolder,
    OpenMessage,
    OrderFolders,
    Pin,
    Put,
    RenameFolder,
    Restore,
    Search,
)
from app.ui.sidebar.list_view import ChatListView
from app.ui.sidebar.sidebar import Sidebar
from app.ui.sidebar.trash_bar import ask_to_destroy
from app.ui.theme.appearance import Appearance
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
def sidebar(qtbot: QtBot, appearance: Appearance, made: tuple[Conversation, ...]) -> Sidebar:
    bar = Sidebar(appearance, keeps_on_disk=lambda number: number == 1 or None)
    qtbot.addWidget(bar)
    bar.resize(250, 600)
    bar.show_conversations(made)
    bar.chats.show_current(1)
    bar.show()
    qtbot.waitUntil(bar.isVisible)
    return bar


def rows(sidebar: Sidebar) -> list[str]:
    model = sidebar.list_view.model()
    return [str(model.data(model.index(row, 0))) for row in range(model.rowCount())]


def row(sidebar: Sidebar, title: str) -> QModelIndex:
    return sidebar.list_view.model().index(rows(sidebar).index(title), 0)


def click(sidebar: Sidebar, title: str) -> None:
    place = sidebar.list_view.visualRect(row(sidebar, title)).center()
    QTest.mouseClick(sidebar.list_view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def editor_of(sidebar: Sidebar) -> QLineEdit:
    """Of the name that is being typed."""
    editor = sidebar.list_view.findChild(QLineEdit)
    assert editor is not None
    return editor


def test_groups_by_age(sidebar: Sidebar) -> None:
    assert rows(sidebar)[:5] == ["Today", "Alpha", "Beta", "Previous 7 days", "Gamma"]
    assert rows(sidebar)[6] == "New chat"


def test_filters_as_one_types(sidebar: Sidebar) -> None:
    wishes: list[object] = []
    sidebar.chats.wished.connect(wishes.append)
    QTest.keyClicks(sidebar.search_field, "gam")
    assert rows(sidebar) == ["Titles", "Gamma"]
    assert wishes == [Search("g"), Search("ga"), Search("gam")]
    QTest.keyClicks(sidebar.search_field, "x")
    assert rows(sidebar) == []
    assert not sidebar.list_view.isVisible()
    QTest.keyClick(sidebar.search_field, Qt.Key.Key_Escape)
    assert len(rows(sidebar)) == 7
    assert sidebar.list_view.isVisible()
    assert wishes[-1] == Search("")


def found(wanted: str, *, n_unread: int = 0, n_found: int = 1) -> SearchResult:
    hit = Hit(70, Role.USER, time.time(), (("a ", False), ("word", True), (" said", False)))
    return SearchResult(wanted, (ChatHits(2, (hit,), n_found),), n_unread)


def test_hits_are_shown_below_the_title_of_their_conversation(sidebar: Sidebar, qtbot: QtBot) -> None:
    QTest.keyClicks(sidebar.search_field, "word")
    sidebar.chats.show_found(found("wor"))
    assert rows(sidebar) == [], "that was not asked for last"
    sidebar.chats.show_found(found("word", n_unread=1234))
    assert rows(sidebar) == ["In messages", "Beta", "a word said"]
    assert any("1234" in label.text() for label in sidebar.findChildren(QLabel))
    with qtbot.waitSignal(sidebar.chats.wished) as caught:
        QTest.keyClick(sidebar.search_field, Qt.Key.Key_Return)
    assert caught.args == [OpenMessage(2, 70)]


def test_a_click_opens_a_hit(sidebar: Sidebar, qtbot: QtBot) -> None:
    QTest.keyClicks(sidebar.search_field, "word")
    sidebar.chats.show_found(found("word"))
    with qtbot.waitSignal(sidebar.chats.wished) as caught:
        click(sidebar, "a word said")
    assert caught.args == [OpenMessage(2, 70)]


def test_hits_that_are_not_listed_are_counted_and_come_by_a_click(sidebar: Sidebar, qtbot: QtBot) -> None:
    QTest.keyClicks(sidebar.search_field, "word")
    sidebar.chats.show_found(found("word", n_found=7))
    assert rows(sidebar) == ["In messages", "Beta", "a word said", "6 more in this chat"]
    with qtbot.waitSignal(sidebar.chats.wished) as caught:
        click(sidebar, "6 more in this chat")
    assert caught.args == [Search("word", 2)]


@pytest.mark.parametrize("after_a_drag", [False, True])
def test_a_title_that_is_being_typed_is_not_asked_for_again(
    sidebar: Sidebar, qtlog: LogCapture, after_a_drag: bool
) -> None:
    view = sidebar.list_view
    assert isinstance(view, ChatListView)
    view.begin_edit(row(sidebar, "Beta"))
    assert view.is_editing
    if after_a_drag:
        view.setState(view.State.NoState)
    view.begin_edit(row(sidebar, "Beta"))
    assert not [each for each in qtlog.records if "edit" in each.message]


def test_a_click_opens(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.waitSignal(sidebar.chats.open_requested) as caught:
        click(sidebar, "Beta")
    assert caught.args == [2]


def test_arrows_move_past_the_headers_and_enter_opens(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.list_view.setFocus()
    for _ in range(2):
        QTest.keyClick(sidebar.list_view, Qt.Key.Key_Down)
    with qtbot.waitSignal(sidebar.chats.open_requested) as caught:
        QTest.keyClick(sidebar.list_view, Qt.Key.Key_Return)
    assert caught.args == [3]


def test_the_highlight_is_the_open_one(sidebar: Sidebar) -> None:
    view = sidebar.list_view
    assert view.currentIndex() == row(sidebar, "Alpha")
    view.setCurrentIndex(row(sidebar, "Gamma"))
    view.setFocus()
    sidebar.search_field.setFocus()
    assert view.currentIndex() == row(sidebar, "Alpha")
    sidebar.chats.show_current(None)
    assert not view.selectionModel().hasSelection()


def test_rename_in_place(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.chats.rename_current()
    editor = editor_of(sidebar)
    assert editor.accessibleName() == "Title"
    editor.selectAll()
    QTest.keyClicks(editor, "  Another   name ")
    with qtbot.waitSignal(sidebar.chats.rename_requested) as caught:
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert caught.args == [1, "Another name"]


def test_an_empty_title_changes_nothing(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.assertNotEmitted(sidebar.chats.rename_requested):
        for title in ("", "  ", "Alpha"):
            sidebar.list_view.model().setData(row(sidebar, "Alpha"), title)


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Escape, Qt.Key.Key_D])
def test_no_single_key_deletes(qtbot: QtBot, sidebar: Sidebar, key: Qt.Key) -> None:
    sidebar.list_view.setFocus()
    with qtbot.assertNotEmitted(sidebar.chats.delete_requested):
        QTest.keyClick(sidebar.list_view, key)


def chosen(menu: QMenu | None, text: str) -> QAction:
    assert menu is not None
    return next(action for action in menu.findChildren(QAction) if action.text() == text)


def test_the_menu_renames_and_deletes(qtbot: QtBot, sidebar: Sidebar, made: tuple[Conversation, ...]) -> None:
    menu = sidebar.chats.context_menu_for(row(sidebar, "Gamma"))
    with qtbot.waitSignal(sidebar.chats.delete_requested) as caught:
        chosen(menu, "Delete").trigger()
    assert caught.args == [made[2]]
    chosen(menu, "Rename").trigger()
    assert sidebar.list_view.findChild(QLineEdit) is not None
    assert sidebar.chats.context_menu_for(row(sidebar, "Today")) is None


def test_only_the_row_under_the_pointer_looks_so(
    qtbot: QtBot, sidebar: Sidebar, made: tuple[Conversation, ...], appearance: Appearance
) -> None:
    sidebar.chats.show_current(4)
    view, port = sidebar.list_view, sidebar.list_view.viewport()

    def pointed_at() -> list[str]:
        image, rows_of = port.grab().toImage(), [(each, view.visualRect(row(sidebar, each))) for each in rows(sidebar)]
        ground = QColor(appearance.tokens.hover)
        return [each for each, box in rows_of if image.pixelColor(box.left() + 8, box.center().y()) == ground]

    QTest.mouseMove(port, view.visualRect(row(sidebar, "Beta")).center())
    qtbot.waitUntil(lambda: pointed_at() == ["Beta"])
    sidebar.show_conversations((conversation("New", time.time(), 9), *made))
    qtbot.waitUntil(lambda: pointed_at() == ["Alpha"])
    QCursor.setPos(sidebar.screen().geometry().bottomRight())
    sidebar.show_conversations(made)
    qtbot.waitUntil(lambda: pointed_at() == [] and "New" not in rows(sidebar))


@pytest.fixture
def filled(sidebar: Sidebar, made: tuple[Conversation, ...]) -> Sidebar:
    """Beta is pinned, Gamma is in a folder, a folded one has the last, one lies in the trash."""
    alpha, beta, gamma, last = made
    chats = (alpha, replace(beta, pinned_at=1.0), replace(gamma, folder_id=8), replace(last, folder_id=9, title="Last"))
    trash = (conversation("Gone", number=50),)
    sidebar.show_library(Library(chats, (ChatFolder(8, "Work"), ChatFolder(9, "Home", collapsed=True)), trash))
    return sidebar


FILLED = ["Pinned", "Beta", "Folders", "Work", "Gamma", "Home", "Today", "Alpha"]


@pytest.mark.parametrize(
    ("title", "text", "wish"),
    [
        ("Alpha", "Pin", Pin(1, True)),
        ("Beta", "Unpin", Pin(2, False)),
        ("Alpha", "Archive", Archive(1, True)),
        ("Alpha", "Work", Move(1, 8)),
        ("Gamma", "Out of the folder", Move(3, None)),
        ("Alpha", "New folder", NewFolder(1)),
        ("Work", "New folder", NewFolder()),
        ("Work", "Delete the folder, keep its chats", DeleteFolder(8)),
        ("Home", "Move up", OrderFolders((9, 8))),
        ("Alpha", "Keep warm on disk", KeepOnDisk(1, False)),
    ],
)
def test_the_menus_say_what_is_wanted(filled: Sidebar, qtbot: QtBot, title: str, text: str, wish: ChatAction) -> None:
    assert rows(filled) == FILLED
    menu = filled.chats.context_menu_for(row(filled, title))
    with qtbot.waitSignal(filled.chats.wished) as caught:
        chosen(menu, text).trigger()
    assert caught.args == [wish]


def test_keeping_on_disk_is_offered_only_where_it_means_something(filled: Sidebar) -> None:
    menu = filled.chats.context_menu_for(row(filled, "Beta"))
    assert menu is not None
    assert "Keep warm on disk" not in [action.text() for action in menu.actions()]


def test_keys_fold_move_and_open_the_menu(filled: Sidebar, qtbot: QtBot) -> None:
    view = filled.list_view
    wishes: list[object] = []
    filled.chats.wished.connect(wishes.append)
    view.setFocus()
    view.setCurrentIndex(row(filled, "Work"))
    QTest.keyClick(view, Qt.Key.Key_Left)
    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Return)
    QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert wishes == [Collapse(8, True), Collapse(8, True), OrderFolders((9, 8))]
    place = view.visualRect(row(filled, "Alpha")).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, view.mapToGlobal(place))
    view.setCurrentIndex(row(filled, "Gamma"))
    QCoreApplication.sendEvent(view.viewport(), event)
    menu = next(each for each in filled.findChildren(QMenu) if each.isVisible())
    assert "Out of the folder" in [action.text() for action in menu.findChildren(QAction)], "of the row with the focus"
    menu.close()


def test_the_rename_key_takes_the_row_with_the_focus(filled: Sidebar, qtbot: QtBot) -> None:
    filled.list_view.setFocus()
    filled.list_view.setCurrentIndex(row(filled, "Work"))
    filled.chats.rename_current()
    editor = editor_of(filled)
    assert editor.accessibleName() == "Name of the folder"
    editor.selectAll()
    QTest.keyClicks(editor, "Jobs")
    with qtbot.waitSignal(filled.chats.wished) as caught:
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert caught.args == [RenameFolder(8, "Jobs")]


def test_an_open_editor_survives_what_happens_elsewhere(
    filled: Sidebar, made: tuple[Conversation, ...], qtbot: QtBot
) -> None:
    filled.chats.rename_current()
    editor = editor_of(filled)
    QTest.keyClicks(editor, "half a ti")
    filled.show_library(Library((conversation("Newer", time.time(), 60), *made)))
    assert editor_of(filled) is editor and editor.isVisible() and editor.text() == "half a ti"
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: rows(filled)[:3] == ["Today", "Newer", "Alpha"])


def drop(sidebar: Sidebar, dragged: str, place: QPoint) -> bool:
    view = sidebar.list_view
    data = view.model().mimeData([row(sidebar, dragged)])
    action, button, no_key = Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(place), action, data, button, no_key)
    view.dropEvent(event)
    return event.isAccepted()


def test_a_drop_on_a_folder_and_one_between(filled: Sidebar, qtbot: QtBot) -> None:
    view = filled.list_view
    with qtbot.waitSignal(filled.chats.wished) as caught:
        drop(filled, "Alpha", view.visualRect(row(filled, "Home")).center())
    assert caught.args == [Move(1, 9)]
    with qtbot.waitSignal(filled.chats.wished) as caught:
        drop(filled, "Alpha", view.visualRect(row(filled, "Gamma")).topLeft() + QPoint(20, 3))
    assert caught.args == [Put(1, 8, (1, 3))]
    with qtbot.assertNotEmitted(filled.chats.wished):
        drop(filled, "Alpha", view.visualRect(row(filled, "Alpha")).center())


def test_the_archive_unfolds(sidebar: Sidebar, made: tuple[Conversation, ...]) -> None:
    sidebar.show_library(Library((made[0], replace(made[1], archived_at=1.0))))
    assert rows(sidebar) == ["Today", "Alpha", "Archived (1)"]
    sidebar.list_view.setFocus()
    sidebar.list_view.setCurrentIndex(row(sidebar, "Archived (1)"))
    QTest.keyClick(sidebar.list_view, Qt.Key.Key_Right)
    assert rows(sidebar) == ["Today", "Alpha", "Archived (1)", "Beta"]
    with_menu = sidebar.chats.context_menu_for(row(sidebar, "Beta"))
    assert chosen(with_menu, "Bring back from the archive").isEnabled()


def test_the_trash_takes_the_place_of_the_list(filled: Sidebar, qtbot: QtBot) -> None:
    filled.trash_button.click()
    assert rows(filled)[1:] == ["Gone"]
    assert not filled.search_field.isVisible()
    menu = filled.chats.context_menu_for(row(filled, "Gone"))
    with qtbot.waitSignal(filled.chats.wished) as caught:
        chosen(menu, "Restore").trigger()
    assert isinstance(caught.args[0], Restore)
    with qtbot.waitSignal(filled.chats.wished) as caught:
        filled.trash_bar.empty.click()
    assert [each.title for each in caught.args[0].conversations] == ["Gone"]
    filled.trash_bar.back.click()
    assert rows(filled) == FILLED


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_D])
def test_no_single_key_destroys_in_the_trash(filled: Sidebar, qtbot: QtBot, key: Qt.Key) -> None:
    filled.show_trash(True)
    filled.list_view.setFocus()
    filled.list_view.setCurrentIndex(row(filled, "Gone"))
    with qtbot.assertNotEmitted(filled.chats.wished), qtbot.assertNotEmitted(filled.chats.delete_requested):
        QTest.keyClick(filled.list_view, key)
        filled.chats.delete_current()


def test_enter_in_the_confirmation_keeps_everything(filled: Sidebar, qtbot: QtBot) -> None:
    destroyed: list[bool] = []
    box = ask_to_destroy(filled, "Really?", lambda: destroyed.append(True))
    qtbot.waitUntil(box.isVisible)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert destroyed == []
    box = ask_to_destroy(filled, "Really?", lambda: destroyed.append(True))
    next(each for each in box.buttons() if each.text() == "Delete for good").click()
    assert destroyed == [True]


def test_it_says_when_there_is_nothing(qtbot: QtBot, appearance: Appearance) -> None:
    bar = Sidebar(appearance)
    qtbot.addWidget(bar)
    bar.show()
    assert not bar.list_view.isVisible()
    assert rows(bar) == []


def test_what_is_warm_looks_like_nothing_that_is_unread(qtbot: QtBot, sidebar: Sidebar, appearance: Appearance) -> None:
    """Neither a dot nor the colour of what is new; memory and disk differ."""
    place = sidebar.list_view.visualRect(row(sidebar, "Beta"))
    drawn = []
    for warmth in ({}, {"2": Warmth.DISK}, {"2": Warmth.MEMORY}):
        sidebar.chats.show_warmth(warmth)
        image = sidebar.list_view.viewport().grab(place).toImage()
        pixels = [image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())]
        assert appearance.tokens.accent not in pixels
        drawn.append(sum(each == appearance.tokens.muted for each in pixels))
    assert drawn[0] < drawn[1] < drawn[2]


def test_who_leaves_the_trash_by_keyboard_is_at_the_conversations(
    sidebar: Sidebar, made: tuple[Conversation, ...]
) -> None:
    sidebar.show_library(Library(made))
    sidebar.trash_button.click()
    sidebar.trash_bar.back.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(sidebar.trash_bar.back, Qt.Key.Key_Space)
    assert sidebar.list_view.hasFocus()


def test_who_restores_the_last_one_stays_in_the_trash(filled: Sidebar) -> None:
    filled.trash_button.click()
    filled.list_view.setFocus()
    filled.show_library(Library((conversation("Gone", time.time(), 9),)))
    assert not filled.list_view.isVisible()
    assert filled.trash_bar.back.hasFocus(), "and not whatever stands next"
