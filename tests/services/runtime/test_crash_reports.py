"""A bug is written down, and told once at the next start."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import app
from app.services.runtime.crash_reports import CrashReports

ROOT = Path(__file__).resolve().parents[3]

CHILD = """
import ctypes, faulthandler, logging, sys, threading
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from app.services.runtime import qt_log
from app.services.runtime.crash_reports import CrashReports
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(name)s %(message)s")
reports = CrashReports(Path(sys.argv[1]))
reports.install()
qt_log.install()
def fail(): raise ValueError("what went wrong")
{body}
reports.close()
"""


def run(report: Path, body: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", CHILD.format(body=body), str(report)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "body",
    [
        "app = QCoreApplication([]); QTimer.singleShot(0, fail); QTimer.singleShot(50, app.quit); app.exec()",
        "thread = threading.Thread(target=fail); thread.start(); thread.join()",
        "fail()",
    ],
    ids=["slot", "thread", "main"],
)
def test_an_uncaught_exception_is_told_at_the_next_start(body: str, tmp_path: Path) -> None:
    report = tmp_path / "logs" / "crash.txt"
    run(report, body)
    told = CrashReports(report).take_last().report
    assert "ValueError: what went wrong" in told
    assert CrashReports(report).take_last().report == "", "told once"


def test_a_native_crash_is_told_at_the_next_start(tmp_path: Path) -> None:
    report = tmp_path / "crash.txt"
    done = run(report, "faulthandler._sigsegv()")
    assert done.returncode != 0
    assert "Segmentation fault" in CrashReports(report).take_last().report


def test_a_native_crash_says_which_program_it_was(tmp_path: Path) -> None:
    report = tmp_path / "crash.txt"
    run(report, "faulthandler._sigsegv()")
    assert CrashReports(report).take_last().report.startswith(f"Hearth {app.__version__} began at ")


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_program_that_was_killed_is_told_at_the_next_start(tmp_path: Path) -> None:
    report = tmp_path / "crash.txt"
    done = run(report, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == -signal.SIGKILL
    told = CrashReports(report).take_last().report
    assert told.startswith(f"Hearth {app.__version__} began at ")
    assert "It was ended from outside" in told
    assert CrashReports(report).take_last().report == "", "told once"


def test_an_exception_that_ended_the_program_is_not_called_a_kill(tmp_path: Path) -> None:
    report = tmp_path / "crash.txt"
    run(report, "fail()")
    last = CrashReports(report).take_last()
    assert "ended from outside" not in last.report
    assert not last.survived


def test_a_fault_that_the_program_survived_is_no_end(tmp_path: Path) -> None:
    report = tmp_path / "crash.txt"
    run(report, "thread = threading.Thread(target=fail); thread.start(); thread.join()")
    assert CrashReports(report).take_last().survived
    assert not CrashReports(report).take_last().survived, "told once"


def test_a_run_that_ends_well_leaves_nothing(tmp_path: Path) -> None:
    report = tmp_path / "crash.txt"
    assert run(report, "pass").returncode == 0
    assert not list(tmp_path.iterdir())


def test_the_report_is_bounded(tmp_path: Path) -> None:
    report = tmp_path / "crash.txt"
    reports = CrashReports(report)
    for _ in range(20):
        reports.record("x" * 50_000)
    assert report.stat().st_size < 400_000


def test_qts_own_messages_reach_the_log(tmp_path: Path) -> None:
    body = "from PySide6.QtCore import qWarning; qWarning('a word from Qt')"
    assert "qt a word from Qt" in run(tmp_path / "crash.txt", body).stderr


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = run(tmp_path / "file" / "crash.txt", "print('still here')")
    assert "still here" in done.stdout


def test_a_report_that_can_not_be_removed_is_no_obstacle_to_the_end(tmp_path: Path) -> None:
    done = run(tmp_path / "crash.txt", "reports._native.unlink(); reports._native.mkdir()")
    assert done.returncode == 0, done.stderr
