"""Examines a bundle as its users will have it, which takes minutes and a screen: `dev.py test` has no time for it.

    python3 packaging/devtools/bundle_check.py [--bundle FOLDER] [--model FILE.gguf] [--pictures FOLDER] [STEP ...]

Starts it from a clean folder, with nothing in its environment but a home and a screen (Xvfb's): a question through the
window, a picture, kill -9, a crash in native code, a library that is missing, a graphics card that is missing, one that
Mesa plays; then its size, the time to its first paint beside the checkout's, and with `--model` its speed beside that
of the engine in `.venv`. Needs Xvfb, xdotool, a C compiler, and what `dev.py run` and `dev.py bundle` leave.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

from devtools.bundle_screen import CheckFailedError, Screen, screen, until  # noqa: E402
from devtools.bundle_subject import Subject, end, red_square  # noqa: E402

_RUNS, _PAIRS = 7, 5
_SLOWEST_PAINT, _SLOWEST_SPEED = 2.0, 0.97
_PROMPT = "Tell me everything about the sea."
_DRIVERS = Path("/usr/share/vulkan/icd.d")
_COMPUTED = "Vulkan Timings:"
_CRASH = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
/* A thread of native code that follows a null pointer as soon as $HEARTH_CRASH names a file. */
static void *fall(void *name) { while (access(name, F_OK)) usleep(20000); *(volatile int *)0 = 1; return 0; }
__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    char *name = getenv("HEARTH_CRASH");
    if (name) pthread_create(&thread, 0, fall, name);
}
"""


@dataclass(slots=True)
class Examination:
    subject: Subject
    screen: Screen
    work: Path
    model: Path | None = None
    pictures: Path | None = None
    failures: list[str] = field(default_factory=list)

    def photograph(self, name: str) -> None:
        if self.pictures:
            self.screen.photograph(self.pictures / f"{name}.png")


def size(this: Examination) -> str:
    files = [file for file in this.subject.folder.rglob("*") if file.is_file() and not file.is_symlink()]
    return f"{sum(file.stat().st_size for file in files) / 1e6:.0f} MB in {len(files):,} files"


def selftest(this: Examination) -> str:
    done = this.subject.run("selftest")
    _demand(done.returncode == 0, f"code {done.returncode}\n{done.stdout}{done.stderr}")
    return f"{done.stdout.count('ok ')} steps"


def missing(this: Examination) -> str:
    """The self-test of a copy fails without any of these."""
    libraries = "_internal/llama_cpp/lib"
    losses = (
        (f"{libraries}/libllama.so",),
        (f"{libraries}/libggml-cpu*.so",),
        ("_internal/resources/models/guide.gguf",),
        ("_internal/PySide6/Qt/lib/libQt6Gui.so.6",),
        ("_internal/PySide6/Qt/plugins/platforms/libqxcb.so",),
    )
    for patterns in losses:
        copy = this.subject.copy_without(this.work / "without", *patterns)
        done = copy.run("selftest")
        _demand(done.returncode != 0, f"the self-test passes without {patterns[0]}")
        print(f"        without {patterns[0]}: code {done.returncode}, {(done.stdout or done.stderr).splitlines()[-1]}")
    return f"{len(losses)} of {len(losses)} losses were noticed"


def question(this: Examination) -> str:
    """Asked in the window, answered by the built-in model, found in the database."""
    with this.subject.window(this.screen) as process:
        before = len(this.subject.answers())
        this.subject.ask(this.screen, "What can you do?")
        until(lambda: _complete(this.subject, before), "the answer was complete")
        time.sleep(1)  # for the picture, whose last line may not be drawn yet
        this.photograph("answer")
        code = end(process)
    _demand(code == 0, f"closed with code {code}")
    return json.dumps(json.loads(this.subject.answers()[-1][1]), ensure_ascii=False)[:100]


def picture(this: Examination) -> str:
    done = this.subject.run("ask", "--temp", "0", "-i", str(red_square(this.work / "red.png")), "What do you see?")
    _demand(
        done.returncode == 0 and "red" in done.stdout.lower(), f"code {done.returncode}: {done.stdout}{done.stderr}"
    )
    return done.stdout.strip()[:100]


def killed(this: Examination) -> str:
    """kill -9, and the next start tells."""
    with this.subject.window(this.screen) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return _is_told(this, "It was ended from outside", "killed")


def crashed(this: Examination) -> str:
    """A null pointer in a native thread, and the next start tells."""
    library, sign = this.work / "crash.so", this.work / "now"
    (this.work / "crash.c").write_text(_CRASH, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, this.work / "crash.c", "-lpthread"], check=True)
    with this.subject.window(this.screen, LD_PRELOAD=str(library), HEARTH_CRASH=str(sign)) as process:
        sign.touch()
        code = process.wait(60)
        sign.unlink()
    _demand(code == -signal.SIGSEGV, f"the program ended with code {code}")
    return _is_told(this, "Segmentation fault", "crashed")


def no_card(this: Examination) -> str:
    """A flavour for graphics cards on a machine without the driver: its backend cannot be loaded."""
    copy = this.subject.copy_without(this.work / "vulkan")
    (copy.folder / "_internal/llama_cpp/lib/libggml-vulkan.so").write_bytes(b"no library")
    done = copy.run("ask", "-n", "8", "hello")
    _demand(done.returncode == 0 and bool(done.stdout.strip()), f"code {done.returncode}: {done.stderr}")
    _demand("No graphics card was found" in done.stderr, f"nothing was said of it: {done.stderr}")
    return done.stderr.strip()[:100]


def graphics(this: Examination) -> str:
    """All layers on Mesa's graphics card, which is the processor in truth: it says what the processor itself says.

    Mesa 25 is right; Debian 12's own, 22.3, crashes when a picture's tokens are read: VK_ICD_FILENAMES names another.
    It translates the code for the card at each start, which takes minutes.
    """
    if not (this.subject.folder / "_internal/llama_cpp/lib/libggml-vulkan.so").exists():
        return "not tried: this flavour has no Vulkan"
    driver = os.environ.get("VK_ICD_FILENAMES") or next(map(str, _DRIVERS.glob("lvp_icd*.json")), "")
    if not driver:
        return "not tried: Mesa's driver is not here (on Debian, the package mesa-vulkan-drivers)"
    # llama.cpp takes a processor for a graphics card only when it is named.
    card = {"VK_ICD_FILENAMES": driver, "GGML_VK_VISIBLE_DEVICES": "0", "GGML_VK_PERF_LOGGER": "1"}
    for arguments in (("What can you do?",), ("-i", str(red_square(this.work / "red.png")), "What do you see?")):
        on_card = this.subject.run("ask", "--temp", "0", *arguments, seconds=600, **card)
        on_processor = this.subject.run("ask", "--temp", "0", "-ngl", "0", *arguments)
        _demand(on_card.returncode == 0, f"code {on_card.returncode}: {on_card.stderr[-500:]}")
        _demand(_COMPUTED in on_card.stderr, f"nothing was computed on the card: {on_card.stderr[-500:]}")
        _demand(on_card.stdout == on_processor.stdout, f"{on_card.stdout!r} is not {on_processor.stdout!r}")
    without = this.subject.run("ask", "-n", "8", "hello", VK_ICD_FILENAMES="/nowhere.json")
    _demand("No graphics card was found" in without.stderr, f"nothing was said without a driver: {without.stderr}")
    return "a question and a picture are answered as on the processor; without a driver it falls back"


def first_paint(this: Examination) -> str:
    python = str(ROOT / ".venv" / "bin" / "python")
    times: dict[str, list[float]] = {"bundle": [], "checkout": []}
    environment = this.subject.environment(this.screen)
    for _ in range(_RUNS):
        times["bundle"].append(this.screen.first_paint(this.subject.command, environment, Path("/")))
        times["checkout"].append(this.screen.first_paint([python, "-P", "-m", "app"], environment, ROOT))
    bundle, checkout = (statistics.median(each[1:]) for each in times.values())  # the first fills the disk's cache
    ratio = bundle / checkout
    told = f"{bundle * 1000:.0f} ms, the checkout's {checkout * 1000:.0f} ms: {ratio:.2f} of it"
    _demand(ratio <= _SLOWEST_PAINT, told)
    return told


def speed(this: Examination) -> str:
    """In turns, because a machine's speed drifts; the ratio is taken within each pair."""
    if this.model is None:
        return "not measured: no --model was given"
    options = ["ask", "--json", "-m", str(this.model), "-t", "1", "-c", "512", "-ngl", "0", "--temp", "0", "-n", "48"]
    python = str(ROOT / ".venv" / "bin" / "python")
    ratios = []
    for _ in range(_PAIRS):
        rates = [
            _rate(command, this.subject.environment(), folder)
            for command, folder in (
                ([*this.subject.command, *options, _PROMPT], Path("/")),
                ([python, "-P", "-m", "app", *options, _PROMPT], ROOT),
            )
        ]
        ratios.append(rates[0] / rates[1])
        print(f"        bundle {rates[0]:.2f}, checkout {rates[1]:.2f} tokens a second")
    told = f"{statistics.median(ratios):.3f} of the native build's (pairs {min(ratios):.3f} to {max(ratios):.3f})"
    _demand(statistics.median(ratios) >= _SLOWEST_SPEED, told)
    return told


STEPS: tuple[Callable[[Examination], str], ...] = (
    size, selftest, missing, question, picture, killed, crashed, no_card, graphics, first_paint, speed,
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Exit code 0 when every step holds."""
    names = [step.__name__ for step in STEPS]
    parser = argparse.ArgumentParser(description="Examine a bundle.")
    parser.add_argument("--bundle", type=Path, default=ROOT / "dist" / "hearth")
    parser.add_argument("--model", type=Path, help="for the speed; about half a gigabyte is right")
    parser.add_argument("--pictures", type=Path, help="where to leave photographs of the screen")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(names)}; all without any")
    given = parser.parse_args(arguments)
    if unknown := set(given.steps) - set(names):
        parser.error(f"there is no step {', '.join(unknown)}")
    with tempfile.TemporaryDirectory(prefix="hearth-bundle-") as folder, screen() as shown:
        work = Path(folder)
        (work / "home").mkdir()
        moved = work / "somewhere else" / "hearth"
        shutil.copytree(given.bundle, moved, symlinks=True)
        model = given.model.resolve() if given.model else None
        this = Examination(Subject(moved, work / "home"), shown, work, model, given.pictures)
        for step in STEPS:
            if not given.steps or step.__name__ in given.steps:
                _examine(this, step)
    print(f"Not working: {', '.join(this.failures)}." if this.failures else "All of it works.")
    return 1 if this.failures else 0


def _examine(this: Examination, step: Callable[[Examination], str]) -> None:
    began = time.monotonic()
    try:
        told, word = step(this), "ok"
    except (CheckFailedError, subprocess.TimeoutExpired) as error:
        told, word = str(error), "FAILED"
        this.failures.append(step.__name__)
        this.photograph(f"failed-{step.__name__}")
    print(f"{word:<7} {step.__name__} ({time.monotonic() - began:.0f} s): {told}", flush=True)


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise CheckFailedError(otherwise)


def _complete(subject: Subject, before: int) -> bool:
    answers = subject.answers()
    return len(answers) > before and answers[-1][0] == "complete" and '"text": ""' not in answers[-1][1]


def _is_told(this: Examination, words: str, name: str) -> str:
    """Starts it again: what happened is on the screen, which the log repeats."""
    seen = len(this.subject.log)
    with this.subject.window(this.screen) as process:
        until(lambda: words in this.subject.log[seen:], f"the next start told: {words}")
        time.sleep(1)
        this.photograph(name)
        code = end(process)
    _demand(code == 0, f"closed with code {code}")
    return f"the next start says: {words}"


def _rate(argv: list[str], environment: dict[str, str], folder: Path) -> float:
    done = subprocess.run(argv, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    _demand(done.returncode == 0, f"{argv[0]} ended with code {done.returncode}: {done.stderr}")
    return float(json.loads(done.stdout)["timings"]["predicted_per_second"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
