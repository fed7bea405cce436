"""A model's steps, each by itself: on disk, in memory without a context, active; and what is warm stays so."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.loading import Loading, LoadMode
from app.core.messages import Message, Role
from app.core.program import own_command
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.services.engine.idle_unload import IdleUnload
from app.services.engine.plans import PreflightPlan
from app.services.engine.reply_stream import ReplyStream
from app.services.engine.service import EngineService
from app.services.engine.states import EngineState, ModelPlace, ModelReady, ModelResting, NoModel, Warmth
from app.services.runtime.settings_service import SettingsService
from tests.counted import counted
from tests.services.asking import begin, finish
from tests.services.conftest import Catalog, Load
from tests.services.shutdown import shut_down
from tests.waits import WAIT

LONG = "the rain in the mountains is heard on another hill and in the valley too. " * 6
OTHER = "a lamp on the table, and a book that nobody has read for a long time. " * 6
MEMORIES = ["llama", "gemma3", "mamba", "lfm2"]


def request(text: str, conversation: str = "1", *, keep_on_disk: bool = False, n: int = 6) -> ChatRequest:
    messages = (Message.of(Role.USER, text),)
    sampling = Sampling(temperature=0.0, max_tokens=n)
    return ChatRequest(messages, sampling, conversation=conversation, keep_on_disk=keep_on_disk)


@pytest.fixture
def engine(
    settings: SettingsService, tried: Path, catalog: Catalog, tmp_path: Path, qtbot: QtBot
) -> Iterator[EngineService]:
    plan, folder = PreflightPlan(tried, own_command()), tmp_path / "snapshots"
    service = EngineService(settings, plan, snapshots=folder, catalog=catalog)
    yield service
    shut_down(service, qtbot)


Steps = Callable[[Callable[[], None]], EngineState]


@pytest.fixture
def step(engine: EngineService, qtbot: QtBot) -> Steps:
    """Does something, waits until the engine thread has done it, and gives the state that it led to."""

    def take(act: Callable[[], None]) -> EngineState:
        act()
        heard: list[object] = []
        engine.ask(lambda _session, _cancelled: None, heard.append)
        qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
        return engine.state

    return take


@pytest.mark.parametrize("family", MEMORIES)
def test_what_was_warm_is_warm_after_the_context_was_gone(
    engine: EngineService, load: Load, step: Steps, qtbot: QtBot, family: str
) -> None:
    """The one that the context held, and one that was left for it; neither may be kept on disk."""
    load(family)
    first = finish(engine, request(OTHER, "2"), qtbot)
    held = finish(engine, request(LONG, "1"), qtbot)
    step(engine.deactivate)
    assert engine.snapshots.status.conversations == {"1": Warmth.MEMORY, "2": Warmth.MEMORY}
    ready = step(engine.wake)
    assert isinstance(ready, ModelReady)
    assert ready.slot is not None
    assert ready.slot.n_past > 100, "the context holds again what it held"
    again = finish(engine, request(LONG, "1"), qtbot)
    back = finish(engine, request(OTHER, "2"), qtbot)
    assert (again.text, back.text) == (held.text, first.text)
    assert counted(again.timings.prompt_n) <= 1, again.reuse
    assert counted(back.timings.prompt_n) <= 1, back.reuse


def test_each_step_by_itself(engine: EngineService, load: Load, step: Steps, qtbot: QtBot) -> None:
    info = load("llama").info
    assert step(engine.deactivate) == ModelResting(info, in_memory=True)
    assert step(engine.deactivate) == ModelResting(info, in_memory=True), "there is no context any more"
    assert step(engine.load_ahead) == ModelResting(info, in_memory=True), "it is there"
    assert step(engine.rest) == ModelResting(info)
    ahead = step(engine.load_ahead)
    assert isinstance(ahead, ModelResting)
    assert ahead.in_memory
    assert engine.slot is None
    assert ahead.info.load_ms > 0
    ready = step(engine.wake)
    assert isinstance(ready, ModelReady)
    assert ready.info.load_ms == ahead.info.load_ms, "its weights were not read again"
    assert finish(engine, request("hi"), qtbot).generation.tokens
    step(engine.deactivate)
    assert step(engine.unload) == NoModel()


def test_the_weights_are_not_read_again(
    engine: EngineService, load: Load, step: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.engine.binding.model import Model

    load("llama")
    step(engine.deactivate)
    monkeypatch.setattr(Model, "load", lambda *_args, **_more: pytest.fail("read again"))
    assert isinstance(step(engine.wake), ModelReady)


def test_other_settings_read_it_again_where_they_have_to(
    engine: EngineService, settings: SettingsService, load: Load, step: Steps, qtbot: QtBot
) -> None:
    load("llama")
    first = finish(engine, request(LONG), qtbot)
    step(engine.deactivate)
    settings.update(Loading, load_mode=LoadMode.NONE, ctx_size=2048)
    ready = step(engine.wake)
    assert isinstance(ready, ModelReady)
    assert ready.info.n_ctx == 2048
    again = finish(engine, request(LONG), qtbot)
    assert again.text == first.text
    assert counted(again.timings.prompt_n) <= 1, "its states are the same all the same"


def test_another_model_takes_its_place(engine: EngineService, load: Load, step: Steps, qtbot: QtBot) -> None:
    load("llama")
    finish(engine, request(LONG), qtbot)
    step(engine.deactivate)
    assert load("gemma3").info.name == "gemma3"
    assert finish(engine, request(LONG), qtbot).timings.cache_n == 0


def test_what_is_forgotten_meanwhile_is_forgotten(engine: EngineService, load: Load, step: Steps, qtbot: QtBot) -> None:
    load("llama")
    finish(engine, request(OTHER, "2", keep_on_disk=True), qtbot)
    finish(engine, request(LONG, "1", keep_on_disk=True), qtbot)
    step(engine.deactivate)
    step(lambda: engine.snapshots.forget("1"))
    assert set(engine.snapshots.status.conversations) == {"2"}
    step(engine.snapshots.empty)
    assert not engine.snapshots.status.conversations
    step(engine.wake)
    assert finish(engine, request(LONG), qtbot).timings.cache_n == 0


def test_a_question_that_comes_while_it_is_loaded_ahead_is_answered(
    engine: EngineService, load: Load, step: Steps, qtbot: QtBot
) -> None:
    load("llama")
    step(engine.rest)
    engine.load_ahead()
    assert finish(engine, request("hi"), qtbot).generation.tokens
    assert isinstance(engine.state, ModelReady)


def test_when_idle_it_loses_its_context_first_and_its_weights_later(
    engine: EngineService, settings: SettingsService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    states: list[EngineState] = []
    engine.state_changed.connect(states.append)
    settings.update(Loading, idle_deactivate=1, idle_unload=2)
    idle = IdleUnload(engine, settings, minute=150)
    idle.look()
    qtbot.waitUntil(lambda: len(states) >= 2 and not engine.is_busy, timeout=WAIT)
    assert [state.in_memory for state in states if isinstance(state, ModelResting)] == [True, False]
    assert not idle.is_waiting


def test_it_is_deactivated_only_when_nothing_runs(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    heard = begin(engine, request(LONG, n=200))[1]
    qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    engine.deactivate()
    assert isinstance(engine.state, ModelReady)


def test_programs_move_it_by_the_same_steps(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    replies, went = ReplyStream(engine), list[tuple[ModelPlace, ModelPlace | None, ModelPlace | None]]()

    async def move() -> None:
        for wanted in (ModelPlace.IN_MEMORY, ModelPlace.ON_DISK, ModelPlace.IN_MEMORY, ModelPlace.ACTIVE):
            went.append((wanted, await replies.move(wanted), replies.place))

    thread = threading.Thread(target=lambda: asyncio.run(move()))
    thread.start()
    qtbot.waitUntil(lambda: not thread.is_alive(), timeout=WAIT)
    thread.join()
    assert [wanted for wanted, *_ in went] == [place for _, place, _ in went] == [place for *_, place in went]
    assert len(went) == 4


def test_what_a_step_says_late_does_not_undo_the_next_one(engine: EngineService, load: Load, step: Steps) -> None:
    load("llama")
    states: list[EngineState] = []
    engine.state_changed.connect(states.append)
    engine.deactivate()
    step(engine.rest)
    assert [state.in_memory for state in states if isinstance(state, ModelResting)] == [True, False]
