"""Answers in several conversations at once: each goes on, says nothing elsewhere, and is the one it is alone."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.events import QueuedFor
from app.core.loading import Loading
from app.core.messages import Role
from app.core.sampling import Sampling
from app.services.engine.states import Generating, Idle, Waiting
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import MessageState, StoredMessage
from tests.services.asking import is_written
from tests.services.chatting import Chat
from tests.waits import WAIT

QUESTIONS = ("Why is the sky blue?", "How do ships float?", "What is a prime number?")


def number(chat: Chat) -> int:
    assert chat.active.conversation_id is not None
    return chat.active.conversation_id


def said(stored: StoredMessage) -> str:
    return stored.message.reasoning + stored.message.text


def answers(chat: Chat) -> dict[str, StoredMessage]:
    """By their questions: the last conversation of each."""
    paths = [chat.store.path(each.id) for each in reversed(chat.store.all())]
    return {path[0].message.text: path[1] for path in paths}


@pytest.mark.parametrize("family", ["llama", "gemma3", "lfm2"])
def test_three_chats_at_once_are_answered_as_alone(chat: Chat, settings: SettingsService, family: str) -> None:
    # Flash attention computes with halves of the cells, which is rounded otherwise in batches of other sizes.
    settings.update(Loading, ctx_size=4096, cache_type_k="f32", cache_type_v="f32", flash_attn="off")
    chat.load(family)
    for question in QUESTIONS:
        chat.controller.new_conversation()
        chat.say(question)
    alone = answers(chat)
    for question in QUESTIONS:
        chat.controller.new_conversation()
        assert chat.controller.send(question)
    assert len(chat.replies.conversations) == 3, "none waits for the screen"
    chat.rest()
    together = answers(chat)
    assert all(each.state is MessageState.COMPLETE for each in together.values())
    for question in QUESTIONS:
        assert together[question].id != alone[question].id
        assert said(together[question]) == said(alone[question])


def test_what_is_said_is_said_on_its_own_screen_alone(chat: Chat, settings: SettingsService, qtbot: QtBot) -> None:
    settings.update(Loading, ctx_size=4096)
    settings.update(Sampling, max_tokens=0)
    chat.load("llama")
    chat.begin("first")
    first, answer = number(chat), chat.last
    chat.controller.new_conversation()
    assert chat.replies.activity == Idle() and chat.activities[-1] == Idle()
    before = dict(chat.streamed)
    chat.begin("second")
    second = number(chat)
    assert chat.streamed[answer.id] == before[answer.id], "the first goes on out of sight"
    chat.controller.open_conversation(first)
    shown = chat.last.message.text
    assert chat.state == "writing" and len(shown) >= len(before[answer.id])
    assert type(chat.activities[-1]) is type(chat.replies.activity) is not Idle
    with qtbot.waitSignal(chat.replies.said, timeout=WAIT, check_params_cb=is_written):
        pass
    chat.replies.stop()
    chat.until(lambda: not chat.replies.is_writing_in(first))
    assert chat.replies.is_writing_in(second), "the one on screen was meant"
    assert chat.last.message.text.startswith(shown) and chat.state == "cancelled"
    chat.controller.open_conversation(second)
    assert chat.state == "writing"
    chat.controller.delete(second)
    chat.rest()
    assert [each.id for each in chat.store.all()] == [first]


def test_the_end_keeps_all_of_them(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=4096)
    settings.update(Sampling, max_tokens=0)
    chat.load("llama")
    for question in QUESTIONS:
        chat.controller.new_conversation()
        chat.begin(question)
    chat.replies.save()
    for each in chat.store.all():
        path = chat.store.path(each.id)
        assert said(path[-1]) and path[-1].state is MessageState.WRITING, "a kill would find it"
    chat.replies.stop_all()
    chat.replies.finish()
    assert not chat.replies.is_busy
    for each in chat.store.all():
        path = chat.store.path(each.id)
        assert said(path[-1]) and path[-1].state is MessageState.CANCELLED


def test_a_model_that_goes_ends_all(chat: Chat, settings: SettingsService, tiny_models: dict[str, Path]) -> None:
    settings.update(Loading, ctx_size=4096)
    settings.update(Sampling, max_tokens=0)
    chat.load("llama")
    for question in QUESTIONS[:2]:
        chat.controller.new_conversation()
        chat.begin(question)
    chat.load_file(tiny_models["gemma3"])
    chat.rest()
    assert [chat.store.path(each.id)[-1].state for each in chat.store.all()] == [MessageState.CANCELLED] * 2


def test_of_two_that_wait_for_a_model_each_is_answered(chat: Chat, tiny_models: dict[str, Path]) -> None:
    chat.load_file(tiny_models["llama"])
    assert chat.controller.send("first")
    chat.controller.new_conversation()
    assert chat.controller.send("second")
    assert isinstance(chat.replies.activity, Waiting)
    chat.rest()
    assert [[m.message.role for m in chat.store.path(each.id)] for each in chat.store.all()] == [
        [Role.USER, Role.ASSISTANT]
    ] * 2


def test_one_too_many_says_what_it_waits_for_and_can_be_stopped(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=4096, parallel=2)
    settings.update(Sampling, max_tokens=0)
    chat.load("llama")
    for question in QUESTIONS[:2]:
        chat.controller.new_conversation()
        chat.begin(question)
    for stops in (True, False):
        chat.controller.new_conversation()
        assert chat.controller.send(QUESTIONS[2])
        waiting = number(chat)
        chat.until(lambda: chat.replies.activity == Waiting(QueuedFor.TURN))
        assert len(chat.replies.conversations) == 3
        if stops:
            chat.replies.stop()
            chat.until(lambda: len(chat.replies.conversations) == 2)
            assert not chat.replies.is_writing_in(waiting), "nobody else had to end for that"
            assert chat.state == "cancelled"
    chat.controller.delete(chat.store.all()[-1].id)
    chat.until(lambda: type(chat.replies.activity_in(waiting)) is Generating)
    chat.replies.stop_all()
    chat.rest()


def test_what_fills_the_context_is_waited_for(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=512)
    settings.update(Sampling, max_tokens=0)
    chat.load("llama")
    chat.begin("one two three four " * 18)
    chat.controller.new_conversation()
    assert chat.controller.send("five six seven " * 18)
    chat.until(lambda: Waiting(QueuedFor.ROOM) in chat.activities)
    chat.replies.stop_all()
    chat.rest()


def test_a_chat_that_is_deleted_keeps_nobody_waiting(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, ctx_size=4096)
    chat.load("llama")
    chat.say("first")
    gone = number(chat)
    settings.update(Sampling, max_tokens=0)
    chat.controller.new_conversation()
    chat.begin("second")
    chat.controller.delete(gone)
    chat.until(lambda: str(gone) not in chat.engine.snapshots.status.conversations)
    chat.controller.new_conversation()
    chat.begin("third")
    assert len(chat.replies.conversations) == 2, "forgetting the first did not have to wait for the second"
    chat.replies.stop_all()
    chat.rest()
