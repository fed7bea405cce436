"""`dev.py test`: ruff, mypy, import-linter and pytest, each announced, all of them run, one table at the end.

The parts of pytest run side by side when all of them run: they share nothing, and each needs about one processor.
"""

import contextlib
import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devtools.background import BackgroundProgram
from devtools.console import say
from devtools.errors import SetUpError
from devtools.layout import Layout
from devtools.program import run_program

HEADLESS = ("core", "engine", "storage", "library", "tools", "remote", "cli", "packaging")
"""Folders of `tests` that run with Qt not importable."""
QT = ("services", "ui", "api", "e2e")
"""Folders of `tests` that need Qt; the files beside the folders go with them."""
UNCHECKED = ("bench",)
"""Folders of `tests` that are run by hand."""
WALK = "tests/e2e/test_random_walk.py"
"""Takes its minutes however fast the machine is, and little of it: a part of its own where all tests run."""
_NOTHING_SELECTED = 5
_WITHOUT_QT = ("-p", "tests.headless_plugin", "-p", "no:pytest-qt", "-o", "cache_dir=.pytest_cache/headless")
"""Parts that end at the same time would lose each other's failures in one cache, and `--lf` with them."""
_VALUED = ("-k", "-m", "-p", "-c", "-o", "-W", "-n", "--deselect", "--ignore", "--rootdir")
"""pytest's options whose value is an argument of its own, and no path to tests."""


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    argv: tuple[str, ...]
    is_pytest: bool = False
    onscreen: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    code: int
    seconds: float

    @property
    def word(self) -> str:
        if self.code == 0:
            return "passed"
        if self.code == _NOTHING_SELECTED:
            return "no tests"
        return f"died of {_signal_name(-self.code)}" if self.code < 0 else f"FAILED ({self.code})"


def run_checks(layout: Layout, arguments: Sequence[str], *, onscreen: bool) -> int:
    """All checks; or pytest alone, where `arguments` for it are given. Returns the exit code."""
    parts = pytest_parts(layout, arguments, onscreen=onscreen)
    if arguments:  # which may ask for a debugger, or to stop at the first failure
        results = [_run(layout, check, f"{number}/{len(parts)}") for number, check in enumerate(parts, 1)]
    else:
        results = _run_all(layout, _static_checks(layout), parts)
    _say_table(results)
    if arguments and parts and all(result.code == _NOTHING_SELECTED for result in results):
        say(f"No test was selected by: {' '.join(arguments)}")
    return exit_code(results, selective=bool(arguments))


def pytest_parts(layout: Layout, arguments: Sequence[str], *, onscreen: bool) -> list[Check]:
    """The calls of pytest; one falls away where it has no folder, or `arguments` name paths of the other."""
    tests = layout.root / "tests"
    named = named_paths(layout.root, arguments)
    options = [argument for argument in arguments if argument not in named]
    headless = [path for path in named if _is_headless(layout.root, path)]
    others = [path for path in named if path not in headless]
    if not named:
        _refuse_unknown_folders(tests)
        headless = [f"tests/{name}" for name in HEADLESS if (tests / name).is_dir()]
        others = [f"tests/{name}" for name in QT if (tests / name).is_dir()]
        others += sorted(f"tests/{file.name}" for file in tests.glob("test_*.py"))
    pytest = (str(layout.python), "-m", "pytest", *options)
    parts: list[Check] = []
    if headless:
        parts.append(Check("pytest, headless", (*pytest, *_WITHOUT_QT, *headless), is_pytest=True))
    if not arguments and (layout.root / WALK).exists():
        parts.append(Check("pytest, random walk", (*pytest, WALK), is_pytest=True))
        others.append(f"--ignore={WALK}")
    if others:
        parts.append(Check("pytest, with Qt", (*pytest, *others), is_pytest=True, onscreen=onscreen))
    return parts


def named_paths(root: Path, arguments: Sequence[str]) -> list[str]:
    """Those of pytest's `arguments` that are paths to tests: "tests/core", "tests/core/test_log.py::test_x"."""
    before = ("", *arguments)
    return [
        argument
        for previous, argument in zip(before, arguments, strict=False)
        if previous not in _VALUED and not argument.startswith("-") and (root / argument.split("::")[0]).exists()
    ]


def environment_for(check: Check, environ: Mapping[str, str]) -> dict[str, str]:
    """Qt draws into memory unless it is to be watched. What Python compiles is kept: tests start the program often."""
    made = dict(environ) | {"PYTHONUTF8": "1"}
    made.pop("PYTHONDONTWRITEBYTECODE", None)
    if not check.onscreen:
        made["QT_QPA_PLATFORM"] = "offscreen"
    elif made.get("QT_QPA_PLATFORM") == "offscreen":
        del made["QT_QPA_PLATFORM"]
    return made


def exit_code(results: Sequence[Result], *, selective: bool) -> int:
    """The first failure's. A part without a selected test is none, as long as another part had some."""
    failed = [result for result in results if result.code != 0]
    if selective and any(result.code == 0 for result in results):
        failed = [result for result in failed if result.code != _NOTHING_SELECTED]
    if not failed:
        return 0
    code = failed[0].code
    return 128 - code if code < 0 else code


def _static_checks(layout: Layout) -> list[Check]:
    python = str(layout.python)
    return [
        Check("ruff check", (python, "-m", "ruff", "check")),
        Check("ruff format", (python, "-m", "ruff", "format", "--check")),
        Check("mypy --strict", (python, "-m", "mypy")),
        Check("import-linter", (str(layout.script("lint-imports")),)),
    ]


def _run_all(layout: Layout, static: Sequence[Check], parts: Sequence[Check]) -> list[Result]:
    """One after another, but the `parts` of pytest at once; the last of them has the terminal."""
    count = len(static) + len(parts)
    results = [_run(layout, check, f"{number}/{count}") for number, check in enumerate(static, 1)]
    *others, last = parts
    with contextlib.ExitStack() as stack:
        running = []
        for number, check in enumerate(others, len(static) + 1):
            say(f"[{number}/{count}] {check.name}, in the background")
            program = BackgroundProgram(check.argv, layout.root, environment_for(check, os.environ))
            running.append((check, f"{number}/{count}", stack.enter_context(program)))
        seen = _run(layout, last, f"{count}/{count}")
        return [*results, *(_collect(*each) for each in running), seen]


def _run(layout: Layout, check: Check, place: str) -> Result:
    say(f"[{place}] {check.name}")
    start = time.monotonic()
    code = run_program(check.argv, layout.root, environment_for(check, os.environ))
    return _told(Result(check.name, code, time.monotonic() - start), place)


def _collect(check: Check, place: str, program: BackgroundProgram) -> Result:
    say(f"\n[{place}] {check.name}")
    code = program.wait()
    return _told(Result(check.name, code, program.seconds), place)


def _told(result: Result, place: str) -> Result:
    say(f"[{place}] {result.name}: {result.word} in {result.seconds:.1f} s")
    return result


def _is_headless(root: Path, path: str) -> bool:
    file = root / path.split("::")[0]
    inside = file.resolve().relative_to(root.resolve()).parts if file.resolve().is_relative_to(root.resolve()) else ()
    return inside[:1] == ("tests",) and inside[1:2] != () and inside[1] in HEADLESS


def _refuse_unknown_folders(tests: Path) -> None:
    known = {*HEADLESS, *QT, *UNCHECKED}
    for folder in sorted(path for path in tests.iterdir() if path.is_dir() and path.name not in known):
        if next(folder.rglob("test_*.py"), None) is not None:
            raise SetUpError(f"tests/{folder.name} belongs to no part: name it in packaging/devtools/checks.py.")


def _say_table(results: Sequence[Result]) -> None:
    width = max((len(result.name) for result in results), default=0)
    say()
    for result in results:
        say(f"  {result.name:<{width}}  {result.seconds:7.1f} s  {result.word}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
