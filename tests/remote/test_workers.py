"""llama-server on `rpc-server` workers, where they were built: skipped where `HEARTH_LLAMA_SERVER` names none."""

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from app.core.errors import UserError
from app.core.events import Finished, FinishReason, ReplyEvent, TextDelta
from app.core.requests import ChatRequest
from app.remote.stop_signal import StopSignal
from app.remote.worker import Worker
from app.remote.workers import WorkerEngine
from tests.endless_model import make_repeating
from tests.rpc_workers import rpc_program, running_worker
from tests.server_checks import ENDLESS, question


def engine_on(folder: Path, *workers: Worker, watch: Callable[[int], None] = lambda _: None) -> WorkerEngine:
    model = make_repeating(folder / "m.gguf")
    return WorkerEngine(rpc_program(), model, workers, folder / "log", n_ctx=2048, options=("-t", "1"), watch=watch)


def asked(engine: WorkerEngine, request: ChatRequest) -> Finished:
    *_, last = engine.reply(request, StopSignal())
    assert isinstance(last, Finished)
    return last


def test_a_worker_that_is_killed_in_mid_answer_costs_the_rest_of_it_alone(tmp_path: Path) -> None:
    with (
        running_worker() as (first, _),
        running_worker() as (second, process),
        closing(engine_on(tmp_path, first, second)) as engine,
    ):
        events: list[ReplyEvent] = []
        for event in engine.reply(question(sampling=ENDLESS), StopSignal()):
            events.append(event)
            if isinstance(event, TextDelta) and process.poll() is None:
                process.kill()
                process.wait()
        last = events[-1]
        assert isinstance(last, Finished)
        came = "".join(each.text for each in events if isinstance(each, TextDelta))
        assert (last.reason, last.text) == (FinishReason.BROKEN_OFF, came) and came
        assert len(last.notes) == 1 and str(second) in last.notes[0]
        assert asked(engine, question()).reason is FinishReason.LENGTH
        assert set(engine.working) == {first}


def test_a_worker_that_went_in_idle_time_costs_nothing(tmp_path: Path) -> None:
    with (
        running_worker() as (first, _),
        running_worker() as (second, process),
        closing(engine_on(tmp_path, first, second)) as engine,
    ):
        assert asked(engine, question()).text
        assert set(engine.working) == {first, second}
        process.kill()
        process.wait()
        assert asked(engine, question()).text
        assert set(engine.working) == {first}


def test_the_key_is_no_argument_that_others_could_see(tmp_path: Path) -> None:
    groups: list[int] = []
    with running_worker() as (first, _), closing(engine_on(tmp_path, first, watch=groups.append)) as engine:
        assert asked(engine, question()).text
        (group,) = groups
        process = psutil.Process(group)
        key = process.environ()["LLAMA_API_KEY"]
        assert key and not any(key in each for each in process.cmdline())


def test_without_any_worker_it_is_told_who_is_missing(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        missing = Worker("127.0.0.1", closed.getsockname()[1])
        engine = WorkerEngine(Path("llama-server"), tmp_path / "m.gguf", (missing,), tmp_path / "log")
        with pytest.raises(UserError, match=str(missing)):
            asked(engine, question())


def test_a_program_that_can_not_start_is_told_in_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)
        there = Worker("127.0.0.1", listening.getsockname()[1])
        program_ = tmp_path / "llama-server"
        engine = WorkerEngine(program_, tmp_path / "m.gguf", (there,), tmp_path / "log")
        with pytest.raises(UserError, match="can't be started"):
            asked(engine, question())
