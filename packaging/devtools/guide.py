"""`dev.py guide`: makes the built-in model anew, in an environment of its own, and examines it with Hearth's engine."""

import os
from collections.abc import Sequence
from pathlib import Path

from devtools.environment import create, pip_command, pip_environment
from devtools.layout import Layout, interpreter
from devtools.logged import Command, run_logged
from devtools.program import run_program

_EXPECTED = 120.0
"""Seconds; most of it is the download of PyTorch."""


def make_guide(layout: Layout, arguments: Sequence[str]) -> int:
    """Train, convert and evaluate, or what `arguments` say: those of `python -m guide`. Returns the exit code.

    Raises SetUpError. Needs the environment for tests. Takes more than an hour; broken off, it goes on where it was.
    """
    command = list(arguments) or ["build"]
    if command[0] != "evaluate":
        code = _run(_trainers_python(layout), layout, command)
        if code or command[0] != "build":
            return code
    card = layout.root / "packaging" / "guide" / "MODEL_CARD.md"
    rest = command[1:] if command[0] == "evaluate" else ["--table", str(card)]
    return _run(layout.python, layout, ["evaluate", *rest])


def _run(python: Path, layout: Layout, arguments: Sequence[str]) -> int:
    environment = {**os.environ, "PYTHONPATH": str(layout.root / "packaging"), "PYTHONUTF8": "1"}
    return run_program([str(python), "-m", "guide", *arguments], layout.root, environment)


def _trainers_python(layout: Layout) -> Path:
    """The interpreter of an environment with PyTorch, which is made on the first call and when the pins change."""
    venv, pins = layout.build / "guide-venv", layout.requirements / "guide.txt"
    python, stamp = interpreter(venv), venv / "installed.txt"
    wanted = pins.read_text(encoding="utf-8")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    log = layout.logs / "guide.log"
    layout.build.mkdir(parents=True, exist_ok=True)
    create(venv, log, "--clear")
    argv = [*pip_command(python), "install", "-r", str(pins)]
    doing = "Installing the Python packages that train the guide"
    run_logged(Command(argv, doing, log, _EXPECTED, env=pip_environment(os.environ)))
    stamp.write_text(wanted, encoding="utf-8")
    return python
