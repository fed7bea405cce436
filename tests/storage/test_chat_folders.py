import pytest

from app.storage.chat_folders import ChatFolder, ChatFolders
from app.storage.conversations import Conversation, ConversationStore, TitledBy
from app.storage.database import Database


@pytest.fixture
def folders(database: Database) -> ChatFolders:
    return ChatFolders(database, clock=lambda: 500.0)


def one(store: ConversationStore, number: int) -> Conversation:
    found = store.get(number)
    assert found is not None
    return found


def test_folders_are_made_named_ordered_and_folded(folders: ChatFolders) -> None:
    work, home = folders.create("Work"), folders.create("  Ho\nme ")
    assert folders.all() == (ChatFolder(work.id, "Work"), ChatFolder(home.id, "Ho me"))
    folders.order([home.id, work.id])
    folders.rename(work.id, "Jobs")
    folders.collapse(home.id, True)
    assert folders.all() == (ChatFolder(home.id, "Ho me", collapsed=True), ChatFolder(work.id, "Jobs"))
    with pytest.raises(LookupError):
        folders.rename(99, "x")


def test_a_folder_that_goes_leaves_its_conversations_and_comes_back(
    folders: ChatFolders, store: ConversationStore
) -> None:
    folders.create("First")
    work = folders.create("Work")
    last = folders.create("Last")
    kept, moved = store.create("kept").id, store.create("moved").id
    for each in (kept, moved):
        folders.move(each, work.id)
    folders.arrange([moved, kept])
    folders.collapse(work.id, True)
    before = folders.all()
    deleted = folders.delete(work.id)
    assert [each.name for each in folders.all()] == ["First", "Last"]
    assert one(store, kept).folder_id is None
    folders.move(moved, last.id)
    folders.restore(deleted)
    assert folders.all() == before
    assert (one(store, kept).folder_id, one(store, kept).place) == (work.id, 2.0)
    assert one(store, moved).folder_id == last.id, "it was put elsewhere since"
    with pytest.raises(LookupError):
        folders.delete(99)


def test_pins_and_the_archive_exclude_each_other_and_keep_the_folder(
    folders: ChatFolders, store: ConversationStore
) -> None:
    work, chat = folders.create("Work").id, store.create("chat").id
    folders.move(chat, work)
    folders.pin(chat, True)
    assert (one(store, chat).pinned_at, one(store, chat).folder_id) == (500.0, work)
    folders.archive(chat, True)
    assert (one(store, chat).pinned_at, one(store, chat).archived_at) == (None, 500.0)
    folders.archive(chat, False)
    assert (one(store, chat).archived_at, one(store, chat).folder_id) == (None, work)
    folders.pin(chat, True)
    folders.move(chat, None)
    assert (one(store, chat).pinned_at, one(store, chat).folder_id) == (None, None)
    with pytest.raises(LookupError):
        folders.move(chat, 99)


def test_places_are_kept_until_they_are_given_up(folders: ChatFolders, store: ConversationStore) -> None:
    chats = [store.create(str(number)).id for number in range(3)]
    folders.arrange(list(reversed(chats)))
    assert [one(store, each).place for each in chats] == [3.0, 2.0, 1.0]
    folders.sort_by_time(chats)
    assert [one(store, each).place for each in chats] == [None] * 3


def test_the_trash_and_who_made_a_title(store: ConversationStore, database: Database) -> None:
    first, second = store.create("first").id, store.create("second").id
    with pytest.raises(LookupError):
        store.remove(first)
    store.delete(first)
    store.delete(second)
    assert [each.title for each in store.deleted()] == ["second", "first"]
    assert [each.deleted_at is not None for each in store.deleted()] == [True, True]
    store.remove(second)
    assert [each.id for each in store.deleted()] == [first]
    store.restore(first)
    store.rename(first, "better", TitledBy.MODEL)
    assert one(store, first).titled_by is TitledBy.MODEL
    store.rename(first, "mine")
    assert one(store, first).titled_by is TitledBy.USER
    database.execute("UPDATE conversation SET titled_by = 'somebody'")
    assert one(store, first).titled_by is TitledBy.USER, "what is not known is left alone"
