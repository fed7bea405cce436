"""The window as `selftest` tries it, in a process of its own."""

import os
import subprocess
import sys

import pytest

_CHECK = """
from collections.abc import Coroutine
from app import program as hearth
from app.start import check_window

async def never(work: Coroutine) -> bool:
    work.close()
    return False

if {late}:
    hearth.ends_in_time = never
raise SystemExit(check_window())
"""


@pytest.mark.parametrize("late", [False, True])
def test_the_window_is_checked_also_where_the_engine_takes_its_time_to_end(late: bool) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", _CHECK.format(late=late)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.startswith("Qt draws a window of ")) == (0, True), done.stderr
