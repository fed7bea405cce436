"""Who uses the model through the API: told in the window's thread, stopped from there."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Slot
from pytestqt.qtbot import QtBot

from app.services.local_api.clients import Clients


@dataclass(frozen=True)
class Asked:
    number: int
    client: str
    stop: Callable[[], None] = field(default=lambda: None)


class Hearing(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[list[str]] = []
        self.threads: set[int] = set()

    @Slot(object)
    def hear(self, here: tuple[Asked, ...]) -> None:
        self.names.append([each.client for each in here])
        self.threads.add(threading.get_ident())


def test_they_come_and_go(qtbot: QtBot) -> None:
    visitors, hearing = Clients(), Hearing()
    visitors.changed.connect(hearing.hear)
    first, second = Asked(1, "curl"), Asked(2, "editor")
    visitors.came(first)
    visitors.came(second)
    visitors.got_its_turn(second)
    visitors.left(first)
    assert hearing.names == [["curl"], ["curl", "editor"], ["editor"]]
    visitors.left(first)
    assert visitors.here == (second,)


def test_the_window_hears_it_in_its_own_thread(qtbot: QtBot) -> None:
    visitors, hearing = Clients(), Hearing()
    visitors.changed.connect(hearing.hear)
    thread = threading.Thread(target=visitors.came, args=(Asked(1, "curl"),))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: hearing.names == [["curl"]])
    assert hearing.threads == {threading.get_ident()}


def test_all_are_stopped_and_one_may_leave_meanwhile(qtbot: QtBot) -> None:
    visitors = Clients()
    stopped: list[str] = []

    def stop_first() -> None:
        stopped.append("first")
        visitors.left(first)

    first = Asked(1, "first", stop_first)
    visitors.came(first)
    visitors.came(Asked(2, "second", lambda: stopped.append("second")))
    visitors.stop_all()
    assert stopped == ["first", "second"]
    assert [each.number for each in visitors.here] == [2]
