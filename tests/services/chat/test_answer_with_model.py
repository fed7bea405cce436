"""Another model answers where an answer stands; a file that can't be loaded costs nothing."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.messages import Role
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.services.chat.chat_controller import ChatController
from app.services.chat.request_builder import RequestBuilder
from app.services.engine.service import EngineService
from app.services.engine.states import Idle, ModelReady
from app.storage.conversations import ConversationStore
from tests.services.chatting import Chat
from tests.services.conftest import Load
from tests.waits import WAIT


class Talk(Chat):
    """One question, and the answer of the first model."""

    @property
    def writers(self) -> list[str]:
        answers = [each for each in self.messages if each.message.role is Role.ASSISTANT]
        return [str((each.figures or {}).get("model")) for each in answers]

    @property
    def loaded(self) -> ModelRef | None:
        return self.engine.state.info.ref if isinstance(self.engine.state, ModelReady) else None

    def answer_with(self, path: Path) -> None:
        self.controller.answer_with.answer(self.last.id, ModelRef.of_file(path))


@pytest.fixture
def talk(controller: ChatController, engine: EngineService, store: ConversationStore, load: Load, qtbot: QtBot) -> Talk:
    made = Talk(controller, engine, store, load, qtbot)
    load("llama")
    made.say("Which stars are in the west?")
    return made


def test_the_other_model_writes_another_version_and_the_way_back_is_open(
    talk: Talk, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    first = talk.loaded
    with qtbot.waitSignal(talk.controller.answer_with.answered, timeout=WAIT) as caught:
        talk.answer_with(tiny_models["qwen35"])
    talk.rest()
    [replaced] = caught.args
    assert talk.places == ["1/1", "2/2"]
    assert talk.writers == [replaced.now.name] != [replaced.before.name]
    assert talk.loaded == ModelRef.of_file(tiny_models["qwen35"])
    talk.versions.walk(talk.last.id, -1)
    assert talk.writers == [replaced.before.name]
    with talk.becomes(ModelReady):
        talk.controller.answer_with.back(replaced)
    assert talk.loaded == first


def test_a_file_that_cannot_be_loaded_changes_nothing(talk: Talk, tmp_path: Path) -> None:
    before, first = list(talk.messages), talk.loaded
    torn = tmp_path / "torn.gguf"
    torn.write_bytes(b"GGUF" + bytes(100))
    with talk.becomes(ModelReady):
        talk.answer_with(torn)
    assert talk.messages == before
    assert talk.errors
    assert talk.loaded == first
    # What was wanted is forgotten: the next model does not answer by itself.
    talk.load("qwen35")
    assert talk.messages == before


def test_the_model_in_memory_answers_at_once_and_leads_back_nowhere(talk: Talk, qtbot: QtBot) -> None:
    assert talk.loaded is not None
    with qtbot.assertNotEmitted(talk.controller.answer_with.answered):
        with qtbot.waitSignal(talk.replies.ended, timeout=WAIT):
            talk.controller.answer_with.answer(talk.last.id, talk.loaded)
        talk.rest()
    assert talk.places == ["1/1", "2/2"]


def test_who_opened_another_chat_meanwhile_gets_no_answer_there(talk: Talk, tiny_models: dict[str, Path]) -> None:
    with talk.becomes(ModelReady):
        talk.answer_with(tiny_models["qwen35"])
        talk.controller.new_conversation()
    assert not talk.messages
    assert isinstance(talk.replies.activity, Idle)


def test_an_answer_that_cannot_be_asked_for_leaves_the_way_back_open(
    talk: Talk, tiny_models: dict[str, Path], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> ChatRequest:
        raise UserError("This can't be asked.")

    first = talk.loaded
    monkeypatch.setattr(RequestBuilder, "build", refuse)
    with qtbot.waitSignal(talk.controller.answer_with.answered, timeout=WAIT) as caught:
        talk.answer_with(tiny_models["qwen35"])
    assert talk.state == "failed" and talk.places == ["1/1", "2/2"]
    [replaced] = caught.args
    with talk.becomes(ModelReady):
        talk.controller.answer_with.back(replaced)
    assert talk.loaded == first
