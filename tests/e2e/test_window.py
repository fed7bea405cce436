"""The whole program: a person types, a model answers, and it all ends cleanly."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.program import Program
from app.services.engine.states import ModelReady
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from tests.e2e.conftest import ask, opened, write_settings
from tests.waits import WAIT

ROOT = Path(__file__).resolve().parents[2]


def test_two_questions_are_typed_and_answered_the_second_reusing_the_first(
    program: Program, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    program.engine.load(ModelRef.of_file(tiny_models["llama"]))
    qtbot.waitUntil(lambda: isinstance(program.engine.state, ModelReady), timeout=WAIT)
    first = ask(program, "Tell me about the rain", qtbot).figures or {}
    second = ask(program, "And the river?", qtbot).figures or {}
    conversation = program.controller.active.conversation
    assert conversation is not None
    with Database.open(program.paths.database) as database:
        told = ConversationStore(database).path(conversation.id)
    assert [each.message.text for each in told][::2] == ["Tell me about the rain", "And the river?"]
    assert all(each.state is MessageState.COMPLETE for each in told)
    assert second["cache_n"] == first["n_past"]
    assert len(program.window.transcript.views) == 4


def test_a_model_that_was_used_is_there_again(
    paths: Paths, tiny_models: dict[str, Path], qapp: QApplication, qtbot: QtBot
) -> None:
    write_settings(paths, last_model=str(tiny_models["llama"]))
    with opened(paths, qapp, qtbot) as program:
        assert program.history.recent() == (ModelRef.of_file(tiny_models["llama"]),)


def start(home: Path, *arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "HEARTH_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    )


def wait_for(what: Path, process: "subprocess.Popen[str]") -> None:
    limit = time.monotonic() + WAIT / 1000
    while not what.exists():
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        assert time.monotonic() < limit
        process_wait(process)


def process_wait(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.05)


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_the_program_ends_cleanly_on_a_signal_and_leaves_no_process(paths: Paths, tiny_models: dict[str, Path]) -> None:
    write_settings(paths, last_model=str(tiny_models["llama"]))
    process = start(paths.data)
    wait_for(paths.trusted_models, process)
    children = psutil.Process(process.pid).children(recursive=True)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=WAIT / 1000)
    assert process.returncode == 0, said
    assert time.monotonic() - began < 45
    assert not said
    assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert not paths.crash_report.exists()
