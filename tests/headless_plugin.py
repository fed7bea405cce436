"""A pytest plugin for the tests below `services`: Qt is not importable, here and in child processes.

Used as `pytest -p tests.headless_plugin -p no:pytest-qt tests/core ...`.
"""

import os
import sys
from pathlib import Path

import pytest

from tests.no_qt.sitecustomize import BLOCKED

_FOLDER = Path(__file__).with_name("no_qt")

if loaded := [name for name in BLOCKED if name in sys.modules]:
    raise pytest.UsageError(f"{', '.join(loaded)} was imported before the tests that run without Qt began.")

os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_FOLDER), os.environ.get("PYTHONPATH", "")]))


def pytest_addoption(parser: pytest.Parser) -> None:
    # pytest-qt is what declares it elsewhere, and pyproject.toml sets it for all.
    parser.addini("qt_api", "unused: this part runs without Qt")
