"""The part without Qt really has none, in child processes neither."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHOUT_QT = ("-p", "tests.headless_plugin", "-p", "no:pytest-qt")
TEST = """
import importlib.util, subprocess, sys
import pytest

@pytest.mark.parametrize("name", ["PySide6", "PySide6.QtCore", "shiboken6", "qasync"])
def test_nothing_of_qt_is_importable(name):
    with pytest.raises(ModuleNotFoundError, match="this part of the tests runs without Qt") as caught:
        importlib.import_module(name)
    assert caught.value.name.partition(".")[0] == name.partition(".")[0]

def test_children_have_none_either():
    child = subprocess.run([sys.executable, "-m", "PySide6"], capture_output=True, text=True)
    assert "runs without Qt" in child.stderr

def test_all_else_is_there():
    import jinja2
"""


def test_qt_is_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "test_inner.py").write_text(TEST, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    argv = [sys.executable, "-m", "pytest", "-q", *WITHOUT_QT, "-c", str(ROOT / "pyproject.toml"), str(tmp_path)]
    done = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
