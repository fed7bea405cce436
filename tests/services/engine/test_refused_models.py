"""A file that can't be loaded costs nothing: the model that was there stays, or comes back."""

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.files import fingerprint
from app.core.model_ref import ModelRef
from app.engine.binding import library
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import Idle, ModelFailed, ModelReady, ModelResting
from tests.services.chat.test_chat_controller import Screen, say
from tests.services.conftest import Load
from tests.waits import WAIT


@pytest.fixture
def screen(controller: ChatController) -> Screen:
    return Screen(controller)


@pytest.fixture
def broken(tiny_models: dict[str, Path], tmp_path: Path) -> Path:
    """A file that only its trial finds out about."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(tiny_models["gemma3"].read_bytes()[:-4096])
    return path


def try_to_load(engine: EngineService, path: Path, qtbot: QtBot) -> None:
    ended = (ModelReady, ModelFailed, ModelResting)
    with qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda state: isinstance(state, ended)):
        engine.load(ModelRef.of_file(path))


def kept(engine: EngineService) -> tuple[ModelInfo, UserError]:
    assert isinstance(engine.state, ModelReady)
    assert engine.state.error is not None
    return engine.state.info, engine.state.error


def test_a_file_that_fails_its_trial_leaves_the_model_and_its_conversation_warm(
    controller: ChatController, engine: EngineService, screen: Screen, load: Load, broken: Path, qtbot: QtBot
) -> None:
    before = load("llama").info
    say(controller, "Why is the sky blue?", qtbot)
    held = engine.slot
    assert held is not None
    try_to_load(engine, broken, qtbot)
    info, error = kept(engine)
    assert info == before
    assert error.sentence.startswith("broken.gguf is cut off or damaged.")
    assert error.sentence.endswith(f"{info.name} stays loaded.")
    assert [each.sentence for each in screen.errors] == [error.sentence]
    assert engine.slot == held
    say(controller, "And red at night?", qtbot)
    assert (screen.last.figures or {})["cache_n"] == held.n_past, "nothing is read twice"


def test_a_file_that_passed_its_trial_and_fails_now_brings_the_old_one_back(
    controller: ChatController,
    engine: EngineService,
    screen: Screen,
    load: Load,
    tried: Path,
    tiny_models: dict[str, Path],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    before = load("llama").info
    worn = tmp_path / "worn.gguf"
    worn.write_bytes(tiny_models["gemma3"].read_bytes()[:-8192])
    tried.write_text(json.dumps([*json.loads(tried.read_text()), f"{library.version()} {fingerprint(worn)}"]))
    try_to_load(engine, worn, qtbot)
    info, error = kept(engine)
    assert info == before
    assert error.sentence.endswith(f"{info.name} was loaded again.")
    assert len(screen.errors) == 1
    say(controller, "Are you there?", qtbot)
    assert screen.last.message.text


def test_what_does_not_fit_beside_the_old_one_is_tried_alone(
    engine: EngineService, load: Load, broken: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    from app.engine.loading import room

    before = load("llama").info
    monkeypatch.setattr(room, "fits_beside", lambda path, loading: False)
    try_to_load(engine, broken, qtbot)
    info, error = kept(engine)
    assert info == before
    assert error.sentence.endswith(f"{info.name} was loaded again.")


def test_a_load_that_is_cancelled_while_it_is_tried_leaves_the_model(
    engine: EngineService, load: Load, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    before = load("llama").info
    other = tmp_path / "never tried.gguf"
    other.write_bytes(tiny_models["gemma3"].read_bytes() + bytes(64))
    with qtbot.waitSignal(
        engine.state_changed, timeout=WAIT, check_params_cb=lambda state: isinstance(state, ModelReady)
    ):
        engine.load(ModelRef.of_file(other))
        engine.cancel_load()
    assert engine.state == ModelReady(before, slot=engine.state.slot)  # type: ignore[union-attr]  # it is ready


def test_a_model_that_rests_goes_on_resting(
    controller: ChatController, engine: EngineService, screen: Screen, load: Load, broken: Path, qtbot: QtBot
) -> None:
    before = load("llama").info
    engine.rest()
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    try_to_load(engine, broken, qtbot)
    assert isinstance(engine.state, ModelResting)
    assert engine.state.info == before
    assert [each.sentence[:10] for each in screen.errors] == ["broken.ggu"]
    say(controller, "Are you there?", qtbot)
    assert isinstance(controller.replies.activity, Idle)
    assert screen.last.message.text
