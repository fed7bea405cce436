"""pytest-qt's robot, as patient as these tests are: 5 s may be too short on a busy machine."""

from collections.abc import Callable
from typing import Any

from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker

from tests.waits import WAIT


class PatientQtBot(QtBot):
    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = WAIT) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = WAIT, **more: Any) -> SignalBlocker:
        return super().waitSignal(signal, timeout=timeout, **more)
