"""However the program is ended, it ends in order: nothing runs on, and nothing is taken for a crash."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.paths import Paths
from app.core.program import EXIT_BUG
from app.services.runtime.crash_reports import CrashReports
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.drafts import DraftStore

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
