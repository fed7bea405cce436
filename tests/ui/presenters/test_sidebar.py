"""What is done in the sidebar, by its effect on the database and on what is shown afterwards."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import Message, Role
from app.services.chat.chat_controller import ChatController
from app.services.conversations.chat_library import ChatLibrary
from app.services.conversations.search import ChatSearch
from app.services.engine.service import EngineService
from app.services.engine.states import SnapshotStatus, Warmth
from app.storage.chat_folders import ChatFolders
from app.storage.conversations import Conversation, ConversationStore
from app.storage.database import Database
from app.ui.presenters.sidebar import SidebarPresenter
from app.ui.sidebar.actions import (
    Archive,
    ChatAction,
    Collapse,
    DeleteFolder,
    Destroy,
    KeepOnDisk,
    Move,
    NewFolder,
    OrderFolders,
    Pin,
    Put,
    RenameFolder,
    Restore,
    SortByTime,
)
from app.ui.sidebar.sidebar import Sidebar
from app.ui.theme.appearance import Appearance
from app.ui.transcript.transcript import Transcript
from app.ui.widgets.notices import Notices
from tests.ui.fakes import FakeController, FakeEngine, FakeSettings


class Controller(FakeController):
    """Tells what the store holds."""

    def __init__(self, store: ConversationStore) -> None:
        super().__init__()
        self.store = store

    def refresh(self) -> None:
        self.active.listed.emit(self.store.all())

    def open_message(self, conversation_id: int, message_id: int) -> None:
        self.calls.append(("open_message", conversation_id, message_id))


class Shown(QWidget):
    """Stands in for the transcript."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[int] = []

    def show_message(self, message_id: int) -> None:
        self.messages.append(message_id)


class Scene(NamedTuple):
    window: QWidget
    sidebar: Sidebar
    notices: Notices
    transcript: Shown
    controller: Controller
    engine: FakeEngine
    settings: FakeSettings
    store: ConversationStore
    library: ChatLibrary

    def do(self, wish: ChatAction) -> None:
        self.sidebar.chats.wished.emit(wish)

    @property
    def rows(self) -> list[str]:
        model = self.sidebar.list_view.model()
        return [str(model.index(row, 0).data()) for row in range(model.rowCount())]

    def undo(self) -> None:
        button = self.notices.bars[-1].action_button
        assert button is not None
        button.click()

    def chat(self, number: int) -> Conversation:
        found = self.store.get(number)
        assert found is not None
        return found


@pytest.fixture
def scene(qtbot: QtBot, appearance: Appearance, tmp_path: Path) -> Iterator[Scene]:
    """Three conversations, A to C, the first one newest."""
    path = tmp_path / "hearth.sqlite3"
    database = Database.open(path)
    store = ConversationStore(database)
    for title in ("C", "B", "A"):
        chat = store.create(title)
        store.append(chat.id, None, Message.of(Role.USER, f"said in {title}"))
    controller, engine, settings = Controller(store), FakeEngine(), FakeSettings()
    library = ChatLibrary(
        store,
        ChatFolders(database),
        cast(ChatController, controller),
        cast(EngineService, engine),
        attachments=tmp_path / "attachments",
        database=path,
        documents=tmp_path / "documents.sqlite3",
    )
    search = ChatSearch(tmp_path / "search.sqlite3", path)
    window = QWidget()
    qtbot.addWidget(window)
    sidebar, notices, transcript = Sidebar(appearance, window), Notices(appearance, window), Shown()
    qtbot.addWidget(transcript)
    sidebar.resize(250, 600)
    SidebarPresenter(
        sidebar,
        cast(Transcript, transcript),
        notices,
        cast(ChatController, controller),
        cast(EngineService, engine),
        library,
        search,
        window,
    )
    window.show()
    qtbot.waitUntil(window.isVisible)
    controller.refresh()
    yield Scene(window, sidebar, notices, transcript, controller, engine, settings, store, library)
    search.close()
    library.close()
    database.close()


def test_a_new_folder_is_named_at_once(scene: Scene, qtbot: QtBot) -> None:
    scene.do(NewFolder(3))
    assert scene.rows == ["Folders", "New folder", "A", "Today", "B", "C"]
    editor = scene.sidebar.list_view.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    QTest.keyClicks(editor, "Work")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: scene.rows == ["Folders", "Work", "A", "Today", "B", "C"])
    assert [each.name for each in scene.library._folders.all()] == ["Work"]


def test_folders_fold_move_and_go_with_a_way_back(scene: Scene, qtbot: QtBot) -> None:
    first, second = scene.library.create_folder("First"), scene.library.create_folder("Second")
    assert first is not None
    assert second is not None
    scene.do(Move(3, second))
    scene.do(Put(2, second, (2, 3)))
    assert scene.rows == ["Folders", "First", "Second", "B", "A", "Today", "C"]
    scene.do(OrderFolders((second, first)))
    scene.do(RenameFolder(second, "Jobs"))
    scene.do(Collapse(second, True))
    assert scene.rows == ["Folders", "Jobs", "First", "Today", "C"]
    scene.do(DeleteFolder(second))
    assert scene.rows == ["Folders", "First", "Today", "A", "B", "C"]
    scene.undo()
    assert scene.rows == ["Folders", "Jobs", "First", "Today", "C"]
    scene.do(Collapse(second, False))
    assert scene.rows[:4] == ["Folders", "Jobs", "B", "A"]
    scene.do(SortByTime((2, 3)))
    assert scene.rows[:4] == ["Folders", "Jobs", "A", "B"]


def test_pins_and_the_archive(scene: Scene) -> None:
    scene.do(Pin(1, True))
    assert scene.rows == ["Pinned", "C", "Today", "A", "B"]
    scene.do(Pin(1, False))
    scene.do(Archive(3, True))
    assert scene.rows == ["Today", "B", "C", "Archived (1)"]
    scene.undo()
    assert scene.rows == ["Today", "A", "B", "C"]
    assert scene.chat(3).archived_at is None


def test_search_finds_what_was_said_and_leads_there(scene: Scene, qtbot: QtBot) -> None:
    QTest.keyClicks(scene.sidebar.search_field, "said in b ")
    qtbot.waitUntil(lambda: scene.rows == ["In messages", "B", "said in B"])
    QTest.keyClick(scene.sidebar.search_field, Qt.Key.Key_Return)
    assert scene.controller.calls[-1] == ("open_message", 2, 2)
    assert scene.transcript.messages == [2]
    scene.sidebar.search_field.clear()
    assert scene.rows == ["Today", "A", "B", "C"]


def test_the_trash_asks_before_anything_goes(scene: Scene, qtbot: QtBot) -> None:
    for number in (1, 2):
        scene.store.delete(number)
    scene.controller.refresh()
    scene.sidebar.show_trash(True)
    assert scene.rows == ["Deleted: Today", "B", "C"]
    scene.do(Restore(scene.store.deleted()[0]))
    assert scene.rows == ["Deleted: Today", "C"]
    assert scene.notices.bars[-1].sentence.text() == "“B” was restored."
    scene.do(Destroy(scene.store.deleted()))
    box = scene.window.findChild(QMessageBox)
    assert box is not None
    assert box.text() == "Delete “C” for good?"
    assert [each.id for each in scene.store.deleted()] == [1], "not before it was confirmed"
    next(each for each in box.buttons() if each.text() == "Delete for good").click()
    assert scene.store.deleted() == ()
    assert scene.rows == []
    assert scene.engine.snapshots.forgotten == ["1"]
    assert not scene.sidebar.trash_bar.empty.isEnabled()


def test_the_marks_follow_what_is_kept(scene: Scene) -> None:
    scene.engine.snapshots.changed.emit(SnapshotStatus(0, 0, {"3": Warmth.MEMORY, "2": Warmth.DISK}))
    model = scene.sidebar.list_view.model()
    spoken = [str(model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(model.rowCount())]
    assert ["memory" in each for each in spoken] == [False, True, False, False]
    assert ["disk" in each for each in spoken] == [False, False, True, False]
    pictures = [scene.sidebar.list_view.grab(scene.sidebar.list_view.visualRect(model.index(row, 0))) for row in (1, 3)]
    scene.engine.snapshots.changed.emit(SnapshotStatus())
    again = [scene.sidebar.list_view.grab(scene.sidebar.list_view.visualRect(model.index(row, 0))) for row in (1, 3)]
    assert pictures[0].toImage() != again[0].toImage()
    assert pictures[1].toImage() == again[1].toImage()


def test_keeping_on_disk_is_switched_for_one_conversation(scene: Scene) -> None:
    scene.do(KeepOnDisk(3, False))
    assert not scene.controller.options.keeps_on_disk(3)
    assert scene.controller.options.keeps_on_disk(2)
