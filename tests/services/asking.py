"""Asking the engine, and waiting for what it says."""

from contextlib import AbstractContextManager
from typing import TypeVar

import pytest
from pytestqt.qtbot import QtBot

from app.core.events import Finished
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.services.chat.reply_controller import AnswerUpdate
from app.services.engine.futures import Hear, Reply
from app.services.engine.jobs import Question
from app.services.engine.service import EngineService
from app.services.engine.states import ReplyFailed, ReplyUpdate
from tests.waits import WAIT

Answer = TypeVar("Answer")


def becomes(engine: EngineService, qtbot: QtBot, *kinds: type) -> AbstractContextManager[object]:
    """Waits at its end until the engine has come to a state of one of these kinds."""
    return qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda state: isinstance(state, kinds))


def is_written(said: object) -> bool:
    """Whether what was said of a reply is more of its text."""
    update = said.said if isinstance(said, AnswerUpdate) else said
    return isinstance(update, ReplyUpdate) and update.is_written


class Heard(list[ReplyUpdate | ReplyFailed]):
    """What was told of a reply, or of several."""

    @property
    def events(self) -> list[object]:
        return [each.event for each in self if isinstance(each, ReplyUpdate)]

    @property
    def ends(self) -> list[Finished]:
        return [each for each in self.events if isinstance(each, Finished)]

    @property
    def errors(self) -> list[Exception]:
        return [each.error for each in self if isinstance(each, ReplyFailed)]

    @property
    def has_ended(self) -> bool:
        return bool(self.ends or self.errors)


def begin(engine: EngineService, request: ChatRequest) -> tuple[Reply, Heard]:
    heard = Heard()
    return engine.generate(request, heard.append), heard


def hear(engine: EngineService, request: ChatRequest, qtbot: QtBot) -> Heard:
    """All that is told of a reply, when nothing of it is left to do."""
    heard = begin(engine, request)[1]
    qtbot.waitUntil(lambda: heard.has_ended and not engine.is_busy, timeout=WAIT)
    return heard


def finish(engine: EngineService, request: ChatRequest, qtbot: QtBot) -> Finished:
    heard = hear(engine, request, qtbot)
    assert not heard.errors, heard.errors
    return heard.ends[0]


def answer(engine: EngineService, question: Question[Answer], qtbot: QtBot) -> Answer:
    """Raises the error that there is instead."""
    answers: list[Answer | Exception] = []
    engine.ask(question, answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT)
    if isinstance(answers[0], Exception):
        raise answers[0]
    return answers[0]


def watch(engine: EngineService, monkeypatch: pytest.MonkeyPatch) -> Heard:
    """All that is told of replies from now on, whoever asks for them."""
    heard, generate = Heard(), engine.generate

    def watched(
        request: ChatRequest,
        listener: Hear,
        *,
        model: ModelRef | None = None,
        idle: bool = False,
        visits: bool = False,
        direct: bool = False,
    ) -> Reply:
        def take(said: ReplyUpdate | ReplyFailed) -> None:
            heard.append(said)
            listener(said)

        return generate(request, take, model=model, idle=idle, visits=visits, direct=direct)

    monkeypatch.setattr(engine, "generate", watched)
    return heard
