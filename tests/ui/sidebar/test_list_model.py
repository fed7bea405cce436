from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester

from app.core.messages import Role
from app.services.conversations.chat_marks import ChatMark
from app.services.conversations.states import Library, SearchResult
from app.services.engine.states import Warmth
from app.storage.chat_folders import ChatFolder
from app.storage.conversations import Conversation
from app.storage.search import ChatHits, Hit
from app.ui.sidebar.list_model import ConversationModel
from app.ui.sidebar.rows import (
    Ages,
    ArchiveRow,
    ChatRow,
    FolderRow,
    Group,
    HitRow,
    Row,
    Section,
    library_rows,
    search_rows,
    trash_rows,
)
from tests.ui.fakes import conversation
from tests.work import assert_quick

NOW = datetime(2025, 6, 15, 0, 30)


def made(title: str, days: float = 0, number: int = 0, **more: float | int | None) -> Conversation:
    when = (NOW - timedelta(days=days)).timestamp()
    return Conversation(number or conversation("").id, title, None, when, when, **more)  # type: ignore[arg-type]


def told(rows: list[Row]) -> list[str]:
    """Each row by what one sees of it; sections in brackets, folders with a slash."""
    words = []
    for row in rows:
        match row:
            case Section(text):
                words.append(f"[{text}]")
            case FolderRow(folder, n_chats):
                words.append(f"{folder.name}/{n_chats}")
            case ArchiveRow(_, n_chats):
                words.append(f"archive/{n_chats}")
            case ChatRow(each):
                words.append(each.title)
            case HitRow(_, hit):
                words.append("".join(piece for piece, _ in hit.snippet))
    return words


@pytest.mark.parametrize(
    ("ago", "age"),
    [
        (timedelta(minutes=29), "Today"),
        (timedelta(minutes=31), "Yesterday"),
        (timedelta(hours=24, minutes=29), "Yesterday"),
        (timedelta(hours=24, minutes=31), "Previous 7 days"),
        (timedelta(days=7), "Previous 7 days"),
        (timedelta(days=9), "June"),
        (timedelta(days=40), "May"),
        (timedelta(days=400), "May 2024"),
        (timedelta(minutes=-5), "Today"),
    ],
)
def test_ages_are_calendar_days(ago: timedelta, age: str) -> None:
    assert Ages(NOW).next((NOW - ago).timestamp()) == age


def test_each_age_has_one_header() -> None:
    chats = (made("A"), made("B"), made("C", 30), made("D", 31), made("E", 365), made("F", 366))
    assert told(library_rows(Library(chats), NOW)) == [
        "[Today]", "A", "B", "[May]", "C", "D", "[June 2024]", "E", "F",
    ]  # fmt: skip


def test_pins_folders_and_the_archive_have_their_places() -> None:
    chats = (
        made("new"),
        made("pinned", 2, pinned_at=1.0),
        made("in work", 3, folder_id=1),
        made("dragged", 1, folder_id=1, place=2.0),
        made("dragged up", 9, folder_id=1, place=1.0),
        made("hidden", 1, folder_id=2),
        made("aside", 5, archived_at=1.0, folder_id=1),
        made("lost folder", 1, folder_id=77),
    )
    library = Library(chats, (ChatFolder(1, "Work"), ChatFolder(2, "Home", collapsed=True)))
    beginning = ["[Pinned]", "pinned", "[Folders]", "Work/3", "in work", "dragged up", "dragged", "Home/1"]
    rest = ["[Today]", "new", "[Yesterday]", "lost folder", "archive/1"]
    assert told(library_rows(library, NOW)) == beginning + rest
    assert told(library_rows(library, NOW, archive_open=True)) == [*beginning, *rest, "aside"]


def hits(chat: int, *texts: str) -> ChatHits:
    found = tuple(Hit(number, Role.USER, 0.0, ((text, False),)) for number, text in enumerate(texts, 1))
    return ChatHits(chat, found, len(found))


def test_search_shows_titles_and_then_what_was_said() -> None:
    chats = (made("Trip to Kyōto", number=1), made("Food", number=2), made("STRASSE", number=3))
    library = Library(chats)
    result = SearchResult("kyoto", (hits(2, "eat in Kyoto", "more Kyoto"), hits(99, "gone meanwhile")))
    assert told(search_rows(library, "kyoto", result)) == [
        "[Titles]", "Trip to Kyōto", "[In messages]", "[Food]", "eat in Kyoto", "more Kyoto",
    ]  # fmt: skip
    assert told(search_rows(library, "TRIP kyo", SearchResult(""))) == ["[Titles]", "Trip to Kyōto"]
    assert told(search_rows(library, "straße", SearchResult(""))) == ["[Titles]", "STRASSE"]
    assert search_rows(library, "nothing", SearchResult("")) == []


def test_the_trash_says_when() -> None:
    library = Library((), (), (made("A", deleted_at=NOW.timestamp()), made("B", deleted_at=NOW.timestamp() - 172_800)))
    assert told(trash_rows(library, NOW)) == ["[Deleted: Today]", "A", "[Deleted: Previous 7 days]", "B"]


def rows_of(*titles: str) -> list[Row]:
    return [ChatRow(made(title, number=ord(title)), Group.TIME) for title in titles]


@pytest.mark.parametrize(
    ("before", "after"), [("", "ABC"), ("ABC", ""), ("ABC", "CAB"), ("ABCDE", "AXYE"), ("ABC", "ABC"), ("AB", "XABY")]
)
def test_the_model_changes_as_the_rows_do(before: str, after: str, qtmodeltester: ModelTester) -> None:
    model = ConversationModel()
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]
    model.show_rows(rows_of(*before))
    model.show_rows(rows_of(*after))
    assert "".join(str(model.data(model.index(place, 0))) for place in range(model.rowCount())) == after
    assert all(model.index_of(ord(title)).row() == place for place, title in enumerate(after))


def test_a_row_that_stays_keeps_its_index() -> None:
    model = ConversationModel()
    model.show_rows(rows_of("A", "B", "C"))
    kept = QPersistentModelIndex(model.index_of(ord("C")))
    model.show_rows(rows_of("X", "A", "C"))
    assert kept.row() == 2
    assert kept.data() == "C"


def test_marks_are_told_to_those_who_do_not_see_them() -> None:
    model = ConversationModel()
    model.show_rows(rows_of("A", "B", "C"))
    model.show_warmth({str(ord("A")): Warmth.MEMORY, str(ord("B")): Warmth.DISK})
    spoken = [str(model.data(model.index(place, 0), Qt.ItemDataRole.AccessibleTextRole)) for place in range(3)]
    assert "in memory" in spoken[0]
    assert "on disk" in spoken[1]
    assert spoken[2] == "C"


def test_answers_are_marked_for_the_eye_and_the_ear() -> None:
    model = ConversationModel()
    model.show_rows(rows_of("A", "B", "C"))
    told = list[int]()
    model.dataChanged.connect(lambda index: told.append(index.row()))
    model.show_marks({ord("A"): ChatMark.WRITING, ord("B"): ChatMark.UNSEEN, ord("C"): ChatMark.ASKING})
    spoken = [str(model.data(model.index(place, 0), Qt.ItemDataRole.AccessibleTextRole)) for place in range(3)]
    assert [each.partition(", ")[2] for each in spoken] == [
        "An answer is being written.",
        "There is a new answer.",
        "A tool waits for your permission.",
    ]
    assert sorted(told) == [0, 1, 2] and [index.row() for index in model.writing()] == [0]
    model.show_marks({ord("B"): ChatMark.UNSEEN})
    assert sorted(told) == [0, 0, 1, 2, 2] and not model.writing()
    assert model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole) == "A"


def test_a_title_is_no_mark_up_in_a_tooltip() -> None:
    model = ConversationModel()
    model.show_rows([ChatRow(made("<img src=x>"), Group.TIME)])
    assert "<img" not in str(model.data(model.index(0, 0), Qt.ItemDataRole.ToolTipRole))


def test_five_thousand_conversations_are_quick() -> None:
    chats = tuple(made(f"Chat {number}", number / 10, number + 1) for number in range(5000))
    model = ConversationModel()
    model.show_rows(library_rows(Library(chats), NOW))
    newest = (chats[-1], *chats[:-1])

    def use() -> None:
        for shown in (chats, newest):
            model.show_rows(library_rows(Library(shown), NOW))
            model.show_rows(search_rows(Library(shown), "chat 49", SearchResult("")))

    assert_quick(0.5, use)
