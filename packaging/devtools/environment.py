"""The virtual environment: making it, and installing what a lock file names."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from devtools.layout import Layout
from devtools.logged import Command, Reading, run_logged

_FIRST_SECONDS = 10.0
_SECONDS_PER_PACKAGE = 0.7
_REQUIREMENT = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^]]*\])?==", re.MULTILINE)
_HEALTHY = "import sys, pip; sys.exit(sys.version_info < (3, 11))"


def environment_key(layout: Layout) -> str:
    """A virtual environment holds its own path, so a moved checkout needs a new one."""
    return f"1 {layout.root}"


def make_environment(layout: Layout, *, afresh: bool) -> None:
    """Makes `.venv`, or keeps a working one that somebody made by hand; `afresh` keeps nothing.

    The step's own marker in the stamps' folder survives, or an interruption in here would go unnoticed.
    """
    if afresh or not _is_healthy(layout.python):
        for entry in layout.venv.iterdir():
            if entry != layout.stamps:
                _remove(entry)
        for stamp in layout.stamps.iterdir():
            if stamp.name != "in-progress":
                stamp.unlink()
        create(layout.venv, layout.logs / "environment.log")
    _put_on_path(layout)


def create(venv: Path, log: Path, *extra: str) -> None:
    """An empty virtual environment of this Python; `extra` goes to the `venv` module."""
    base = str(getattr(sys, "_base_executable", sys.executable))
    run_logged(Command([base, "-I", "-m", "venv", *extra, str(venv)], f"Making {venv}", log, 5.0))


def install(python: Path, lock: Path, log: Path, *, pip: Path | None = None) -> None:
    """Installs exactly what `lock` names, each file checked against its hash.

    `pip` is the interpreter that has pip, where `python` itself has none.
    """
    count = count_requirements(lock.read_text(encoding="utf-8"))
    options = ["install", "--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(lock)]
    expected = expected_seconds(lock)
    doing = f"Installing the Python packages of {lock.name}"
    argv = [*pip_command(pip or python, None if pip is None else python), *options]
    run_logged(Command(argv, doing, log, expected, env=pip_environment(os.environ)), reading_of_pip(count))


def pip_command(runs: Path, target: Path | None = None) -> list[str]:
    """pip of the interpreter `runs`, working on the environment of `target` where that is another one."""
    return [str(runs), "-I", "-m", "pip", *([] if target is None else ["--python", str(target)])]


def pip_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """People's own settings for indexes, proxies and certificates stay; what would install elsewhere goes."""
    kept = {name: value for name, value in environ.items() if name not in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")}
    return kept | {"PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUTF8": "1"}


def expected_seconds(lock: Path) -> float:
    """About how long it takes to install `lock`, most of it spent on a download of 100 MB or so."""
    return _FIRST_SECONDS + _SECONDS_PER_PACKAGE * count_requirements(lock.read_text(encoding="utf-8"))


def count_requirements(lock: str) -> int:
    return len(_REQUIREMENT.findall(lock))


def reading_of_pip(count: int) -> Reading:
    """pip collects all packages one by one (most of the time), then installs them at one go."""
    collected = 0

    def read(line: str) -> tuple[float, str] | None:
        nonlocal collected
        if line.startswith("Collecting "):
            collected += 1
            return min(0.75 * collected / max(count, 1), 0.75), line.split()[1].partition("==")[0]
        if line.startswith("Installing collected packages"):
            return 0.75, "unpacking"
        return None

    return read


def _is_healthy(python: Path) -> bool:
    try:
        asked = subprocess.run([str(python), "-I", "-c", _HEALTHY], capture_output=True, check=False)
    except OSError:
        return False
    return asked.returncode == 0


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()


def _put_on_path(layout: Layout) -> None:
    """`import app` works in this environment from any folder, and for child processes too."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    told = subprocess.run([str(layout.python), "-I", "-c", where], capture_output=True, text=True, check=True)
    (Path(told.stdout.strip()) / "hearth-checkout.pth").write_text(f"{layout.root}\n", encoding="utf-8")
