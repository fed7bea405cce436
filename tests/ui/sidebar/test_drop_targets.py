from app.storage.chat_folders import ChatFolder
from app.storage.conversations import Conversation
from app.ui.sidebar.actions import Archive, Arrange, Move, OrderFolders, Put
from app.ui.sidebar.drop_targets import dropped_between, dropped_on, stepped
from app.ui.sidebar.rows import ArchiveRow, ChatRow, FolderRow, Group, Row, Section


def chat(number: int, group: Group, folder_id: int | None = None) -> ChatRow:
    return ChatRow(Conversation(number, "", None, 0.0, 0.0, folder_id=folder_id), group)


ROWS: list[Row] = [
    Section("Pinned"),  # 0
    chat(1, Group.PINNED),
    chat(2, Group.PINNED, folder_id=10),
    Section("Folders"),  # 3
    FolderRow(ChatFolder(10, "Work"), 2),
    chat(3, Group.FOLDER, 10),
    chat(4, Group.FOLDER, 10),
    FolderRow(ChatFolder(11, "Home", collapsed=True), 1),  # 7
    Section("Today"),
    chat(5, Group.TIME),
    chat(6, Group.TIME),
    ArchiveRow(False, 1),  # 11
    chat(7, Group.ARCHIVE),
]


def test_onto_a_folder_or_the_archive() -> None:
    assert dropped_on(ROWS, ROWS[9], 7) == Move(5, 11)
    assert dropped_on(ROWS, ROWS[5], 4) is None, "it is there"
    assert dropped_on(ROWS, ROWS[2], 4) == Move(2, 10), "a pinned one leaves the pins"
    assert dropped_on(ROWS, ROWS[9], 11) == Archive(5, True)
    assert dropped_on(ROWS, ROWS[9], 10) is None
    assert dropped_on(ROWS, ROWS[4], 7) is None, "folders do not go into folders"


def test_between_others_keeps_that_place() -> None:
    assert dropped_between(ROWS, ROWS[9], 5) == Put(5, 10, (5, 3, 4))
    assert dropped_between(ROWS, ROWS[9], 6) == Put(5, 10, (3, 5, 4))
    assert dropped_between(ROWS, ROWS[9], 7) == Put(5, 10, (3, 4, 5))
    assert dropped_between(ROWS, ROWS[9], 1) == Put(5, None, (5, 1, 2))
    assert dropped_between(ROWS, ROWS[5], 7) == Arrange((4, 3))
    assert dropped_between(ROWS, ROWS[2], 1) == Arrange((2, 1))
    assert dropped_between(ROWS, ROWS[5], 5) is None, "it stands there"
    assert dropped_between(ROWS, ROWS[5], 6) is None


def test_among_those_in_order_of_time_only_leaves_where_it_was() -> None:
    assert dropped_between(ROWS, ROWS[5], 10) == Move(3, None)
    assert dropped_between(ROWS, ROWS[1], 9) == Move(1, None)
    assert dropped_between(ROWS, ROWS[9], 11) is None
    assert dropped_between(ROWS, ROWS[9], 13) == Archive(5, True)
    assert dropped_between(ROWS, ROWS[9], 0) is None


def test_folders_are_put_in_order() -> None:
    assert dropped_between(ROWS, ROWS[4], 9) == OrderFolders((11, 10))
    assert dropped_between(ROWS, ROWS[7], 4) == OrderFolders((11, 10))
    assert dropped_between(ROWS, ROWS[7], 8) is None


def test_steps() -> None:
    assert stepped(ROWS, ROWS[1], 1) == Arrange((2, 1))
    assert stepped(ROWS, ROWS[1], -1) is None
    assert stepped(ROWS, ROWS[6], -1) == Arrange((4, 3))
    assert stepped(ROWS, ROWS[7], -1) == OrderFolders((11, 10))
    assert stepped(ROWS, ROWS[9], 1) is None, "these are ordered by time"
