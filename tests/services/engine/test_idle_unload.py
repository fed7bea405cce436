"""A model that nobody uses gives its memory back, and comes back by itself when somebody asks it something."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import Finished
from app.core.loading import Loading
from app.core.messages import Message, Role
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.core.requests import ChatRequest, TokenizeRequest, Tokens
from app.core.sampling import Sampling
from app.services.engine.idle_unload import IdleUnload
from app.services.engine.plans import PreflightPlan
from app.services.engine.reply_stream import ReplyStream
from app.services.engine.service import EngineService
from app.services.engine.states import (
    EngineState,
    Idle,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelResting,
    NoModel,
)
from app.services.runtime.settings_service import SettingsService
from tests.counted import counted
from tests.services.asking import begin, finish, hear
from tests.services.chatting import Chat
from tests.services.conftest import Catalog, Load
from tests.services.shutdown import shut_down
from tests.waits import WAIT

LONG = "the rain in the mountains is heard on another hill and in the valley too. " * 6


def request(text: str = "hi", conversation: str = "", n: int = 8) -> ChatRequest:
    return ChatRequest(
        (Message.of(Role.USER, text),), Sampling(temperature=0.0, max_tokens=n), conversation=conversation
    )


@pytest.fixture
def engine(
    settings: SettingsService, tried: Path, catalog: Catalog, tmp_path: Path, qtbot: QtBot
) -> Iterator[EngineService]:
    plan, folder = PreflightPlan(tried, own_command()), tmp_path / "snapshots"
    service = EngineService(settings, plan, snapshots=folder, catalog=catalog)
    yield service
    shut_down(service, qtbot)


@pytest.fixture
def reaches(engine: EngineService, qtbot: QtBot) -> Callable[[type], EngineState]:
    """Waits for a state of the engine."""

    def wait(kind: type) -> EngineState:
        qtbot.waitUntil(lambda: isinstance(engine.state, kind) and not engine.is_busy, timeout=WAIT)
        return engine.state

    return wait


def waits(idle: IdleUnload) -> bool:
    return idle.is_waiting


Reaches = Callable[[type], EngineState]


def test_it_is_unloaded_after_a_while_and_answers_warm_when_asked_again(
    engine: EngineService, settings: SettingsService, load: Load, reaches: Reaches, qtbot: QtBot
) -> None:
    load("llama")
    first = finish(engine, request(LONG, conversation="1"), qtbot)
    settings.update(Loading, idle_unload=1)
    idle = IdleUnload(engine, settings, minute=20)
    idle.look()
    reaches(ModelResting)
    settings.update(Loading, idle_unload=0)
    states: list[object] = []
    engine.state_changed.connect(states.append)
    again = finish(engine, request(LONG, conversation="1"), qtbot)
    assert again.text == first.text
    assert counted(again.timings.cache_n) > 0.9 * counted(again.timings.prompt_n) + 100, again.reuse
    assert {type(state) for state in states} == {ModelLoading, ModelReady}, "progress is told"
    assert all(state.wakes is not None for state in states if isinstance(state, ModelLoading))


def test_use_begins_the_wait_anew_and_nothing_is_cut_short(
    engine: EngineService, settings: SettingsService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    settings.update(Loading, idle_unload=1)
    idle = IdleUnload(engine, settings, minute=3_600_000)
    assert not waits(idle)
    idle.look()
    assert waits(idle)
    heard = begin(engine, request(LONG, n=200))[1]
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    assert not waits(idle), "while it answers nobody waits for the end"
    engine.rest()
    assert isinstance(engine.state, ModelReady)
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    assert waits(idle)


def test_milliseconds_may_stand_in_for_the_minutes(
    engine: EngineService, settings: SettingsService, load: Load, reaches: Reaches
) -> None:
    load("llama")
    idle = IdleUnload(engine, settings, unload_ms=20)
    idle.look()
    reaches(ModelResting)


def test_zero_keeps_it(engine: EngineService, settings: SettingsService, load: Load) -> None:
    idle = IdleUnload(engine, settings, minute=1)
    load("llama")
    idle.look()
    assert not idle.is_waiting


def test_what_is_set_for_the_model_alone_counts(
    engine: EngineService, catalog: Catalog, settings: SettingsService, load: Load
) -> None:
    from app.core.model_options import ModelOptions

    idle = IdleUnload(engine, settings, minute=3_600_000)
    catalog.options_of = lambda _: ModelOptions({Loading: {"idle_unload": 5}})
    load("llama")
    assert idle.is_waiting


def test_a_way_back_that_is_cancelled_leaves_it_resting(
    engine: EngineService, load: Load, reaches: Reaches, qtbot: QtBot
) -> None:
    info = load("llama").info
    engine.rest()
    reaches(ModelResting)
    engine.wake()
    assert isinstance(engine.state, ModelLoading)
    engine.cancel_load()
    assert reaches(ModelResting) == ModelResting(info)


def test_unloading_and_choosing_another_end_the_rest(
    engine: EngineService, load: Load, reaches: Reaches, qtbot: QtBot
) -> None:
    load("llama")
    engine.rest()
    reaches(ModelResting)
    engine.unload()
    reaches(NoModel)
    load("llama")
    engine.rest()
    assert load("gemma3").info.name == "gemma3"


def test_a_request_that_comes_while_it_is_being_freed_is_answered(
    engine: EngineService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    engine.rest()
    assert finish(engine, request(), qtbot).generation.tokens


def test_tokens_bring_it_back_too(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    engine.rest()
    replies, found = ReplyStream(engine), list[Tokens]()
    thread = threading.Thread(target=lambda: found.append(asyncio.run(replies.tokens(TokenizeRequest("hello")))))
    thread.start()
    qtbot.waitUntil(lambda: not thread.is_alive(), timeout=WAIT)
    thread.join()
    assert found[0].ids


def test_a_file_that_is_gone_is_told_to_whoever_asked(
    engine: EngineService, tiny_models: dict[str, Path], tmp_path: Path, reaches: Reaches, qtbot: QtBot
) -> None:
    path = tmp_path / "gone.gguf"
    path.write_bytes(tiny_models["llama"].read_bytes())
    engine.load(ModelRef.of_file(path))
    reaches(ModelReady)
    engine.rest()
    reaches(ModelResting)
    path.unlink()
    (error,) = hear(engine, request(), qtbot).errors
    assert isinstance(error, UserError)
    assert "is not there any more" in error.sentence
    assert isinstance(engine.state, ModelFailed)


def test_the_window_writes_on_in_the_same_conversation(chat: Chat, reaches: Reaches) -> None:
    chat.load("llama")
    chat.say(LONG)
    # The job ends behind the answer, and what is busy takes no rest.
    chat.until(lambda: not chat.engine.is_busy)
    chat.engine.rest()
    reaches(ModelResting)
    assert chat.engine.slot is None
    chat.say("and then?")
    assert [each.message.role for each in chat.kept()] == [Role.USER, Role.ASSISTANT] * 2
    assert chat.figures["cache_n"] > 100, chat.figures


def test_stopping_the_way_back_gives_the_question_up(chat: Chat, reaches: Reaches) -> None:
    chat.load("llama")
    chat.engine.rest()
    reaches(ModelResting)
    chat.controller.send("hi")
    chat.engine.cancel_load()
    reaches(ModelResting)
    assert isinstance(chat.replies.activity, Idle)


def test_the_local_api_brings_it_back(engine: EngineService, load: Load, reaches: Reaches, qtbot: QtBot) -> None:
    info = load("llama").info
    replies = ReplyStream(engine)
    engine.rest()
    reaches(ModelResting)
    assert replies.model == info, "programs are told that it is there"
    events: list[object] = []

    async def follow() -> None:
        async with aclosing(replies.reply(request())) as stream:
            async for event in stream:
                events.append(event)

    thread = threading.Thread(target=lambda: asyncio.run(follow()))
    thread.start()
    qtbot.waitUntil(lambda: not thread.is_alive(), timeout=WAIT)
    thread.join()
    assert isinstance(events[-1], Finished)
    assert isinstance(engine.state, ModelReady)
