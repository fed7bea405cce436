"""Documents in conversations: sent, edited, answered again, and sent where nobody looks."""

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, ImagePart, Role, TextPart
from app.services.chat.chat_controller import ChatController
from app.services.engine.states import Idle
from app.storage.conversations import ConversationStore, MessageState
from tests.services.chat.test_chat_controller import Screen
from tests.services.conftest import Load
from tests.waits import WAIT

FILE = DocumentPart("ab" * 32, "a.txt", "The rain falls on the river.")
OTHER = DocumentPart("", "Pasted text", "And on the hill.")


@pytest.fixture
def screen(controller: ChatController) -> Screen:
    return Screen(controller)


def settle(controller: ChatController, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)


def prompt_n(screen: Screen) -> int:
    return int(str((screen.last.figures or {})["prompt_n"]))


def test_documents_stand_before_the_words_and_are_read(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    assert controller.send("", (FILE, OTHER))
    settle(controller, qtbot)
    assert screen.titles == ["a.txt"]
    assert prompt_n(screen) > 60, "their texts are in the prompt"
    assert controller.send("What is it?", (OTHER,))
    settle(controller, qtbot)
    first, _, second, _ = store.path(store.all()[0].id)
    assert first.message.parts == (FILE, OTHER)
    assert second.message.parts == (OTHER, TextPart("What is it?"))


def test_an_edited_question_keeps_its_documents(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    assert controller.send("What is it?", (FILE,))
    settle(controller, qtbot)
    question = next(iter(screen.messages.values()))
    assert controller.versions.edit(question.id, "What is this?")
    settle(controller, qtbot)
    assert store.path(store.all()[0].id)[0].message.parts == (FILE, TextPart("What is this?"))
    assert controller.versions.edit(store.path(store.all()[0].id)[0].id, " ")
    settle(controller, qtbot)
    assert store.path(store.all()[0].id)[0].message.parts == (FILE,)


def test_a_question_is_sent_to_a_conversation_that_is_not_on_screen(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    ended: list[int] = []
    controller.replies.ended.connect(lambda stored: ended.append(stored.conversation_id))
    assert controller.send("first")
    settle(controller, qtbot)
    conversation = store.all()[0].id
    controller.new_conversation()
    assert controller.send_to(conversation, "second", (FILE,)) == conversation
    assert controller.send_to(conversation, "third") is None, "an answer is being written"
    assert screen.messages == {}
    settle(controller, qtbot)
    assert screen.messages == {}
    path = store.path(conversation)
    assert [each.message.role for each in path] == [Role.USER, Role.ASSISTANT] * 2
    assert path[2].message.parts == (FILE, TextPart("second"))
    assert path[3].state is MessageState.COMPLETE
    assert path[3].message.text
    cached = int(str((path[3].figures or {})["cache_n"]))
    assert cached > 20, "it was asked after what had been said there"
    assert ended == [conversation, conversation]


def test_a_new_conversation_is_begun_out_of_sight(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    load("llama")
    assert controller.send("on screen")
    settle(controller, qtbot)
    made = controller.send_to(None, "elsewhere")
    settle(controller, qtbot)
    assert made is not None
    assert store.path(made)[0].message.text == "elsewhere"
    assert screen.talk[0][1] == "on screen"
    controller.new_conversation()
    assert controller.send_to(None, "here") is not None
    assert screen.talk[0][1] == "here", "the new conversation is the one on screen"
    settle(controller, qtbot)


def test_what_cannot_be_sent_is_not_taken(
    controller: ChatController, screen: Screen, load: Load, store: ConversationStore, qtbot: QtBot
) -> None:
    assert controller.send_to(None, "x") is None, "there is no model"
    load("llama")
    assert controller.send_to(None, " ") is None
    gone = store.create("gone").id
    store.delete(gone)
    assert controller.send_to(gone, "x") is None
    assert controller.send_to(777, "x") is None
    assert controller.send_to(None, "x", (ImagePart("ab" * 32),)) is None
    assert "can't see" in screen.errors[-1].sentence
    assert store.all() == ()
