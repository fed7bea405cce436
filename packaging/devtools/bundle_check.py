"""Examines a bundle as its users will have it, which takes minutes and a screen: `dev.py test` has no time for it.

    python3 packaging/devtools/bundle_check.py [--bundle FOLDER] [--model FILE.gguf] [--pictures FOLDER] [STEP ...]

Starts it from a clean folder, with nothing in its environment but a home and a screen (Xvfb's): a question through the
window, a picture, a second start, kill -9, a crash in native code, a library that is missing, older processors that
QEMU plays, a graphics card that is missing, one that Mesa plays; then its size, the time to its first paint beside the
checkout's, and with `--model` its speed beside that of the engine in `.venv`. Needs Xvfb, xdotool, a C compiler, and
what `dev.py run` and `dev.py bundle` leave; QEMU and Mesa only for their steps.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

from devtools.bundle_contents import EXCLUDED_MODULES  # noqa: E402
from devtools.bundle_examination import Examination, demand  # noqa: E402
from devtools.bundle_layout import BundleLayout  # noqa: E402
from devtools.bundle_measures import first_paint, size, speed  # noqa: E402
from devtools.bundle_processors import processors  # noqa: E402
from devtools.bundle_screen import CheckFailedError, screen, until  # noqa: E402
from devtools.bundle_subject import Subject, end, red_square  # noqa: E402

_QT = ("Core", "DBus", "Gui", "Network", "OpenGL", "PrintSupport", "Svg", "WaylandClient", "Widgets",
       "WlShellIntegration", "XcbQpa")  # fmt: skip
"""Those of Qt's libraries that the program, or a plugin that it needs, is linked to."""
_MODULES = """
import json, sys
from PyInstaller.archive.readers import CArchiveReader
print(json.dumps(list(CArchiveReader(sys.argv[1]).open_embedded_archive("PYZ.pyz").toc)))
"""
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


def selftest(this: Examination) -> str:
    done = this.subject.run("selftest")
    demand(done.returncode == 0, f"code {done.returncode}\n{done.stdout}{done.stderr}")
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
        demand(done.returncode != 0, f"the self-test passes without {patterns[0]}")
        print(f"        without {patterns[0]}: code {done.returncode}, {(done.stdout or done.stderr).splitlines()[-1]}")
    return f"{len(losses)} of {len(losses)} losses were noticed"


def contents(this: Examination) -> str:
    """Nothing of tests, training or type checkers, and of Qt what is in use."""
    libraries = {file.name.split(".")[0].removeprefix("libQt6") for file in this.subject.folder.rglob("libQt6*.so.*")}
    demand(libraries == set(_QT), f"Qt's libraries are {', '.join(sorted(libraries))}")
    argv = [str(BundleLayout(ROOT).python), "-I", "-c", _MODULES, str(this.subject.folder / "hearth")]
    modules = set(json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout))
    strays = sorted(
        name for name in modules if any(name == each or name.startswith(f"{each}.") for each in EXCLUDED_MODULES)
    )
    demand(not strays, f"these should not be in it: {', '.join(strays)}")
    folders = {part for file in this.subject.folder.rglob("*") for part in file.relative_to(this.subject.folder).parts}
    demand(not folders & {"tests", "test", "testing"}, "there are folders of tests")
    return f"{len(modules):,} modules and {len(libraries)} of Qt's libraries, none too many"


def question(this: Examination) -> str:
    """Asked in the window, answered by the built-in model, found in the database."""
    with this.subject.window(this.screen) as process:
        before = len(this.subject.answers())
        this.subject.ask(this.screen, "What can you do?")
        until(lambda: _complete(this.subject, before), "the answer was complete")
        time.sleep(1)  # for the picture, whose last line may not be drawn yet
        this.photograph("answer")
        code = end(process)
    demand(code == 0, f"closed with code {code}")
    return json.dumps(json.loads(this.subject.answers()[-1][1]), ensure_ascii=False)[:100]


def picture(this: Examination) -> str:
    done = this.subject.run("ask", "--temp", "0", "-i", str(red_square(this.work / "red.png")), "What do you see?")
    demand(done.returncode == 0 and "red" in done.stdout.lower(), f"code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()[:100]


def second_start(this: Examination) -> str:
    """With a window open, it hands over the file that it was given, and ends."""
    letter = this.work / "a letter.txt"
    letter.write_text("Dear reader", encoding="utf-8")
    with this.subject.window(this.screen) as process:
        done = this.subject.run(str(letter), DISPLAY=this.screen.name)
        demand(done.returncode == 0, f"the second start ended with code {done.returncode}: {done.stderr}")
        until(lambda: letter.name in this.subject.drafts(), "the first window had the file")
        this.photograph("second-start")
        code = end(process)
    demand(code == 0, f"closed with code {code}")
    return "the first window has its file"


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
    demand(code == -signal.SIGSEGV, f"the program ended with code {code}")
    return _is_told(this, "Segmentation fault", "crashed")


def no_card(this: Examination) -> str:
    """A flavour for graphics cards on a machine without the driver: its backend cannot be loaded."""
    copy = this.subject.copy_without(this.work / "vulkan")
    (copy.folder / "_internal/llama_cpp/lib/libggml-vulkan.so").write_bytes(b"no library")
    done = copy.run("ask", "-n", "8", "hello")
    demand(done.returncode == 0 and bool(done.stdout.strip()), f"code {done.returncode}: {done.stderr}")
    demand("No graphics card was found" in done.stderr, f"nothing was said of it: {done.stderr}")
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
        demand(on_card.returncode == 0, f"code {on_card.returncode}: {on_card.stderr[-500:]}")
        demand(_COMPUTED in on_card.stderr, f"nothing was computed on the card: {on_card.stderr[-500:]}")
        demand(on_card.stdout == on_processor.stdout, f"{on_card.stdout!r} is not {on_processor.stdout!r}")
    without = this.subject.run("ask", "-n", "8", "hello", VK_ICD_FILENAMES="/nowhere.json")
    demand("No graphics card was found" in without.stderr, f"nothing was said without a driver: {without.stderr}")
    return "a question and a picture are answered as on the processor; without a driver it falls back"


STEPS: tuple[Callable[[Examination], str], ...] = (
    size, contents, selftest, missing, question, picture, second_start, killed, crashed, processors, no_card, graphics,
    first_paint, speed,
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
    demand(code == 0, f"closed with code {code}")
    return f"the next start says: {words}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
