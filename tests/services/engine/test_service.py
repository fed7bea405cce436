"""The façade and its thread: states, replies, cancelling the right job, and a clean end."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QThread, Slot
from pytestqt.qtbot import QtBot

from app.core.errors import ModelError, UserError
from app.core.events import FinishReason, PromptProgress, TextDelta
from app.core.messages import Message, Role
from app.core.model_ref import ModelRef
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.snapshot_settings import SnapshotRoom
from app.services.engine.service import EngineService
from app.services.engine.snapshot_store import SnapshotStore
from app.services.engine.states import ModelFailed, ModelLoading, ModelReady, NoModel
from app.services.runtime.settings_service import SettingsService
from tests.counted import counted
from tests.services.asking import answer, becomes, begin, finish, hear, watch
from tests.services.conftest import Load
from tests.services.shutdown import shut_down
from tests.waits import WAIT

LONG = "the rain in the mountains is heard on another hill and in the valley too. " * 8


class Listener(QObject):
    """Keeps what the façade says, and on which thread it said it."""

    def __init__(self, engine: EngineService) -> None:
        super().__init__()
        self.states: list[object] = []
        self.threads: set[QThread] = set()
        engine.state_changed.connect(self.take_state)

    @Slot(object)
    def take_state(self, state: object) -> None:
        self.threads.add(QThread.currentThread())
        self.states.append(state)


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
    with becomes(engine, qtbot, ModelFailed):
        engine.load(ModelRef.of_file(tmp_path / "x.gguf"))
    assert isinstance(engine.state, ModelFailed)
    assert isinstance(engine.state.error, ModelError)


def test_a_reply_streams_and_the_next_one_reuses_it(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    first = hear(engine, request(LONG), qtbot)
    one, two = first.ends[0], finish(engine, request(LONG), qtbot)
    assert one.text == two.text
    assert two.timings.prompt_n == 1
    deltas = [event for event in first.events if isinstance(event, TextDelta)]
    assert "".join(each.text for each in deltas) == one.text
    assert len(deltas) < counted(one.timings.predicted_n), "deltas are joined, not one a token"
    assert counted(deltas[0].predicted_n) <= 3, "the first word does not wait for the next ones"


def test_a_long_answer_comes_in_many_pieces(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    both = [begin(engine, request(LONG, max_tokens=600))[1] for _ in range(2)]
    qtbot.waitUntil(lambda: both[1].has_ended, timeout=WAIT)
    for heard in both:
        assert sum(isinstance(event, TextDelta) for event in heard.events) > 4


def test_a_cancel_hits_its_own_job_alone(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    asked = [begin(engine, request(LONG + word, max_tokens=300)) for word in ("one", "two", "three")]
    asked[1][0].cancel()
    qtbot.waitUntil(lambda: asked[2][1].has_ended, timeout=WAIT)
    reasons = [heard.ends[0].reason for _, heard in asked]
    assert reasons[1] is FinishReason.CANCELLED
    assert FinishReason.CANCELLED not in (reasons[0], reasons[2])


def test_a_cancel_that_comes_late_hits_nothing(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    early, heard = begin(engine, request(LONG))
    qtbot.waitUntil(lambda: heard.has_ended, timeout=WAIT)
    n_told, (_, next_) = len(heard), begin(engine, request(LONG + "two"))
    early.cancel()
    qtbot.waitUntil(lambda: next_.has_ended, timeout=WAIT)
    assert next_.ends[0].reason is not FinishReason.CANCELLED
    assert len(heard) == n_told, "nothing is told behind the end"


def test_a_running_reply_stops_at_once(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    reply, heard = begin(engine, request(LONG, max_tokens=0))
    qtbot.waitUntil(lambda: any(isinstance(event, PromptProgress) for event in heard.events))
    reply.cancel()
    qtbot.waitUntil(lambda: heard.has_ended, timeout=WAIT)
    assert heard.ends[0].reason is FinishReason.CANCELLED


def test_what_is_asked_without_a_model_gets_a_sentence(engine: EngineService, qtbot: QtBot) -> None:
    (error,) = hear(engine, request("hello"), qtbot).errors
    assert isinstance(error, UserError)
    with pytest.raises(UserError, match="No model is loaded"):
        answer(engine, lambda session, _: session.peek(request("hello")), qtbot)


def test_too_long_a_prompt_is_a_sentence_and_the_model_stays(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    assert hear(engine, request("word " * 3000), qtbot).errors
    finish(engine, request("hello"), qtbot)


def test_a_question_waits_for_no_counting_behind_a_long_reply(
    engine: EngineService, load: Load, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("llama")
    heard = watch(engine, monkeypatch)
    begin(engine, request("on and on", max_tokens=0))
    engine.ask(lambda session, _: len(session.slot), lambda _: None, waits=True)
    engine.snapshots.bring_back("another")
    begin(engine, request("hello", max_tokens=1))
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    assert [each.reason for each in heard.ends] == [FinishReason.LENGTH, FinishReason.CONTEXT_FULL]


def test_a_reply_that_cannot_begin_ends_alone(
    engine: EngineService, load: Load, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("llama")
    disk, asked = SnapshotStore.disk, []

    def refuse_the_second(store: SnapshotStore, room: SnapshotRoom) -> object:
        asked.append(room)
        if len(asked) == 2:
            raise OSError("the disk is gone")
        return disk(store, room)

    monkeypatch.setattr(SnapshotStore, "disk", refuse_the_second)
    first, second = (begin(engine, request(LONG))[1] for _ in range(2))
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    assert [each.reason for each in first.ends] == [FinishReason.LENGTH] and isinstance(second.errors[0], OSError)


def test_questions_are_answered_in_their_order_on_the_gui_thread(
    engine: EngineService, load: Load, qtbot: QtBot
) -> None:
    load("llama")
    said: list[object] = []
    threads: set[QThread] = set()

    def done(answered: object) -> None:
        said.append(answered)
        threads.add(QThread.currentThread())

    engine.ask(lambda session, _: session.info.architecture, done)
    dropped = engine.ask(lambda _, cancelled: cancelled(), done)
    dropped.cancel()
    engine.ask(lambda session, cancelled: (session.slot.context.n_ctx, cancelled()), done)
    assert said == [], "not before the call has returned"
    qtbot.waitUntil(lambda: not engine.is_busy, timeout=WAIT)
    assert said == ["llama", (1024, False)], "and nothing of one that was given up"
    assert threads == {engine.thread()}


def test_a_bug_in_a_question_is_logged_and_costs_its_answer_alone(
    engine: EngineService, load: Load, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    load("llama")
    with pytest.raises(ZeroDivisionError):
        answer(engine, lambda _session, _cancelled: 1 // 0, qtbot)
    assert "failed by a bug" in caplog.text
    caplog.clear()
    assert not engine.is_busy
    assert answer(engine, lambda session, _: session.info.architecture, qtbot) == "llama"


def test_loading_another_model_replaces_the_first(engine: EngineService, load: Load) -> None:
    assert load("llama").info.architecture == "llama"
    assert load("gemma3").info.architecture == "gemma3"


def test_a_load_that_is_replaced_at_once_never_shows(
    engine: EngineService, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    listener = Listener(engine)
    engine.load(ModelRef.of_file(tiny_models["llama"]))
    with becomes(engine, qtbot, ModelReady):
        engine.load(ModelRef.of_file(tiny_models["gemma3"]))
    shown = [state.info.architecture for state in listener.states if isinstance(state, ModelReady)]
    assert shown == ["gemma3"]


def test_cancelling_a_load_leaves_no_model(engine: EngineService, tiny_models: dict[str, Path], qtbot: QtBot) -> None:
    with becomes(engine, qtbot, NoModel):
        engine.load(ModelRef.of_file(tiny_models["llama"]))
        engine.cancel_load()
    assert isinstance(engine.state, NoModel)


def test_unloading_frees_the_model(engine: EngineService, load: Load, qtbot: QtBot) -> None:
    load("llama")
    with becomes(engine, qtbot, NoModel):
        engine.unload()


@pytest.mark.parametrize("when", ["idle", "loading", "replying"])
def test_the_thread_ends_at_once_whatever_it_does(
    when: str, settings: SettingsService, tiny_models: dict[str, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    from app.core.program import own_command
    from app.services.engine.plans import PreflightPlan

    service = EngineService(settings, PreflightPlan(tmp_path / "tried.json", own_command()))
    if when == "replying":
        with becomes(service, qtbot, ModelReady):
            service.load(ModelRef.of_file(tiny_models["llama"]))
        heard = begin(service, request(LONG, max_tokens=0))[1]
        qtbot.waitUntil(lambda: bool(heard), timeout=WAIT)
    elif when == "loading":
        service.load(ModelRef.of_file(tiny_models["llama"]))
    shut_down(service, qtbot)
    assert not service.is_running
