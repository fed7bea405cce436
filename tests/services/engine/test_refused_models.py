"""A file that can't be loaded costs nothing: the model that was there stays, or comes back."""

import json
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.files import fingerprint
from app.engine.binding import library
from app.services.engine.states import Idle, ModelFailed, ModelReady, ModelResting
from tests.services.chatting import Chat


@pytest.fixture
def broken(tiny_models: dict[str, Path], tmp_path: Path) -> Path:
    """A file that only its trial finds out about."""
    path = tmp_path / "broken.gguf"
    path.write_bytes(tiny_models["gemma3"].read_bytes()[:-4096])
    return path


def try_to_load(chat: Chat, path: Path) -> None:
    with chat.becomes(ModelReady, ModelFailed, ModelResting):
        chat.load_file(path)


def kept(chat: Chat) -> tuple[ModelInfo, UserError]:
    assert isinstance(chat.engine.state, ModelReady)
    assert chat.engine.state.error is not None
    return chat.engine.state.info, chat.engine.state.error


def test_a_file_that_fails_its_trial_leaves_the_model_and_its_conversation_warm(chat: Chat, broken: Path) -> None:
    before = chat.load("llama").info
    chat.say("Why is the sky blue?")
    held = chat.engine.slot
    assert held is not None
    try_to_load(chat, broken)
    info, error = kept(chat)
    assert info == before
    assert error.sentence.startswith("broken.gguf is cut off or damaged.")
    assert error.sentence.endswith(f"{info.name} stays loaded.")
    assert [each.sentence for each in chat.errors] == [error.sentence]
    assert chat.engine.slot == held
    chat.say("And red at night?")
    assert chat.figures["cache_n"] == held.n_past, "nothing is read twice"


def test_a_file_that_passed_its_trial_and_fails_now_brings_the_old_one_back(
    chat: Chat, tried: Path, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    before = chat.load("llama").info
    worn = tmp_path / "worn.gguf"
    worn.write_bytes(tiny_models["gemma3"].read_bytes()[:-8192])
    tried.write_text(json.dumps([*json.loads(tried.read_text()), f"{library.version()} {fingerprint(worn)}"]))
    try_to_load(chat, worn)
    info, error = kept(chat)
    assert info == before
    assert error.sentence.endswith(f"{info.name} was loaded again.")
    assert len(chat.errors) == 1
    chat.say("Are you there?")
    assert chat.last.message.text


def test_what_does_not_fit_beside_the_old_one_is_tried_alone(
    chat: Chat, broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.engine.loading import room

    before = chat.load("llama").info
    monkeypatch.setattr(room, "fits_beside", lambda path, loading: False)
    try_to_load(chat, broken)
    info, error = kept(chat)
    assert info == before
    assert error.sentence.endswith(f"{info.name} was loaded again.")


def test_a_load_that_is_cancelled_while_it_is_tried_leaves_the_model(
    chat: Chat, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    before = chat.load("llama").info
    other = tmp_path / "never tried.gguf"
    other.write_bytes(tiny_models["gemma3"].read_bytes() + bytes(64))
    with chat.becomes(ModelReady):
        chat.load_file(other)
        chat.engine.cancel_load()
    assert chat.engine.state == ModelReady(before, slot=chat.engine.state.slot)  # type: ignore[union-attr]  # it is ready


def test_a_model_that_rests_goes_on_resting(chat: Chat, broken: Path) -> None:
    before = chat.load("llama").info
    chat.engine.rest()
    chat.until(lambda: not chat.engine.is_busy)
    try_to_load(chat, broken)
    assert isinstance(chat.engine.state, ModelResting)
    assert chat.engine.state.info == before
    assert [each.sentence[:10] for each in chat.errors] == ["broken.ggu"]
    chat.say("Are you there?")
    assert isinstance(chat.replies.activity, Idle)
    assert chat.last.message.text
