"""How surprising an answer on screen was: asked of a real engine, without a second reading of the conversation."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.events import Looking, PromptProgress
from app.core.likelihood import Likelihood
from app.core.model_ref import ModelRef
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.states import NoModel
from tests.services.chat.test_chat_controller import Screen, say
from tests.services.conftest import Load
from tests.waits import WAIT


class Told:
    """What comes of one question."""

    def __init__(self) -> None:
        self.ends: list[Likelihood | Exception | None] = []
        self.progress: list[PromptProgress | Looking] = []


def ask(controller: ChatController, message_id: int, qtbot: QtBot) -> Likelihood:
    told = Told()
    assert controller.likelihood.ask(message_id, told.ends.append, told.progress.append) is not None
    qtbot.waitUntil(lambda: bool(told.ends), timeout=WAIT)
    [found] = told.ends
    assert isinstance(found, Likelihood)
    assert told.progress
    return found


@pytest.fixture
def screen(controller: ChatController) -> Screen:
    return Screen(controller)


def test_an_answer_is_scored_and_the_next_question_reads_only_itself(
    controller: ChatController, load: Load, engine: EngineService, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "the river runs through the valley, and nobody asks it why. " * 3, qtbot)
    last = controller.active.head
    assert last is not None
    before = engine.slot
    found = ask(controller, last.id, qtbot)
    assert last.message.generation is not None
    assert tuple(each.id for each in found.tokens) == last.message.generation.tokens
    assert before is not None
    qtbot.waitUntil(lambda: engine.slot is not None and not engine.is_busy, timeout=WAIT)
    assert engine.slot is not None
    assert engine.slot.n_past in (before.n_past, before.n_past + 1)
    say(controller, "and what then?", qtbot)
    head = controller.active.head
    assert head is not None
    figures = head.figures
    assert figures is not None
    assert figures["cache_n"] in range(before.n_past, before.n_past + 2)
    earlier = ask(controller, last.id, qtbot)
    assert earlier.perplexity == pytest.approx(found.perplexity, rel=1e-3)
    qtbot.waitUntil(lambda: engine.slot is not None and engine.slot.n_past <= before.n_past + 1, timeout=WAIT)


def test_it_can_be_stopped_and_is_not_told_then(
    controller: ChatController, screen: Screen, load: Load, engine: EngineService, qtbot: QtBot
) -> None:
    load("llama")
    say(controller, "why?", qtbot)
    told = Told()
    asked = controller.likelihood.ask(screen.last.id, told.ends.append, told.progress.append)
    assert asked is not None
    asked.cancel()
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    assert not told.ends


def test_why_it_can_not_be_asked_is_said(
    controller: ChatController, screen: Screen, load: Load, engine: EngineService, tiny_models: dict[str, Path],
    qtbot: QtBot,
) -> None:  # fmt: skip
    load("llama")
    say(controller, "why?", qtbot)
    answer = screen.last.id
    assert controller.likelihood.ask(answer + 99, lambda _: None, lambda _: None) is None
    engine.load(ModelRef.of_file(tiny_models["mamba"]))
    assert controller.likelihood.ask(answer, lambda _: None, lambda _: None) is None
    assert screen.notices[-1].startswith("The model is still being loaded.")
    engine.unload()
    qtbot.waitUntil(lambda: isinstance(engine.state, NoModel), timeout=WAIT)
    assert controller.likelihood.ask(answer, lambda _: None, lambda _: None) is None
    assert screen.errors[-1].sentence.startswith("No model is loaded.")
