"""Does anything at all in the window, for as long as one likes, and tells what went wrong.

`.venv/bin/python -m tests.e2e.random_walk --seed 1 --minutes 30` by hand; three minutes of it are part of the tests. A
process of its own, with a folder of its own, clicks, types, presses keys, pastes, drops files, asks the guide and tiny
models, deletes, undoes, resizes, and goes through menus and dialogs. Nothing leaves the machine. The same seed gives
the same choices, but not the same course: answers take the time that they take.

Faults are uncaught exceptions and errors in the log, Qt's warnings, a step that takes three seconds of work, a process
that dies or hangs, memory that grows, and files that are written elsewhere.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from app.cli import terminal
from app.core.settings import Settings
from app.storage.settings_file import save_settings
from tests.document_files import pdf
from tests.e2e.walk_guard import UNABLE
from tests.picture_files import jpeg, png
from tests.tiny_models import MAKERS
from tests.tiny_vision import VISION_MAKERS

_ROOT = Path(__file__).resolve().parents[2]
_SILENCE = 90.0
"""Seconds without a step after which the process hangs, on however busy a machine."""
_LAST_STEPS = 25
_SETTLED = 0.5
"""Share of the measurements that is left out: caches fill, fonts and models are loaded for the first time."""
_FEW = 3
_MOST_GROWTH = ((26_000, 48 << 20), (5_000, 64 << 20), (0, 160 << 20))
"""Of a walk of more than so many steps, the bytes by which the least of the last few measurements may exceed the least
of the first few that are settled. Models and kinds of files are met for the first time at the end of a short one, and
caches fill: measured, the window took 236 MiB after 200 steps, 309 after 6,100, 352 after 11,000, 373 after 17,900, and
367 after 25,300; and others grew by 27 and 36 in the second half of 29,000."""
_MOST_WIDGETS = 300


@dataclass(frozen=True, slots=True)
class Outcome:
    n_steps: int
    faults: tuple[str, ...]
    """Each with the steps before it; of those that are alike, the first."""
    memory: tuple[tuple[int, int], ...]
    """At each rest: bytes of the process, and widgets."""


def walk(home: Path, seed: int, minutes: float) -> Outcome:
    """Walk in `home`, an empty folder. A window that was closed on the way is opened again."""
    _prepare(home)
    until = time.monotonic() + minutes * 60
    faults: list[str] = []
    turn = 0
    while (left := until - time.monotonic()) > 5 and not any("process" in each for each in faults):
        turn += 1
        faults += _run(home, f"{seed}.{turn}", left)
    trail = (home / "walk.txt").read_text("utf-8", "replace").splitlines()
    memory, n_steps = _measured(trail), sum(line[10:].strip()[:1].isdigit() for line in trail)
    return Outcome(n_steps, (*_faults(trail), *faults, *_growth(memory, n_steps)), memory)


def _run(home: Path, seed: str, seconds: float) -> list[str]:
    """One start of the program; what went wrong beside what its trail tells."""
    errors = home / "errors.txt"
    with errors.open("ab") as file:
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.e2e.walker", str(home), seed, str(seconds)]
        process = subprocess.Popen(
            command, cwd=_ROOT, env=_environment(home), stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
        hung = _wait(process, home / "walk.txt")
    lines = errors.read_text("utf-8", "replace").splitlines()
    said = "\n".join(line for line in lines if UNABLE not in line)
    errors.unlink()
    trail = (home / "walk.txt").read_text("utf-8", "replace").splitlines()[-_LAST_STEPS:]
    native = home / "logs" / "native-crash.txt"
    dump = native.read_text("utf-8", "replace")[-6000:] if native.exists() else ""
    if hung or process.returncode:
        how = hung or f"ended with {process.returncode}"
        return ["\n".join((*trail, f"The process {how}", said[-4000:], dump))]
    if "Traceback" in said or "QObject::" in said:
        return ["\n".join((*trail, "Standard error:", said[-4000:]))]
    return []


def _wait(process: "subprocess.Popen[bytes]", trail: Path) -> str:
    """Until it ends. Returns how it hangs, if it had to be ended."""
    watched = psutil.Process(process.pid)
    moved, worked = time.time(), 0.0
    while process.poll() is None:
        if trail.exists() and trail.stat().st_mtime > moved:
            moved, worked = trail.stat().st_mtime, sum(watched.cpu_times()[:2])
        if time.time() - moved > _SILENCE:
            work = sum(watched.cpu_times()[:2]) - worked
            for told in (signal.SIGUSR1, signal.SIGUSR1, signal.SIGUSR1, signal.SIGABRT):
                # It writes down where it is; by the last it ends.
                process.send_signal(told)
                time.sleep(1)
            process.wait(_SILENCE)
            return f"hangs: {_SILENCE:.0f} s without a step, {work:.1f} s of work in them"
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            continue
    return ""


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the user's is read or written."""
    kept = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "QT_QPA_PLATFORM", "LANG", "VIRTUAL_ENV")
    made = {name: os.environ[name] for name in kept if name in os.environ}
    places = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "HF_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
    made |= {name: str(home / "user") for name in (*places, "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")}
    made.setdefault("QT_QPA_PLATFORM", "offscreen")
    return made | {
        "HEARTH_HOME": str(home),
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }


def _prepare(home: Path) -> None:
    """Models, files to attach, and settings for a small machine."""
    for name in ("files", "models", "saved", "user", "logs"):
        (home / name).mkdir(parents=True, exist_ok=True)
    (home / "user").chmod(0o700)
    for name in ("llama", "gemma3", "qwen35"):
        MAKERS[name](home / "models" / f"tiny-{name}.gguf")
    seeing, projector = VISION_MAKERS["qwen3vl"](home / "models")
    seeing.rename(home / "models" / "tiny-seeing.gguf")
    projector.rename(home / "models" / "mmproj-tiny-seeing.gguf")
    (home / "models" / "damaged.gguf").write_bytes(b"GGUF" + b"\xff" * 200)
    _make_files(home / "files")
    usual = Settings()
    settings = replace(
        usual,
        loading=replace(usual.loading, threads=1, gpu_layers=0),
        sampling=replace(usual.sampling, max_tokens=60),
        # Caches that are full early: what grows after that is lost.
        checkpoints=replace(usual.checkpoints, budget=16, cache_ram=16),
        pictures=replace(usual.pictures, cache_ram=16),
        snapshots=replace(usual.snapshots, disk=32),
        library=replace(usual.library, folders=(str(home / "models"),)),
    )
    save_settings(home / "settings.toml", settings)


def _make_files(folder: Path) -> None:
    (folder / "red.png").write_bytes(png(120, 80, "red"))
    (folder / "blue.jpg").write_bytes(jpeg(900, 700, "blue"))
    (folder / "broken.png").write_bytes(png(60, 60)[:50])
    (folder / "notes.md").write_text("# Notes\n\n- rain\n- snow\n" * 20, "utf-8")
    (folder / "long.txt").write_text("A line of a long text.\n" * 3000, "utf-8")
    (folder / "table.csv").write_text("a;b;c\n1;2;3\n" * 50, "utf-8")
    (folder / "pages.pdf").write_bytes(pdf("The first page", "The second page", ""))
    (folder / "scan.pdf").write_bytes(pdf("", picture=True))
    (folder / "unknown.bin").write_bytes(bytes(range(256)) * 10)


def _faults(trail: list[str]) -> Iterator[str]:
    """Each kind once, with the last steps before it."""
    kinds = set()
    for place, line in enumerate(trail):
        if line != "FAULT":
            continue
        end = next((n for n in range(place + 1, len(trail)) if not trail[n].startswith("    ")), len(trail))
        told = trail[place + 1 : end]
        kind = re.sub(r"0x[0-9a-f]+|\d+", "#", "".join([*[each for each in told if "/app/" in each][-1:], told[-1]]))
        if kind not in kinds:
            kinds.add(kind)
            before = [each for each in trail[:place] if not each.startswith(("    ", "FAULT"))][-_LAST_STEPS:]
            yield "\n".join((*before, *told))


def _measured(trail: list[str]) -> tuple[tuple[int, int], ...]:
    found = (re.search(r"MEASURED (\d+) (\d+)", line) for line in trail)
    return tuple((int(each[1]), int(each[2])) for each in found if each is not None)


def _growth(memory: tuple[tuple[int, int], ...], n_steps: int) -> Iterator[str]:
    settled = memory[int(len(memory) * _SETTLED) :]
    if len(settled) <= _FEW:
        return
    most_bytes = next(most for many, most in _MOST_GROWTH if n_steps >= many)
    for what, place, most in (("bytes", 0, most_bytes), ("widgets", 1, _MOST_WIDGETS)):
        first, last = (min(each[place] for each in part) for part in (settled[:_FEW], settled[-_FEW:]))
        if last - first > most:
            yield f"Grew by {last - first:,.0f} {what}: {[each[place] for each in memory]}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Does anything at all in Hearth's window.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--home", type=Path, help="an empty folder; without it, one that is removed at the end")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hearth-walk-", ignore_cleanup_errors=True) as folder:
        outcome = walk(wanted.home or Path(folder), wanted.seed, wanted.minutes)
    for number, fault in enumerate(outcome.faults, 1):
        terminal.write(f"--- fault {number}\n{fault}\n\n")
    sizes = ", ".join(f"{rss >> 20}/{n}" for rss, n in outcome.memory)
    told = f"{outcome.n_steps} steps, {len(outcome.faults)} faults; MiB/widgets: {sizes}"
    terminal.write(f"Seed {wanted.seed}: {told}\n")
    return bool(outcome.faults)


if __name__ == "__main__":
    sys.exit(main())
