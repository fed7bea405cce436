"""What stands at the names of conversations, and when it goes."""

from typing import cast

import pytest

from app.core.messages import Role
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.running_replies import RunningReplies
from app.services.conversations.chat_marks import ChatMark, ChatMarks
from app.services.engine.states import Calling, Generating
from app.storage.conversations import MessageState
from tests.ui.fakes import FakeController, opened, stored

WRITES = Generating(1.0, 2)


@pytest.fixture
def controller(qapp: object) -> FakeController:
    made = FakeController()
    made.active.open(opened("first", number=1))
    return made


@pytest.fixture
def marks(controller: FakeController) -> ChatMarks:
    return ChatMarks(cast(RunningReplies, controller.replies), cast(ActiveConversation, controller.active))


def test_an_answer_out_of_sight_is_marked_until_it_is_looked_at(controller: FakeController, marks: ChatMarks) -> None:
    told, finished, replies = list[object](), list[object](), controller.replies
    marks.changed.connect(told.append)
    marks.finished.connect(finished.append)
    replies.elsewhere[2] = WRITES
    replies.enter(WRITES)
    assert marks.all == {1: ChatMark.WRITING, 2: ChatMark.WRITING}
    replies.enter(Generating(2.0, 3))
    assert len(told) == 1, "what is the same is not told again"
    del replies.elsewhere[2]
    replies.ended.emit(answer := stored(Role.ASSISTANT, "x", conversation_id=2))
    assert marks.all == {1: ChatMark.WRITING, 2: ChatMark.UNSEEN} and finished == [answer]
    controller.active.open(opened("second", number=2))
    assert ChatMark.UNSEEN not in marks.all.values()


def test_a_tool_that_waits_is_told_once(controller: FakeController, marks: ChatMarks) -> None:
    asked = list[int]()
    marks.asked.connect(asked.append)
    controller.replies.elsewhere[2] = Calling(asks=True)
    controller.replies.changed.emit()
    controller.replies.changed.emit()
    assert marks.all == {2: ChatMark.ASKING} and asked == [2]
    controller.replies.elsewhere[2] = Calling(asks=False)
    controller.replies.changed.emit()
    assert marks.all == {2: ChatMark.WRITING}


@pytest.mark.parametrize(
    ("state", "is_told"),
    [(MessageState.COMPLETE, True), (MessageState.FAILED, True), (MessageState.CANCELLED, False)],
)
def test_what_was_stopped_is_no_news(
    controller: FakeController, marks: ChatMarks, state: MessageState, is_told: bool
) -> None:
    controller.replies.ended.emit(stored(Role.ASSISTANT, "x", conversation_id=2, state=state))
    assert (marks.all == {2: ChatMark.UNSEEN}) is is_told
