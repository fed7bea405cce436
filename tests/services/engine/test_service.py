"""The façade and its thread: states, replies, cancelling the right job, and a clean end."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QThread, Slot
from pytestqt.qtbot import QtBot

from app.core.errors import ModelError, UserError
from app.core.events import Finished, FinishReason, PromptProgress, TextDelta
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelLoading, ModelReady, NoModel, ReplyFailed, ReplyUpdate
from app.services.runtime.settings_service import SettingsService
from tests.services.conftest import Load
from tests.services.shutdown import shut_down
from tests.waits import WAIT

LONG = "the rain in the mountains is heard on another hill and in the valley too. " * 8


class Listener(QObject):
    """Keeps what the façade says, and on which thread it said it."""

    def __init__(self, engine: EngineService) -> None:
        super().__init__()
        self.states: list[object] = []
        self.replies: list[ReplyUpdate | ReplyFailed] = []
        self.threads: set[QThread] = set()
        engine.state_changed.connect(self.take_state)
        engine.reply.connect(self.take_reply)

    @Slot(object)
    def take_state(self, state: object) -> None:
        self.threads.add(QThread.currentThread())
        self.states.append(state)

    @Slot(object)
    def take_reply(self, said: ReplyUpdate | ReplyFailed) -> None:
        self.threads.add(QThread.currentThread())
        self.replies.append(said)

    def finished(self, job: int) -> Finished | None:
        events = [each.event for each in self.replies if isinstance(each, ReplyUpdate) and each.job == job]
        return next((event for event in events if isinstance(event, Finished)), None)


def request(text: str, **sampling: object) -> ChatRequest:
    values = {"temperature": 0.0, "max_tokens": 20, **sampling}
    return ChatRequest((Message.of(Role.USER, text),), Sampling(**values))  # type: ignore[arg-type]  # names as given


def test_loading_goes_from_checking_to_ready_on_the_gui_thread(engine: EngineService, load: Load) -> None:
    listener = Listener(engine)
    ready = load("llama")
    assert ready.info.n_ctx == 1024
    assert all(isinstance(state, ModelLoading) for state in listener.states[:-1])
    assert isinstance(listener.states[-1], ModelReady)
    assert listener.threads == {engine.thread()}


def test_a_file_that_is_no_model_is_a_state_with_a_sentence(
    engine: EngineService, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "x.gguf").write_text("hello")
    with qtbot.waitSignal(
        engine.state_changed, timeout=WAIT, check_params_cb=lambda state: isinstance(state, ModelFailed)
    ):
        engine.load(tmp_path / "x.gguf")
    assert isinstance(engine.state, ModelFailed)
    assert isinstance(engine.state.error, ModelError)


def test_a_reply_streams_and_the_next_one_reuses_it(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    listener = Listener(engine)
    first = engine.generate(request(LONG))
    qtbot.waitUntil(lambda: listener.finished(first) is not None, timeout=WAIT)
    second = engine.generate(request(LONG))
    qtbot.waitUntil(lambda: listener.finished(second) is not None, timeout=WAIT)
    one, two = listener.finished(first), listener.finished(second)
    assert one is not None
    assert two is not None
    assert one.text == two.text
    assert two.timings.prompt_n == 1
    deltas = [each.event.text for each in listener.replies if isinstance(each.event, TextDelta) and each.job == first]  # type: ignore[union-attr]  # none failed
    assert "".join(deltas) == one.text
    assert len(deltas) < one.timings.predicted_n, "deltas are joined, not one a token"
    events = [each.event for each in listener.replies if isinstance(each, ReplyUpdate) and each.job == first]
    earliest = next(event for event in events if isinstance(event, TextDelta))
    assert earliest.predicted_n <= 3, "the first word does not wait for the next ones"


def test_a_long_answer_comes_in_many_pieces(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    listener = Listener(engine)
    jobs = [engine.generate(request(LONG, max_tokens=600)) for _ in range(2)]
    qtbot.waitUntil(lambda: listener.finished(jobs[1]) is not None, timeout=WAIT)
    for job in jobs:
        events = [each.event for each in listener.replies if isinstance(each, ReplyUpdate) and each.job == job]
        assert sum(isinstance(event, TextDelta) for event in events) > 4


def test_a_cancel_hits_its_own_job_alone(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    listener = Listener(engine)
    jobs = [engine.generate(request(LONG + word, max_tokens=300)) for word in ("one", "two", "three")]
    engine.cancel_reply(jobs[1])
    qtbot.waitUntil(lambda: listener.finished(jobs[2]) is not None, timeout=WAIT)
    reasons = [found.reason for job in jobs if (found := listener.finished(job)) is not None]
    assert reasons[1] is FinishReason.CANCELLED
    assert FinishReason.CANCELLED not in (reasons[0], reasons[2])


def test_a_running_reply_stops_at_once(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    listener = Listener(engine)
    job = engine.generate(request(LONG, max_tokens=0))
    qtbot.waitUntil(lambda: any(isinstance(getattr(each, "event", None), PromptProgress) for each in listener.replies))
    engine.cancel_reply(job)
    qtbot.waitUntil(lambda: listener.finished(job) is not None, timeout=WAIT)
    finished = listener.finished(job)
    assert finished is not None
    assert finished.reason is FinishReason.CANCELLED


def test_a_reply_without_a_model_is_a_sentence(engine: EngineService, qtbot: QtBot) -> None:
    listener = Listener(engine)
    engine.generate(request("hello"))
    qtbot.waitUntil(lambda: bool(listener.replies), timeout=WAIT)
    failed = listener.replies[0]
    assert isinstance(failed, ReplyFailed)
    assert isinstance(failed.error, UserError)


def test_too_long_a_prompt_is_a_sentence_and_the_model_stays(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    listener = Listener(engine)
    engine.generate(request("word " * 3000))
    qtbot.waitUntil(lambda: bool(listener.replies), timeout=WAIT)
    assert isinstance(listener.replies[0], ReplyFailed)
    job = engine.generate(request("hello"))
    qtbot.waitUntil(lambda: listener.finished(job) is not None, timeout=WAIT)


def test_loading_another_model_replaces_the_first(engine: EngineService, load: Load) -> None:
    assert load("llama").info.architecture == "llama"
    assert load("gemma3").info.architecture == "gemma3"


def test_a_load_that_is_replaced_at_once_never_shows(
    engine: EngineService, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    listener = Listener(engine)
    engine.load(tiny_models["llama"])
    with qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda s: isinstance(s, ModelReady)):
        engine.load(tiny_models["gemma3"])
    shown = [state.info.architecture for state in listener.states if isinstance(state, ModelReady)]
    assert shown == ["gemma3"]


def test_cancelling_a_load_leaves_no_model(engine: EngineService, tiny_models: dict[str, Path], qtbot: QtBot) -> None:
    with qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda s: isinstance(s, NoModel)):
        engine.load(tiny_models["llama"])
        engine.cancel_load()
    assert isinstance(engine.state, NoModel)


def test_unloading_frees_the_model(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    with qtbot.waitSignal(engine.state_changed, timeout=WAIT, check_params_cb=lambda s: isinstance(s, NoModel)):
        engine.unload()


@pytest.mark.parametrize("when", ["idle", "loading", "replying"])
def test_the_thread_ends_at_once_whatever_it_does(
    when: str, settings: SettingsService, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    from app.core.program import own_command
    from app.services.engine.plans import PreflightPlan

    service = EngineService(settings, PreflightPlan(tmp_path / "tried.json", own_command()))
    if when == "replying":
        with qtbot.waitSignal(service.state_changed, timeout=WAIT, check_params_cb=lambda s: isinstance(s, ModelReady)):
            service.load(tiny_models["llama"])
        with qtbot.waitSignal(service.reply, timeout=WAIT):
            service.generate(request(LONG, max_tokens=0))
    elif when == "loading":
        service.load(tiny_models["llama"])
    shut_down(service, qtbot)
    assert not service.is_running
