"""Another model answers where an answer stands; a file that can't be loaded costs nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import Role
from app.core.model_ref import ModelRef
from app.services.chat.answer_with_model import Replaced
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import Idle, ModelReady
from tests.services.chat.test_chat_controller import say
from tests.services.chat.test_message_versions import Screen
from tests.services.conftest import Load
from tests.waits import WAIT


@dataclass
class Talk:
    """One question, and the answer of the first model."""

    controller: ChatController
    engine: EngineService
    screen: Screen
    qtbot: QtBot
    first: ModelRef

    @property
    def answer(self) -> int:
        return self.screen.messages[-1].id

    @property
    def writers(self) -> list[str]:
        answers = [each for each in self.screen.messages if each.message.role is Role.ASSISTANT]
        return [str((each.figures or {}).get("model")) for each in answers]

    @property
    def loaded(self) -> ModelRef | None:
        return self.engine.state.info.ref if isinstance(self.engine.state, ModelReady) else None

    def answer_with(self, path: Path) -> Replaced:
        with self.qtbot.waitSignal(self.controller.answer_with.answered, timeout=WAIT) as caught:
            self.controller.answer_with.answer(self.answer, ModelRef.of_file(path))
        self.rest()
        assert caught.args is not None
        replaced = caught.args[0]
        assert isinstance(replaced, Replaced)
        return replaced

    def until_ready(self, act: Callable[[], object]) -> None:
        def is_ready(state: object) -> bool:
            return isinstance(state, ModelReady)

        with self.qtbot.waitSignal(self.engine.state_changed, timeout=WAIT, check_params_cb=is_ready):
            act()

    def rest(self) -> None:
        self.qtbot.waitUntil(lambda: isinstance(self.controller.replies.activity, Idle), timeout=WAIT)


@pytest.fixture
def talk(controller: ChatController, engine: EngineService, load: Load, qtbot: QtBot) -> Talk:
    made = Talk(controller, engine, Screen(controller), qtbot, load("llama").info.ref)
    say(controller, "Which stars are in the west?", qtbot)
    return made


def test_the_other_model_writes_another_version_and_the_way_back_is_open(
    talk: Talk, tiny_models: dict[str, Path]
) -> None:
    replaced = talk.answer_with(tiny_models["qwen35"])
    assert talk.screen.places == ["1/1", "2/2"]
    assert talk.writers == [replaced.now.name] != [replaced.before.name]
    assert talk.loaded == ModelRef.of_file(tiny_models["qwen35"])
    talk.controller.versions.walk(talk.answer, -1)
    assert talk.writers == [replaced.before.name]
    talk.until_ready(lambda: talk.controller.answer_with.back(replaced))
    assert talk.loaded == talk.first


def test_a_file_that_cannot_be_loaded_changes_nothing(
    talk: Talk, tmp_path: Path, load: Load, tiny_models: dict[str, Path]
) -> None:
    before = list(talk.screen.messages)
    torn = tmp_path / "torn.gguf"
    torn.write_bytes(b"GGUF" + bytes(100))
    talk.until_ready(lambda: talk.controller.answer_with.answer(talk.answer, ModelRef.of_file(torn)))
    assert talk.screen.messages == before
    assert talk.screen.notices
    assert talk.loaded == talk.first
    # What was wanted is forgotten: the next model does not answer by itself.
    load("qwen35")
    assert talk.screen.messages == before


def test_the_model_in_memory_answers_at_once_and_leads_back_nowhere(talk: Talk) -> None:
    another = talk.controller.answer_with
    with talk.qtbot.assertNotEmitted(another.answered):
        with talk.qtbot.waitSignal(talk.controller.replies.ended, timeout=WAIT):
            another.answer(talk.answer, talk.first)
        talk.rest()
    assert talk.screen.places == ["1/1", "2/2"]


def test_who_opened_another_chat_meanwhile_gets_no_answer_there(talk: Talk, tiny_models: dict[str, Path]) -> None:
    def leave() -> None:
        talk.controller.answer_with.answer(talk.answer, ModelRef.of_file(tiny_models["qwen35"]))
        talk.controller.new_conversation()

    talk.until_ready(leave)
    assert not talk.screen.messages
    assert isinstance(talk.controller.replies.activity, Idle)
