"""Speculative decoding from the settings to what the window is told, on a real engine thread."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.events import Finished, PromptProgress, TextDelta
from app.core.messages import Message, Role
from app.core.model_options import ModelOptions
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, DraftFigures, Rollback, Speculation
from app.services.engine.service import EngineService
from app.services.engine.states import Generating, ReplyUpdate
from app.services.runtime.settings_service import SettingsService
from tests.services.asking import finish, hear
from tests.services.chatting import Chat
from tests.services.conftest import Catalog, Load

REQUEST = ChatRequest((Message.of(Role.USER, "word " * 40),), Sampling(temperature=0.0, max_tokens=20))


def test_by_default_the_conversation_is_guessed_from(load: Load, tried: Path) -> None:
    drafting = load("llama").info.drafting
    assert (drafting.ready, drafting.problems, drafting.rollback) == ((DrafterKind.NGRAM,), (), Rollback.TRIM)
    assert drafting.exact_batch >= 1
    assert load("mamba").info.drafting.rollback is Rollback.CHECKPOINT
    assert tried.with_name("batches.json").exists(), "what batches cost is kept beside the record of tried models"


def test_what_drafting_does_is_told_with_the_text(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    updates = hear(engine, REQUEST, qtbot)
    told = {
        type(each.event): isinstance(each.drafting, DraftFigures) for each in updates if isinstance(each, ReplyUpdate)
    }
    assert told == {PromptProgress: False, TextDelta: True, Finished: False}


def test_ngram_is_switched_off_for_the_next_answer(
    engine: EngineService, catalog: Catalog, settings: SettingsService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    settings.update(Speculation, ngram=False)
    assert finish(engine, REQUEST, qtbot).drafting.off == "Nothing guesses: all ways of it are switched off."
    catalog.options_of = lambda _: ModelOptions({Speculation: {"ngram": True}})
    assert finish(engine, REQUEST, qtbot).drafting.off != "Nothing guesses: all ways of it are switched off."


def test_a_draft_model_is_loaded_where_the_settings_name_one(
    engine: EngineService, settings: SettingsService, load: Load, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    settings.update(Speculation, draft_model=str(tiny_models["llama"]), draft_max=3)
    drafting = load("llama").info.drafting
    assert drafting.ready == (DrafterKind.NGRAM, DrafterKind.DRAFT_MODEL)
    assert drafting.no_head
    assert drafting.asked.draft_max == 3
    assert finish(engine, REQUEST, qtbot).timings.predicted_n == 20


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("gone", "choose another draft model in the settings"),
        ("broken", "draft.gguf"),
        ("of other words", "vocabulary"),
    ],
)
def test_one_that_can_not_be_loaded_costs_the_drafts_and_is_told_with_each_load(
    chat: Chat,
    settings: SettingsService,
    tiny_models: dict[str, Path],
    tmp_path: Path,
    qtbot: QtBot,
    wrong: str,
    told: str,
) -> None:
    path = tmp_path / "draft.gguf"
    if wrong != "gone":
        path.write_bytes(tiny_models["llama_spm"].read_bytes() if wrong == "of other words" else b"GGUF" + bytes(500))
    settings.update(Speculation, draft_model=str(path))
    for n_told in (1, 2):
        drafting = chat.load("llama").info.drafting
        assert drafting.ready == (DrafterKind.NGRAM,)
        [(kind, why)] = drafting.problems
        assert kind is DrafterKind.DRAFT_MODEL
        notices = [each for each in chat.notices if why in each]
        assert len(notices) == n_told
        assert told in notices[-1]
    assert finish(chat.engine, REQUEST, qtbot).timings.predicted_n == 20


@pytest.mark.parametrize("ngram", [True, False])
def test_the_activity_carries_it(chat: Chat, settings: SettingsService, ngram: bool) -> None:
    settings.update(Speculation, ngram=ngram)
    chat.load("llama")
    chat.say("word " * 30)
    writing = [each for each in chat.activities if isinstance(each, Generating)]
    assert writing
    for each in writing:
        assert each.drafting is not None
        assert ("switched off" in each.drafting.off) is not ngram
