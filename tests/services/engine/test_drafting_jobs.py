"""The settings of speculative decoding on their way to the engine, and what it says about them."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.events import Finished
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Rollback, Speculation
from app.services.engine.service import EngineService
from app.services.runtime.settings_service import SettingsService
from tests.services.asking import finish
from tests.services.conftest import Load

LOOP = "round and round and round and round and round and round and round "


def ask(engine: EngineService, qtbot: QtBot) -> Finished:
    request = ChatRequest((Message.of(Role.USER, LOOP),), Sampling(temperature=0.0, max_tokens=40))
    return finish(engine, request, qtbot)


def test_by_default_the_conversation_is_guessed_from(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    drafting = load("llama").info.drafting
    assert drafting.ready == (DrafterKind.NGRAM,)
    assert drafting.problems == ()
    assert drafting.rollback is Rollback.TRIM
    assert drafting.exact_batch >= 1
    assert load("mamba").info.drafting.rollback is Rollback.CHECKPOINT


def test_a_draft_model_is_loaded_with_the_model(
    settings: SettingsService, tiny_models: dict[str, Path], engine: EngineService, load: Load, qtbot: QtBot
) -> None:
    settings.update(Speculation, draft_model=str(tiny_models["llama"]), draft_max=3)
    drafting = load("llama").info.drafting
    assert drafting.ready == (DrafterKind.NGRAM, DrafterKind.DRAFT_MODEL)
    assert drafting.asked.draft_max == 3
    assert ask(engine, qtbot).timings.predicted_n == 40


@pytest.mark.parametrize("broken", [False, True])
def test_one_that_cannot_be_loaded_costs_the_drafts_and_says_why(
    broken: bool, settings: SettingsService, engine: EngineService, load: Load, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "draft.gguf"
    if broken:
        path.write_bytes(b"GGUF" + bytes(500))
    settings.update(Speculation, draft_model=str(path))
    drafting = load("llama").info.drafting
    assert drafting.ready == (DrafterKind.NGRAM,)
    ((kind, sentence),) = drafting.problems
    assert kind is DrafterKind.DRAFT_MODEL
    assert "draft.gguf" in sentence
    assert ask(engine, qtbot).timings.predicted_n == 40


def test_what_needs_no_reload_holds_from_the_next_answer_on(
    settings: SettingsService, engine: EngineService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    settings.update(Speculation, ngram=False)
    assert "switched off" in ask(engine, qtbot).drafting.off
    settings.update(Speculation, ngram=True)
    assert "switched off" not in ask(engine, qtbot).drafting.off


def test_what_batches_cost_is_kept_beside_the_record_of_tried_models(load: Load, tried: Path) -> None:
    load("llama")
    assert tried.with_name("batches.json").exists()
