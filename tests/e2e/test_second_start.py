"""Starts of the real program in processes of their own: a second one, one after a crash, and one without a console."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.core.paths import Paths
from app.services.runtime.single_instance import ADDRESS
from app.storage.settings_file import load_settings
from tests.hearth_process import REPOSITORY, HearthProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
LIMIT = 120
WITHOUT_CONSOLE = "import sys; sys.stdin = sys.stdout = sys.stderr = None"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text("[loading]\nthreads = 1\n")
    return Paths(home, home, home / "logs")


class Starts:
    """Ends what it has started."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self._hearth = HearthProcess(paths.data, qt=True)
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str | Path, prologue: str = "", closed: bool = False) -> "subprocess.Popen[bytes]":
        """The program, when it can be reached; `closed` has no standard files at all."""
        command = self._hearth.command(*arguments, prologue=prologue)
        if closed:
            command = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command]
        before = self._address()
        process = subprocess.Popen(command, cwd=REPOSITORY, env=self._environment(), stderr=subprocess.PIPE)
        self._running.append(process)
        self.wait(process, lambda: self._address() not in ("", before))
        return process

    def again(self, *arguments: str | Path, prologue: str = "") -> "subprocess.CompletedProcess[bytes]":
        """A start that should end by itself."""
        command = self._hearth.command(*arguments, prologue=prologue)
        return subprocess.run(
            command, cwd=REPOSITORY, env=self._environment(), capture_output=True, timeout=LIMIT, check=False
        )

    def wait(self, process: "subprocess.Popen[bytes]", come: Callable[[], bool]) -> None:
        limit = time.monotonic() + LIMIT
        while not come():
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                assert time.monotonic() < limit
            else:
                raise AssertionError(process.stderr.read().decode() if process.stderr else "it ended")

    def end(self, process: "subprocess.Popen[bytes]", number: int = signal.SIGTERM) -> str:
        """What it said on standard error."""
        process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT)
        assert process.returncode == (0 if number == signal.SIGTERM else -number), said
        return said.decode()

    def close(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate()

    def _environment(self) -> dict[str, str]:
        return {**self._hearth.environment(), "QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}

    def _address(self) -> str:
        try:
            return (self.paths.data / ADDRESS).read_text()
        except OSError:
            return ""


@pytest.fixture
def starts(paths: Paths) -> Iterator[Starts]:
    made = Starts(paths)
    yield made
    made.close()


def draft(paths: Paths) -> str:
    with closing(sqlite3.connect(f"file:{paths.database}?mode=ro", uri=True)) as database:
        return " ".join(str(row) for row in database.execute("SELECT * FROM draft"))


def test_a_second_start_hands_over_its_files(
    starts: Starts, paths: Paths, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader")
    first = starts.start()
    second = starts.again(tiny_models["llama"], tmp_path / "letter.txt")
    assert second.returncode == 0, second.stderr
    assert second.stderr == b""
    starts.wait(first, lambda: "letter.txt" in draft(paths))
    starts.wait(first, lambda: load_settings(paths.settings).settings.interface.last_model == str(tiny_models["llama"]))
    assert starts.end(first) == ""
    assert not (paths.data / ADDRESS).exists()


def test_the_first_start_opens_its_files_itself(starts: Starts, paths: Paths, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader")
    first = starts.start(tmp_path / "letter.txt")
    starts.wait(first, lambda: "letter.txt" in draft(paths))
    assert starts.end(first) == ""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_after_a_crash_the_next_start_is_the_first_again_and_tells(starts: Starts, paths: Paths, number: int) -> None:
    starts.end(starts.start(), number)
    assert (paths.data / ADDRESS).exists(), "what a crash leaves"
    report = (paths.logs / "native-crash.txt").read_text()
    assert ("Segmentation fault" in report) is (number == signal.SIGSEGV)
    next_one = starts.start()
    assert starts.again().returncode == 0
    assert starts.end(next_one) == ""
    log = (paths.logs / "hearth.log").read_text("utf-8")
    told = log.partition("The last run ended unexpectedly:")[2]
    assert ("Segmentation fault" if number == signal.SIGSEGV else "ended from outside") in told


def test_one_that_holds_the_lock_and_does_not_answer_is_told_in_a_sentence(starts: Starts, paths: Paths) -> None:
    first = starts.start()
    (paths.data / ADDRESS).unlink()
    quick = "import app.start; app.start._PATIENCE_S = 0.0"
    # It waits for its dialog to be closed, so it is read and then ended.
    command = [*HearthProcess(paths.data, qt=True).command(prologue=quick)]
    second = subprocess.Popen(command, cwd=REPOSITORY, env=starts._environment(), stderr=subprocess.PIPE)
    assert second.stderr is not None
    assert b"does not answer. Look for its window." in second.stderr.readline()
    second.kill()
    second.communicate()
    starts.end(first)


@pytest.mark.parametrize("closed", [False, True], ids=["none", "closed"])
def test_it_runs_without_a_console(starts: Starts, paths: Paths, tmp_path: Path, closed: bool) -> None:
    """As under pythonw and in a windowed bundle; and with the descriptors closed."""
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 8)
    first = starts.start(tmp_path / "gone.txt", prologue="" if closed else WITHOUT_CONSOLE, closed=closed)
    second = starts.again(tmp_path / "a.bin", prologue=WITHOUT_CONSOLE)
    assert second.returncode == 0
    if closed and sys.platform == "linux":
        for number in range(3):
            assert Path(f"/proc/{first.pid}/fd/{number}").readlink() == Path("/dev/null")
    assert starts.end(first) == ""
    log = (paths.logs / "hearth.log").read_text("utf-8")
    assert "is open" in log
    assert "Traceback" not in log


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--wrong",), ("selftest", "--wrong"), ("ask", "hi", "-m", "/gone")]
)
def test_no_command_needs_a_console(starts: Starts, paths: Paths, arguments: tuple[str, ...]) -> None:
    done = starts.again(*arguments, prologue=WITHOUT_CONSOLE)
    assert done.returncode == {"--help": 0, "ask": 1}.get(arguments[0], 2), done.stderr


def test_progress_bars_of_libraries_need_no_console(starts: Starts, tmp_path: Path) -> None:
    """tqdm, which comes with the hub's package, writes to standard error as it finds it."""
    prologue = (
        f"{WITHOUT_CONSOLE}\nimport app.__main__, logging, warnings\n"
        "def run(arguments):\n"
        "    from huggingface_hub.utils import tqdm\n"
        "    for _ in tqdm(range(3)): pass\n"
        "    print('something')\n"
        "    warnings.warn('something', stacklevel=1)\n"
        "    logging.getLogger('somebody').warning('something')\n"
        f"    open({str(tmp_path / 'done')!r}, 'w').close()\n"
        "    return 0\n"
        "app.__main__._run = run\n"
    )
    done = starts.again(prologue=prologue)
    assert done.returncode == 0
    assert (tmp_path / "done").exists()


def test_a_session_that_ends_leaves_the_window_where_it_was(starts: Starts) -> None:
    """Who logs off sends SIGTERM: the same as a click on the button."""
    starts.end(starts.start())
    assert "geometry=" in (starts.paths.config / "window.ini").read_text("utf-8")
