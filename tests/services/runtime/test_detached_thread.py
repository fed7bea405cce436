"""Work that waits for a network: nobody waits for one that does not end."""

import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from app.services.runtime.detached_thread import DetachedThread
from tests.services.runtime.test_frames import Held
from tests.waits import WAIT


@pytest.fixture
def thread(qapp: object) -> Iterator[DetachedThread]:
    made = DetachedThread(name="test")
    yield made
    made.close()


def test_one_piece_comes_after_another_with_what_it_returned_or_raised(thread: DetachedThread, qtbot: QtBot) -> None:
    told: list[object] = []
    running: list[int] = []
    most: list[int] = []

    def work(number: int) -> int:
        running.append(number)
        most.append(len(running))
        running.remove(number)
        return 6 // number

    for number in (1, 0, 2, 3):
        thread.submit(partial(work, number), told.append)
    qtbot.waitUntil(lambda: len(told) == 4, timeout=WAIT)
    assert [each if isinstance(each, int) else type(each) for each in told] == [6, ZeroDivisionError, 3, 2]
    assert max(most) == 1


def test_the_next_one_does_not_wait_for_one_that_was_cancelled(
    thread: DetachedThread, gate: threading.Event, qtbot: QtBot
) -> None:
    told: list[str | Exception] = []
    first = thread.submit(lambda: str(gate.wait()), told.append)
    second = thread.submit(lambda: "second", told.append)
    thread.submit(lambda: "third", told.append)
    thread.cancel(second)
    thread.cancel(first)
    qtbot.waitUntil(lambda: told == ["third"], timeout=WAIT)
    gate.set()
    thread.submit(lambda: "fourth", told.append)
    qtbot.waitUntil(lambda: told == ["third", "fourth"], timeout=WAIT)


def test_what_is_told_may_ask_for_more(thread: DetachedThread, qtbot: QtBot) -> None:
    told: list[int] = []

    def take(number: int | Exception) -> None:
        assert isinstance(number, int)
        told.append(number)
        if number < 3:
            thread.submit(lambda: number + 1, take)

    thread.submit(lambda: 1, take)
    qtbot.waitUntil(lambda: told == [1, 2, 3], timeout=WAIT)


def test_closing_waits_for_nobody_and_hears_no_more(
    thread: DetachedThread, gate: threading.Event, qtbot: QtBot
) -> None:
    told: list[object] = []
    thread.submit(gate.wait, told.append)
    thread.submit(lambda: "never", told.append)
    (left,) = (each for each in threading.enumerate() if each.name == "test")
    began = time.monotonic()
    thread.close()
    thread.close()
    assert time.monotonic() - began < 30
    assert left.daemon, "or the process would wait for it"
    gate.set()
    left.join()
    thread.submit(lambda: "too late", told.append)
    qtbot.wait(0)
    assert told == []


def test_the_window_is_the_last_to_let_go_of_what_was_cancelled(
    thread: DetachedThread, gate: threading.Event, qtbot: QtBot
) -> None:
    ends: list[str] = []
    thread.cancel(thread.submit(partial(lambda _: gate.wait(), Held(ends)), lambda _: None))
    (left,) = (each for each in threading.enumerate() if each.name == "test")
    gate.set()
    left.join()
    assert not ends
    thread.cancel(thread.submit(lambda: 1, lambda _: None))
    assert ends == [threading.main_thread().name]
