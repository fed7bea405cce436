"""Search as one types, on a thread of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import Message, Role
from app.services.conversations.search import ChatSearch
from app.services.conversations.states import SearchResult
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from tests.waits import WAIT


@pytest.fixture
def search(tmp_path: Path, database: Database) -> Iterator[ChatSearch]:
    made = ChatSearch(tmp_path / "search.sqlite3", tmp_path / "hearth.sqlite3")
    yield made
    made.close()


@pytest.fixture
def heard(search: ChatSearch) -> list[SearchResult]:
    results: list[SearchResult] = []
    search.found.connect(results.append)
    return results


def fill(store: ConversationStore, n_messages: int = 3) -> int:
    chat = store.create("Talk").id
    for number in range(n_messages):
        store.append(chat, None, Message.of(Role.USER, f"ants number{number}"))
    return chat


def found(result: SearchResult) -> int:
    return sum(len(chat.hits) for chat in result.chats)


def test_what_was_said_a_moment_ago_is_found(
    search: ChatSearch, heard: list[SearchResult], store: ConversationStore, qtbot: QtBot
) -> None:
    fill(store)
    search.search("ants")
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    assert heard[0].wanted == "ants"
    assert found(heard[0]) == 3
    store.append(1, None, Message.of(Role.USER, "more ants"))
    search.search("ants mor")
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=WAIT)
    assert found(heard[1]) == 1


def test_only_the_newest_search_is_answered(
    search: ChatSearch, heard: list[SearchResult], store: ConversationStore, qtbot: QtBot
) -> None:
    fill(store)
    for typed in ("an", "ant", "ants"):
        search.search(typed)
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    assert [each.wanted for each in heard] == ["ants"]
    search.search("number1")
    search.search("  ")
    assert heard[-1] == SearchResult("  ")
    assert len(heard) == 2


def test_an_old_database_is_read_in_the_background_and_the_search_comes_again(
    search: ChatSearch, heard: list[SearchResult], store: ConversationStore, qtbot: QtBot
) -> None:
    fill(store, 180)
    search.start()
    search.search("ants")
    qtbot.waitUntil(lambda: bool(heard) and heard[-1].n_unread == 0, timeout=WAIT)
    assert heard[0].n_unread > 0
    assert [hit.message_id for hit in heard[-1].chats[0].hits] == [180, 179, 178, 177]


def test_nothing_is_read_in_the_background_while_it_rests(
    search: ChatSearch, heard: list[SearchResult], store: ConversationStore, qtbot: QtBot
) -> None:
    fill(store, 120)
    search.rest(True)
    search.start()
    search.search("ants")
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    assert heard[0].n_unread > 0
    search.rest(False)
    search._read()
    qtbot.waitUntil(lambda: search._reading is None and not search._pause.isActive(), timeout=WAIT)
    search.search("ants ")
    qtbot.waitUntil(lambda: len(heard) > 1, timeout=WAIT)
    assert heard[-1].n_unread == 0


def test_a_change_is_read_without_a_search(
    search: ChatSearch, store: ConversationStore, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.conversations.search._CALM_MS", 1)
    fill(store)
    search.hear_change()
    qtbot.waitUntil(lambda: search._index is not None and search._reading is None, timeout=WAIT)
    assert search._index is not None
    qtbot.waitUntil(lambda: not search._pause.isActive(), timeout=WAIT)


def test_one_letter_asks_nothing_of_the_index(search: ChatSearch, heard: list[SearchResult]) -> None:
    search.search("a")
    assert heard == [SearchResult("a")]


def test_closing_twice_or_at_once_is_well(search: ChatSearch, store: ConversationStore) -> None:
    fill(store, 500)
    search.start()
    search.search("ants")
    search.close()
    search.close()


def test_a_disk_that_refuses_costs_the_search_alone(
    tmp_path: Path, database: Database, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    broken = ChatSearch(tmp_path / "no folder" / "search.sqlite3", tmp_path / "hearth.sqlite3")
    with qtbot.waitSignal(broken.found, timeout=WAIT) as caught:
        broken.search("ants")
    assert caught.args == [SearchResult("ants")]
    assert "search index" in caplog.text
    broken.close()
