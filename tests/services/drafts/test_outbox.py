"""What was sent while an answer was being written: when it goes, when it waits, and that nothing is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, Message, Role, TextPart
from app.services.chat.chat_controller import ChatController
from app.services.drafts.drafts import Drafts
from app.services.drafts.outbox import Hold, Outbox
from app.services.engine.states import Generating, Idle
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from app.storage.drafts import DraftStore
from tests.ui.fakes import FakeController, stored


class Post:
    def __init__(self, database: Database) -> None:
        store = ConversationStore(database)
        self.first, self.second = store.create("first").id, store.create("second").id
        self.database = database
        self.controller = FakeController()
        self.drafts = Drafts(DraftStore(database))
        self.outbox = Outbox(cast(ChatController, self.controller), self.drafts)
        self.controller.active.conversation_id = self.first
        self.outbox.show_conversation(self.first)
        self.controller.replies.enter(Generating(1.0, 2))

    def add(self, *texts: str) -> None:
        for text in texts:
            self.outbox.add(Message.of(Role.USER, text))

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.outbox.queue.messages]

    def hold(self) -> Hold | None:
        return self.outbox.queue.hold

    def kept(self, conversation: int | None) -> list[str]:
        return [each.text for each in DraftStore(self.database).get(conversation).queue]

    @property
    def sent(self) -> list[tuple[object, ...]]:
        return [call[1:3] for call in self.controller.calls if call[0] == "send_to"]

    def end(
        self, state: MessageState = MessageState.COMPLETE, reason: str = "stop", conversation: int | None = None
    ) -> None:
        where = self.first if conversation is None else conversation
        answer = stored(Role.ASSISTANT, "x", conversation_id=where, state=state, figures={"reason": reason})
        if where == self.controller.active.conversation_id:
            self.controller.active.path = (answer,)
        self.controller.replies.ended.emit(answer)
        self.controller.replies.enter(Idle())


def turn() -> None:
    """Let everything happen that is due."""
    for _ in range(5):
        QCoreApplication.processEvents()


@pytest.fixture
def post(qapp: object, tmp_path: Path) -> Iterator[Post]:
    with Database.open(tmp_path / "hearth.sqlite3") as database:
        yield Post(database)


def test_one_goes_with_each_answer_that_ends(qtbot: QtBot, post: Post) -> None:
    post.add("a", "b")
    assert post.outbox.must_wait
    assert post.kept(post.first) == ["a", "b"]
    post.end()
    qtbot.waitUntil(lambda: post.sent == [(post.first, "a")])
    assert post.kept(post.first) == post.texts == ["b"]
    post.controller.replies.enter(Generating(1.0, 2))
    post.end()
    qtbot.waitUntil(lambda: post.sent[1:] == [(post.first, "b")])
    assert post.texts == []
    assert post.database.query("SELECT count(*) FROM draft") == [(0,)]


def test_nothing_goes_while_an_answer_is_written(qtbot: QtBot, post: Post) -> None:
    post.add("a")
    post.end()
    # Before the queue's turn came, something else began.
    post.controller.replies.enter(Generating(1.0, 2))
    turn()
    assert post.sent == []
    post.end()
    qtbot.waitUntil(lambda: post.sent == [(post.first, "a")])


@pytest.mark.parametrize(
    ("state", "reason", "hold"),
    [
        (MessageState.CANCELLED, "cancelled", Hold.STOPPED),
        (MessageState.FAILED, "", Hold.FAILED),
        (MessageState.COMPLETE, "context_full", Hold.FULL),
    ],
)
def test_after_a_stop_or_a_failure_it_waits(
    qtbot: QtBot, post: Post, state: MessageState, reason: str, hold: Hold
) -> None:
    post.add("a", "b")
    post.end(state, reason)
    turn()
    assert post.sent == []
    assert post.hold() is hold
    post.outbox.send_now()
    assert post.hold() is None
    qtbot.waitUntil(lambda: post.sent == [(post.first, "a")])
    post.controller.replies.enter(Generating(1.0, 2))
    post.end()
    qtbot.waitUntil(lambda: len(post.sent) == 2)


def test_the_limit_on_the_length_is_a_proper_end(qtbot: QtBot, post: Post) -> None:
    post.add("a")
    post.end(reason="length")
    qtbot.waitUntil(lambda: len(post.sent) == 1)


def test_what_is_refused_waits_and_is_not_lost(qtbot: QtBot, post: Post) -> None:
    post.controller.takes = False
    post.add("a")
    post.end()
    qtbot.waitUntil(lambda: post.hold() is Hold.REFUSED)
    assert post.kept(post.first) == ["a"]
    assert len(post.sent) == 1


def test_each_conversation_has_its_queue(qtbot: QtBot, post: Post) -> None:
    post.add("for the first")
    post.outbox.show_conversation(post.second)
    assert post.texts == []
    post.add("for the second")
    # The answer of the first was stopped: its queue waits, the other one need not.
    post.end(MessageState.CANCELLED)
    qtbot.waitUntil(lambda: post.sent == [(post.second, "for the second")])
    assert post.hold() is None
    post.outbox.show_conversation(post.first)
    assert (post.texts, post.hold()) == (["for the first"], Hold.STOPPED)


def test_a_queue_of_a_new_chat_moves_to_the_conversation_it_begins(qtbot: QtBot, post: Post) -> None:
    post.outbox.show_conversation(None)
    post.add("a", "b")
    post.database.execute("INSERT INTO conversation (id, title, created_at, updated_at) VALUES (99, '', 0, 0)")
    post.end()
    qtbot.waitUntil(lambda: post.sent == [(None, "a")])
    assert post.texts == []
    assert post.kept(99) == ["b"]
    post.controller.replies.enter(Generating(1.0, 2))
    post.end(conversation=99)
    qtbot.waitUntil(lambda: post.sent[1:] == [(99, "b")])


def test_it_is_changed_by_hand(post: Post) -> None:
    changes: list[object] = []
    post.outbox.changed.connect(changes.append)
    post.add("a", "b", "c")
    post.outbox.move(2, 0)
    assert post.texts == ["c", "a", "b"]
    post.outbox.move(2, 3)
    assert post.texts == ["c", "a", "b"]
    assert post.outbox.remove(1).text == "a"
    post.outbox.add(Message.of(Role.USER, "d"), 1)
    assert post.kept(post.first) == ["c", "d", "b"]
    assert changes[-1] == post.outbox.queue


def test_what_is_there_at_the_start_waits(qtbot: QtBot, post: Post) -> None:
    post.add("a")
    again = Post.__new__(Post)
    again.database, again.first, again.second = post.database, post.first, post.second
    again.controller = FakeController()
    again.drafts = Drafts(DraftStore(post.database))
    again.outbox = Outbox(cast(ChatController, again.controller), again.drafts)
    again.outbox.show_conversation(again.first)
    assert (again.texts, again.hold()) == (["a"], Hold.RESTARTED)
    again.end()
    turn()
    assert again.sent == []
    again.outbox.send_now()
    qtbot.waitUntil(lambda: again.sent == [(again.first, "a")])


def test_attachments_go_with_it(qtbot: QtBot, post: Post) -> None:
    file = DocumentPart("ab" * 32, "a.txt", "its text")
    post.outbox.add(Message(Role.USER, (file, TextPart("about it"))))
    post.end()
    qtbot.waitUntil(lambda: len(post.controller.calls) == 1)
    assert post.controller.calls == [("send_to", post.first, "about it", (file,))]


def test_at_the_end_of_the_program_nothing_goes(post: Post) -> None:
    post.add("a", "b")
    post.end()
    post.outbox.close()
    turn()
    post.end()
    turn()
    assert post.sent == [] and post.kept(post.first) == ["a", "b"]
