"""Who uses the model through the API: told in the window's thread, stopped from there."""

import threading

from pytestqt.qtbot import QtBot

from app.services.visitors import Visitor, Visitors


def test_they_come_and_go(qtbot: QtBot) -> None:
    visitors = Visitors()
    told: list[tuple[Visitor, ...]] = []
    visitors.changed.connect(told.append)
    first = visitors.came("curl", lambda: None)
    second = visitors.came("editor", lambda: None)
    visitors.went(first)
    assert [[each.name for each in here] for here in told] == [["curl"], ["curl", "editor"], ["editor"]]
    assert visitors.here == (Visitor(second, "editor"),)
    visitors.went(first)
    assert visitors.here == (Visitor(second, "editor"),)


def test_another_thread_may_tell(qtbot: QtBot) -> None:
    visitors = Visitors()
    heard_in: list[int] = []
    # A bound method of a QObject is called in that object's thread; `here` is read there too.
    visitors.changed.connect(lambda _: heard_in.append(threading.get_ident()))
    with qtbot.waitSignal(visitors.changed):
        thread = threading.Thread(target=visitors.came, args=("curl", lambda: None))
        thread.start()
        thread.join()
    assert [each.name for each in visitors.here] == ["curl"]


def test_all_are_stopped_and_one_may_end_meanwhile(qtbot: QtBot) -> None:
    visitors = Visitors()
    stopped: list[str] = []
    numbers: list[int] = []

    def stop_first() -> None:
        stopped.append("first")
        visitors.went(numbers[0])

    numbers.append(visitors.came("first", stop_first))
    visitors.came("second", lambda: stopped.append("second"))
    visitors.stop_all()
    assert stopped == ["first", "second"]
