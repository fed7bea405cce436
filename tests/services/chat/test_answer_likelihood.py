"""How surprising an answer on screen was: asked of a real engine, without a second reading of the conversation."""

from pathlib import Path

import pytest

from app.core.events import Looking, PromptProgress
from app.core.likelihood import Likelihood
from app.services.engine.states import NoModel
from tests.services.chatting import Chat


class Told:
    """What comes of one question."""

    def __init__(self) -> None:
        self.ends: list[Likelihood | Exception | None] = []
        self.progress: list[PromptProgress | Looking] = []


def ask(chat: Chat, message_id: int) -> Likelihood:
    told = Told()
    assert chat.controller.likelihood.ask(message_id, told.ends.append, told.progress.append) is not None
    chat.until(lambda: bool(told.ends))
    [found] = told.ends
    assert isinstance(found, Likelihood)
    assert told.progress
    return found


def test_an_answer_is_scored_and_the_next_question_reads_only_itself(chat: Chat) -> None:
    chat.load("llama")
    chat.say("the river runs through the valley, and nobody asks it why. " * 3)
    last = chat.last
    before = chat.engine.slot
    found = ask(chat, last.id)
    assert last.message.generation is not None
    assert tuple(each.id for each in found.tokens) == last.message.generation.tokens
    assert before is not None
    chat.until(lambda: chat.engine.slot is not None and not chat.engine.is_busy)
    assert chat.engine.slot is not None
    assert chat.engine.slot.n_past in (before.n_past, before.n_past + 1)
    chat.say("and what then?")
    assert chat.figures["cache_n"] in range(before.n_past, before.n_past + 2)
    earlier = ask(chat, last.id)
    assert earlier.perplexity == pytest.approx(found.perplexity, rel=1e-3)
    chat.until(lambda: chat.engine.slot is not None and chat.engine.slot.n_past <= before.n_past + 1)


def test_it_can_be_stopped_and_is_not_told_then(chat: Chat) -> None:
    chat.load("llama")
    chat.say("why?")
    told = Told()
    asked = chat.controller.likelihood.ask(chat.last.id, told.ends.append, told.progress.append)
    assert asked is not None
    asked.cancel()
    chat.until(lambda: not chat.engine.is_busy)
    assert not told.ends


def test_why_it_can_not_be_asked_is_said(chat: Chat, tiny_models: dict[str, Path]) -> None:
    chat.load("llama")
    chat.say("why?")
    answer = chat.last.id
    assert chat.controller.likelihood.ask(answer + 99, lambda _: None, lambda _: None) is None
    chat.load_file(tiny_models["mamba"])
    assert chat.controller.likelihood.ask(answer, lambda _: None, lambda _: None) is None
    assert chat.notices[-1].startswith("The model is still being loaded.")
    chat.engine.unload()
    chat.until(lambda: isinstance(chat.engine.state, NoModel))
    assert chat.controller.likelihood.ask(answer, lambda _: None, lambda _: None) is None
    assert chat.errors[-1].sentence.startswith("No model is loaded.")
