"""Qt's objects in cycles are destroyed in the GUI thread, whoever makes the garbage; freed memory goes back."""

import gc
import platform
import threading
from collections.abc import Iterator

import psutil
import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.services.runtime import garbage_collector
from app.services.runtime.garbage_collector import GarbageCollector
from tests.waits import WAIT


class Knot(QObject):
    """Knows itself, as a dialog does whose buttons are connected to lambdas."""

    def __init__(self, ends: list[str]) -> None:
        super().__init__()
        self.me = self
        self.ends = ends

    def __del__(self) -> None:
        self.ends.append(threading.current_thread().name)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[GarbageCollector]:
    # Python goes on counting a thread of Qt's in which a test before has logged, long after it has ended.
    ended = set(threading.enumerate()) - {threading.main_thread()}
    monkeypatch.setattr(threading, "active_count", lambda: len(set(threading.enumerate()) - ended))
    made = GarbageCollector()
    made.start()
    yield made
    made.stop()


def litter() -> None:
    for _ in range(30_000):
        cycle: list[object] = []
        cycle.append(cycle)


def test_another_thread_destroys_nothing_of_qts(collector: GarbageCollector, qtbot: QtBot) -> None:
    ends: list[str] = []
    Knot(ends)
    worker = threading.Thread(target=litter, name="engine")
    worker.start()
    worker.join()
    assert ends == []
    qtbot.waitUntil(lambda: ends == ["MainThread"])


def test_what_is_not_due_is_left(collector: GarbageCollector) -> None:
    gc.collect()
    ends: list[str] = []
    Knot(ends)
    collector.collect()
    assert ends == []
    gc.collect()
    assert ends == ["MainThread"]


def test_afterwards_python_does_it_again(collector: GarbageCollector) -> None:
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()


def test_while_a_thread_is_left_it_stays_here(collector: GarbageCollector) -> None:
    done = threading.Event()
    left = threading.Thread(target=done.wait, daemon=True)
    left.start()
    collector.stop()
    assert not gc.isenabled()
    done.set()
    left.join()
    collector.stop()
    assert gc.isenabled()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's heaps")
def test_what_lies_free_between_what_is_used_goes_back_to_the_system(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(garbage_collector, "_TRIM_MS", 20)
    process = psutil.Process()
    blocks = [b"x" * 60_000 for _ in range(2000)]
    full = process.memory_info().rss
    kept = blocks[::2]
    del blocks
    assert process.memory_info().rss > full - (20 << 20), "glibc keeps the holes"
    made = GarbageCollector()
    made.start()
    qtbot.waitUntil(lambda: process.memory_info().rss < full - (40 << 20), timeout=WAIT)
    made.stop()
    assert len(kept) == 1000
