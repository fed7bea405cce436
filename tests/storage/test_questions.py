"""What was asked before, in the order in which people look for it."""

from itertools import islice

from app.core.messages import DocumentPart, Message, Role, TextPart
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.questions import SentQuestions


def ask(store: ConversationStore, conversation_id: int, *texts: str) -> list[int]:
    made: list[int] = []
    for text in texts:
        head = made[-1] if made else None
        question = store.append(conversation_id, head, Message.of(Role.USER, text))
        made.append(store.append(conversation_id, question.id, Message.of(Role.ASSISTANT, "an answer")).id)
    return made


def test_this_conversation_comes_first_and_nothing_twice(database: Database) -> None:
    store = ConversationStore(database)
    first, second, gone = (store.create(title).id for title in "abc")
    ask(store, first, "one", "two", "one")
    ask(store, second, "three", "two")
    ask(store, gone, "secret")
    store.delete(gone)
    questions = SentQuestions(database)
    assert list(questions.texts(first)) == ["one", "two", "three"]
    assert list(questions.texts(second)) == ["two", "three", "one"]
    assert list(questions.texts(None)) == ["two", "three", "one"]


def test_words_alone_are_told(database: Database) -> None:
    store = ConversationStore(database)
    conversation = store.create("a").id
    file = DocumentPart("", "a.txt", "text of the file")
    store.append(conversation, None, Message(Role.USER, (file, TextPart("about it"))))
    store.append(conversation, None, Message(Role.USER, (file,)))
    assert list(SentQuestions(database).texts(conversation)) == ["about it"]


def test_a_long_history_is_read_as_far_as_it_is_walked(database: Database) -> None:
    store = ConversationStore(database)
    conversation = store.create("a").id
    for number in range(100):
        store.append(conversation, None, Message.of(Role.USER, str(number)))
    assert list(islice(SentQuestions(database).texts(conversation), 80)) == [str(99 - each) for each in range(80)]
