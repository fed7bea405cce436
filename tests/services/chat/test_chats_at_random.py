"""Anything is done in chats while answers are written in several: nothing is lost, and nothing stands elsewhere."""

import random

import pytest
from pytestqt.qtbot import QtBot

from app.core.loading import Loading
from app.core.messages import Role
from app.core.sampling import Sampling
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import Conversation, MessageState, StoredMessage
from tests.services.chatting import Chat

WORDS = ("river", "stone", "spring", "old", "bridge", "nobody", "seven", "green")


class Walk:
    """Every question names its chat, so that what stands in another one shows."""

    def __init__(self, chat: Chat, seed: str) -> None:
        self.chat = chat
        self.rng = random.Random(seed)
        self.names: dict[int, str] = {}
        self.gone: set[int] = set()

    @property
    def chats(self) -> list[Conversation]:
        return list(self.chat.store.all())

    def question(self, name: str) -> str:
        return f"{name}: {' '.join(self.rng.choice(WORDS) for _ in range(self.rng.randrange(1, 25)))}"

    def send(self) -> None:
        number = self.chat.active.conversation_id
        name = self.names.get(number or 0) or f"chat {len(self.names)}"
        busy = self.chat.replies.is_writing_in(number)
        assert self.chat.controller.send(self.question(name)) is not busy
        if number is None and self.chat.active.conversation_id is not None:
            self.names[self.chat.active.conversation_id] = name

    def new(self) -> None:
        if len(self.chats) < 4:
            self.chat.controller.new_conversation()

    def open(self) -> None:
        if self.chats:
            self.chat.controller.open_conversation(self.rng.choice(self.chats).id)

    def stop(self) -> None:
        number = self.chat.active.conversation_id
        others = set(self.chat.replies.conversations) - {number}
        self.chat.replies.stop()
        assert others <= set(self.chat.replies.conversations), "the one on screen was meant"

    def delete(self) -> None:
        if self.chats and self.rng.random() < 0.4:
            number = self.rng.choice(self.chats).id
            self.chat.controller.delete(number)
            self.gone.add(number)

    def edit(self) -> None:
        asked = [each for each in self.chat.active.path if each.message.role is Role.USER]
        number = self.chat.active.conversation_id
        if asked and number is not None and not self.chat.replies.is_writing_in(number):
            assert self.chat.versions.edit(self.rng.choice(asked).id, self.question(self.names[number]))

    def again(self) -> None:
        self.chat.controller.regenerate()

    def side_by_side(self) -> None:
        self.chat.controller.side_by_side.begin_last((None, None))

    def keep(self) -> None:
        if columns := self.chat.controller.side_by_side.columns:
            self.chat.controller.side_by_side.keep(self.rng.choice(columns).answer.id)

    def step(self, qtbot: QtBot) -> None:
        acts = (self.send, self.send, self.send, self.new, self.open, self.open, self.stop, self.delete, self.edit)
        self.rng.choice((*acts, self.again, self.side_by_side, self.keep))()
        self.check()
        qtbot.wait(self.rng.randrange(40))

    def check(self) -> None:
        """What is on screen is the open conversation's, and as the disk has it, but for what is being written."""
        number = self.chat.active.conversation_id
        assert {each.conversation_id for each in self.chat.messages} <= {number}
        if number is not None:
            assert [each.id for each in self.chat.messages] == [each.id for each in self.chat.store.path(number)]

    def versions(self, number: int) -> list[StoredMessage]:
        """All answers of a conversation, on the path or not."""
        found: list[StoredMessage] = []
        for stored in self.chat.store.path(number):
            if stored.message.role is Role.USER:
                assert stored.message.text.startswith(f"{self.names[number]}:")
            else:
                found.append(stored)
        return found


@pytest.mark.parametrize("family", ["llama", "gemma3", "lfm2"])
def test_whatever_is_done_each_answer_is_its_chats(
    chat: Chat, settings: SettingsService, family: str, qtbot: QtBot
) -> None:
    settings.update(Loading, ctx_size=2048, parallel=3)
    settings.update(Sampling, max_tokens=25)
    chat.load(family)
    walk = Walk(chat, family)
    for _ in range(60):
        walk.step(qtbot)
    chat.rest()
    assert not chat.errors, chat.errors
    for each in walk.chats:
        for stored in walk.versions(each.id):
            assert stored.state in (MessageState.COMPLETE, MessageState.CANCELLED)
            if stored.state is MessageState.COMPLETE:
                assert stored.figures and stored.message.generation is not None
    # Every piece that was told of an answer stands in it, though some came while another chat was on screen.
    kept = {stored.id: stored for each in walk.chats for stored in chat.store.path(each.id)}
    for number, told in chat.streamed.items():
        if number in kept:
            letters = iter(kept[number].message.text)
            assert all(letter in letters for letter in told)
    assert not walk.gone & {each.id for each in walk.chats}
