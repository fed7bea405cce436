"""Versions, deletion and copies, by the path that is shown afterwards."""

from pathlib import Path

import pytest

from app.core.messages import Generation, ImagePart, Message, Role, TextPart
from app.storage.conversations import Conversation, ConversationStore, MessageState, StoredMessage
from app.storage.database import Database
from app.storage.recovery import open_or_recover


class Talk:
    """One conversation, its messages by their text."""

    def __init__(self, store: ConversationStore) -> None:
        self.store = store
        self.conversation: Conversation = store.create("Talk")
        self.of: dict[str, StoredMessage] = {}

    def say(self, text: str, below: str = "") -> int:
        parent = self.of[below].id if below else None
        role = Role.ASSISTANT if text.startswith("a") else Role.USER
        self.of[text] = self.store.append(self.conversation.id, parent, Message.of(role, text))
        return self.of[text].id

    @property
    def path(self) -> list[str]:
        return [each.message.text for each in self.store.path(self.conversation.id)]

    @property
    def places(self) -> list[str]:
        return [f"{each.version}/{each.n_versions}" for each in self.store.path(self.conversation.id)]

    def show(self, text: str) -> list[str]:
        self.store.tree.show(self.of[text].id)
        return self.path

    def delete(self, text: str) -> list[str]:
        self.store.tree.delete(self.of[text].id)
        return self.path


@pytest.fixture
def talk(store: ConversationStore) -> Talk:
    """q1 has two answers; a1 goes on with q2 and a2, or with q2b and a2b; a1b goes on with q3."""
    made = Talk(store)
    for text, below in (
        ("q1", ""),
        ("a1", "q1"),
        ("q2", "a1"),
        ("a2", "q2"),
        ("q2b", "a1"),
        ("a2b", "q2b"),
        ("a1b", "q1"),
        ("q3", "a1b"),
    ):
        made.say(text, below)
    return made


def test_each_message_tells_its_place_among_its_versions(talk: Talk) -> None:
    assert talk.path == ["q1", "a1b", "q3"]
    assert talk.places == ["1/1", "2/2", "1/1"]
    assert (talk.of["a1b"].version, talk.of["a1b"].n_versions) == (2, 2)
    ids = [talk.of[text].id for text in ("a1", "a1b")]
    assert talk.store.tree.versions(ids[1]) == tuple(ids)
    assert talk.store.tree.versions(talk.of["q3"].id) == (talk.of["q3"].id,)


def test_walking_to_a_version_leads_to_where_one_was_below_it(talk: Talk) -> None:
    assert talk.show("a1") == ["q1", "a1", "q2b", "a2b"]
    assert talk.show("q2") == ["q1", "a1", "q2", "a2"]
    assert talk.show("a1b") == ["q1", "a1b", "q3"]
    assert talk.show("a1") == ["q1", "a1", "q2", "a2"]
    assert talk.show("q2b") == ["q1", "a1", "q2b", "a2b"]


def test_what_is_said_last_is_where_one_was(talk: Talk) -> None:
    talk.show("q2")
    talk.show("a1")
    talk.say("q2c", "a1")
    talk.show("a1b")
    assert talk.show("a1") == ["q1", "a1", "q2c"]


def test_where_nobody_was_yet_the_newest_is_shown(database: Database, talk: Talk) -> None:
    """As in a file of an earlier version of the program."""
    database.execute("UPDATE message SET next_id = NULL")
    assert talk.show("a1") == ["q1", "a1", "q2b", "a2b"]


def test_the_place_is_remembered_by_a_restart(path: Path, talk: Talk) -> None:
    talk.show("a1")
    talk.show("q2")
    talk.show("a1b")
    with Database.open(path) as again:
        store = ConversationStore(again)
        store.tree.show(talk.of["a1"].id)
        assert [each.message.text for each in store.path(talk.conversation.id)] == ["q1", "a1", "q2", "a2"]


def test_first_messages_have_versions_too(talk: Talk) -> None:
    talk.say("q1 edited")
    assert talk.places == ["2/2"]
    assert talk.show("q1") == ["q1", "a1b", "q3"]
    assert talk.places == ["1/2", "2/2", "1/1"]


def test_a_deleted_version_gives_way_to_the_one_before_it(talk: Talk) -> None:
    talk.show("q2")
    talk.show("a1b")
    assert talk.delete("a1b") == ["q1", "a1", "q2", "a2"]
    assert talk.places == ["1/1", "1/1", "1/2", "1/1"]
    assert talk.delete("q2") == ["q1", "a1", "q2b", "a2b"]
    assert talk.delete("a2b") == ["q1", "a1", "q2b"]
    assert talk.store.children(talk.of["q1"].id, talk.conversation.id) == (talk.of["a1"].id,)


def test_a_first_message_that_is_deleted_leaves_nothing(talk: Talk) -> None:
    assert talk.delete("q1") == []
    assert talk.store.all()[0].head_id is None
    talk.store.tree.restore(talk.of["q1"].id)
    assert talk.path == ["q1", "a1b", "q3"]


def test_what_is_restored_is_shown_as_it_was(talk: Talk) -> None:
    talk.show("q2")
    talk.delete("a1")
    assert talk.path == ["q1", "a1b", "q3"]
    talk.store.tree.restore(talk.of["a1"].id)
    assert talk.path == ["q1", "a1", "q2", "a2"]
    assert talk.places == ["1/1", "1/2", "1/2", "1/1"]


def test_deleting_what_is_not_on_screen_moves_nothing(talk: Talk) -> None:
    assert talk.delete("q2") == ["q1", "a1b", "q3"]
    assert talk.show("a1") == ["q1", "a1", "q2b", "a2b"]
    assert talk.places[2] == "1/1"


def test_a_remembered_place_that_is_deleted_since_is_left_out(talk: Talk) -> None:
    talk.show("q2")
    talk.show("a1b")
    talk.delete("q2")
    assert talk.show("a1") == ["q1", "a1", "q2b", "a2b"]


def test_what_is_deleted_goes_for_good_with_all_below_it(database: Database) -> None:
    now = [0.0]
    talk = Talk(ConversationStore(database, clock=lambda: now[0]))
    for text, below in (("q1", ""), ("a1", "q1"), ("q2", "a1"), ("a1b", "q1")):
        talk.say(text, below)
    talk.delete("a1")
    now[0] = 59.0
    talk.store.purge_deleted(older_than=60)
    assert database.query("SELECT count(*) FROM message") == [(4,)]
    now[0] = 60.0
    talk.store.purge_deleted(older_than=60)
    assert [row[0] for row in database.query("SELECT id FROM message")] == [talk.of["q1"].id, talk.of["a1b"].id]
    with pytest.raises(LookupError):
        talk.store.tree.show(talk.of["a1"].id)


def test_a_copy_holds_the_path_and_nothing_else(store: ConversationStore, talk: Talk) -> None:
    question = Message(Role.USER, (ImagePart("ab12", "a.png", 3, 4, "cd"), TextPart("look")))
    answer = Message(Role.ASSISTANT, (TextPart("a!"),), Generation("v", (5, 7)))
    asked = store.append(talk.conversation.id, talk.of["q3"].id, question)
    told = store.append(talk.conversation.id, asked.id, Message(Role.ASSISTANT), MessageState.WRITING)
    store.save_answer(told.id, answer, MessageState.CANCELLED, {"predicted_n": 2})
    talk.say("q4")
    made = store.tree.copy(told.id, "Another")
    copied = store.path(made)
    assert [each.message for each in copied[2:]] == [Message.of(Role.USER, "q3"), question, answer]
    assert copied[-1].message.generation == answer.generation
    assert (copied[-1].state, copied[-1].figures) == (MessageState.CANCELLED, {"predicted_n": 2})
    assert {(each.version, each.n_versions) for each in copied} == {(1, 1)}
    assert not {each.id for each in copied} & {each.id for each in talk.of.values()}
    assert store.all()[0].id == made
    assert store.all()[0].title == "Another"
    store.tree.delete(copied[1].id)
    assert talk.show("q3") == ["q1", "a1b", "q3", "look", "a!"]


def test_what_is_not_there_is_a_lookup_error(talk: Talk) -> None:
    tree = talk.store.tree
    for do in (tree.versions, tree.show, tree.delete, tree.restore, lambda each: tree.copy(each, "")):
        with pytest.raises(LookupError):
            do(999)


def test_what_was_deleted_stays_so_when_a_damaged_file_is_recovered(path: Path) -> None:
    with Database.open(path) as database:
        talk = Talk(ConversationStore(database))
        for text, below in (("q1", ""), ("a1", "q1"), ("q2", "a1"), ("a1b", "q1"), ("a1c", "q1"), ("q3", "a1c")):
            talk.say(text, below)
        talk.delete("a1c")
        talk.delete("a1")
        # The head is lost with the conversation's row: the newest that is not hidden takes its place.
        database.execute("UPDATE conversation SET head_id = NULL")
        database.query("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 8)
    opened = open_or_recover(path)
    assert opened.notes
    with opened.database as database:
        store = ConversationStore(database)
        assert [each.message.text for each in store.path(talk.conversation.id)] == ["q1", "a1b"]
        assert store.path(talk.conversation.id)[1].n_versions == 1
