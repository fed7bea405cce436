"""Drafts on disk."""

import pytest

from app.core.messages import DocumentPart, ImagePart, Message, Role, TextPart
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.drafts import Draft, DraftStore

PICTURE = ImagePart("ab" * 32, "cat.jpg", 40, 30, "cd" * 32)
FILE = DocumentPart("ef" * 32, "a.txt", "its text")
WAITING = Message(Role.USER, (FILE, TextPart("later")))


@pytest.fixture
def drafts(database: Database) -> DraftStore:
    return DraftStore(database)


def test_a_draft_comes_back_whole(database: Database, drafts: DraftStore) -> None:
    conversation = ConversationStore(database).create("A")
    whole = Draft("begun\nand", (PICTURE, FILE), (WAITING, Message.of(Role.USER, "and then")))
    drafts.put(conversation.id, whole)
    drafts.put(None, Draft("for a new one"))
    assert drafts.get(conversation.id) == whole
    assert drafts.get(None) == Draft("for a new one")
    assert drafts.get(77) == Draft()


def test_the_text_alone_is_replaced(database: Database, drafts: DraftStore) -> None:
    drafts.put_text(None, "a")
    drafts.put(None, Draft("b", (FILE,)))
    drafts.put_text(None, "c\0\ud800")
    assert drafts.get(None) == Draft("c?", (FILE,))
    assert database.query("SELECT count(*) FROM draft") == [(1,)]


def test_what_is_empty_is_gone(database: Database, drafts: DraftStore) -> None:
    drafts.put(None, Draft("a"))
    drafts.put(None, Draft())
    assert database.query("SELECT count(*) FROM draft") == [(0,)]


def test_a_draft_goes_with_its_conversation(database: Database, drafts: DraftStore) -> None:
    store = ConversationStore(database)
    conversation = store.create("A")
    drafts.put(conversation.id, Draft("a"))
    store.delete(conversation.id)
    assert drafts.get(conversation.id) == Draft("a"), "the deletion may be undone"
    store.purge_deleted(older_than=-1.0)
    assert drafts.get(conversation.id) == Draft()
    drafts.put_text(conversation.id, "late")
    drafts.put(conversation.id, Draft("late", (FILE,)))
    assert drafts.get(conversation.id) == Draft()


def test_damage_costs_what_is_damaged(database: Database, drafts: DraftStore) -> None:
    drafts.put(None, Draft("a", (FILE,), (WAITING,)))
    database.execute("UPDATE draft SET attachments = '{', queue = '[3]'")
    assert drafts.get(None).text == "a"
    assert drafts.get(None).queue == ()
