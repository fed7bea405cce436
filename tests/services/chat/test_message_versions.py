"""Editing, versions, branches, deletion, going on: what is shown, what is kept, and what the engine is asked."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Slot
from pytestqt.qtbot import QtBot

from app.core.messages import ImagePart, Message, Role, TextPart
from app.core.model_ref import ModelRef
from app.core.overflow import Overflow
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.services.chat.chat_controller import ChatController
from app.services.engine.futures import Hear, Reply
from app.services.engine.service import EngineService
from app.services.engine.states import Idle, OpenConversation
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore, MessageState, StoredMessage
from tests.endless_model import make_repeating
from tests.services.asking import is_written
from tests.services.conftest import Load
from tests.waits import WAIT


class Screen(QObject):
    """The path on screen, from the controller's signals alone, and what was said besides."""

    def __init__(self, controller: ChatController) -> None:
        super().__init__()
        self.messages: list[StoredMessage] = []
        self.notices: list[str] = []
        self.titles: list[str] = []
        self.n_opened = 0
        controller.active.opened.connect(self.open)
        controller.active.path_changed.connect(self.lead)
        controller.active.message_added.connect(self.add)
        controller.active.message_changed.connect(self.change)
        controller.notices.noticed.connect(self.notices.append)
        controller.notices.failed.connect(lambda error: self.notices.append(error.sentence))
        controller.notices.load_failed.connect(lambda error: self.notices.append(error.sentence))
        controller.active.listed.connect(lambda all_: setattr(self, "titles", [each.title for each in all_]))

    @Slot(object)
    def open(self, opened: OpenConversation | None) -> None:
        self.n_opened += 1
        self.messages = list(opened.messages) if opened else []

    @Slot(object)
    def lead(self, opened: OpenConversation) -> None:
        self.messages = list(opened.messages)

    @Slot(object)
    def add(self, stored: StoredMessage) -> None:
        self.messages.append(stored)

    @Slot(object)
    def change(self, stored: StoredMessage) -> None:
        self.messages = [stored if each.id == stored.id else each for each in self.messages]

    @property
    def places(self) -> list[str]:
        return [f"{each.version}/{each.n_versions}" for each in self.messages]

    @property
    def texts(self) -> list[str]:
        return [each.message.text for each in self.messages]


class Asked:
    """What the engine is asked, beside being asked it."""

    def __init__(self, engine: EngineService, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: list[ChatRequest] = []
        self._generate = engine.generate
        monkeypatch.setattr(engine, "generate", self.generate)

    def generate(self, request: ChatRequest, hear: Hear) -> Reply:
        self.requests.append(request)
        return self._generate(request, hear)

    @property
    def last(self) -> list[tuple[Role, str]]:
        return [(each.role, each.text) for each in self.requests[-1].messages]


@pytest.fixture
def screen(controller: ChatController) -> Screen:
    return Screen(controller)


@pytest.fixture
def asked(engine: EngineService, monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(engine, monkeypatch)


def wait(controller: ChatController, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: isinstance(controller.replies.activity, Idle), timeout=WAIT)


@pytest.fixture
def talk(controller: ChatController, screen: Screen, asked: Asked, load: Load, qtbot: QtBot) -> Screen:
    """Two questions with their answers."""
    load("llama")
    for text in ("first", "second"):
        assert controller.send(text)
        wait(controller, qtbot)
    return screen


def test_an_edited_question_is_answered_anew(
    controller: ChatController, talk: Screen, asked: Asked, store: ConversationStore, qtbot: QtBot
) -> None:
    old, opened = list(talk.messages), talk.n_opened
    assert controller.versions.edit(old[2].id, "third")
    wait(controller, qtbot)
    assert talk.texts[:3] == ["first", old[1].message.text, "third"]
    assert talk.places == ["1/1", "1/1", "2/2", "1/1"]
    assert talk.messages[3].state is MessageState.COMPLETE
    assert talk.messages[3].message.text
    assert asked.last == [(Role.USER, "first"), (Role.ASSISTANT, old[1].message.text), (Role.USER, "third")]
    assert store.path(old[0].conversation_id) == tuple(talk.messages)
    assert talk.n_opened == opened, "the same conversation stays on screen"
    figures = talk.messages[3].figures
    assert figures is not None
    assert isinstance(figures["cache_n"], int)
    assert figures["cache_n"] > 60, "what stands before the question stays warm"
    controller.versions.walk(talk.messages[2].id, -1)
    assert talk.messages == old
    assert talk.places[2] == "1/2"


def test_the_first_question_can_be_edited(controller: ChatController, talk: Screen, asked: Asked, qtbot: QtBot) -> None:
    assert controller.versions.edit(talk.messages[0].id, "otherwise")
    wait(controller, qtbot)
    assert (talk.texts[0], len(talk.messages), talk.places[0]) == ("otherwise", 2, "2/2")
    assert asked.last == [(Role.USER, "otherwise")]


def test_an_edited_answer_is_another_version_and_what_the_model_is_told(
    controller: ChatController, talk: Screen, asked: Asked, store: ConversationStore, qtbot: QtBot
) -> None:
    n_asked = len(asked.requests)
    answer = talk.messages[1]
    assert answer.message.generation is not None
    assert controller.versions.edit(answer.id, "I see.")
    assert isinstance(controller.replies.activity, Idle)
    assert len(asked.requests) == n_asked
    assert talk.texts == ["first", "I see."]
    assert talk.places == ["1/1", "2/2"]
    kept = store.path(answer.conversation_id)[-1]
    assert kept.message.generation is None
    assert kept.figures is None
    assert controller.send("and now?")
    wait(controller, qtbot)
    assert asked.last == [(Role.USER, "first"), (Role.ASSISTANT, "I see."), (Role.USER, "and now?")]
    controller.versions.walk(talk.messages[1].id, -1)
    assert len(talk.messages) == 4
    assert talk.messages[1].message.generation == answer.message.generation


def test_saving_the_same_text_makes_no_version(controller: ChatController, talk: Screen) -> None:
    before = list(talk.messages)
    assert controller.versions.edit(before[0].id, "first")
    assert not controller.versions.edit(before[0].id, "  ")
    assert talk.messages == before
    assert set(talk.places) == {"1/1"}


def test_pictures_stay_when_a_question_is_edited(
    controller: ChatController, screen: Screen, store: ConversationStore, engine: EngineService
) -> None:
    conversation = store.create("seen")
    part = ImagePart("ab12", "a.png", 4, 4, "cd")
    question = store.append(conversation.id, None, Message(Role.USER, (part, TextPart("what is it?"))))
    store.append(conversation.id, question.id, Message(Role.ASSISTANT, (part, TextPart("a dot"))))
    controller.open_conversation(conversation.id)
    assert controller.versions.edit(screen.messages[1].id, "a line")
    assert screen.messages[1].message.parts == (part, TextPart("a line"))
    assert not controller.versions.edit(question.id, "and this?"), "there is no model"
    assert "Choose one" in screen.notices[-1]
    assert len(screen.messages) == 2


def test_walking_leads_back_to_where_one_was(
    controller: ChatController, talk: Screen, store: ConversationStore, qtbot: QtBot
) -> None:
    first = list(talk.messages)
    controller.regenerate_answer(first[1].id)
    wait(controller, qtbot)
    assert (talk.places, talk.messages[0]) == (["1/1", "2/2"], first[0])
    other = list(talk.messages)
    for beyond in (1, 1):
        controller.versions.walk(talk.messages[1].id, beyond)
        assert talk.messages == other
    controller.versions.walk(other[1].id, -1)
    assert talk.messages == first
    assert store.path(first[0].conversation_id) == tuple(first)
    controller.versions.walk(first[1].id, 1)
    assert talk.messages == other


def test_any_answer_can_be_made_again(
    controller: ChatController, talk: Screen, asked: Asked, store: ConversationStore, qtbot: QtBot
) -> None:
    question, answer = talk.messages[:2]
    controller.regenerate_answer(answer.id)
    wait(controller, qtbot)
    assert asked.last == [(Role.USER, "first")]
    assert len(store.children(question.id, question.conversation_id)) == 2
    controller.regenerate()
    wait(controller, qtbot)
    assert talk.places == ["1/1", "3/3"]


def test_a_branch_begins_with_a_copy(
    controller: ChatController, talk: Screen, asked: Asked, store: ConversationStore, qtbot: QtBot
) -> None:
    controller.options.set_overflow(controller.active.conversation_id, Overflow.DROP_MIDDLE)
    old = list(talk.messages)
    controller.versions.branch(old[1].id)
    assert talk.texts == [each.message.text for each in old[:2]]
    assert talk.titles == ["first (branch)", "first"]
    assert controller.active.conversation is not None
    assert controller.active.conversation.id != old[0].conversation_id
    assert controller.options.overflow(controller.active.conversation_id) is Overflow.DROP_MIDDLE
    assert controller.send("another way")
    wait(controller, qtbot)
    assert asked.last[:2] == [(Role.USER, "first"), (Role.ASSISTANT, old[1].message.text)]
    figures = talk.messages[-1].figures
    assert figures is not None
    assert isinstance(figures["cache_n"], int)
    assert figures["cache_n"] > 60, "the copy's tokens are those of the original"
    assert store.path(old[0].conversation_id) == tuple(old)


def test_a_deleted_message_is_gone_until_it_is_brought_back(
    controller: ChatController, talk: Screen, asked: Asked, qtbot: QtBot
) -> None:
    old = list(talk.messages)
    assert controller.versions.delete(old[2].id)
    assert talk.messages == old[:2]
    assert controller.send("instead")
    wait(controller, qtbot)
    assert asked.last[-1] == (Role.USER, "instead")
    assert asked.last[0] == (Role.USER, "first")
    assert (Role.USER, "second") not in asked.last
    assert set(talk.places) == {"1/1"}
    controller.versions.undo_delete(old[2].id)
    assert talk.messages == old
    assert talk.places == ["1/1", "1/1", "1/2", "1/1"]


def test_bringing_back_opens_the_conversation(controller: ChatController, talk: Screen) -> None:
    old = list(talk.messages)
    assert controller.versions.delete(old[0].id)
    assert talk.messages == []
    assert not controller.versions.delete(old[0].id), "it is no longer there"
    controller.new_conversation()
    controller.versions.undo_delete(old[0].id)
    assert talk.messages == old


def test_an_answer_that_was_cut_goes_on_as_if_it_had_not_been(
    controller: ChatController,
    screen: Screen,
    asked: Asked,
    settings: SettingsService,
    store: ConversationStore,
    load: Load,
    qtbot: QtBot,
) -> None:
    load("llama")
    assert controller.send("tell me")
    wait(controller, qtbot)
    whole = screen.messages[-1]
    settings.update(Sampling, max_tokens=15)
    controller.regenerate()
    wait(controller, qtbot)
    half = screen.messages[-1]
    assert whole.message.text.startswith(half.message.text)
    assert (half.figures or {})["reason"] == "length"
    settings.update(Sampling, max_tokens=25)
    controller.continue_answer()
    assert screen.messages[-1].state is MessageState.WRITING
    wait(controller, qtbot)
    done = screen.messages[-1]
    assert asked.requests[-1].continues
    assert asked.last == [(Role.USER, "tell me"), (Role.ASSISTANT, half.message.text)]
    assert (done.id, done.state) == (half.id, MessageState.COMPLETE)
    assert done.message.text == whole.message.text
    assert done.message.generation == whole.message.generation
    figures = done.figures or {}
    assert figures["predicted_n"] == 40
    assert figures["prompt_n"] == 1, "only the token that was drawn last had not been read"
    assert store.path(done.conversation_id)[-1] == done
    assert screen.places == ["1/1", "2/2"]


def test_an_answer_that_repeated_itself_goes_on_anyway(
    controller: ChatController,
    screen: Screen,
    asked: Asked,
    settings: SettingsService,
    engine: EngineService,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    settings.update(Sampling, max_tokens=720)
    engine.load(ModelRef.of_file(make_repeating(tmp_path / "repeating.gguf")))
    assert controller.send("tell me")
    wait(controller, qtbot)
    stopped = screen.messages[-1]
    assert (stopped.figures or {})["reason"] == "repetition"
    assert 600 < len(stopped.message.text) < 700
    controller.continue_answer()
    wait(controller, qtbot)
    whole = screen.messages[-1]
    assert (whole.figures or {})["reason"] != "repetition", "it is not stopped again at the same place, nor later"
    assert whole.message.text.startswith(stopped.message.text)
    assert len(whole.message.text) > len(stopped.message.text) + 200
    settings.update(Interface, stop_repetition=False)
    controller.regenerate()
    wait(controller, qtbot)
    assert [each.stop_repetition for each in asked.requests] == [True, False, False]


def test_an_edited_answer_goes_on_from_its_text(
    controller: ChatController, talk: Screen, asked: Asked, store: ConversationStore, qtbot: QtBot
) -> None:
    assert controller.versions.edit(talk.messages[3].id, "I think that")
    controller.continue_answer()
    wait(controller, qtbot)
    assert asked.last[-1] == (Role.ASSISTANT, "I think that")
    done = talk.messages[-1]
    assert done.message.text.startswith("I think that")
    assert len(done.message.text) > len("I think that")
    assert done.message.generation is None, "the beginning was never generated"


def test_going_on_without_a_model_changes_nothing(
    controller: ChatController, engine: EngineService, talk: Screen, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    before = talk.messages[-1]
    engine.load(ModelRef.of_file(tiny_models["gemma3"]))
    controller.continue_answer()
    assert talk.messages[-1].state is MessageState.WRITING
    controller.replies.stop()
    assert talk.messages[-1] == before
    assert talk.messages[-1].message.generation is not None
    engine.cancel_load()


def test_nothing_happens_to_a_message_that_is_being_written(
    controller: ChatController, settings: SettingsService, talk: Screen, store: ConversationStore, qtbot: QtBot
) -> None:
    settings.update(Sampling, max_tokens=0)
    with qtbot.waitSignal(controller.replies.said, timeout=WAIT, check_params_cb=is_written):
        assert controller.send("talk")
    ids = [each.id for each in talk.messages]
    for each in ids:
        assert not controller.versions.edit(each, "no")
        assert not controller.versions.delete(each)
        controller.versions.walk(each, -1)
        controller.versions.branch(each)
        controller.regenerate_answer(each)
    controller.continue_answer()
    assert [each.id for each in talk.messages] == ids
    assert all("being written" in each for each in talk.notices)
    assert len(talk.notices) == 5 * len(ids)
    assert len(store.all()) == 1
    controller.replies.stop()
    wait(controller, qtbot)
    assert store.path(talk.messages[0].conversation_id) == tuple(talk.messages)
