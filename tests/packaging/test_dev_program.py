"""dev.py itself, in a small checkout that counts as set up: exit codes, arguments, interruptions."""

import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from devtools.console import Progress, duration
from devtools.engine import wanted_engine
from devtools.errors import SetUpError
from devtools.layout import Layout
from devtools.logged import Command, run_logged
from devtools.plan import TEST, Step, carry_out, unfinished_steps
from devtools.program import windows_code
from devtools.stamps import Stamps

PACKAGING = Path(__file__).parents[2] / "packaging"
PROGRAM = """
import json, os, sys
print(json.dumps([sys.argv[1:], os.getcwd()]))
sys.exit(int(sys.argv[1]))
"""
PYTEST = """
import os, sys, time
word = sys.argv[2]
if word == "wait":
    print("waiting in", os.getpid(), flush=True)
    time.sleep(600)
sys.exit(int(word))
"""
posix = pytest.mark.skipif(os.name == "nt", reason="process groups are POSIX's")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Our own packaging folder beside a program of three lines. The environment is real and empty."""
    layout = Layout(tmp_path_factory.mktemp("a checkout").resolve())
    shutil.copytree(PACKAGING, layout.root / "packaging", ignore=shutil.ignore_patterns("__pycache__"))
    (layout.root / "app").mkdir()
    (layout.root / "app" / "__main__.py").write_text(PROGRAM, encoding="utf-8")
    (layout.root / "tests" / "core").mkdir(parents=True)
    (layout.root / "pytest.py").write_text(PYTEST, encoding="utf-8")
    venv.create(layout.venv, symlinks=os.name != "nt")
    site = next(layout.venv.glob("lib/python*/site-packages"), layout.venv / "Lib" / "site-packages")
    (site / "hearth-checkout.pth").write_text(f"{layout.root}\n", encoding="utf-8")
    steps = unfinished_steps(layout, TEST, wanted_engine(layout, None))
    carry_out([Step(step.title, 0, lambda: None, step.name, step.key) for step in steps], Stamps(layout.stamps))
    return layout


def dev(layout: Layout, *arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, str(layout.root / "packaging" / "dev.py"), *arguments]
    return subprocess.run(argv, cwd=folder or layout.root, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("code", [0, 1, 70])
def test_the_exit_code_is_the_programs(checkout: Layout, code: int) -> None:
    assert dev(checkout, "run", str(code)).returncode == code


def test_arguments_and_the_callers_folder_go_through(checkout: Layout, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()  # must not be taken for the program
    (tmp_path / "app" / "__main__.py").write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    done = dev(checkout, "run", "0", "two words", "--wheels", "--help", folder=tmp_path)
    assert done.stdout.strip() == f'[["0", "two words", "--wheels", "--help"], "{tmp_path.as_posix()}"]'
    assert done.stderr == ""


def test_the_exit_code_is_pytests(checkout: Layout) -> None:
    assert dev(checkout, "test", "-k", "3").returncode == 3
    assert dev(checkout, "test", "-k", "0").returncode == 0


@posix
def test_an_interruption_ends_the_tests_and_is_told_in_a_sentence(checkout: Layout) -> None:
    argv = [sys.executable, str(checkout.root / "packaging" / "dev.py"), "test", "-k", "wait"]
    with subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith("waiting in "):
            assert line
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate()
    assert process.returncode == 130
    assert told.strip() == "Interrupted; the same command takes up where this one stopped."
    assert has_ended(int(line.split()[-1]))


def test_nothing_is_done_where_everything_is_set_up(checkout: Layout) -> None:
    before = {path: path.stat().st_mtime_ns for path in checkout.venv.rglob("*")}
    done = dev(checkout, "setup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hearth is set up.\n", "")
    assert before == {path: path.stat().st_mtime_ns for path in checkout.venv.rglob("*")}


def test_a_failing_command_shows_its_last_lines_and_the_log(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "x.log"
    code = "for n in range(100): print(n)\nprint('NewConnectionError')\nraise SystemExit(3)"
    with pytest.raises(SetUpError) as caught:
        run_logged(Command([sys.executable, "-c", code], "Installing the moon", log, 1.0))
    assert caught.value.sentence.startswith("Installing the moon failed with exit code 3. The network")
    assert str(log) in caught.value.sentence
    assert caught.value.detail.splitlines()[-2].strip() == "99"
    assert "\n0\n" in log.read_text(encoding="utf-8")


def test_a_certificate_that_is_not_trusted_is_told(tmp_path: Path) -> None:
    code = "print('SSLError: certificate verify failed; CERTIFICATE_VERIFY_FAILED')\nraise SystemExit(1)"
    with pytest.raises(SetUpError, match="named in PIP_CERT"):
        run_logged(Command([sys.executable, "-c", code], "Installing the moon", tmp_path / "log", 1.0))


def test_a_command_that_does_not_exist_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SetUpError, match="Building the engine failed"):
        run_logged(Command(["no-such-command-here"], "Building the engine", tmp_path / "log", 1.0))


@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_stops_grandchildren_too(tmp_path: Path, how: signal.Signals) -> None:
    """As when pip runs CMake, which runs Ninja, which runs compilers, one of which ignores SIGINT."""
    inner = (
        "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
    )
    outer = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {inner!r}])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid) + ' ')\n"
        "child.wait()"
    )
    main = (
        "import sys; from pathlib import Path; from devtools import command, logged\n"
        "command.treat_as_interruption('SIGTERM')\n"
        "def ready(line):\n    print(line, flush=True)\n"
        f"order = logged.Command([sys.executable, '-c', {outer!r}], 'X', Path({str(tmp_path / 'log')!r}), 9.0)\n"
        "try:\n    logged.run_logged(order, ready)\nexcept KeyboardInterrupt:\n    sys.exit(130)"
    )
    process = subprocess.Popen([sys.executable, "-c", main], cwd=PACKAGING, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != "ready":
            pass
        process.send_signal(how)
        process.stdout.read()
    assert process.returncode == 130
    grandchild = int((tmp_path / "pid").read_text(encoding="utf-8"))
    assert has_ended(grandchild)


def has_ended(pid: int) -> bool:
    """An orphan may stay a zombie for as long as nobody above collects it."""
    return until(lambda: not alive(pid))


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60
    while not true():
        if time.monotonic() > deadline:
            return False
    return True


def test_windows_codes_fit_into_what_exit_takes() -> None:
    assert windows_code(70) == 70
    assert windows_code(0xC0000005) == -1073741819


def test_durations_read_well() -> None:
    assert [duration(seconds) for seconds in (0.2, 1, 45, 100, 300)] == [
        "less than a second", "1 second", "45 seconds", "2 minutes", "5 minutes",
    ]  # fmt: skip


def test_progress_never_goes_back_and_never_claims_the_end_by_time_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [0.0]
    by_time = Progress(10.0, clock=lambda: now[0])
    by_lines = Progress(None, clock=lambda: now[0])
    for seconds, fraction in ((20.0, None), (40.0, 0.5), (60.0, 0.3), (95.0, None)):
        now[0] = seconds
        by_time.update()
        by_lines.update(fraction, "x")
    shown = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert shown == ["95%", "50%", "95%", "95%", "50%"]
