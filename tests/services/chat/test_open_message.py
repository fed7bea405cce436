"""A message that was found is shown, in whatever version of the conversation it stands."""

from collections.abc import Callable, Sequence

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import Message, Role
from app.services.chat.chat_controller import ChatController
from app.services.engine.states import OpenConversation
from app.storage.chat_folders import ChatFolders
from app.storage.conversations import ConversationStore
from app.storage.database import Database

MOST_STATEMENTS = 2
"""Of SQL, to open a conversation."""


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


def test_a_long_conversation_is_read_with_as_many_statements_as_a_short_one(
    controller: ChatController, store: ConversationStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = [store.create(name).id for name in ("short", "long")]
    for chat, count in zip(chats, (2, 200), strict=True):
        above = None
        for number in range(count):
            above = store.append(chat, above, Message.of((Role.USER, Role.ASSISTANT)[number % 2], "So.")).id
    asked: list[str] = []
    for name in ("query", "execute"):
        ask = getattr(database, name)

        def told(sql: str, parameters: Sequence[object] = (), ask: Callable[..., object] = ask) -> object:
            asked.append(sql)
            return ask(sql, parameters)

        monkeypatch.setattr(database, name, told)
    controller.open_conversation(chats[0])
    few = len(asked)
    asked.clear()
    controller.open_conversation(chats[1])
    assert few <= MOST_STATEMENTS
    assert len(asked) == few, asked
