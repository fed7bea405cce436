"""A server's model is chosen in front of what is in memory here, and given up again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.events import Finished, FinishReason, ModelInfo, TextDelta, Timings
from app.core.messages import Generation, Message, Role
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.services.engine.elsewhere import Asks, unknown_server
from app.services.engine.futures import Hear, Reply
from app.services.engine.plans import PreflightPlan
from app.services.engine.reply_stream import ReplyStream
from app.services.engine.service import EngineService
from app.services.engine.states import (
    ModelFailed,
    ModelLoading,
    ModelOnServer,
    ModelReady,
    ModelResting,
    NoModel,
    ReplyUpdate,
    known_model,
    ready_model,
)
from app.services.runtime.settings_service import SettingsService
from tests.services.asking import Heard, becomes, finish
from tests.services.conftest import Load
from tests.services.shutdown import shut_down
from tests.ui.fakes import THERE
from tests.waits import WAIT

REQUEST = ChatRequest((Message.of(Role.USER, "Hello"),), Sampling(max_tokens=2))


class Servers:
    """Knows one model, until it is told otherwise; it answers at once."""

    def __init__(self) -> None:
        self.known: ModelInfo | None = THERE
        self.asked: list[ChatRequest] = []

    def info_of(self, model: ModelRef) -> ModelInfo:
        if self.known is None or self.known.ref != model:
            raise unknown_server(model)
        return self.known

    def generate(self, model: ModelRef, request: ChatRequest, hear: Hear, here: Asks | None = None) -> Reply:
        self.info_of(model)
        self.asked.append(request)
        reply = Reply(hear, lambda: None)
        reply.tell(ReplyUpdate(TextDelta("There", 1)))
        reply.tell(ReplyUpdate(Finished(FinishReason.STOP, "There", Generation("", ()), Timings(), 1, 2)))
        return reply

    def bring(self, request: ChatRequest, hear: Hear, here: Asks, begin: Callable[[Hear], Reply]) -> Reply:
        return begin(hear)


@pytest.fixture
def servers() -> Servers:
    return Servers()


@pytest.fixture
def engine(settings: SettingsService, tried: Path, servers: Servers, qtbot: QtBot) -> Iterator[EngineService]:
    made = EngineService(settings, PreflightPlan(tried, own_command()), elsewhere=servers)
    yield made
    shut_down(made, qtbot)


def chosen(engine: EngineService) -> ModelRef | None:
    info = known_model(engine.state)
    return info.ref if info is not None else None


def test_it_is_there_at_once_and_asked_by_name(engine: EngineService, servers: Servers) -> None:
    states: list[object] = []
    engine.state_changed.connect(states.append)
    engine.load(THERE.ref)
    assert states == [ModelOnServer(THERE)] and engine.state == states[0]
    assert known_model(engine.state) == ready_model(engine.state) == THERE
    assert isinstance(engine.local_state, NoModel), "and nothing was loaded here"
    heard = Heard()
    engine.generate(REQUEST, heard.append, model=THERE.ref)
    assert servers.asked == [REQUEST] and heard.ends[0].text == "There" and not engine.is_busy


def test_this_computers_model_rests_meanwhile_and_other_programs_may_still_ask_it(
    engine: EngineService, servers: Servers, load: Load, qtbot: QtBot
) -> None:
    ready, programs = load("llama"), ReplyStream(engine)
    with qtbot.waitSignal(engine.local_changed, timeout=WAIT, check_params_cb=lambda it: isinstance(it, ModelResting)):
        engine.load(THERE.ref)
    assert chosen(engine) == THERE.ref, "what happens here covers nothing"
    assert programs.model == ready.info
    assert finish(engine, REQUEST, qtbot).text and not servers.asked, "they ask what was loaded here"
    assert isinstance(engine.local_state, ModelReady) and chosen(engine) == THERE.ref
    with becomes(engine, qtbot, ModelReady):
        engine.load(ready.info.ref)
    assert engine.state is engine.local_state


def test_what_was_on_its_way_into_memory_is_not_loaded_any_more(
    engine: EngineService, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    engine.load(ModelRef.of_file(tiny_models["llama"]))
    assert isinstance(engine.state, ModelLoading)
    engine.load(THERE.ref)
    qtbot.waitUntil(lambda: isinstance(engine.local_state, NoModel), timeout=WAIT)
    assert chosen(engine) == THERE.ref


def test_what_is_known_of_it_is_told_again_and_a_server_that_was_removed_is_a_failure(
    engine: EngineService, servers: Servers
) -> None:
    engine.load(THERE.ref)
    states: list[object] = []
    engine.state_changed.connect(states.append)
    engine.look_elsewhere()
    assert not states, "nothing is different"
    servers.known = replace(THERE, n_ctx=4096)
    engine.look_elsewhere()
    assert states == [ModelOnServer(servers.known)]
    servers.known = None
    engine.look_elsewhere()
    engine.look_elsewhere()
    [_, failed] = states
    assert isinstance(failed, ModelFailed) and "was removed" in failed.error.sentence
    with pytest.raises(UserError, match="was removed"):
        engine.generate(REQUEST, lambda _: None, model=THERE.ref)
    servers.known = THERE
    engine.reload()
    assert engine.state == ModelOnServer(THERE)
