"""The index beside the database: what it finds, and that it always says what the database says."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from app.core.messages import DocumentPart, ImagePart, Message, Role, TextPart
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from app.storage.search import ChatHits, SearchIndex, found_passages
from app.storage.search_words import terms_of
from tests.work import assert_quick


@pytest.fixture
def index_path(path: Path) -> Path:
    return path.with_name("search.sqlite3")


@pytest.fixture
def index(index_path: Path, path: Path, database: Database) -> Iterator[SearchIndex]:
    made = SearchIndex.open(index_path, path)
    yield made
    made.close()


def look(index: SearchIndex, wanted: str) -> tuple[ChatHits, ...]:
    while index.catch_up():
        pass
    return index.find(terms_of(wanted))


def found(index: SearchIndex, wanted: str) -> list[int]:
    return [hit.message_id for chat in look(index, wanted) for hit in chat.hits]


def say(store: ConversationStore, chat: int, text: str, parent: int | None = None) -> int:
    return store.append(chat, parent, Message.of(Role.USER, text)).id


@pytest.fixture
def chat(store: ConversationStore) -> int:
    return store.create("A talk").id


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The quick brown fox", "quick"),
        ("The quick brown fox", "qui"),
        ("The quick brown fox", "fox quick "),
        ("The quick brown fox", '"quick brown"'),
        ("The quick brown fox", '"quick bro'),
        ("Café à Zürich", "cafe zurich"),
        ("cafe", "CAFÉ"),
        ("東京タワーに登る", "東京"),
        ("東京タワーに登る", "タワー"),
        ("我们去北京旅游", "北京"),
        ("我们去北京旅游", "京"),
        ("ประเทศไทยสวยมาก", "ไทย"),
        ("안녕하세요 세계", "안녕"),
        ("Привет, мир", "прив"),
        ("mixed漢字text", "漢字"),
        ("mixed漢字text", "text"),
        ("def make_it(x): return x", "make_it"),
    ],
)
def test_what_is_found(index: SearchIndex, store: ConversationStore, chat: int, text: str, wanted: str) -> None:
    message = say(store, chat, text)
    say(store, chat, "something else")
    assert found(index, wanted) == [message]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The quick brown fox", "quik"),
        ("The quick brown fox", "qui fox"),
        ("The quick brown fox", '"brown quick"'),
        ("東京タワー", "京東"),
        ("東京タワー", "大阪"),
        ("word", "   "),
        ("word", '"'),
    ],
)
def test_what_is_not(index: SearchIndex, store: ConversationStore, chat: int, text: str, wanted: str) -> None:
    say(store, chat, text)
    assert found(index, wanted) == []


def test_everything_that_belongs_to_a_message_counts(index: SearchIndex, store: ConversationStore, chat: int) -> None:
    parts = (DocumentPart("0" * 64, "minutes.pdf", "We agreed on Tuesday."), ImagePart("1" * 64, "harbour.png"))
    store.append(chat, None, Message(Role.USER, (*parts, TextPart("And?"))))
    store.append(chat, 1, Message(Role.ASSISTANT, (TextPart("Yes."),), reasoning="Let me ponder."))
    assert found(index, "tuesday") == found(index, "minutes") == found(index, "harbour") == [1]
    assert found(index, "ponder") == [2]


def test_the_words_are_marked_in_their_context(index: SearchIndex, store: ConversationStore, chat: int) -> None:
    say(store, chat, "one  two\nthree <b>four</b>")
    (hits,) = look(index, "three tw")
    assert hits.hits[0].snippet == (
        ("one ", False),
        ("two", True),
        (" ", False),
        ("three", True),
        (" <b>four</b>", False),
    )
    say(store, chat, "去北京旅游")
    (hits,) = look(index, "北京")
    assert "".join(piece for piece, _ in hits.hits[0].snippet) == "去北京旅游"
    assert "".join(piece for piece, is_found in hits.hits[0].snippet if is_found) == "北京"


def test_several_hits_of_a_conversation_stand_together_newest_first(
    index: SearchIndex, store: ConversationStore, chat: int
) -> None:
    other = store.create("Another").id
    first = say(store, chat, "ants")
    second = say(store, other, "ants")
    rest = [say(store, chat, f"ants {number}") for number in range(6)]
    chats = look(index, "ants")
    assert [each.conversation_id for each in chats] == [chat, other]
    assert [hit.message_id for hit in chats[0].hits] == rest[:1:-1]
    assert [hit.message_id for hit in chats[1].hits] == [second]
    assert first not in [hit.message_id for hit in chats[0].hits]


def test_the_last_place_is_shown_too_when_no_more_are_wanted(index: SearchIndex, store: ConversationStore) -> None:
    talks = [store.create(f"Talk {number}").id for number in range(4)]
    said = {talk: [say(store, talk, f"ants {number}") for number in range(3)] for talk in talks}
    look(index, "ants")
    chats = index.find(terms_of("ants"), most_chats=2, per_chat=2)
    assert [(each.conversation_id, [hit.message_id for hit in each.hits]) for each in chats] == [
        (talk, said[talk][:0:-1]) for talk in talks[:1:-1]
    ]
    say(store, talks[0], "ants again")
    assert [each.conversation_id for each in look(index, "ants")] == [talks[0], *talks[:0:-1]]


def test_all_hits_are_counted_and_told_where_they_are_wanted(index: SearchIndex, store: ConversationStore) -> None:
    talks = [store.create(f"Talk {number}").id for number in range(2)]
    said = {talk: [say(store, talk, f"ants {number}") for number in range(7)] for talk in talks}
    look(index, "ants")
    few = index.find(terms_of("ants"), per_chat=3)
    assert [(each.conversation_id, len(each.hits), each.n_found) for each in few] == [
        (talks[1], 3, 7),
        (talks[0], 3, 7),
    ]
    all_of_one = index.find(terms_of("ants"), per_chat=3, whole=talks[0])
    assert [len(each.hits) for each in all_of_one] == [3, 7]
    assert [hit.message_id for hit in all_of_one[1].hits] == said[talks[0]][::-1]


def test_what_was_found_is_told_without_markdown(index: SearchIndex, store: ConversationStore, chat: int) -> None:
    say(store, chat, "## Result\n\nThe **answer** is `42`, see [here](https://example.org/a/b).")
    (hits,) = look(index, "answer")
    assert hits.hits[0].snippet == (("Result The ", False), ("answer", True), (" is 42, see here.", False))


def test_an_answer_that_grows_is_found_as_it_is_now(index: SearchIndex, store: ConversationStore, chat: int) -> None:
    answer = store.append(chat, None, Message(Role.ASSISTANT), MessageState.WRITING)
    assert found(index, "alpha") == []
    store.save_answer(answer.id, Message.of(Role.ASSISTANT, "alpha"), MessageState.WRITING)
    assert found(index, "alpha") == [answer.id]
    store.save_answer(answer.id, Message.of(Role.ASSISTANT, "beta"), MessageState.COMPLETE)
    assert (found(index, "alpha"), found(index, "beta")) == ([], [answer.id])


def test_what_was_deleted_is_not_found_until_it_comes_back(
    index: SearchIndex, store: ConversationStore, chat: int
) -> None:
    above = say(store, chat, "ants above")
    below = say(store, chat, "ants below", above)
    deeper = say(store, chat, "ants deeper", below)
    assert found(index, "ants") == [deeper, below, above]
    store.tree.delete(below)
    assert found(index, "ants") == [above]
    store.tree.restore(below)
    store.delete(chat)
    assert found(index, "ants") == []
    store.restore(chat)
    assert found(index, "ants") == [deeper, below, above]


def test_what_is_purged_leaves_no_trace_in_the_file(
    index: SearchIndex, index_path: Path, store: ConversationStore, chat: int
) -> None:
    say(store, chat, "xylophone " * 3 + "qwertzuiop")
    other = store.create("other").id
    kept = [say(store, other, f"something {number}") for number in range(5)]
    assert len(found(index, "xylophone")) == 1
    store.delete(chat)
    store.purge_deleted(0)
    assert found(index, "xylophone") == []
    index.tidy()
    assert found(index, "something") == kept[:0:-1]
    index.close()
    raw = b"".join(each.read_bytes() for each in index_path.parent.glob("search.sqlite3*"))
    assert b"something" in raw
    assert b"xylophone" not in raw
    assert b"qwertz" not in raw


def test_it_goes_on_where_it_stopped(index_path: Path, path: Path, store: ConversationStore, chat: int) -> None:
    for number in range(120):
        say(store, chat, f"ants {number}")
    index = SearchIndex.open(index_path, path)
    assert index.catch_up(50) == 70
    index.close()
    index = SearchIndex.open(index_path, path)
    assert index.catch_up(50) == 20
    assert index.catch_up(50) == 0
    assert index.catch_up(50) == 0
    index.close()


def damaged(index_path: Path) -> None:
    index_path.write_bytes(b"\xff" * 8192)


def after(*statements: str) -> Callable[[Path], None]:
    def spoil(index_path: Path) -> None:
        with closing(sqlite3.connect(index_path)) as connection, connection:
            for each in statements:
                connection.execute(each)

    return spoil


ANOTHERS = (
    "DELETE FROM text",
    "UPDATE meta SET value = 'another' WHERE name = 'source'",
    "UPDATE meta SET value = '1' WHERE name = 'last'",
)
FROM_THE_FUTURE = ("DELETE FROM text", "UPDATE meta SET value = '77' WHERE name = 'last'")


@pytest.mark.parametrize(
    "spoil", [damaged, after("DROP TABLE text_data"), after(*ANOTHERS), after(*FROM_THE_FUTURE), Path.unlink]
)
def test_an_index_that_is_of_no_use_is_made_anew(
    index_path: Path, path: Path, store: ConversationStore, chat: int, spoil: Callable[[Path], None]
) -> None:
    message = say(store, chat, "ants")
    index = SearchIndex.open(index_path, path)
    assert found(index, "ants") == [message]
    index.close()
    spoil(index_path)
    index = SearchIndex.open(index_path, path)
    assert found(index, "ants") == [message]
    index.close()


def test_a_long_document_is_found_by_the_passage(index: SearchIndex, store: ConversationStore, chat: int) -> None:
    text = "\n".join(f"Line {number} about nothing." for number in range(20_000)) + "\nThe treasure lies here."
    store.append(chat, None, Message(Role.USER, (DocumentPart("0" * 64, "long.txt", text),)))
    (hits,) = look(index, "treasure")
    assert ("treasure", True) in hits.hits[0].snippet
    assert len(found(index, "nothing")) == 1


def test_a_model_reads_whole_messages_with_their_chat_and_day(
    index: SearchIndex, index_path: Path, path: Path, store: ConversationStore, chat: int
) -> None:
    say(store, chat, "Marmalade " + "x" * 50)
    assert found(index, "marmalade")
    ((number, told),) = found_passages(index_path, path, "marmalade", most_chars=12)
    assert number == chat and told.startswith("## A talk (user, 19") and told.endswith("\nMarmalade xx")
    assert found_passages(index_path, path.with_name("none.sqlite3"), "marmalade") == []


def test_it_is_private(index: SearchIndex, index_path: Path) -> None:
    assert index_path.stat().st_mode & 0o077 == 0


def test_a_few_thousand_messages_are_searched_at_once(
    index: SearchIndex, store: ConversationStore, database: Database, chat: int
) -> None:
    with database.transaction():
        rows = [(chat, f'[{{"type":"text","text":"word{n % 50} thing{n} and what follows"}}]') for n in range(3000)]
        database.execute_many(
            "INSERT INTO message (conversation_id, role, parts, state, created_at)"
            " VALUES (?, 'user', ?, 'complete', 0)",
            rows,
        )
    while index.catch_up(500):
        pass
    for wanted in ("wo", "word", "word1", "word1 thi", "and", "thing2999"):
        terms = terms_of(wanted)
        assert index.find(terms)
        assert_quick(0.1, partial(index.find, terms))
