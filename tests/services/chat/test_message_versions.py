"""Editing, versions, branches, deletion, going on: what is shown, what is kept, and what the engine is asked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.core.messages import ImagePart, Message, Role, TextPart
from app.core.model_ref import ModelRef
from app.core.overflow import Overflow
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.services.engine.futures import Hear, Reply
from app.services.engine.service import EngineService
from app.services.engine.states import Idle
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import MessageState
from tests.endless_model import make_repeating
from tests.services.chatting import Chat


class Asked:
    """What the engine is asked, beside being asked it."""

    def __init__(self, engine: EngineService, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: list[ChatRequest] = []
        self._generate = engine.generate
        monkeypatch.setattr(engine, "generate", self.generate)

    def generate(self, request: ChatRequest, hear: Hear, *, model: ModelRef) -> Reply:
        self.requests.append(request)
        return self._generate(request, hear, model=model)

    @property
    def last(self) -> list[tuple[Role, str]]:
        return [(each.role, each.text) for each in self.requests[-1].messages]


@pytest.fixture
def asked(engine: EngineService, monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(engine, monkeypatch)


@pytest.fixture
def talk(chat: Chat, asked: Asked) -> Chat:
    """Two questions with their answers."""
    chat.load("llama")
    for text in ("first", "second"):
        chat.say(text)
    return chat


def test_an_edited_question_is_answered_anew(talk: Chat, asked: Asked) -> None:
    old, opened = list(talk.messages), talk.n_opened
    assert talk.versions.edit(old[2].id, "third")
    talk.rest()
    assert talk.texts[:3] == ["first", old[1].message.text, "third"]
    assert talk.places == ["1/1", "1/1", "2/2", "1/1"]
    assert talk.messages[3].state is MessageState.COMPLETE
    assert talk.messages[3].message.text
    assert asked.last == [(Role.USER, "first"), (Role.ASSISTANT, old[1].message.text), (Role.USER, "third")]
    assert talk.store.path(old[0].conversation_id) == tuple(talk.messages)
    assert talk.n_opened == opened, "the same conversation stays on screen"
    assert talk.figures["cache_n"] > 60, "what stands before the question stays warm"
    talk.versions.walk(talk.messages[2].id, -1)
    assert talk.messages == old
    assert talk.places[2] == "1/2"


def test_the_first_question_can_be_edited(talk: Chat, asked: Asked) -> None:
    assert talk.versions.edit(talk.messages[0].id, "otherwise")
    talk.rest()
    assert (talk.texts[0], len(talk.messages), talk.places[0]) == ("otherwise", 2, "2/2")
    assert asked.last == [(Role.USER, "otherwise")]


def test_an_edited_answer_is_another_version_and_what_the_model_is_told(talk: Chat, asked: Asked) -> None:
    n_asked = len(asked.requests)
    answer = talk.messages[1]
    assert answer.message.generation is not None
    assert talk.versions.edit(answer.id, "I see.")
    assert isinstance(talk.replies.activity, Idle)
    assert len(asked.requests) == n_asked
    assert talk.texts == ["first", "I see."]
    assert talk.places == ["1/1", "2/2"]
    kept = talk.store.path(answer.conversation_id)[-1]
    assert kept.message.generation is None
    first: Mapping[str, Any] = answer.figures or {}
    assert kept.figures == {
        "n_prompt": pytest.approx(first["cache_n"] + first["prompt_n"], abs=1),
        "counted_by": "llama",
    }
    assert talk.versions.edit(kept.id, "I really see.")
    assert talk.messages[1].figures == kept.figures
    talk.versions.walk(talk.messages[1].id, -1)
    talk.say("and now?")
    assert asked.last == [(Role.USER, "first"), (Role.ASSISTANT, "I see."), (Role.USER, "and now?")]
    talk.versions.walk(talk.messages[1].id, -1)
    assert len(talk.messages) == 4
    assert talk.messages[1].message.generation == answer.message.generation


def test_saving_the_same_text_makes_no_version(talk: Chat) -> None:
    before = list(talk.messages)
    assert talk.versions.edit(before[0].id, "first")
    assert not talk.versions.edit(before[0].id, "  ")
    assert talk.messages == before
    assert set(talk.places) == {"1/1"}


def test_pictures_stay_when_a_question_is_edited(chat: Chat) -> None:
    conversation = chat.store.create("seen")
    part = ImagePart("ab12", "a.png", 4, 4, "cd")
    question = chat.store.append(conversation.id, None, Message(Role.USER, (part, TextPart("what is it?"))))
    chat.store.append(conversation.id, question.id, Message(Role.ASSISTANT, (part, TextPart("a dot"))))
    chat.controller.open_conversation(conversation.id)
    assert chat.versions.edit(chat.messages[1].id, "a line")
    assert chat.messages[1].message.parts == (part, TextPart("a line"))
    assert not chat.versions.edit(question.id, "and this?"), "there is no model"
    assert "Choose one" in chat.errors[-1].sentence
    assert len(chat.messages) == 2


def test_walking_leads_back_to_where_one_was(talk: Chat) -> None:
    first = list(talk.messages)
    talk.controller.regenerate_answer(first[1].id)
    talk.rest()
    assert (talk.places, talk.messages[0]) == (["1/1", "2/2"], first[0])
    other = list(talk.messages)
    for beyond in (1, 1):
        talk.versions.walk(talk.messages[1].id, beyond)
        assert talk.messages == other
    talk.versions.walk(other[1].id, -1)
    assert talk.messages == first
    assert talk.store.path(first[0].conversation_id) == tuple(first)
    talk.versions.walk(first[1].id, 1)
    assert talk.messages == other


def test_any_answer_can_be_made_again(talk: Chat, asked: Asked) -> None:
    question, answer = talk.messages[:2]
    talk.controller.regenerate_answer(answer.id)
    talk.rest()
    assert asked.last == [(Role.USER, "first")]
    assert len(talk.store.children(question.id, question.conversation_id)) == 2
    talk.regenerate()
    assert talk.places == ["1/1", "3/3"]


def test_a_branch_begins_with_a_copy(talk: Chat, asked: Asked) -> None:
    talk.options.set_overflow(talk.active.conversation_id, Overflow.DROP_MIDDLE)
    old = list(talk.messages)
    talk.versions.branch(old[1].id)
    assert talk.texts == [each.message.text for each in old[:2]]
    assert talk.titles == ["first (branch)", "first"]
    assert talk.active.conversation_id != old[0].conversation_id
    assert talk.options.overflow(talk.active.conversation_id) is Overflow.DROP_MIDDLE
    talk.say("another way")
    assert asked.last[:2] == [(Role.USER, "first"), (Role.ASSISTANT, old[1].message.text)]
    assert talk.figures["cache_n"] > 60, "the copy's tokens are those of the original"
    assert talk.store.path(old[0].conversation_id) == tuple(old)


def test_a_deleted_message_is_gone_until_it_is_brought_back(talk: Chat, asked: Asked) -> None:
    old = list(talk.messages)
    assert talk.versions.delete(old[2].id)
    assert talk.messages == old[:2]
    talk.say("instead")
    assert asked.last[-1] == (Role.USER, "instead")
    assert asked.last[0] == (Role.USER, "first")
    assert (Role.USER, "second") not in asked.last
    assert set(talk.places) == {"1/1"}
    talk.versions.undo_delete(old[2].id)
    assert talk.messages == old
    assert talk.places == ["1/1", "1/1", "1/2", "1/1"]


def test_bringing_back_opens_the_conversation(talk: Chat) -> None:
    old = list(talk.messages)
    assert talk.versions.delete(old[0].id)
    assert talk.messages == []
    assert not talk.versions.delete(old[0].id), "it is no longer there"
    talk.controller.new_conversation()
    talk.versions.undo_delete(old[0].id)
    assert talk.messages == old


def test_an_answer_that_was_cut_goes_on_as_if_it_had_not_been(
    chat: Chat, asked: Asked, settings: SettingsService
) -> None:
    chat.load("llama")
    chat.say("tell me")
    whole = chat.last
    settings.update(Sampling, max_tokens=15)
    chat.regenerate()
    half = chat.last
    assert whole.message.text.startswith(half.message.text)
    assert chat.figures["reason"] == "length"
    settings.update(Sampling, max_tokens=25)
    chat.controller.continue_answer()
    assert chat.last.state is MessageState.WRITING
    chat.rest()
    done = chat.last
    assert asked.requests[-1].continues
    assert asked.last == [(Role.USER, "tell me"), (Role.ASSISTANT, half.message.text)]
    assert (done.id, done.state) == (half.id, MessageState.COMPLETE)
    assert done.message.text == whole.message.text
    assert done.message.generation == whole.message.generation
    assert chat.figures["predicted_n"] == 40
    assert chat.figures["prompt_n"] == 1, "only the token that was drawn last had not been read"
    assert chat.store.path(done.conversation_id)[-1] == done
    assert chat.places == ["1/1", "2/2"]


def test_an_answer_that_repeated_itself_goes_on_anyway(
    chat: Chat, asked: Asked, settings: SettingsService, tmp_path: Path
) -> None:
    settings.update(Sampling, max_tokens=720)
    chat.load_file(make_repeating(tmp_path / "repeating.gguf"))
    chat.say("tell me")
    stopped = chat.last
    assert chat.figures["reason"] == "repetition"
    assert 600 < len(stopped.message.text) < 700
    chat.controller.continue_answer()
    chat.rest()
    whole = chat.last
    assert chat.figures["reason"] != "repetition", "it is not stopped again at the same place, nor later"
    assert whole.message.text.startswith(stopped.message.text)
    assert len(whole.message.text) > len(stopped.message.text) + 200
    settings.update(Interface, stop_repetition=False)
    chat.regenerate()
    assert [each.stop_repetition for each in asked.requests] == [True, False, False]


def test_an_edited_answer_goes_on_from_its_text(talk: Chat, asked: Asked) -> None:
    assert talk.versions.edit(talk.messages[3].id, "I think that")
    talk.controller.continue_answer()
    talk.rest()
    assert asked.last[-1] == (Role.ASSISTANT, "I think that")
    done = talk.last
    assert done.message.text.startswith("I think that")
    assert len(done.message.text) > len("I think that")
    assert done.message.generation is None, "the beginning was never generated"


def test_going_on_without_a_model_changes_nothing(talk: Chat, tiny_models: dict[str, Path]) -> None:
    before = talk.last
    talk.load_file(tiny_models["gemma3"])
    talk.controller.continue_answer()
    assert talk.last.state is MessageState.WRITING
    talk.replies.stop()
    assert talk.last == before
    assert talk.last.message.generation is not None
    talk.engine.cancel_load()


def test_nothing_happens_to_a_message_that_is_being_written(talk: Chat, settings: SettingsService) -> None:
    settings.update(Sampling, max_tokens=0)
    talk.begin("talk")
    ids = [each.id for each in talk.messages]
    for each in ids:
        assert not talk.versions.edit(each, "no")
        assert not talk.versions.delete(each)
        talk.versions.walk(each, -1)
        talk.versions.branch(each)
        talk.controller.regenerate_answer(each)
    talk.controller.continue_answer()
    assert [each.id for each in talk.messages] == ids
    assert all("being written" in each for each in talk.notices)
    assert len(talk.notices) == 5 * len(ids)
    assert len(talk.store.all()) == 1
    talk.replies.stop()
    talk.rest()
    assert talk.store.path(talk.messages[0].conversation_id) == tuple(talk.messages)
