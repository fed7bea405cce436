"""Speculative decoding from the settings to what the window is told, on a real engine thread."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.events import Finished, PromptProgress, TextDelta
from app.core.messages import Message, Role
from app.core.model_options import ModelOptions
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, DraftFigures, Speculation
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import Generating, ModelReady, ReplyUpdate
from app.services.runtime.settings_service import SettingsService
from tests.services.asking import finish, hear
from tests.services.conftest import Catalog
from tests.waits import WAIT

Load = Callable[[str], ModelReady]
REQUEST = ChatRequest((Message.of(Role.USER, "word " * 40),), Sampling(temperature=0.0, max_tokens=20))


def test_what_drafting_does_is_told_with_the_text(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    assert load("llama").info.drafting.ready == (DrafterKind.NGRAM,)
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
    settings.update(Speculation, draft_model=str(tiny_models["llama"]), ngram=False)
    ready = load("llama")
    assert ready.info.drafting.ready == (DrafterKind.DRAFT_MODEL,)
    assert ready.info.drafting.no_head
    settings.update(Speculation, draft_model=str(tiny_models["llama_spm"]))
    ready = load("llama")
    assert ready.info.drafting.ready == ()
    [(kind, why)] = ready.info.drafting.problems
    assert kind is DrafterKind.DRAFT_MODEL
    assert "vocabulary" in why


def test_what_fails_of_it_is_noticed_once_a_load(
    controller: ChatController, settings: SettingsService, load: Load, tmp_path: Path
) -> None:
    settings.update(Speculation, draft_model=str(tmp_path / "gone.gguf"))
    seen: list[str] = []
    controller.notices.noticed.connect(seen.append)
    load("llama")
    [told] = [each for each in seen if "gone.gguf" in each]
    assert "choose another draft model in the settings" in told
    load("llama")
    assert len([each for each in seen if "gone.gguf" in each]) == 2


@pytest.mark.parametrize("ngram", [True, False])
def test_the_activity_carries_it(
    controller: ChatController, settings: SettingsService, load: Load, qtbot: QtBot, ngram: bool
) -> None:
    settings.update(Speculation, ngram=ngram)
    load("llama")
    seen: list[object] = []
    controller.replies.activity_changed.connect(seen.append)
    with qtbot.waitSignal(controller.replies.ended, timeout=WAIT):
        controller.send("word " * 30)
    writing = [each for each in seen if isinstance(each, Generating)]
    assert writing
    for each in writing:
        assert each.drafting is not None
        assert ("switched off" in each.drafting.off) is not ngram
