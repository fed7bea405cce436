"""A computer is let in by a code that the settings show, listed, and taken away."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.api_settings import ApiSettings
from app.core.errors import UserError
from app.core.paths import Paths
from app.remote.pairing.certificate import OwnCertificate
from app.remote.pairing.guest import PairedHost, pair
from app.services.local_api.paired_sharing import PairedSharing
from app.services.local_api.switch import ApiOff, ApiOn, ApiState, ApiSwitch
from app.services.remote.paired_computers import PairedComputers
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.settings_service import SettingsService
from app.ui.settings.api_page import ApiPage
from app.ui.settings.page_scroll import PageScroll
from app.ui.settings.paired_panel import PairedPanel
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import FakeSettings
from tests.waits import WAIT


class Switch(QObject):
    """Stands in for what serves them."""

    changed = Signal(object)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.state: ApiState = ApiOff()

    def turn(self, state: ApiState) -> None:
        self.state = state
        self.changed.emit(state)


@pytest.fixture
def switch(qapp: object) -> Switch:
    return Switch()


@pytest.fixture
def computers(tmp_path: Path) -> PairedComputers:
    return PairedComputers(Paths(tmp_path, tmp_path, tmp_path))


@pytest.fixture
def panel(switch: Switch, computers: PairedComputers, parent: QWidget) -> Iterator[PairedPanel]:
    sharing = PairedSharing(computers, cast(ApiSwitch, switch), parent, announces=False)
    made = PairedPanel(sharing, parent)
    made.show()
    yield made
    sharing.close()


def remove_buttons(panel: PairedPanel) -> list[QPushButton]:
    return [each for row in panel.rows for each in row.findChildren(QPushButton)]


def test_a_computer_is_let_in_and_taken_away(
    panel: PairedPanel, switch: Switch, computers: PairedComputers, tmp_path: Path, qtbot: QtBot
) -> None:
    assert not panel.pair_button.isEnabled()
    assert "Switch on" in panel.told.text()
    switch.turn(ApiOn("http://127.0.0.1:8470/v1"))
    assert panel.told.text() == "None yet."
    QTest.mouseClick(panel.pair_button, Qt.MouseButton.LeftButton)
    invitation = panel._sharing.invitation
    assert invitation is not None
    assert panel.code.text() == invitation.code
    assert invitation.address in panel.told.text()
    assert panel.pair_button.text() == "Stop"
    laptop, found = OwnCertificate.at(tmp_path / "laptop.pem"), list[PairedHost]()
    guest = DetachedThread(panel, name="guest")
    port = invitation.address.rpartition(":")[2]
    guest.submit(
        lambda: pair(laptop, "LAPTOP", f"127.0.0.1:{port}", invitation.code),
        lambda said: found.append(said) if isinstance(said, PairedHost) else None,
    )
    qtbot.waitUntil(lambda: bool(found and panel.rows), timeout=WAIT)
    assert found[0].address.base == "https://127.0.0.1:8470"
    assert computers.knows(laptop.fingerprint)
    assert panel.code.isHidden() and panel.pair_button.text() == "Pair a computer…"
    (remove,) = remove_buttons(panel)
    assert remove.accessibleName() == "Remove LAPTOP"
    remove.click()
    assert not panel.rows and not computers.knows(laptop.fingerprint)
    guest.close()


def test_a_code_is_taken_back(panel: PairedPanel, switch: Switch, qtbot: QtBot) -> None:
    switch.turn(ApiOn("http://127.0.0.1:8470/v1"))
    for end in (panel.pair_button.click, panel.hide, lambda: switch.turn(ApiOff())):
        switch.turn(ApiOn("http://127.0.0.1:8470/v1"))
        panel.show()
        panel.pair_button.click()
        waiting = panel._sharing._pairing
        assert waiting is not None and bool(panel._sharing.invitation)
        end()
        assert waiting._stopped.is_set() and not panel._sharing.invitation


def test_what_fails_is_said(panel: PairedPanel, switch: Switch) -> None:
    switch.failed.emit(UserError("Port 8470 is in use by another program."))
    assert panel.problem.text() == "Port 8470 is in use by another program."


def test_the_code_is_brought_into_view(
    appearance: Appearance, switch: Switch, computers: PairedComputers, parent: QWidget, qtbot: QtBot
) -> None:
    sharing = PairedSharing(computers, cast(ApiSwitch, switch), parent, announces=False)
    parent.resize(600, 260)
    area = PageScroll(appearance, "Local API", "", parent)
    page = ApiPage(appearance, ApiSettings, cast(SettingsService, FakeSettings()), "Local API", area)
    page.show_sharing(sharing)
    area.add_page(page)
    area.resize(parent.size())
    switch.turn(ApiOn("http://127.0.0.1:8470/v1"))
    panel = page.paired
    assert isinstance(panel, PairedPanel)
    parent.show()
    area.show()
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 100, timeout=WAIT)
    assert panel.code.visibleRegion().isEmpty()
    panel.pair_button.click()
    qtbot.waitUntil(lambda: panel.code.visibleRegion().boundingRect() == panel.code.rect(), timeout=WAIT)
    sharing.close()
