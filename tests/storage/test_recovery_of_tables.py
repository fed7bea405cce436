"""What a damaged database keeps beside messages: folders and order, drafts, and what was chosen for anything."""

from pathlib import Path

from app.storage.chat_folders import ChatFolders
from app.storage.conversations import ConversationStore, TitledBy
from app.storage.database import Database
from app.storage.drafts import Draft, DraftStore
from app.storage.options import OptionsStore, Scope
from app.storage.recovery import open_or_recover
from app.storage.search import SearchIndex
from app.storage.search_words import terms_of
from tests.storage.conftest import Fill
from tests.storage.test_recovery import spoil


def root_of(database: Database, table: str) -> int:
    (root,) = database.query("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))[0]
    assert isinstance(root, int)
    return root - 1


def test_drafts_and_options_are_kept(path: Path, fill: Fill) -> None:
    long = "word " * 5000
    presets = {f"preset {number}": {"name": "x" * 300, "n": number} for number in range(60)}
    with Database.open(path) as database:
        fill(ConversationStore(database))
        drafts, options = DraftStore(database), OptionsStore(database)
        drafts.put(1, Draft(long))
        drafts.put(None, Draft("new"))
        options.put(Scope.CONVERSATION, "2", {"overflow": "stop"})
        options.put(Scope.MODEL, "m", {"note": long})
        for name, value in presets.items():
            options.put(Scope.PRESET, name, value)
    spoil(path, 0)
    with open_or_recover(path).database as database:
        drafts, options = DraftStore(database), OptionsStore(database)
        assert drafts.get(1).text == long
        assert drafts.get(None).text == "new"
        assert options.get(Scope.CONVERSATION, "2") == {"overflow": "stop"}
        assert options.get(Scope.MODEL, "m") == {"note": long}
        assert dict(options.all(Scope.PRESET)) == presets


def test_what_was_begun_in_a_lost_conversation_is_offered_in_the_new_one(path: Path) -> None:
    with Database.open(path) as database:
        number = ConversationStore(database).create("Gone").id
        DraftStore(database).put(number, Draft("half a sentence"))
        OptionsStore(database).put(Scope.CONVERSATION, str(number), {"overflow": "stop"})
        lost = root_of(database, "conversation")
    spoil(path, 0, lost)
    with open_or_recover(path).database as database:
        assert ConversationStore(database).all() == ()
        assert DraftStore(database).get(None).text == "half a sentence"
        assert OptionsStore(database).all(Scope.CONVERSATION) == ()


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
    spoil(path, 0)
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
        root = root_of(database, "folder")
    spoil(path, 0, root)
    with open_or_recover(path).database as database:
        conversation = ConversationStore(database).get(1)
        assert conversation is not None
        assert conversation.title == "Talk 0"
        assert conversation.folder_id is None
        assert ChatFolders(database).all() == ()
