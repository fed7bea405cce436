"""A call that waits until nobody has asked for it for a moment."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.services.runtime.debounce import Debounce

AGES = 600_000


@pytest.fixture
def called() -> list[str]:
    return []


@pytest.fixture
def act(called: list[str]) -> Callable[[], None]:
    return lambda: called.append("now")


def test_it_is_called_once(act: Callable[[], None], called: list[str], qtbot: QtBot) -> None:
    owner = QObject()
    later = Debounce(1, act, owner)
    with qtbot.waitSignal(later.timeout):
        later.start()
        later.start()
    assert called == ["now"]
    assert not later.isActive()


def test_what_waits_can_be_done_now(act: Callable[[], None], called: list[str], qapp: object) -> None:
    owner = QObject()
    later = Debounce(AGES, act, owner)
    later.flush()
    assert called == [], "nothing waits"
    later.start()
    later.flush()
    assert called == ["now"]
    assert not later.isActive(), "it is done"
