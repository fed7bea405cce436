"""A damaged database keeps its folders, pins, archive and the names of those who made the titles."""

import random
from collections.abc import Callable
from pathlib import Path

from app.storage.chat_folders import ChatFolders
from app.storage.conversations import ConversationStore, TitledBy
from app.storage.database import Database
from app.storage.recovery import open_or_recover
from app.storage.search import SearchIndex
from app.storage.search_words import terms_of

Fill = Callable[[ConversationStore], dict[int, str]]


def test_order_survives_damage_and_the_index_is_made_anew(path: Path, fill: Fill) -> None:
    with Database.open(path) as database:
        store, folders = ConversationStore(database), ChatFolders(database)
        fill(store)
        work = folders.create("Work").id
        folders.move(1, work)
        folders.arrange([1])
        folders.pin(2, True)
        folders.archive(3, True)
        store.rename(4, "Mine", TitledBy.USER)
        before = {each.id: each for each in store.all()}
        index = SearchIndex.open(path.with_name("search.sqlite3"), path)
        while index.catch_up(500):
            pass
        index.close()
    with path.open("r+b") as file:
        file.write(random.Random(1).randbytes(4096))
    with open_or_recover(path).database as database:
        store = ConversationStore(database)
        assert {each.id: each for each in store.all()} == before
        assert [each.name for each in ChatFolders(database).all()] == ["Work"]
        index = SearchIndex.open(path.with_name("search.sqlite3"), path)
        while index.catch_up(500):
            pass
        assert len(index.find(terms_of("turn"))) == 12
        index.close()


def test_a_folder_that_is_lost_lets_its_conversations_go(path: Path, fill: Fill) -> None:
    with Database.open(path) as database:
        store, folders = ConversationStore(database), ChatFolders(database)
        fill(store)
        folders.move(1, folders.create("Work").id)
        (root,) = database.query("SELECT rootpage FROM sqlite_master WHERE name = 'folder'")[0]
    with path.open("r+b") as file:
        for page in (0, root - 1):
            file.seek(page * 4096)
            file.write(random.Random(page).randbytes(4096))
    with open_or_recover(path).database as database:
        conversation = ConversationStore(database).get(1)
        assert conversation is not None
        assert conversation.title == "Talk 0"
        assert conversation.folder_id is None
        assert ChatFolders(database).all() == ()
