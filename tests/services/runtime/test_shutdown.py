"""The end of the program waits for its parts, but for none that can't be interrupted."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from app.services.runtime.shutdown import emitted, ends_in_time
from tests.hearth_process import REPOSITORY

LIMIT = 60.0
LONG_MS = 60_000


Run = Callable[[Coroutine[Any, Any, bool]], bool]


@pytest.fixture
def run(qapp: QApplication) -> Run:
    """Awaits while Qt's timers run too."""

    async def beside_qt(test: Coroutine[Any, Any, bool]) -> bool:
        task = asyncio.ensure_future(test)
        async with asyncio.timeout(LIMIT):
            while not task.done():
                qapp.processEvents()
                await asyncio.sleep(0)
        return task.result()

    return lambda test: asyncio.run(beside_qt(test))


def test_what_ends_is_waited_for(run: Run) -> None:
    done = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append(True)

    assert run(ends_in_time(work(), LONG_MS))
    assert done


def test_what_does_not_end_is_left(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def work() -> None:
        await asyncio.Event().wait()

    assert not run(ends_in_time(work(), 1))
    assert "can't be interrupted" in caplog.text


def test_a_bug_at_the_end_is_told(run: Run) -> None:
    async def work() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(ends_in_time(work(), LONG_MS))


class Door(QObject):
    closed = Signal()


def test_a_signal_that_its_cause_gives_at_once_is_heard(run: Run) -> None:
    door = Door()
    assert run(ends_in_time(emitted(door.closed, door.closed.emit), LONG_MS))


def test_leaving_waits_for_no_thread_and_loses_nothing_said() -> None:
    program = (
        "import threading\n"
        "from app.services.runtime.shutdown import leave\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "print('the last word', end='')\n"
        "leave(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=LIMIT, cwd=REPOSITORY, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, b"the last word", b"")
