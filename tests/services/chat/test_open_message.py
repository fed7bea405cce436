"""A message that was found is shown, in whatever version of the conversation it stands."""

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import Message, Role
from app.services.chat.chat_controller import ChatController
from app.services.engine.states import OpenConversation
from app.storage.chat_folders import ChatFolders
from app.storage.conversations import ConversationStore
from app.storage.database import Database


@pytest.fixture
def opened(controller: ChatController) -> list[OpenConversation | None]:
    heard: list[OpenConversation | None] = []
    controller.active.opened.connect(heard.append)
    return heard


def texts(opened: OpenConversation | None) -> list[str]:
    return [each.message.text for each in opened.messages] if opened else []


def test_the_version_that_has_it_is_shown(
    controller: ChatController, store: ConversationStore, opened: list[OpenConversation | None], qtbot: QtBot
) -> None:
    chat = store.create("Talk").id
    first = store.append(chat, None, Message.of(Role.USER, "Why?")).id
    below = store.append(chat, first, Message.of(Role.ASSISTANT, "Because.")).id
    last = store.append(chat, below, Message.of(Role.USER, "I see.")).id
    store.append(chat, None, Message.of(Role.USER, "How?"))
    controller.open_conversation(chat)
    assert texts(opened[-1]) == ["How?"]
    controller.open_message(chat, below)
    assert texts(opened[-1]) == ["Why?", "Because.", "I see."], "with what was last on screen below it"
    controller.open_message(chat, last)
    assert texts(opened[-1]) == ["Why?", "Because.", "I see."]
    controller.open_message(chat, 99)
    assert len(opened) == 3, "it is gone: nothing happens"


def test_the_start_does_not_bring_an_archived_one_back(
    controller: ChatController, store: ConversationStore, database: Database, opened: list[OpenConversation | None]
) -> None:
    kept, aside = store.create("kept").id, store.create("aside").id
    ChatFolders(database).archive(aside, True)
    controller.start()
    assert opened[-1] is not None
    assert opened[-1].conversation.id == kept
