"""Documents in conversations: sent, edited, answered again, and sent where nobody looks."""

from dataclasses import replace

from app.core.messages import DocumentPart, ImagePart, Role, TextPart
from app.storage.conversations import MessageState
from tests.services.chatting import Chat

FILE = DocumentPart("ab" * 32, "a.txt", "The rain falls on the river.")
SENT = replace(FILE, starts=(0,), number=1)
OTHER = DocumentPart("", "Pasted text", "And on the hill.")


def test_documents_stand_before_the_words_and_are_read(chat: Chat) -> None:
    chat.load("llama")
    chat.say("", (FILE, OTHER))
    assert chat.titles == ["a.txt"]
    assert chat.figures["prompt_n"] > 60, "their texts are in the prompt"
    chat.say("What is it?", (OTHER,))
    first, _, second, _ = chat.kept()
    assert first.message.parts == (SENT, OTHER)
    assert second.message.parts == (OTHER, TextPart("What is it?"))


def test_an_edited_question_keeps_its_documents(chat: Chat) -> None:
    chat.load("llama")
    chat.say("What is it?", (FILE,))
    question = chat.messages[0]
    assert chat.versions.edit(question.id, "What is this?")
    chat.rest()
    assert chat.kept()[0].message.parts == (SENT, TextPart("What is this?"))
    assert chat.versions.edit(chat.kept()[0].id, " ")
    chat.rest()
    assert chat.kept()[0].message.parts == (SENT,)


def test_a_question_is_sent_to_a_conversation_that_is_not_on_screen(chat: Chat) -> None:
    chat.load("llama")
    ended: list[int] = []
    chat.replies.ended.connect(lambda stored: ended.append(stored.conversation_id))
    chat.say("first")
    conversation = chat.store.all()[0].id
    chat.controller.new_conversation()
    assert chat.controller.send_to(conversation, "second", (FILE,)) == conversation
    assert chat.controller.send_to(conversation, "third") is None, "an answer is being written"
    assert chat.messages == []
    chat.rest()
    assert chat.messages == []
    path = chat.store.path(conversation)
    assert [each.message.role for each in path] == [Role.USER, Role.ASSISTANT] * 2
    assert path[2].message.parts == (SENT, TextPart("second"))
    assert path[3].state is MessageState.COMPLETE
    assert path[3].message.text
    assert ended == [conversation, conversation]
    chat.controller.open_conversation(conversation)
    assert chat.figures["cache_n"] > 20, "it was asked after what had been said there"


def test_a_new_conversation_is_begun_out_of_sight(chat: Chat) -> None:
    chat.load("llama")
    chat.say("on screen")
    made = chat.controller.send_to(None, "elsewhere")
    chat.rest()
    assert made is not None
    assert chat.store.path(made)[0].message.text == "elsewhere"
    assert chat.talk[0][1] == "on screen"
    chat.controller.new_conversation()
    assert chat.controller.send_to(None, "here") is not None
    assert chat.talk[0][1] == "here", "the new conversation is the one on screen"
    chat.rest()


def test_what_cannot_be_sent_is_not_taken(chat: Chat) -> None:
    assert chat.controller.send_to(None, "x") is None, "there is no model"
    chat.load("llama")
    assert chat.controller.send_to(None, " ") is None
    gone = chat.store.create("gone").id
    chat.store.delete(gone)
    assert chat.controller.send_to(gone, "x") is None
    assert chat.controller.send_to(777, "x") is None
    assert chat.controller.send_to(None, "x", (ImagePart("ab" * 32),)) is None
    assert "can't see" in chat.errors[-1].sentence
    assert chat.store.all() == ()
