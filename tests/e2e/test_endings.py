"""However the program is ended, it ends in order: nothing runs on, and nothing is taken for a crash."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from app.core.paths import Paths
from app.core.program import EXIT_BUG
from app.services.runtime.crash_reports import CrashReports
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from app.storage.drafts import DraftStore
from tests.tools.test_mcp_session import all_ended

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120
"""Seconds after which a child has failed."""

DRIVER = """
import os, signal, sys
from PySide6.QtCore import QCoreApplication, QTimer
from app import program as hearth
from app.__main__ import main
from app.core.messages import Message, Role

begin = hearth.Program.begin

def begin_and_end(program):
    begin(program)
    application = QCoreApplication.instance()
    {act}

hearth.Program.begin = begin_and_end
sys.exit(main([]))
"""


BROKEN = """
import sys
from app import program as hearth
from app.__main__ import main

def fail(*_):
    raise ValueError("at the start")

hearth.Program.__init__ = fail
sys.exit(main([]))
"""


def run(home: Path, act: str) -> "subprocess.CompletedProcess[str]":
    return start(home, DRIVER.format(act=act))


def start(home: Path, program: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "HEARTH_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def test_the_end_of_a_session_closes_the_window(home: Path) -> None:
    done = run(home, "QTimer.singleShot(0, application.quit)")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    paths = Paths(home, home, home / "logs")
    assert "Closed in" in (paths.logs / "hearth.log").read_text("utf-8")
    assert not paths.database.with_name(paths.database.name + "-wal").exists(), "the database was closed"
    assert not paths.crash_report.with_name("native-crash.txt").exists()


def test_a_disk_that_is_away_does_not_keep_the_program(home: Path) -> None:
    stuck = "program.exchange.paint(1, lambda *_: os.read(os.pipe()[0], 1))"
    done = run(home, f"{stuck}; QTimer.singleShot(200, program.window.close)")
    assert done.returncode == 0, done.stderr
    assert "exchange can't be interrupted" in (home / "logs" / "hearth.log").read_text("utf-8")
    assert "Closed in" in (home / "logs" / "hearth.log").read_text("utf-8")


def test_no_thread_keeps_the_process_when_the_window_is_gone(home: Path) -> None:
    waits = f"import threading, time; threading.Thread(target=time.sleep, args=({2 * LIMIT},)).start()"
    done = run(home, f"{waits}; QTimer.singleShot(0, program.window.close)")
    assert done.returncode == 0, done.stderr
    assert "Closed in" in (home / "logs" / "hearth.log").read_text("utf-8")


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_session_s_end_that_kills_is_no_crash(home: Path) -> None:
    """Windows says that the session ends, and kills what is still there."""
    done = run(home, "application.aboutToQuit.emit(); os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == -signal.SIGKILL
    assert not (home / "logs" / "native-crash.txt").exists()


def test_a_bug_that_ends_the_start_is_told_at_the_next_one(home: Path) -> None:
    assert start(home, BROKEN).returncode == EXIT_BUG
    last = CrashReports(Paths(home, home, home / "logs").crash_report).take_last()
    assert "ValueError: at the start" in last.report
    assert not last.survived


def test_what_was_about_to_be_sent_waits_for_the_next_start(home: Path) -> None:
    post = "program.writing.outbox.add(Message.of(Role.USER, 'waiting'))"
    done = run(home, f"{post}; program.window.close(); program.writing.outbox.send_now()")
    assert done.returncode == 0, done.stderr
    with Database.open(Paths(home, home, home / "logs").database) as database:
        assert [each.text for each in DraftStore(database).get(None).queue] == ["waiting"]
        assert not ConversationStore(database).all()


CALLS = """
import sys
from PySide6.QtCore import QTimer
from app import program as hearth
from app.__main__ import main
from app.services.engine.states import ModelReady
from app.services.tools.call_states import Asked, Running
from app.tools.tool import Decision

begin = hearth.Program.begin

def begin_and_ask(program):
    begin(program)
    controller, timer = program.controller, QTimer(program.window, interval=20)
    def go_on():
        path = controller.active.path
        if not path and isinstance(program.engine.state, ModelReady):
            controller.send("What is the weather in Paris?")
        for call, state in controller.tools.states(path[-1].id if path else 0).items():
            if isinstance(state, Asked):
                controller.tools.decide(path[-1].id, call, Decision.ONCE)
        states = [state for each in path for state in controller.tools.states(each.id).values()]
        if any(isinstance(state, Running) for state in states):
            timer.stop()
            print("runs", flush=True)
    timer.timeout.connect(go_on)
    timer.start()

hearth.Program.begin = begin_and_ask
sys.exit(main([]))
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_killed_in_a_call_it_leaves_no_server_and_the_chat_whole(home: Path) -> None:
    server = {"command": sys.executable, "args": [str(ROOT / "tests" / "tools" / "small_server.py"), "waits"]}
    home.mkdir(exist_ok=True)
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"weather": server}}), "utf-8")
    environment = {**os.environ, "HEARTH_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    hearth = subprocess.Popen(
        [sys.executable, "-c", CALLS], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert hearth.stdout is not None
    assert hearth.stdout.readline() == "runs\n"
    children = psutil.Process(hearth.pid).children(recursive=True)
    assert any("small_server" in " ".join(each.cmdline()) for each in children)
    hearth.kill()
    hearth.wait()
    hearth.stdout.close()
    assert all_ended(children)
    with Database.open(Paths(home, home, home / "logs").database) as database:
        store = ConversationStore(database)
        assert store.mark_interrupted() == 1
        question, answer, result = store.path(store.all()[0].id)
    assert question.message.text == "What is the weather in Paris?"
    assert (answer.state, len(answer.message.tool_calls)) == (MessageState.COMPLETE, 1)
    assert (result.state, result.message.tool_call_id) == (MessageState.INTERRUPTED, answer.message.tool_calls[0].id)
