import itertools
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.messages import Generation, ImagePart, Message, Part, Role, TextPart
from app.storage.conversations import Conversation, ConversationStore, MessageState, StoredMessage
from app.storage.database import Database
from app.storage.recovery import open_or_recover

WRITER = """
import itertools, sys
from pathlib import Path
from app.core.messages import Generation, Message, Role, TextPart
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database

store = ConversationStore(Database.open(Path(sys.argv[1])))
conversation = store.create("killed")
question = store.append(conversation.id, None, Message.of(Role.USER, "Go on."))
answer = store.append(conversation.id, question.id, Message(Role.ASSISTANT), MessageState.WRITING)
for count in itertools.count(1):
    message = Message(Role.ASSISTANT, (TextPart("word " * count),), Generation("v", tuple(range(count))))
    store.save_answer(answer.id, message, MessageState.WRITING, {"count": count})
    print(count, flush=True)
"""


def say(store: ConversationStore, conversation: Conversation, parent: StoredMessage | None, text: str) -> StoredMessage:
    return store.append(conversation.id, parent.id if parent else None, Message.of(Role.USER, text))


def texts(store: ConversationStore, conversation: Conversation) -> list[str]:
    return [stored.message.text for stored in store.path(conversation.id)]


def test_conversations_are_listed_newest_first(store: ConversationStore) -> None:
    first, second = store.create("first"), store.create("second")
    assert store.all() == (second, first)
    say(store, first, None, "hello")
    assert [each.id for each in store.all()] == [first.id, second.id]
    assert store.get(first.id) == store.all()[0]
    assert store.get(99) is None


def test_a_new_conversation_is_what_is_read_back(store: ConversationStore) -> None:
    conversation = store.create("  Two\nlines\0 ")
    assert conversation.title == "Two lines"
    assert store.get(conversation.id) == conversation
    assert store.path(conversation.id) == ()


def test_renaming(store: ConversationStore) -> None:
    conversation = store.create("old")
    store.rename(conversation.id, "new \ud800")
    assert [each.title for each in store.all()] == ["new ?"]
    with pytest.raises(LookupError):
        store.rename(99, "nobody")


def test_a_deleted_conversation_can_be_restored_until_it_is_purged(database: Database) -> None:
    now = [1000.0]
    store = ConversationStore(database, clock=lambda: now[0])
    conversation, other = store.create("gone"), store.create("stays")
    say(store, conversation, say(store, conversation, None, "one"), "two")
    say(store, other, None, "three")
    store.delete(conversation.id)
    assert store.all() == (store.get(other.id),)
    assert store.get(conversation.id) is None
    store.restore(conversation.id)
    assert len(store.all()) == 2
    store.delete(conversation.id)
    now[0] = 1050.0
    assert store.purge_deleted(older_than=60) == 0
    now[0] = 1060.0
    assert store.purge_deleted(older_than=60) == 1
    assert database.query("SELECT parts FROM message") == [('[{"type":"text","text":"three"}]',)]
    with pytest.raises(LookupError):
        store.restore(conversation.id)


def test_the_id_of_a_purged_conversation_is_not_given_out_again(store: ConversationStore) -> None:
    conversation = store.create("gone")
    store.delete(conversation.id)
    store.purge_deleted(older_than=0)
    assert store.create("new").id > conversation.id


def test_a_path_goes_from_the_root_to_the_head(store: ConversationStore) -> None:
    conversation = store.create()
    question = say(store, conversation, None, "question")
    answer = say(store, conversation, question, "answer")
    assert store.path(conversation.id) == (question, answer)
    assert store.all()[0].head_id == answer.id


def test_versions_are_kept_side_by_side(store: ConversationStore) -> None:
    conversation, other = store.create(), store.create()
    foreign = say(store, other, None, "elsewhere")
    question = say(store, conversation, None, "question")
    answers = [say(store, conversation, question, f"answer {number}") for number in range(3)]
    edited = say(store, conversation, None, "edited question")
    assert texts(store, conversation) == ["edited question"]
    assert store.children(None, conversation.id) == (question.id, edited.id)
    assert store.children(question.id, conversation.id) == tuple(answer.id for answer in answers)
    assert store.children(answers[0].id, conversation.id) == ()
    store.set_head(conversation.id, answers[1].id)
    assert texts(store, conversation) == ["question", "answer 1"]
    with pytest.raises(LookupError):
        store.set_head(conversation.id, foreign.id)
    with pytest.raises(LookupError):
        say(store, conversation, foreign, "below a message of another conversation")
    assert texts(store, conversation) == ["question", "answer 1"]


def test_appending_to_nothing_adds_nothing(database: Database, store: ConversationStore) -> None:
    with pytest.raises(LookupError):
        store.append(99, None, Message.of(Role.USER, "lost"))
    assert database.query("SELECT count(*) FROM message") == [(0,)]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(min_value=0), min_size=1, max_size=30))
def test_any_tree_gives_the_line_of_its_head(store: ConversationStore, choices: list[int]) -> None:
    conversation = store.create()
    lines: list[list[StoredMessage]] = [[]]
    for choice in choices:
        line = lines[choice % len(lines)]
        stored = say(store, conversation, line[-1] if line else None, "word")
        lines.append([*line, stored])
        assert list(store.path(conversation.id)) == lines[-1]
    for line in lines[1:]:
        store.set_head(conversation.id, line[-1].id)
        assert list(store.path(conversation.id)) == line


def test_a_long_path_takes_time_in_proportion(database: Database, store: ConversationStore) -> None:
    """Counts the steps of SQLite's own machine, which a slow computer does not change."""

    def steps(length: int) -> int:
        conversation = store.create()
        message = None
        with database.transaction():
            for number in range(length):
                message = database.execute(
                    "INSERT INTO message (conversation_id, parent_id, role, parts, state, created_at)"
                    " VALUES (?, ?, 'user', '[]', 'complete', ?)",
                    (conversation.id, message, number),
                ).lastrowid
        assert message is not None
        store.set_head(conversation.id, message)
        counted = itertools.count()
        database._connection.set_progress_handler(lambda: next(counted) < 0, 100)
        assert len(store.path(conversation.id)) == length
        database._connection.set_progress_handler(None, 0)
        return next(counted)

    assert steps(4000) < 12 * steps(400)


def test_an_answer_is_saved_while_it_grows(store: ConversationStore) -> None:
    conversation = store.create()
    answer = store.append(conversation.id, None, Message(Role.ASSISTANT), MessageState.WRITING)
    grown = Message(Role.ASSISTANT, (TextPart("Once"),))
    store.save_answer(answer.id, grown, MessageState.WRITING)
    assert store.path(conversation.id)[0].message == grown
    done = Message(Role.ASSISTANT, (TextPart("Once upon"),), Generation("vocab", (5, 0, 2**31 - 1)))
    store.save_answer(answer.id, done, MessageState.CANCELLED, {"predicted_n": 3, "reuse": "all"})
    (stored,) = store.path(conversation.id)
    assert stored.message == done
    assert stored.message.generation == done.generation
    assert stored.state is MessageState.CANCELLED
    assert stored.figures == {"predicted_n": 3, "reuse": "all"}
    with pytest.raises(LookupError):
        store.save_answer(99, done, MessageState.COMPLETE)


anything = st.text(st.characters(exclude_categories=())) | st.sampled_from(["\0", "\ud800", "a\0b\udfff😀", '"\\'])
parts = st.lists(st.builds(TextPart, anything) | st.builds(ImagePart, st.text("0123456789abcdef"), anything))
generations = st.none() | st.builds(
    Generation, st.text("abc"), st.lists(st.integers(-(2**31), 2**31 - 1), max_size=50).map(tuple)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(Role), parts.map(tuple), generations)
def test_any_message_survives(
    store: ConversationStore, role: Role, parts: tuple[Part, ...], generation: Generation | None
) -> None:
    conversation = store.create()
    message = Message(role, parts, generation)
    stored = store.append(conversation.id, None, message)
    (read,) = store.path(conversation.id)
    assert read == stored
    assert read.message.generation == generation


def test_parts_of_a_later_version_are_shown_and_kept(database: Database, store: ConversationStore) -> None:
    conversation = store.create()
    stored = say(store, conversation, None, "old")
    later = json.dumps([{"type": "text", "text": "Listen: "}, {"type": "audio", "seconds": 3}, 7])
    database.execute("UPDATE message SET parts = ? WHERE id = ?", (later, stored.id))
    assert texts(store, conversation) == ["Listen: [audio]7"]
    store.set_head(conversation.id, stored.id)
    assert database.query("SELECT parts FROM message") == [(later,)]


@pytest.mark.parametrize("wrong", ["", "{", '"text"', b"\xff\xfe", "[" * 100_000])
def test_damaged_parts_are_shown_as_they_are(database: Database, store: ConversationStore, wrong: str | bytes) -> None:
    conversation = store.create()
    say(store, conversation, None, "old")
    database.execute(
        "UPDATE message SET parts = ?, tokens = x'0102', vocab = 'v', state = 'odd', role = 'odd', figures = '['",
        (wrong,),
    )
    (stored,) = store.path(conversation.id)
    assert stored.message.text == str(wrong)
    assert (stored.message.generation, stored.figures) == (None, None)


def test_text_that_is_no_utf8_is_shown_as_far_as_it_goes(database: Database, store: ConversationStore) -> None:
    conversation = store.create()
    say(store, conversation, None, "old")
    database.execute("UPDATE message SET parts = CAST(x'5b7b2274ff' AS TEXT)")
    assert texts(store, conversation) == ['[{"t\ufffd']


def test_what_is_being_imported_is_not_in_the_trash(store: ConversationStore, database: Database) -> None:
    coming, deleted = store.create("coming"), store.create("deleted")
    store.delete(deleted.id)
    database.execute("UPDATE conversation SET deleted_at = 0 WHERE id = ?", (coming.id,))
    assert [each.title for each in store.deleted()] == ["deleted"]
    assert store.purge_deleted(-1) == 1
    assert database.query("SELECT title FROM conversation") == [("coming",)]


def test_what_was_being_written_at_a_crash_is_marked_once(store: ConversationStore) -> None:
    conversation = store.create()
    first = store.append(conversation.id, None, Message.of(Role.ASSISTANT, "half"), MessageState.WRITING)
    store.append(conversation.id, first.id, Message.of(Role.ASSISTANT, "whole"))
    assert store.mark_interrupted() == 1
    assert [stored.state for stored in store.path(conversation.id)] == [
        MessageState.INTERRUPTED,
        MessageState.COMPLETE,
    ]
    assert store.mark_interrupted() == 0


def test_a_kill_loses_nothing_that_was_saved(path: Path, child: Callable[..., "Popen[str]"]) -> None:
    Database.open(path).close()
    process = child(WRITER, path)
    assert process.stdout is not None
    while int(process.stdout.readline()) < 300:
        pass
    process.kill()
    told = process.stdout.read().split("\n")
    last = max([300, *(int(line) for line in told[:-1])])
    opened = open_or_recover(path)
    assert opened.notes == ()
    with opened.database as database:
        store = ConversationStore(database)
        assert store.mark_interrupted() == 1
        (conversation,) = store.all()
        question, answer = store.path(conversation.id)
    assert question.message.text == "Go on."
    assert answer.state is MessageState.INTERRUPTED
    assert answer.figures is not None
    count = answer.figures["count"]
    assert count in (last, last + 1)
    assert answer.message.text == "word " * last or answer.message.text == "word " * (last + 1)
    assert answer.message.generation is not None
    assert len(answer.message.generation.tokens) == count
