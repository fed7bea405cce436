"""Ends an engine service and waits until its thread is gone."""

from pytestqt.qtbot import QtBot

from app.services.engine.service import EngineService


def shut_down(service: EngineService, qtbot: QtBot) -> None:
    with qtbot.waitSignal(service.closed):
        service.close()
