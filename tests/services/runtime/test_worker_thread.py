"""One piece of work after another in one thread, which keeps nobody at the end."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from app.services.runtime import qt_log, worker_thread
from app.services.runtime.worker_thread import WorkerThread
from tests.services.runtime.test_frames import Held
from tests.waits import WAIT


@pytest.fixture
def thread(qapp: object, gate: threading.Event) -> Iterator[WorkerThread]:
    made = WorkerThread(name="test")
    yield made
    made.close()


def test_work_is_done_in_one_thread_in_its_order_and_told_in_the_window_s(thread: WorkerThread, qtbot: QtBot) -> None:
    told: list[tuple[object, bool]] = []

    def tell(result: object) -> None:
        told.append((result, threading.current_thread() is threading.main_thread()))

    assert not thread.is_running, "the start costs nothing"
    for number in (1, 0, 2):
        thread.submit(lambda number=number: (6 // number, threading.current_thread().name), tell)  # type: ignore[misc]  # mypy does not infer the default's type
    qtbot.waitUntil(lambda: len(told) == 3, timeout=WAIT)
    (first, _), (second, _), (third, _) = told
    assert (first, type(second), third) == ((6, "test"), ZeroDivisionError, (3, "test"))
    assert all(in_window for _, in_window in told)


def test_what_was_cancelled_is_told_to_nobody(thread: WorkerThread, gate: threading.Event, qtbot: QtBot) -> None:
    told: list[object] = []
    begun = threading.Event()

    def begin() -> bool:
        begun.set()
        return gate.wait()

    running = thread.submit(begin, told.append)
    waiting = thread.submit(lambda: told.append("never"), told.append)
    assert begun.wait(WAIT / 1000)
    for each in (running, waiting):
        thread.cancel(each)
    thread.submit(lambda: "last", told.append)
    gate.set()
    qtbot.waitUntil(lambda: bool(told), timeout=WAIT)
    assert told == ["last"]


def test_the_end_waits_for_what_is_running_and_for_nothing_else(thread: WorkerThread, gate: threading.Event) -> None:
    told: list[object] = []
    thread.submit(lambda: told.append("done"), told.append)
    thread.submit(gate.wait, told.append)
    thread.submit(lambda: told.append("never"), told.append)
    timer = threading.Timer(0.05, gate.set)
    timer.start()
    thread.close()
    thread.close()
    timer.join()
    assert not thread.is_running
    assert told == ["done"]
    thread.submit(lambda: told.append("never"), told.append)
    assert told == ["done"]


def test_texts_can_be_laid_out_in_it(thread: WorkerThread, qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    qt_log.install()
    told: list[object] = []

    def lay_out() -> float:
        document = QTextDocument("words " * 10_000)
        document.setTextWidth(500)
        return document.size().height()

    thread.submit(lay_out, told.append)
    qtbot.waitUntil(lambda: bool(told), timeout=WAIT)
    qInstallMessageHandler(None)
    assert isinstance(told[0], float)
    assert told[0] > 1000
    assert not caplog.records, "Qt has nothing to say about it"


def test_a_disk_that_is_away_does_not_keep_the_program(
    thread: WorkerThread, gate: threading.Event, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker_thread, "END_WITHIN", 0.01)
    told: list[object] = []
    thread.submit(gate.wait, told.append)
    thread.close()
    assert "test can't be interrupted" in caplog.text
    assert thread.is_running
    thread.deleteLater()
    gate.set()
    for each in threading.enumerate():
        if each.name == "test":
            each.join()
    assert not told, "and what comes late is told to nobody"


def test_what_an_error_held_ends_in_the_thread(
    thread: WorkerThread, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    """As where a PDF is no longer wanted: its document has timers of that thread."""
    qt_log.install()

    def lay_out() -> None:
        document = QTextDocument("words\n" * 3000)
        document.documentLayout().blockBoundingRect(document.begin())
        document.setPlainText("words\n" * 3000)
        raise ValueError(document.blockCount())

    told: list[object] = []
    try:
        thread.submit(lay_out, told.append)
        qtbot.waitUntil(lambda: bool(told))
        assert isinstance(told.pop(), ValueError)
    finally:
        qInstallMessageHandler(None)
    assert caplog.messages == []


@pytest.mark.parametrize("cancelled", [False, True])
def test_the_thread_lets_go_of_its_work_and_the_window_is_the_last(
    thread: WorkerThread, gate: threading.Event, cancelled: bool, qtbot: QtBot
) -> None:
    ends: list[str] = []
    begun = threading.Event()

    def act(_: Held) -> None:
        begun.set()
        gate.wait()

    work = thread.submit(partial(act, Held(ends)), lambda _: None)
    assert begun.wait(WAIT / 1000)
    if cancelled:
        thread.cancel(work)
    del work
    assert not ends
    gate.set()
    qtbot.waitUntil(lambda: ends == [threading.main_thread().name])
