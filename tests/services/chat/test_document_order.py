"""Documents that began a chat before come first in the next one, whatever the order they are dropped in."""

import pytest

from app.core.messages import Attachment, DocumentPart, ImagePart
from app.services.chat.document_order import DocumentOrder
from app.storage.database import Database
from app.storage.options import OptionsStore
from tests.services.chatting import Chat

A, B, C = (DocumentPart(letter * 64, f"{letter}.txt", f"The {letter} rains.") for letter in "abc")
PASTED = DocumentPart("", "Pasted text", "x")
PASSAGES = DocumentPart("d" * 64, "d.pdf", "x", by_passages=True)
PICTURE = ImagePart("e" * 64)


@pytest.fixture
def order(database: Database) -> DocumentOrder:
    times = iter(range(1, 100))
    return DocumentOrder(OptionsStore(database), clock=lambda: float(next(times)))


@pytest.mark.parametrize("dropped", [(A, B), (B, A)])
def test_new_ones_stand_in_one_order(order: DocumentOrder, dropped: tuple[Attachment, ...]) -> None:
    assert order.arranged(dropped) == (A, B)


def test_the_first_stays_the_first(order: DocumentOrder, database: Database) -> None:
    order.note((C,))
    order.note((C, B))
    again = DocumentOrder(OptionsStore(database))
    assert again.arranged((A, B, C)) == again.arranged((C, A, B)) == (C, B, A), "also after a restart"
    order.forget()
    assert again.arranged((C, A, B)) == (A, B, C)


def test_what_is_no_beginning_stays_behind(order: DocumentOrder) -> None:
    order.note((PASSAGES, PASTED))
    assert order.arranged((PASTED, B, PICTURE, PASSAGES, A)) == (PICTURE, A, B, PASTED, PASSAGES)


def test_a_chat_on_two_documents_shares_with_one_on_the_first(chat: Chat) -> None:
    chat.load("llama")
    chat.say("What is said?", (B,))
    documents: tuple[DocumentPart, ...] = ()
    for dropped in ((A, B), (B, A)):
        chat.controller.new_conversation()
        chat.say("And here?", dropped)
        documents = chat.kept()[0].message.documents
        assert [(each.name, each.number) for each in documents] == [("b.txt", 1), ("a.txt", 2)]
    chat.say("And now?", (C, A))
    assert [(each.name, each.number) for each in chat.kept()[2].message.documents] == [("c.txt", 3), ("a.txt", 4)]
    assert chat.kept()[0].message.documents == documents, "nothing that was read is changed"
